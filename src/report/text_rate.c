/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rate and the server as text.  A figure that does not exist is n/a, with its reason once per
 * block. Labels avoid stock's grep targets: no other line may match "total:", "read:" or begin with
 * "[". Response times are shown at p50, p95, p99 and at what --percentile lists beside them, in
 * ascending order.
 */
#include "report/text_rate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/field.h"
#include "report/text_figures.h"
#include "report/text_ranks.h"
#include "report/text_server.h"
#include "report/text_stages.h"

/* "0.143", "n/a" where there was no sample, or ">3600000.000" where only the bound is known */
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

/* Puts one more percentile where it belongs, unless it is there; returns how many there are
 * then. */
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

static size_t points_of(struct point points[MAX_POINTS], const struct snapshot *s,
                        const struct snapshot_series *v)
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

/* Is this one among stock's "lat (ms,...)" in the same line? */
static bool shown_by_stock(const struct snapshot *s, double p)
{
    for (size_t i = 0; i < s->percentiles; i++)
        if (s->percentile[i] == p)
            return true;
    return false;
}

static void interval_rate(struct str *out, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    const struct snapshot_series *v = &q->response;
    const struct point resp[] = {{50, v->p50}, {95, v->p95}, {99, v->p99}};
    char buf[32];

    str_printf(out, " | offered %llu done %llu failed %llu dropped %llu unfinished %llu",
               u(q->offered), u(q->done), u(q->failed), u(q->dropped), u(q->unfinished));
    if (q->oldest_ns > NS_PER_SEC / 10)
        str_printf(out, " (oldest %.2fs)", dur_sec(q->oldest_ns));
    if (q->lost)
        str_printf(out, " lost %llu", u(q->lost));
    str_printf(out, " late %llu | ms:", u(q->late));
    for (size_t i = 0; i < sizeof resp / sizeof *resp; i++)
        if (!shown_by_stock(s, resp[i].p))
            str_printf(out, " resp-p%.0f %s", resp[i].p, ms(buf, resp[i].ns));
    str_printf(out, " svc-p99 %s", ms(buf, q->service.p99));
    str_printf(out, " lag-p99 %s", ms(buf, q->lag.p99));
}

static void interval_server(struct str *out, const struct snapshot *s)
{
    const struct snapshot_server *v = &s->server;
    const struct sample_delta *d = &v->d;
    uint64_t cs = d->vol_switches + d->invol_switches;

    if (has(v, SAMPLE_CPU))
        str_printf(out, " | srv-usr %.2f%% srv-sys %.2f%%",
                   sample_pct_system(d->user_ns, d->wall_ns, cpus(v, s)),
                   sample_pct_system(d->sys_ns, d->wall_ns, cpus(v, s)));
    else
        str_adds(out, " | srv-usr n/a srv-sys n/a");
    if (has(v, SAMPLE_SWITCHES) && s->events)
        str_printf(out, " cs/tx %s%.2f", d->lower & SAMPLE_SWITCHES ? ">=" : "",
                   (double)cs / (double)snapshot_sampled(s));
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
}

static void interval_client(struct str *out, const struct snapshot *s)
{
    const struct sample_delta *d = &s->self.d;

    if (has(&s->self, SAMPLE_CPU))
        str_printf(out, " | cli-cpu %.2f%%",
                   sample_pct_system(d->cpu_ns, d->wall_ns, cpus(&s->self, s)));
    else
        str_adds(out, " | cli-cpu n/a");
}

/* Beside `thds` at the other end of the line: together they are all clients. */
static void interval_missing(struct str *out, const struct snapshot *s)
{
    str_printf(out, " | refused %u", s->clients_missing);
    if (s->missing_with)
        str_printf(out, " (%d)", s->missing_with);
}

void text_interval_additions(struct str *out, const struct snapshot *s)
{
    if (snapshot_tells_rate(s))
        interval_rate(out, s);
    if (s->server.on) {
        interval_server(out, s);
        interval_client(out, s);
    }
    text_interval_probe(out, s);
    text_interval_ranks(out, s);
    if (s->clients_missing)
        interval_missing(out, s);
}

#define LABEL  TEXT_LABEL
#define CELL   " %10s"
#define ACROSS 6 /* cells side by side in 80 columns */

/* The three series at the percentiles from..to; maximum and mean follow the last of them. */
struct stripe {
    size_t from, to;
    bool last;
};

static void series_title(struct str *out, const struct snapshot *s, struct stripe t)
{
    struct point points[MAX_POINTS];

    points_of(points, s, &s->rate.response);
    str_printf(out, "    %-10s", "ms");
    for (size_t i = t.from; i < t.to; i++) {
        char label[TEXT_PERCENTILE_SIZE + 1] = "p";
        text_percentile(label + 1, points[i].p);
        str_printf(out, CELL, label);
    }
    if (t.last)
        str_printf(out, CELL CELL, "maximum", "mean");
    str_adds(out, "\n");
}

