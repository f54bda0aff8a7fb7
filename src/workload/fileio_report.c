/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See fileio_report.h.  Reads are CNT_READ, writes CNT_WRITE, fsyncs CNT_OTHER; MiB = 2^20, MB =
 * 10^6 bytes.
 */
#include "workload/fileio_report.h"

#include "report/text.h"
#include "workload/fileio_options.h"

#define MIB 1048576.0
#define MB  1e6

static double bytes_per_sec(const struct snapshot *s, enum counter k)
{
    return text_per_sec(s, (double)s->count[k]);
}

static void interval_today(struct str *out, const struct snapshot *s)
{
    str_printf(out, "reads: %4.2f MiB/s writes: %4.2f MiB/s fsyncs: %4.2f/s ",
               bytes_per_sec(s, CNT_BYTES_READ) / MIB, bytes_per_sec(s, CNT_BYTES_WRITTEN) / MIB,
               text_per_sec(s, (double)s->other));
    text_latency(out, s, "latency", 3);
}

/* 0.4 and 0.5, whose "MB" are MiB.  Of several percentiles the first one. */
static void interval_old(struct str *out, const struct snapshot *s, int decimals)
{
    str_printf(out, "reads: %4.2f MB/s writes: %4.2f MB/s fsyncs: %4.2f/s response time: ",
               bytes_per_sec(s, CNT_BYTES_READ) / MIB, bytes_per_sec(s, CNT_BYTES_WRITTEN) / MIB,
               text_per_sec(s, (double)s->other));
    str_printf(out, "%4.*fms (%.12g%%)", decimals, s->percentiles ? s->latency_pct_ms[0] : 0,
               s->percentiles ? s->percentile[0] : 0);
}

void fileio_text_interval(struct str *out, const struct snapshot *s, enum report_form form)
{
    if (form <= FORM_1_1)
        interval_today(out, s);
    else
        interval_old(out, s, form >= FORM_0_5_2011 ? 3 : 2);
}

static void blocks_1_0(struct str *out, const struct snapshot *s)
{
    str_adds(out, "\nFile operations:\n");
    str_printf(out, "    reads/s:                      %4.2f\n", text_per_sec(s, (double)s->reads));
    str_printf(out, "    writes/s:                     %4.2f\n",
               text_per_sec(s, (double)s->writes));
    str_printf(out, "    fsyncs/s:                     %4.2f\n", text_per_sec(s, (double)s->other));
    str_adds(out, "\nThroughput:\n");
    str_printf(out, "    read, MiB/s:                  %4.2f\n",
               bytes_per_sec(s, CNT_BYTES_READ) / MIB);
    str_printf(out, "    written, MiB/s:               %4.2f\n",
               bytes_per_sec(s, CNT_BYTES_WRITTEN) / MIB);
}

static void throughput(struct str *out, const char *label, double iops, double bytes)
{
    str_printf(out, "         %s IOPS=%4.2f %4.2f MiB/s (%4.2f MB/s)\n", label, iops, bytes / MIB,
               bytes / MB);
}

static void report_1_1(struct str *out, const struct snapshot *s)
{
    text_unfinished(out, s);
    str_adds(out, "\nThroughput:\n");
    throughput(out, "read: ", text_per_sec(s, (double)s->reads), bytes_per_sec(s, CNT_BYTES_READ));
    throughput(out, "write:", text_per_sec(s, (double)s->writes),
               bytes_per_sec(s, CNT_BYTES_WRITTEN));
    str_printf(out, "         fsync: IOPS=%4.2f\n", text_per_sec(s, (double)s->other));
    str_adds(out, "\nLatency (ms):\n");
    str_printf(out, "         min:                            %10.2f\n", s->latency_min_ms);
    str_printf(out, "         avg:                            %10.2f\n", s->latency_avg_ms);
    str_printf(out, "         max:                            %10.2f\n", s->latency_max_ms);
    text_percentile_lines(out, s, 51);
    str_printf(out, "         sum:                            %10.2f\n\n", s->latency_sum_ms);
}

static void size(struct str *out, const char *before, double bytes)
{
    str_adds(out, before);
    fileio_old_size_text(bytes, out);
}

/* What was read, written and transferred, and how fast. */
static void transferred_old(struct str *out, const struct snapshot *s)
{
    double read = (double)s->count[CNT_BYTES_READ], written = (double)s->count[CNT_BYTES_WRITTEN];

    size(out, "Read ", read);
    size(out, "  Written ", written);
    size(out, "  Total transferred ", read + written);
    size(out, "  (", text_per_sec(s, read + written));
    str_printf(out, "/sec)\n%8.2f Requests/sec executed\n",
               text_per_sec(s, (double)(s->reads + s->writes)));
}

static void lines_old(struct str *out, const struct snapshot *s, const char *reads,
                      const char *writes)
{
    str_printf(out, "Operations performed:  %llu %s, %llu %s, %llu Other = %llu Total\n",
               (unsigned long long)s->reads, reads, (unsigned long long)s->writes, writes,
               (unsigned long long)s->other, (unsigned long long)(s->reads + s->writes + s->other));
    transferred_old(out, s);
}

static void lines_0_4(struct str *out, const struct snapshot *s)
{
    lines_old(out, s, "Read", "Write");
}

static void lines_later(struct str *out, const struct snapshot *s)
{
    lines_old(out, s, "reads", "writes");
}

bool fileio_text_cumulative(struct str *out, const struct snapshot *s, enum report_form form)
{
    static void (*const render[FORM_MAX])(struct str * out, const struct snapshot *s) = {
        [FORM_1_0] = blocks_1_0,         [FORM_1_1] = report_1_1,
        [FORM_0_4] = lines_0_4,          [FORM_0_4_HEAD] = lines_later,
        [FORM_0_4_ORACLE] = lines_later, [FORM_0_5_2011] = lines_later,
        [FORM_0_5] = lines_later,
    };

    render[form](out, s);
    return form == FORM_1_1;
}
