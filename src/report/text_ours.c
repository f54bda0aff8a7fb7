/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text that stock does not have: additions to an interval line, the rate with its verdict, and
 * the order of our blocks in the cumulative reports.  A figure that does not exist is n/a, with its
 * reason once per block.  Labels avoid stock's grep targets: no other line may match "total:",
 * "read:" or begin with "[".
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text_blocks.h"
#include "report/text_table.h"

typedef unsigned long long ull;

/* --- the end of an interval line --- */

void text_interval_additions(struct str *out, const struct snapshot *s)
{
    const struct snapshot_rate *q = &s->rate;
    const int percentile[] = {50, 95, 99};
    const int64_t response[] = {q->response.p50, q->response.p95, q->response.p99};
    char buf[40];

    if (snapshot_tells_rate(s)) {
        str_printf(out, " | offered %llu done %llu failed %llu dropped %llu unfinished %llu",
                   (ull)q->offered, (ull)q->done, (ull)q->failed, (ull)q->dropped,
                   (ull)q->unfinished);
        if (q->oldest_ns > NS_PER_SEC / 10)
            str_printf(out, " (oldest %.2fs)", dur_sec(q->oldest_ns));
        if (q->lost)
            str_printf(out, " lost %llu", (ull)q->lost);
        str_printf(out, " late %llu | ms:", (ull)q->late);
        for (size_t i = 0; i < 3; i++) {
            bool by_stock = false; /* in its "lat (ms,...)" of the same line */
            for (size_t k = 0; k < s->percentiles; k++)
                by_stock = by_stock || s->percentile[k] == percentile[i];
            if (!by_stock)
                str_printf(out, " resp-p%d %s", percentile[i], text_ms(buf, response[i]));
        }
        str_printf(out, " svc-p99 %s", text_ms(buf, q->service.p99));
        str_printf(out, " lag-p99 %s", text_ms(buf, q->lag.p99));
    }
    text_interval_figures(out, s);
    text_missing_ranks(out, s, " | without rank ");
    if (s->clients_missing) /* with `thds` at the other end of the line these are all clients */
        str_printf(out, " | refused %u", s->clients_missing);
    if (s->clients_missing && s->missing_with)
        str_printf(out, " (%d)", s->missing_with);
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
    str_printf(&text, "%llu", (ull)q->unfinished);
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

void text_verdict(struct str *out, const struct snapshot *s, const struct text_verdict *v)
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

/* --- all blocks --- */

void text_additions(struct str *out, const struct snapshot *s, const struct text_verdict *v,
                    const struct report_info *info, enum text_detail detail)
{
    bool final = s->kind == SNAPSHOT_FINAL;

    if (final) {
        text_warmup(out, s);
        text_rate(out, s);
        if (snapshot_tells_rate(s) && s->find) {
            str_adds(out, "\n"); /* the end of the block about the rate */
            text_find(out, s->find);
        } else if (snapshot_tells_rate(s)) {
            text_verdict(out, s, v);
        }
        text_errors(out, s, detail);
        text_outages(out, s);
        text_retries(out, s);
        text_connections(out, s);
        text_hosts(out, s);
        text_incidents(out, s);
        text_ranks(out, s);
    }
    text_processes(out, s, detail);
    text_statements(out, s, detail);
    if (final) {
        text_actions(out, info->action, info->actions);
        text_stages(out, s);
    }
    text_phases(out, s);
    if (final)
        text_profile(out, info->profile);
}

void text_ending(struct str *out, const struct report_info *info)
{
    text_actions(out, info->action, info->actions);
    text_profile(out, info->profile);
}