static void series_line(struct str *out, const char *label, const struct snapshot *s,
                        const struct snapshot_series *v, struct stripe t)
{
    struct point points[MAX_POINTS];
    char a[32], b[32];

    points_of(points, s, v);
    str_printf(out, "    %-10s", label);
    for (size_t i = t.from; i < t.to; i++)
        str_printf(out, CELL, ms(a, points[i].ns));
    if (t.last)
        str_printf(out, CELL CELL, ms(a, v->max), v->n ? ms(b, (int64_t)v->mean) : "n/a");
    str_adds(out, "\n");
}

static void series(struct str *out, const struct snapshot *s)
{
    struct point points[MAX_POINTS];
    size_t n = points_of(points, s, &s->rate.response);
    struct stripe t = {0};

    for (; !t.last; t.from = t.to) {
        t.last = n - t.from + 2 <= ACROSS;
        t.to = t.last ? n : t.from + ACROSS - 2;
        series_title(out, s, t);
        series_line(out, "response", s, &s->rate.response, t);
        series_line(out, "service", s, &s->rate.service, t);
        series_line(out, "lag", s, &s->rate.lag, t);
    }
}

/* A rate of one an hour must not show as 0.00. */
static int decimals(double rate)
{
    return rate < 0.1 ? 8 : 2;
}

static void unfinished_line(struct str *out, const struct snapshot_rate *q)
{
    struct str text = STR_INIT;

    str_printf(&text, "%llu", u(q->unfinished));
    if (q->waiting + q->in_flight)
        str_printf(
            &text,
            " (%llu waiting, %llu begun; the oldest for %.3f s: percentiles are lower bounds)",
            u(q->waiting), u(q->in_flight), dur_sec(q->oldest_ns));
    if (q->withdrawn)
        str_printf(&text, " (%llu withdrawn by the script)", u(q->withdrawn));
    text_item(out, "unfinished:", "%s", str_cstr(&text));
    str_free(&text);
}

static void target_line(struct str *out, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    struct str stages = STR_INIT;

    text_stage_list(&stages, s);
    if (q->target_changed)
        str_printf(&stages, "%schanged by hand", stages.len ? "; " : "");
    if (stages.len)
        text_item(out, "target:", "%.*f per sec. on average (%s)", decimals(q->target), q->target,
                  str_cstr(&stages));
    else
        str_printf(out, LABEL "%.*f per sec.\n", "target:", decimals(q->target), q->target);
    str_free(&stages);
}

/* A rate that was 0 from the start is no target. */
static void achieved_line(struct str *out, double target, double achieved)
{
    if (target > 0)
        text_item(out, "achieved:", "%.*f per sec. (%.3f%% of target)", decimals(target), achieved,
                  100 * achieved / target);
    else
        text_item(out, "achieved:", "%.*f per sec.", decimals(target), achieved);
}

static void rate_block(struct str *out, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    double elapsed = dur_sec(s->elapsed_ns);
    double achieved = elapsed > 0 ? (double)q->total_done / elapsed : 0;

    str_adds(out, "Rate:\n");
    if (s->find) {
        text_item(out, "target:", "changed by --tx-find");
        text_item(out, "achieved:", "%.*f per sec.", decimals(achieved), achieved);
    } else {
        target_line(out, s);
        achieved_line(out, q->target, isfinite(q->achieved) ? q->achieved : achieved);
    }
    str_printf(out, LABEL "%llu\n", "offered:", u(q->total_offered));
    str_printf(out, LABEL "%llu\n", "done:", u(q->total_done));
    str_printf(out, LABEL "%llu\n", "failed:", u(q->total_failed));
    str_printf(out, LABEL "%llu\n", "dropped:", u(q->total_dropped));
    unfinished_line(out, q);
    if (q->shared)
        str_printf(out, LABEL "%llu\n", "lost with their load hosts:", u(q->total_lost));
    str_printf(out, LABEL "%llu\n", "late starts (over 1 ms):", u(q->total_late));
    str_printf(out, LABEL "%llu to %llu\n", "transactions per thread:", u(q->events_least),
               u(q->events_most));
    series(out, s);
}

const char *text_verdict_join(bool sustained, const char *why)
{
    if (!*why)
        return "";
    return !sustained ? ": " : strncmp(why, "after ", 6) == 0 ? ", " : ", but ";
}

void text_verdict(struct str *out, const struct snapshot *s, const struct text_verdict *v)
{
    const char *before_why = text_verdict_join(v->sustained, v->why);

    if (s->rate.total_offered == 0)
        text_item(out, "sustained:", "n/a (nothing was due)");
    else if (v->interrupted && *v->interrupted)
        text_item(out, "sustained:", "%s until it was interrupted (%s)%s%s",
                  v->unknown     ? "not known"
                  : v->sustained ? "yes"
                                 : "no",
                  v->interrupted, before_why, v->why);
    else if (v->since_stage)
        text_item(out, "sustained:", "no, since stage %d (%s)%s%s", v->since_stage, v->since,
                  before_why, v->why);
    else
        text_item(out, "sustained:", "%s%s%s",
                  v->unknown     ? "not known"
                  : v->sustained ? "yes"
                                 : "no",
                  before_why, v->why);
    str_adds(out, "\n");
}

