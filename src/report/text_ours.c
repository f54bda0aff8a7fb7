/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text that stock does not have: additions to an interval line, the rate with its verdict,
 * blocks about servers and connections (outages, retries, connections, database hosts, load hosts),
 * and the order of our blocks in the cumulative reports.  A figure that does not exist is n/a, with
 * its reason once per block.  Labels avoid stock's grep targets: no other line may match "total:",
 * "read:" or begin with "[".
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "report/fields.h"
#include "report/text_blocks.h"
#include "report/text_table.h"

/* --- the end of an interval line --- */

static bool is_figure(char c)
{
    return c && c != *LINE_GROUP && strchr(LINE_MARKS, c);
}

/* The first `kept` figures of all in the order of their classes. */
static void add_figures(struct str *out, const char *marked, size_t kept)
{
    size_t n[sizeof LINE_MARKS] = {0}, words = 0, len;
    const char *group = "";

    for (const char *p = marked; *p; p++)
        if (is_figure(*p))
            n[(unsigned char)*p]++;
    for (char c = *LINE_FIRST; c <= *LINE_REST; c++) {
        size_t *of = &n[(unsigned char)c];
        *of = *of < kept ? *of : kept;
        kept -= *of;
    }
    for (const char *p = marked; *p; p += 1 + len) {
        len = strcspn(p + 1, LINE_MARKS);
        if (*p == *LINE_GROUP) {
            group = p + 1;
            words = len;
        } else if (n[(unsigned char)*p]) {
            n[(unsigned char)*p]--;
            str_add(out, group, words);
            words = 0;
            str_add(out, p + 1, len);
        }
    }
}

void text_interval_additions(struct str *out, const struct snapshot *s, size_t start,
                             struct text_fit *fit)
{
    const struct snapshot_rate *q = &s->rate;
    const int percentile[] = {50, 95, 99};
    const int64_t response[] = {q->response.p50, q->response.p95, q->response.p99};
    struct str all = STR_INIT, end = STR_INIT;
    size_t total = 0, begin = out->len;
    char buf[40];

    if (snapshot_tells_rate(s)) {
        str_printf(&all,
                   LINE_GROUP " |" LINE_REST " offered %llu" LINE_REST " done %llu" LINE_FIRST
                              " failed %llu" LINE_NEXT " dropped %llu" LINE_NEXT " unfinished %llu",
                   (ull)q->offered, (ull)q->done, (ull)q->failed, (ull)q->dropped,
                   (ull)rate_unfinished(q));
        if (q->oldest_ns > NS_PER_SEC / 10)
            str_printf(&all, " (oldest %.2fs)", dur_sec(q->oldest_ns));
        if (q->lost)
            str_printf(&all, " lost %llu", (ull)q->lost);
        str_printf(&all, LINE_FIRST " late %llu" LINE_GROUP " | ms:", (ull)q->late);
        for (size_t i = 0; i < 3; i++) {
            bool by_stock = false; /* in its "lat (ms,...)" of the same line */
            for (size_t k = 0; k < s->percentiles; k++)
                by_stock = by_stock || s->percentile[k] == percentile[i];
            if (!by_stock)
                str_printf(&all, "%s resp-p%d %s", i == 2 ? LINE_NEXT : LINE_REST, percentile[i],
                           text_ms(buf, response[i]));
        }
        str_printf(&all, LINE_REST " svc-p99 %s", text_ms(buf, q->service.p99));
        str_printf(&all, LINE_FIRST " lag-p99 %s", text_ms(buf, q->lag.p99));
    }
    text_interval_figures(&all, s);
    text_missing_ranks(&end, s, " | without rank ");
    if (s->clients_missing) /* with `thds` at the other end of the line these are all clients */
        str_printf(&end, " | refused %u", s->clients_missing);
    if (s->clients_missing && s->missing_with)
        str_printf(&end, " (%d)", s->missing_with);

