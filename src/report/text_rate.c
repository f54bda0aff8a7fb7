/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rate and the server as text.  A figure that does not exist is n/a, with its reason once per block.
 * Labels avoid stock's grep targets: no other line may match "total:", "read:" or begin with "[".
 * Response times are shown at p50, p95, p99 and at what --percentile lists beside them, in ascending order.
 */
#include "report/text_rate.h"

#include <stdio.h>
#include <string.h>

#include "report/text.h"
#include "report/text_server.h"

/* "0.143", "n/a" where there was no sample, or ">3600000.000" where no more is known */
static const char *ms(char buf[32], int64_t ns)
{
    if (ns < 0)
        return strcpy(buf, "n/a");
    snprintf(buf, 32, "%s%.3f", ns >= HIST_OVER_NS ? ">" : "", dur_ms(ns));
    return buf;
}

static unsigned long long u(uint64_t v)
{
    return v;
}

static bool has(const struct snapshot_server *v, unsigned what)
{
    return v->on && (v->d.have & what) == what;
}

struct point {
    double p;
    int64_t ns;
};

#define MAX_POINTS (3 + SNAPSHOT_MAX_PERCENTILES)

/* Puts one more percentile where it belongs, unless it is there; returns how many there are then. */
static size_t add_point(struct point *points, size_t n, double p, int64_t ns)
{
    size_t i = n;

    for (size_t k = 0; k < n; k++)
        if (points[k].p == p)
            return n;
    for (; i > 0 && points[i - 1].p > p; i--)
        points[i] = points[i - 1];
    points[i] = (struct point){p, ns};
    return n + 1;
}

static size_t points_of(struct point points[MAX_POINTS], const struct snapshot *s, const struct snapshot_series *v)
{
    size_t n = 0;

    n = add_point(points, n, 50, v->p50);
    n = add_point(points, n, 95, v->p95);
    n = add_point(points, n, 99, v->p99);
    for (size_t i = 0; i < s->percentiles; i++)
        n = add_point(points, n, s->percentile[i], v->pct[i]);
    return n;
}

static int cpus(const struct snapshot_server *v, const struct snapshot *s)
{
    return v->ncpu ? v->ncpu : s->ncpu;
}

static void interval_rate(struct str *out, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    char a[32], b[32], c[32], label[TEXT_PERCENTILE_SIZE];
    struct point points[MAX_POINTS];
    size_t n = points_of(points, s, &q->response);

    str_printf(out, " | offered %llu done %llu failed %llu dropped %llu unfinished %llu", u(q->offered),
               u(q->done), u(q->failed), u(q->dropped), u(q->unfinished));
    if (q->oldest_ns > NS_PER_SEC / 10)
        str_printf(out, " (oldest %.2fs)", dur_sec(q->oldest_ns));
    str_adds(out, " | resp");
    for (size_t i = 0; i < n; i++)
        str_printf(out, " p%s %s", text_percentile(label, points[i].p), ms(a, points[i].ns));
    str_printf(out, " svc p50 %s p95 %s p99 %s", ms(a, q->service.p50), ms(b, q->service.p95),
               ms(c, q->service.p99));
    str_printf(out, " lag p50 %s p99 %s max %s ms late %llu", ms(a, q->lag.p50), ms(b, q->lag.p99),
               ms(c, q->lag.max), u(q->late));
}

static void interval_process(struct str *out, const char *label, const struct snapshot_server *v,
                             const struct snapshot *s)
{
    const struct sample_delta *d = &v->d;

    str_printf(out, " | %s", label);
    if (has(v, SAMPLE_CPU))
        str_printf(out, " usr %.2f%% sys %.2f%%", sample_pct_system(d->user_ns, d->wall_ns, cpus(v, s)),
                   sample_pct_system(d->sys_ns, d->wall_ns, cpus(v, s)));
    else
        str_adds(out, " usr n/a sys n/a");
}

