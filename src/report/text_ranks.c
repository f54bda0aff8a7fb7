/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_ranks.h.
 *
 *     rank host             clients done          per sec.    p99,ms    late  CPU,%
 *        0 load1               1024     72012     600.100     1.234      12   34.5
 */
#include "report/text_ranks.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "report/text_lines.h"

#define HOST_WIDTH 16
#define WAITED_PCT 50 /* as in text_server.c */

static void number(char buf[32], int decimals, double v)
{
    if (isfinite(v))
        snprintf(buf, 32, "%.*f", decimals, v);
    else
        snprintf(buf, 32, "n/a");
}

static double p99_ms(const struct snapshot_rank *v)
{
    return v->response.n ? dur_ms(v->response.p99) : (double)NAN;
}

/* A long name is on a line of its own, so that the columns stay in place. */
static void row(struct str *out, const struct snapshot *s, const struct snapshot_rank *v)
{
    char per_s[32], p99[32], late[32], cpu[32];
    bool longer = snprintf(NULL, 0, "%s", v->host) > HOST_WIDTH;

    number(per_s, 2, v->per_s);
    number(p99, 3, p99_ms(v));
    number(late, 0, s->has_rate ? (double)v->starts_late : (double)NAN);
    number(cpu, 1, v->cpu_pct);
    str_printf(out, "    %4d %-*s", v->rank, HOST_WIDTH, v->host);
    if (longer)
        str_printf(out, "\n    %4s %-*s", "", HOST_WIDTH, "");
    str_printf(out, " %7u %10llu %9s %9s %7s %6s\n", v->clients, (unsigned long long)v->done, per_s,
               p99, late, cpu);
}

/* The figures are the leader's clock as seen from the rank; the line is about the rank's. */
static void clock_apart(struct str *out, const char *label, const struct snapshot_rank *v)
{
    char offset[UNITS_TEXT_SIZE], error[UNITS_TEXT_SIZE];
    dur_ns ahead = v->clock_offset;

    text_item(out, label, "%s %s the leader's, +- %s, and %.2f ppm %s",
              units_format_duration(offset, ahead < 0 ? -ahead : ahead),
              ahead < 0 ? "ahead of" : "behind", units_format_duration(error, v->clock_uncertainty),
              fabs(v->clock_drift_ppm), v->clock_drift_ppm < 0 ? "faster" : "slower");
}

static void clock_line(struct str *out, const struct snapshot_rank *v)
{
    char label[40];

    snprintf(label, sizeof label, "clock of rank %d:", v->rank);
    if (v->rank == 0)
        return;
    if (!v->has_clock)
        text_item(out, label, "n/a (it was not compared)");
    else if (v->same_clock)
        text_item(out, label, "the leader's");
    else
        clock_apart(out, label, v);
}

static void lost_line(struct str *out, const struct snapshot *s, const struct snapshot_rank *v)
{
    char label[40];

    snprintf(label, sizeof label, "rank %d is lost:", v->rank);
    if (s->has_rate)
        text_item(out, label, "after %.3f s (%s); %llu transactions of its share were not done",
                  dur_sec(v->lost_after), v->why, (unsigned long long)v->given_up);
    else
        text_item(out, label, "after %.3f s (%s); its share of the load is missing from then on",
                  dur_sec(v->lost_after), v->why);
    text_item(out, "", "%s",
              "its statements by kind, retries, connection times and outages are unknown");
    snprintf(label, sizeof label, "rank %d, per thread:", v->rank);
    text_item(out, label, "n/a (it is lost): \"Threads fairness\" is without its %u client%s",
              v->clients, v->clients == 1 ? "" : "s");
}

static void apart_line(struct str *out, const struct snapshot_rank *v)
{
    char label[40];

    snprintf(label, sizeof label, "rank %d differs:", v->rank);
    text_item(out, label, "%s", v->apart);
}

/* What its own part of the report would warn of, if it made one. */
static void process_lines(struct str *out, const struct snapshot_rank *v)
{
    char label[40];

    snprintf(label, sizeof label, "rank %d was throttled:", v->rank);
    if (v->throttled_periods)
        text_item(out, label, "a CPU quota stopped it for %.3f s, %llu periods",
                  dur_sec(v->throttled), (unsigned long long)v->throttled_periods);
    snprintf(label, sizeof label, "rank %d waited for a CPU:", v->rank);
    if (v->waited_pct > WAITED_PCT)
        text_item(out, label, "%.0f %% of the time that it needed one; latencies include it",
                  v->waited_pct);
    snprintf(label, sizeof label, "rank %d, workers:", v->rank);
    if (v->workers_busy)
        text_item(out, label, "%d of %d nearly saturated (%.0f %% of a CPU at most)",
                  v->workers_busy, v->workers, v->worker_pct);
}

void text_ranks(struct str *out, const struct snapshot *s)
{
    if (s->nranks == 0)
        return;
    str_printf(out, "Load hosts:\n    %4s %-*s %7s %10s %9s %9s %7s %6s\n", "rank", HOST_WIDTH,
               "host", "clients", "done", "per sec.", "p99, ms", "late", "CPU, %");
    for (size_t i = 0; i < s->nranks; i++)
        row(out, s, &s->rank[i]);
    for (size_t i = 0; i < s->nranks; i++)
        clock_line(out, &s->rank[i]);
    for (size_t i = 0; i < s->nranks; i++) {
        if (s->rank[i].lost)
            lost_line(out, s, &s->rank[i]);
        if (*s->rank[i].apart)
            apart_line(out, &s->rank[i]);
        process_lines(out, &s->rank[i]);
    }
    str_adds(out, "\n");
}

void text_missing_ranks(struct str *out, const struct snapshot *s, const char *before)
{
    for (size_t i = 0; i < s->nranks; i++) {
        if (!s->rank[i].late && !s->rank[i].lost)
            continue;
        str_printf(out, "%s%d%s", before, s->rank[i].rank, s->rank[i].lost ? " (lost)" : "");
        before = ", ";
    }
}

void text_interval_ranks(struct str *out, const struct snapshot *s)
{
    text_missing_ranks(out, s, " | without rank ");
}