    for (const char *p = str_cstr(&all); *p; p++)
        total += is_figure(*p);
    size_t kept = fit && fit->kept < total ? fit->kept : total;
    add_figures(out, str_cstr(&all), kept);
    while (fit && kept && out->len - start + end.len > fit->most) {
        out->len = begin;
        add_figures(out, str_cstr(&all), --kept);
    }
    if (fit && kept < total)
        fit->kept = kept;
    if (fit)
        fit->hidden = total - kept;
    str_add(out, str_cstr(&end), end.len);
    str_free(&all);
    str_free(&end);
}

/* --- the rate --- */

#define LISTED 8 /* stages that the target names */

void text_rate(struct str *out, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    const struct text_series series[] = {
        {"response", &q->response}, {"service", &q->service}, {"lag", &q->lag}};
    double elapsed = dur_sec(s->elapsed_ns),
           achieved = elapsed > 0 ? (double)q->total_done / elapsed : 0;
    struct str text = STR_INIT;
    double target = s->find ? achieved : q->target;
    int decimals = target < 0.1 ? 8 : 2; /* a rate of one an hour must not show as 0.00 */
    size_t n = s->nstages < LISTED ? s->nstages : LISTED, more = s->nstages + s->stages_lost - n;

    if (!snapshot_tells_rate(s))
        return;
    str_adds(out, "Rate:\n");
    for (size_t i = 0; i < n; i++)
        str_printf(&text, "%s%s", i ? ", " : "", s->stages[i].text);
    if (more)
        str_printf(&text, " and %zu more", more);
    if (q->target_changed)
        str_printf(&text, "%schanged by hand", text.len ? "; " : "");
    if (s->find)
        text_item(out, "target", "changed by --tx-find");
    else if (text.len)
        text_item(out, "target", "%.*f per sec. on average (%s)", decimals, q->target, text.s);
    else
        text_line(out, "target", "%.*f per sec.", decimals, q->target);
    str_reset(&text);
    if (!s->find && isfinite(q->achieved))
        achieved = q->achieved;
    if (!s->find && target > 0) /* a rate that was 0 from the start is no target */
        text_item(out, "achieved", "%.*f per sec. (%.3f%% of target)", decimals, achieved,
                  100 * achieved / target);
    else
        text_item(out, "achieved", "%.*f per sec.", decimals, achieved);
    text_line(out, "offered", "%llu", (ull)q->total_offered);
    text_line(out, "done", "%llu", (ull)q->total_done);
    text_line(out, "failed", "%llu", (ull)q->total_failed);
    text_line(out, "dropped", "%llu", (ull)q->total_dropped);
    str_printf(&text, "%llu", (ull)rate_unfinished(q));
    if (q->waiting + q->in_flight)
        str_printf(
            &text,
            " (%llu waiting, %llu begun; the oldest for %.3f s: percentiles are lower bounds)",
            (ull)q->waiting, (ull)q->in_flight, dur_sec(q->oldest_ns));
    if (q->withdrawn)
        str_printf(&text, " (%llu withdrawn by the script)", (ull)q->withdrawn);
    text_item(out, "unfinished", "%s", str_cstr(&text));
    str_free(&text);
    if (q->shared)
        text_line(out, "lost with their load hosts", "%llu", (ull)q->total_lost);
    text_line(out, "late starts (over 1 ms)", "%llu", (ull)q->total_late);
    text_line(out, "transactions per thread", "%llu to %llu", (ull)q->events_least,
              (ull)q->events_most);
    text_series(out, 10, s, series, 3);
}

const char *text_verdict_join(bool sustained, const char *why)
{
    if (!*why)
        return "";
    return !sustained ? ": " : strncmp(why, "after ", 6) == 0 ? ", " : ", but ";
}