static void interval_server(struct str *out, const struct snapshot *s)
{
    const struct snapshot_server *v = &s->server;
    const struct sample_delta *d = &v->d;
    uint64_t cs = d->vol_switches + d->invol_switches;

    interval_process(out, "srv", v, s);
    if (has(v, SAMPLE_SWITCHES) && s->events)
        str_printf(out, " cs/tx %s%.2f", d->lower & SAMPLE_SWITCHES ? ">=" : "", (double)cs / (double)s->events);
    else
        str_adds(out, " cs/tx n/a");
    if (has(v, SAMPLE_THREADS))
        str_printf(out, " thr %llu", u(d->threads));
    else
        str_adds(out, " thr n/a");
    if (has(v, SAMPLE_MEMORY))
        str_printf(out, " rss %.1fM", (double)d->rss_bytes / 1048576);
    else
        str_adds(out, " rss n/a");
    interval_process(out, "cli", &s->self, s);
}

void text_interval_additions(struct str *out, const struct snapshot *s)
{
    if (s->has_rate && !s->stock_rate)
        interval_rate(out, s);
    if (s->server.on)
        interval_server(out, s);
    text_interval_probe(out, s);
}

#define LABEL "    %-37s"

static void series_title(struct str *out, const struct snapshot *s)
{
    struct point points[MAX_POINTS];
    size_t n = points_of(points, s, &s->rate.response);

    str_printf(out, "    %-12s", "ms");
    for (size_t i = 0; i < n; i++) {
        char label[TEXT_PERCENTILE_SIZE + 1] = "p";
        text_percentile(label + 1, points[i].p);
        str_printf(out, " %12s", label);
    }
    str_printf(out, " %12s %12s\n", "maximum", "mean");
}

static void series_line(struct str *out, const char *label, const struct snapshot *s, const struct snapshot_series *v)
{
    struct point points[MAX_POINTS];
    size_t n = points_of(points, s, v);
    char a[32], b[32];

    str_printf(out, "    %-12s", label);
    for (size_t i = 0; i < n; i++)
        str_printf(out, " %12s", ms(a, points[i].ns));
    str_printf(out, " %12s %12s\n", ms(a, v->max), v->n ? ms(b, (int64_t)v->mean) : "n/a");
}

/* A rate of one in an hour is not 0.00. */
static int decimals(double rate)
{
    return rate < 0.1 ? 8 : 2;
}

static void rate_block(struct str *out, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    double elapsed = dur_sec(s->elapsed_ns);
    double achieved = elapsed > 0 ? (double)q->total_done / elapsed : 0;

    str_adds(out, "Rate:\n");
    str_printf(out, LABEL "%.*f per sec.\n", "target:", decimals(q->target), q->target);
    str_printf(out, LABEL "%.*f per sec. (%.3f%% of the target)\n", "achieved:", decimals(q->target), achieved,
               100 * achieved / q->target);
    str_printf(out, LABEL "%llu\n", "offered:", u(q->total_offered));
    str_printf(out, LABEL "%llu\n", "done:", u(q->total_done));
    str_printf(out, LABEL "%llu\n", "failed:", u(q->total_failed));
    str_printf(out, LABEL "%llu\n", "dropped:", u(q->total_dropped));
    str_printf(out, LABEL "%llu", "unfinished:", u(q->unfinished));
    if (q->waiting + q->in_flight)
        str_printf(out, " (%llu waiting, %llu begun; the oldest for %.3f s: percentiles are lower bounds)",
                   u(q->waiting), u(q->in_flight), dur_sec(q->oldest_ns));
    if (q->withdrawn)
        str_printf(out, " (%llu withdrawn by the script)", u(q->withdrawn));
    str_adds(out, "\n");
    str_printf(out, LABEL "%llu\n", "late starts (over 1 ms):", u(q->total_late));
    str_printf(out, LABEL "%llu to %llu\n", "transactions per thread:", u(q->events_least), u(q->events_most));
    series_title(out, s);
    series_line(out, "response", s, &q->response);
    series_line(out, "service", s, &q->service);
    series_line(out, "lag", s, &q->lag);
}

