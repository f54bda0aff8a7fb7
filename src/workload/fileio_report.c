/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See fileio_report.h.  Reads are CNT_READ, writes CNT_WRITE, fsyncs CNT_OTHER; MiB = 2^20, MB =
 * 10^6 bytes.
 */
#include "workload/fileio_report.h"

#include "report/text.h"

#define MIB 1048576.0
#define MB  1e6

static double bytes_per_sec(const struct snapshot *s, enum counter k)
{
    return text_per_sec(s, (double)s->count[k]);
}

void fileio_text_interval(struct str *out, const struct snapshot *s)
{
    str_printf(out, "reads: %4.2f MiB/s writes: %4.2f MiB/s fsyncs: %4.2f/s ",
               bytes_per_sec(s, CNT_BYTES_READ) / MIB, bytes_per_sec(s, CNT_BYTES_WRITTEN) / MIB,
               text_per_sec(s, (double)s->other));
    text_latency(out, s, "latency", 3);
}

void fileio_text_1_0(struct str *out, const struct snapshot *s)
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

void fileio_text_1_1(struct str *out, const struct snapshot *s)
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