void text_verdict(struct str *out, const struct snapshot *s, const struct report_end *v)
{
    const char *join = text_verdict_join(v->sustained, v->why);
    const char *word = v->unknown ? "not known" : v->sustained ? "yes" : "no";

    if (s->rate.total_offered == 0)
        text_item(out, "sustained", "n/a (nothing was due)");
    else if (v->interrupted && *v->interrupted)
        text_item(out, "sustained", "%s until it was interrupted (%s)%s%s", word, v->interrupted,
                  join, v->why);
    else if (v->since_stage)
        text_item(out, "sustained", "no, since stage %d (%s)%s%s", v->since_stage, v->since, join,
                  v->why);
    else
        text_item(out, "sustained", "%s%s%s", word, join, v->why);
    str_adds(out, "\n");
}

/* --- outages --- */

/* "after 3.105 s", or that it did not come. */
static void delay(struct str *out, const char *label, const struct outage *o, mono_ns at)
{
    if (at)
        text_item(out, label, "after %.3f s", dur_sec(at - o->first_error));
    else
        text_item(out, label, "not before the end of the run");
}

void text_outages(struct str *out, const struct snapshot *s)
{
    static const char back[] = "  lost connections are back";
    const struct snapshot_outages *v = s->outages;

    if (!v)
        return;
    str_adds(out,
             "Outages (an error of the server or a connection until the load is as before):\n");
    for (const struct outage *o = v->row; o < v->row + v->n; o++) {
        const struct outage_counts *a = &o->before, *b = &o->after;
        char label[32];
        snprintf(label, sizeof label, "outage %zu", (size_t)(o - v->row) + 1);
        text_item(out, label, "first error at %.3f s (%llu error%s)",
                  dur_sec(o->first_error - v->zero), (ull)o->errors, o->errors == 1 ? "" : "s");
        char from[40] = "";
        if (o->silent_from > o->first_error)
            snprintf(from, sizeof from, ", beginning after %.3f s",
                     dur_sec(o->silent_from - o->first_error));
        text_item(out, "  longest time without success", "%.3f s%s%s",
                  dur_sec(snapshot_silence(s, o)), from, o->success ? "" : ", to the end");
        delay(out, "  success again", o, o->success);
        if (!o->lost)
            text_item(out, back,
                      o->success ? "none was lost by an error" : "n/a (the run ended before)");
        else if (o->connected)
            text_item(out, back, "after %.3f s (%u)", dur_sec(o->connected - o->first_error),
                      o->lost);
        else
            text_item(out, back, "not before the end of the run (%u of %u are missing)", v->away,
                      o->lost);
        if (!snapshot_tells_rate(s)) {
            text_item(out, "  meanwhile", "%llu done, %llu failed", (ull)(b->done - a->done),
                      (ull)(b->failed - a->failed));
            continue;
        }
        delay(out, "  transactions begin in time", o, o->drained);
        long long left = (long long)(b->offered - a->offered - (b->done - a->done) -
                                     (b->failed - a->failed) - (b->dropped - a->dropped));
        char unfinished[60] = "";
        if (left)
            snprintf(unfinished, sizeof unfinished, "; %lld %s unfinished", llabs(left),
                     left > 0 ? "more" : "fewer");
        text_item(out, "  meanwhile",
                  "%llu offered; %llu done, %llu of them late; %llu failed, %llu dropped%s",
                  (ull)(b->offered - a->offered), (ull)(b->done - a->done),
                  (ull)(b->late - a->late), (ull)(b->failed - a->failed),
                  (ull)(b->dropped - a->dropped), unfinished);
    }
    if (v->more)
        str_printf(out, "    and %zu more\n", v->more);
    if (snapshot_tells_rate(s)) {
        const struct text_series series[] = {
            {"before", &v->before}, {"during", &v->during}, {"after", &v->after}};
        bool few = false;
        str_adds(out, "    response time by planned start, ms:\n"
                      "    planned          done        p50        p95        p99    maximum\n");
        for (size_t i = v->has_before ? 0 : 1; i < COUNT(series); i++) {
            const struct snapshot_series *r = series[i].v;
            char p50[40], p95[40], p99[40], max[40];
            str_printf(out, "    %-10s %10llu %10s %10s %10s %10s\n", series[i].label, (ull)r->n,
                       text_point(p50, r->p50, 50, r->n, &few),
                       text_point(p95, r->p95, 95, r->n, &few),
                       text_point(p99, r->p99, 99, r->n, &few), text_ms(max, r->max));
        }
        text_few_line(out, few);
    }
    str_adds(out, "\n");
}