static void cpu_lines(struct text_lines *l, const struct snapshot_server *v,
                      const struct snapshot *s)
{
    const struct sample_delta *d = &v->d;
    int64_t wall = d->wall_ns;
    const char *least = d->lower & SAMPLE_CPU ? "at least: " : "";

    if (!has(v, SAMPLE_CPU)) {
        text_missing(l, "CPU:", sample_why(d, SAMPLE_CPU));
        return;
    }
    str_printf(l->out, LABEL "%susr %.2f sys %.2f total %.2f\n",
               "CPU, % of the whole system:", least,
               sample_pct_system(d->user_ns, wall, cpus(v, s)),
               sample_pct_system(d->sys_ns, wall, cpus(v, s)),
               sample_pct_system(d->cpu_ns, wall, cpus(v, s)));
    if (l->detail == TEXT_FULL)
        str_printf(l->out, LABEL "%susr %.2f sys %.2f total %.2f\n", "CPU, % of one CPU:", least,
                   sample_pct_one(d->user_ns, wall), sample_pct_one(d->sys_ns, wall),
                   sample_pct_one(d->cpu_ns, wall));
    if (snapshot_sampled_by(s, v))
        str_printf(l->out, LABEL "%susr %.2f sys %.2f total %.2f\n",
                   "CPU per transaction, us:", least,
                   (double)d->user_ns / 1e3 / (double)snapshot_sampled_by(s, v),
                   (double)d->sys_ns / 1e3 / (double)snapshot_sampled_by(s, v),
                   (double)d->cpu_ns / 1e3 / (double)snapshot_sampled_by(s, v));
    else
        text_missing(
            l, "CPU per transaction, us:", s->events ? field_read_late : "no transaction was done");
}

static void switch_line(struct text_lines *l, const struct snapshot_server *v,
                        const struct snapshot *s)
{
    static const char label[] = "context switches:";
    const struct sample_delta *d = &v->d;
    uint64_t both = d->vol_switches + d->invol_switches;

    if (!has(v, SAMPLE_SWITCHES)) {
        text_missing(l, label, sample_why(d, SAMPLE_SWITCHES));
        return;
    }
    str_printf(l->out, LABEL "%s", label, d->lower & SAMPLE_SWITCHES ? "at least: " : "");
    if (l->detail == TEXT_FULL)
        str_printf(l->out, "voluntary %llu involuntary %llu", u(d->vol_switches),
                   u(d->invol_switches));
    else
        str_printf(l->out, "%llu", u(both));
    if (snapshot_sampled_by(s, v))
        str_printf(l->out, " (%.2f per transaction)",
                   (double)both / (double)snapshot_sampled_by(s, v));
    str_adds(l->out, "\n");
}

static void gauge_lines(struct text_lines *l, const struct snapshot_server *v)
{
    const struct sample_delta *d = &v->d;

    if (has(v, SAMPLE_THREADS))
        str_printf(l->out, LABEL "%llu\n", "threads:", u(d->threads));
    else
        text_missing(l, "threads:", sample_why(d, SAMPLE_THREADS));
    if (has(v, SAMPLE_MEMORY))
        str_printf(l->out, LABEL "%.1f MiB\n", "RSS:", (double)d->rss_bytes / 1048576);
    else
        text_missing(l, "RSS:", sample_why(d, SAMPLE_MEMORY));
}

/* The brief form about the load generator: what it took from the server, when there is one. */
static void process_block(struct str *out, const char *title, const struct snapshot_server *v,
                          const struct snapshot *s, enum text_detail detail)
{
    struct text_lines l = {.out = out, .detail = detail};
    bool ours = v == &s->self;

    str_printf(out, "%s: ", title);
    text_wrap(out, v->describe, strlen(title) + 2, 4, text_lines_width(&l));
    str_adds(out, "\n");
    cpu_lines(&l, v, s);
    if (!ours || detail == TEXT_FULL) {
        switch_line(&l, v, s);
        gauge_lines(&l, v);
    }
    text_process_more(&l, v, s);
    if (v->d.lower && (!ours || detail == TEXT_FULL))
        text_item(out, "lower bounds because:", "%s", v->d.reason);
    text_lines_end(&l);
}

void text_rate(struct str *out, const struct snapshot *s)
{
    if (snapshot_tells_rate(s))
        rate_block(out, s);
}

void text_processes(struct str *out, const struct snapshot *s, enum text_detail detail)
{
    if (s->server.on)
        process_block(out, "Server", &s->server, s, detail);
    if (s->self.on && !s->stock_rate && !s->plain_rate)
        process_block(out, "Load generator", &s->self, s, detail);
    text_probe(out, s, detail);
}