void text_verdict(struct str *out, const struct snapshot *s, bool sustained, const char *why)
{
    if (s->rate.total_offered == 0)
        str_printf(out, LABEL "n/a (nothing was due)\n\n", "sustained:");
    else
        str_printf(out, LABEL "%s%s%s\n\n", "sustained:", sustained ? "yes" : "no",
                   !*why ? "" : sustained ? ", but " : ": ", why);
}

static void cpu_lines(struct str *out, const struct snapshot_server *v, const struct snapshot *s)
{
    const struct sample_delta *d = &v->d;
    int64_t wall = d->wall_ns;

    if (!has(v, SAMPLE_CPU)) {
        str_printf(out, LABEL "n/a (%s)\n", "CPU:", sample_why(d, SAMPLE_CPU));
        return;
    }
    str_printf(out, LABEL "usr %.2f sys %.2f both %.2f\n", "CPU, % of the whole system:",
               sample_pct_system(d->user_ns, wall, cpus(v, s)), sample_pct_system(d->sys_ns, wall, cpus(v, s)),
               sample_pct_system(d->cpu_ns, wall, cpus(v, s)));
    str_printf(out, LABEL "usr %.2f sys %.2f both %.2f\n", "CPU, % of one CPU:", sample_pct_one(d->user_ns, wall),
               sample_pct_one(d->sys_ns, wall), sample_pct_one(d->cpu_ns, wall));
    if (s->events)
        str_printf(out, LABEL "usr %.2f sys %.2f both %.2f\n", "CPU per transaction, us:",
                   (double)d->user_ns / 1e3 / (double)s->events, (double)d->sys_ns / 1e3 / (double)s->events,
                   (double)d->cpu_ns / 1e3 / (double)s->events);
    else
        str_printf(out, LABEL "n/a (no transaction was done)\n", "CPU per transaction, us:");
}

static void switch_lines(struct str *out, const struct snapshot_server *v, const struct snapshot *s)
{
    const struct sample_delta *d = &v->d;

    if (!has(v, SAMPLE_SWITCHES)) {
        str_printf(out, LABEL "n/a (%s)\n", "context switches:", sample_why(d, SAMPLE_SWITCHES));
        return;
    }
    str_printf(out, LABEL "%svoluntary %llu involuntary %llu", "context switches:",
               d->lower & SAMPLE_SWITCHES ? "at least: " : "", u(d->vol_switches), u(d->invol_switches));
    if (s->events)
        str_printf(out, " (%.2f per transaction)",
                   (double)(d->vol_switches + d->invol_switches) / (double)s->events);
    str_adds(out, "\n");
}

static void gauge_lines(struct str *out, const struct snapshot_server *v)
{
    const struct sample_delta *d = &v->d;

    if (has(v, SAMPLE_THREADS))
        str_printf(out, LABEL "%llu\n", "threads:", u(d->threads));
    else
        str_printf(out, LABEL "n/a (%s)\n", "threads:", sample_why(d, SAMPLE_THREADS));
    if (has(v, SAMPLE_MEMORY))
        str_printf(out, LABEL "%.1f MiB\n", "RSS:", (double)d->rss_bytes / 1048576);
    else
        str_printf(out, LABEL "n/a (%s)\n", "RSS:", sample_why(d, SAMPLE_MEMORY));
}

static void process_block(struct str *out, const char *title, const struct snapshot_server *v,
                          const struct snapshot *s)
{
    str_printf(out, "%s: %s\n", title, v->describe);
    cpu_lines(out, v, s);
    switch_lines(out, v, s);
    gauge_lines(out, v);
    text_process_more(out, v, s);
    if (v->d.lower)
        str_printf(out, LABEL "%s\n", "lower bounds because:", v->d.reason);
    str_adds(out, "\n");
}

void text_rate(struct str *out, const struct snapshot *s)
{
    if (s->has_rate && !s->stock_rate)
        rate_block(out, s);
}

void text_processes(struct str *out, const struct snapshot *s)
{
    if (s->server.on)
        process_block(out, "Server", &s->server, s);
    if (s->self.on && !s->stock_rate)
        process_block(out, "Load generator", &s->self, s);
    text_probe(out, s);
}