/* --- transactions that failed or were run again after an error, and connections --- */

/* With a rate, its block has them. */
void text_failed(struct str *out, const struct snapshot *s)
{
    uint64_t failed = s->total[CNT_FAILED], done = s->total[CNT_DONE] + s->total[CNT_EVENT];

    if (!failed || snapshot_tells_rate(s))
        return;
    str_adds(out, "Transactions:\n");
    text_item(out, "failed", "%llu of %llu", (ull)failed, (ull)(failed + done));
    str_adds(out, "\n");
}

/* Where the report is stock's alone, only what went wrong: a deadlock that was retried is in its
 * "ignored errors".  The two lines of latencies are of the same transactions, so that the
 * difference is what the retries cost them. */
void text_retries(struct str *out, const struct snapshot *s)
{
    const struct snapshot_retries *r = &s->retries;
    const struct text_series series[] = {{"first attempt", &r->first}, {"until done", &r->last}};

    if (!r->unknown && !r->failed && !(r->transactions && snapshot_tells_rate(s)))
        return;
    str_adds(out, "Retries:\n");
    if (r->transactions)
        text_item(out, "transactions run again", "%llu (%llu retries, at most %llu of one)",
                  (ull)r->transactions, (ull)r->retries, (ull)r->most);
    if (r->failed)
        text_item(out, "failed nevertheless", "%llu", (ull)r->failed);
    if (r->unknown)
        text_item(out, "commits of unknown outcome",
                  "%llu (the connection was lost before the answer; run again, they may have been "
                  "done twice)",
                  (ull)r->unknown);
    if (r->last.n)
        text_series(out, 14, NULL, series, COUNT(series));
    str_adds(out, "\n");
}

/* Clients that were refused, lost connections that were replaced, and those without prepared
 * statements. */
void text_connections(struct str *out, const struct snapshot *s)
{
    const struct snapshot_connections *v = &s->connections;
    const struct text_series series[] = {{"connect", &v->connect}, {"until replaced", &v->away}};
    char refused[80] = "", error[32] = "";

    if (!(v->limited || v->plain || v->connect.n) || !(v->asked || snapshot_tells_rate(s)))
        return;
    str_adds(out, "Connections:\n");
    if (v->refused && v->refused_with)
        snprintf(error, sizeof error, " (error %d)", v->refused_with);
    if (v->refused)
        snprintf(refused, sizeof refused, ", %u refused at first%s", v->refused, error);
    if (v->limited)
        text_item(out, "clients", "%u of %u connected%s", v->connected, v->clients, refused);
    if (v->plain)
        text_item(out, "plain queries", "%zu connection%s without prepared statements", v->plain,
                  v->plain == 1 ? "" : "s");
    if (v->connect.n) {
        text_item(out, "replaced after an error", "%llu", (ull)v->connect.n);
        text_series(out, 14, NULL, series, COUNT(series));
    }
    str_adds(out, "\n");
}

/* --- the database hosts that the clients were spread over: two tables, since one line for all
 * figures would not fit a terminal --- */

void text_hosts(struct str *out, const struct snapshot *s)
{
    enum { NAME_WIDTH = 21 };
    static const struct text_column columns[] = {
        {"clients", 7, 0, "clients", 1},   {"transactions", 12, 0, "transactions", 1},
        {"%", 6, 2, "share_pct", 1},       {"failed", 7, 0, "failed", 1},
        {"errors", 7, 0, "errors", 1},     {"lost", 5, 0, "lost", 1},
        {"reconn", 6, 0, "reconnects", 1},
    };

    if (!(s->connections.asked || snapshot_tells_rate(s)))
        return;
    if (s->hosts_many)
        str_adds(out, "Database hosts:\n    n/a (" SNAPSHOT_HOSTS_MANY ")\n\n");
    if (!s->hosts)
        return;
    struct text_series *series = mem_array(s->hosts, sizeof *series);
    str_printf(out, "Database hosts:\n    %-*s", NAME_WIDTH, "host");
    text_heads(out, columns, COUNT(columns));
    str_adds(out, "\n");
    for (size_t i = 0; i < s->hosts; i++) {
        const struct snapshot_host *h = &s->host[i];
        text_name(out, h->name, NAME_WIDTH);
        text_row(out, columns, COUNT(columns), host_figures, s, h);
        str_adds(out, "\n");
        series[i] = (struct text_series){h->name, &h->latency};
    }
    text_series(out, NAME_WIDTH, NULL, series, s->hosts);
    free(series);
    if (s->host_asked)
        text_item(out, "server status of", "%s", s->host_asked);
    str_adds(out, "\n");
}

/* --- the load hosts: a row for each, how its clock compares with the leader's, who was lost or
 * differs from the others --- */

#define WAITED_PCT 50 /* more waiting for a CPU is worth a warning */

/* A line about a rank: "rank 1, workers" */
#define rank_item(out, v, what, ...)                                                               \
    do {                                                                                           \
        char label_[40];                                                                           \
        snprintf(label_, sizeof label_, "rank %d%s", (v)->rank, what);                             \
        text_item(out, label_, __VA_ARGS__);                                                       \
    } while (0)

/* Its loss, and what its own part of the report would warn of if it made one. */
static void rank_troubles(struct str *out, const struct snapshot *s, const struct snapshot_rank *v)
{
    if (v->lost && s->has_rate)
        rank_item(out, v, " is lost",
                  "after %.3f s (%s); %llu transactions of its share were not done",
                  dur_sec(v->lost_after), v->why, (ull)v->given_up);
    else if (v->lost)
        rank_item(out, v, " is lost",
                  "after %.3f s (%s); its share of the load is missing from then on",
                  dur_sec(v->lost_after), v->why);
    if (v->lost) {
        text_item(out, "",
                  "its statements by kind, retries, connection times and outages are unknown");
        rank_item(out, v, ", per thread",
                  "n/a (it is lost): \"Threads fairness\" is without its %u client%s", v->clients,
                  v->clients == 1 ? "" : "s");
    }
    if (*v->apart)
        rank_item(out, v, " differs", "%s", v->apart);
    if (v->self.have & SAMPLE_THROTTLE && v->self.throttled_periods)
        rank_item(out, v, " was throttled", "a CPU quota stopped it for %.3f s, %llu periods",
                  dur_sec(v->self.throttled_ns), (ull)v->self.throttled_periods);
    if (v->waited_pct > WAITED_PCT)
        rank_item(out, v, " waited for a CPU",
                  "%.0f %% of the time that it needed one; latencies include it", v->waited_pct);
    if (v->workers_busy)
        rank_item(out, v, ", workers", "%d of %d nearly saturated (%.0f %% of a CPU at most)",
                  v->workers_busy, v->workers, v->worker_pct);
}

void text_ranks(struct str *out, const struct snapshot *s)
{
    enum { NAME_WIDTH = 21 };
    static const struct text_column columns[] = {{"clients", 7, 0, "threads", 1},
                                                 {"done", 10, 0, "done", 1},
                                                 {"per sec.", 9, 2, "transactions_per_s", 1},
                                                 {"p99, ms", 9, 3, NULL, 0},
                                                 {"late", 7, 0, "late", 1},
                                                 {"CPU, %", 6, 1, "cpu_pct", 1}};
    enum { BEFORE = 3, AFTER = BEFORE + 1 }; /* the percentile, of the columns */
    bool few = false;

    if (s->nranks == 0)
        return;
    str_printf(out, "Load hosts:\n    %-*s", NAME_WIDTH, "rank host");
    text_heads(out, columns, COUNT(columns));
    str_adds(out, "\n");
    for (const struct snapshot_rank *v = s->rank; v < s->rank + s->nranks; v++) {
        struct str name = STR_INIT;
        str_printf(&name, "%4d %s", v->rank, v->host);
        text_name(out, str_cstr(&name), NAME_WIDTH);
        char p99[40];
        text_row(out, columns, BEFORE, rank_figures, s, v);
        str_printf(out, " %*s", columns[BEFORE].width,
                   text_point(p99, v->response.n ? v->response.p99 : -1, 99, v->response.n, &few));
        text_row(out, columns + AFTER, COUNT(columns) - AFTER, rank_figures, s, v);
        str_adds(out, "\n");
        str_free(&name);
    }
    text_few_line(out, few);
    /* the figures are the leader's clock as seen from the rank; the line is about the rank's */
    for (const struct snapshot_rank *v = s->rank + 1; v < s->rank + s->nranks; v++) {
        char label[40], offset[UNITS_TEXT_SIZE], error[UNITS_TEXT_SIZE];
        dur_ns ahead = v->clock_offset;
        snprintf(label, sizeof label, "clock of rank %d", v->rank);
        if (!v->has_clock)
            text_item(out, label, "n/a (it was not compared)");
        else if (v->same_clock)
            text_item(out, label, "the leader's");
        else
            text_item(out, label, "%s %s the leader's, +- %s, and %.2f ppm %s",
                      units_format_duration(offset, ahead < 0 ? -ahead : ahead),
                      ahead < 0 ? "ahead of" : "behind",
                      units_format_duration(error, v->clock_uncertainty), fabs(v->clock_drift_ppm),
                      v->clock_drift_ppm < 0 ? "faster" : "slower");
    }
    for (const struct snapshot_rank *v = s->rank; v < s->rank + s->nranks; v++)
        rank_troubles(out, s, v);
    str_adds(out, "\n");
}

/* --- all blocks --- */

void text_additions(struct str *out, const struct snapshot *s, const struct report_end *v,
                    const struct report_info *info, enum text_detail detail, size_t width)
{
    bool final = s->kind == SNAPSHOT_FINAL;
    bool parts = final && s->interval_ns < s->elapsed_ns; /* stock's blocks are of the last one */
    struct str whole = STR_INIT;

    if (final) {
        text_warmup(&whole, s);
        text_rate(&whole, s);
        if (snapshot_tells_rate(s) && s->find) {
            str_adds(&whole, "\n"); /* the end of the block about the rate */
            text_find(&whole, s->find);
        } else if (snapshot_tells_rate(s)) {
            text_verdict(&whole, s, v);
        }
        text_errors(&whole, s, detail);
        text_outages(&whole, s);
        text_failed(&whole, s);
        text_retries(&whole, s);
        text_connections(&whole, s);
        text_hosts(&whole, s);
        text_incidents(&whole, s, detail);
        text_ranks(&whole, s);
    }
    text_processes(parts ? out : &whole, s, detail);
    text_budget(parts ? out : &whole, s);
    text_statements(&whole, s, detail, width);
    text_by_server(&whole, s, detail, width);
    if (final) {
        text_actions(&whole, info->action, info->actions);
        text_stages(&whole, s, width);
    }
    text_phases(&whole, s, info, width);
    if (final)
        text_profile(&whole, info->profile);
    if (parts && whole.len)
        str_adds(out, "The whole run (the figures above are those since the last checkpoint):\n\n");
    str_add(out, str_cstr(&whole), whole.len);
    str_free(&whole);
}

void text_ending(struct str *out, const struct report_info *info)
{
    text_actions(out, info->action, info->actions);
    text_profile(out, info->profile);
}
