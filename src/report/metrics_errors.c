/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See metrics_errors.h.
 */
#include "report/metrics_errors.h"

#include <stdio.h>

#include "report/text.h"

static void errors(struct metrics *m, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nby_code; i++) {
        const struct error_row *r = s->by_code[i].row;
        char code[16];
        const struct metrics_label label[] = {
            {"class", r->class}, {"code", code}, {"sqlstate", r->sqlstate}};
        size_t family = metrics_family(m, "errors_by_code", METRICS_COUNTER,
                                       "statements and connection attempts that failed");
        snprintf(code, sizeof code, "%d", r->code);
        metrics_count(m, family, "", label, 3, r->count);
    }
}

/* Their number, and what each lasted, once the run has ended. */
static void outages(struct metrics *m, const struct snapshot *s)
{
    const struct snapshot_outages *v = s->outages;
    size_t family = metrics_family(m, "outages", METRICS_COUNTER, "times that the server was away");

    metrics_count(m, family, "", NULL, 0, v->n + v->more);
    for (size_t i = 0; i < v->n; i++) {
        const struct outage *o = &v->row[i];
        char number[24];
        struct metrics_label label = {"outage", number};
        snprintf(number, sizeof number, "%zu", i + 1);
        family = metrics_family(m, "outage_start_seconds", METRICS_GAUGE,
                                "first error of the outage, since measuring began");
        metrics_number(m, family, "", &label, 1, dur_sec(o->first_error - v->zero));
        family = metrics_family(m, "outage_duration_seconds", METRICS_GAUGE,
                                "until the load was as before; none for one that was not over");
        if (o->over)
            metrics_number(m, family, "", &label, 1, dur_sec(o->over - o->first_error));
        family = metrics_family(m, "outage_without_success_seconds", METRICS_GAUGE,
                                "longest time without a transaction done");
        metrics_number(m, family, "", &label, 1, dur_sec(snapshot_silence(s, o)));
    }
}

/* One that has not happened has no series, as with codes. */
static void incidents(struct metrics *m, const struct snapshot *s)
{
    uint64_t n[INCIDENT_RANK_LOST + 1] = {0};

    for (size_t i = 0; i < s->incidents; i++)
        n[s->incident[i].kind]++;
    for (size_t kind = 0; kind <= INCIDENT_RANK_LOST; kind++) {
        const struct metrics_label label = {"kind", incident_name((enum incident_kind)kind)};
        if (n[kind])
            metrics_count(m,
                          metrics_family(m, "incidents", METRICS_COUNTER,
                                         "what happened to the server and the machine"),
                          "", &label, 1, n[kind]);
    }
}

static void quantiles(struct metrics *m, const char *name, const char *help,
                      const struct snapshot_series *v)
{
    const struct {
        const char *q;
        int64_t ns;
    } at[] = {{"0.5", v->p50}, {"0.95", v->p95}, {"0.99", v->p99}, {"1.0", v->max}};
    size_t family = metrics_family(m, name, METRICS_SUMMARY, help);

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct metrics_label label = {"quantile", at[i].q};
        metrics_number(m, family, "", &label, 1, dur_sec(at[i].ns));
    }
    metrics_number(m, family, "_sum", NULL, 0, v->mean / 1e9 * (double)v->n);
    metrics_count(m, family, "_count", NULL, 0, v->n);
}

static void level(struct metrics *m, const char *name, const char *help, uint64_t n)
{
    metrics_count(m, metrics_family(m, name, METRICS_GAUGE, help), "", NULL, 0, n);
}

/* Known once the run has ended. */
static void connections(struct metrics *m, const struct snapshot_connections *v)
{
    if (v->limited) {
        level(m, "clients_connected", "clients with a connection at the end", v->connected);
        level(m, "clients_refused", "clients that the server refused at first", v->refused);
    }
    if (v->plain)
        level(m, "plain_query_connections",
              "connections without prepared statements, because of a limit or a pooler", v->plain);
    if (!v->connect.n)
        return;
    quantiles(m, "reconnect_seconds", "time of the attempt that replaced a lost connection",
              &v->connect);
    quantiles(m, "connection_away_seconds", "from the loss of a connection until it was replaced",
              &v->away);
}

static void seconds(struct metrics *m, const char *name, const char *help, double s)
{
    metrics_number(m, metrics_family(m, name, METRICS_GAUGE, help), "", NULL, 0, s);
}

/* --worker-batch, once the run has ended. */
static void batches(struct metrics *m, const struct snapshot_batches *b)
{
    metrics_count(m,
                  metrics_family(m, "worker_batches", METRICS_COUNTER,
                                 "times that a worker took answers that it had held back"),
                  "", NULL, 0, b->batches);
    metrics_count(
        m,
        metrics_family(m, "worker_batch_answers", METRICS_COUNTER, "answers that were held back"),
        "", NULL, 0, b->answers);
    if (!b->batches)
        return;
    seconds(m, "worker_batch_held_mean_seconds",
            "for how long an answer was held back at most, mean", b->held_mean_s);
    seconds(m, "worker_batch_held_max_seconds", "the longest such time", b->held_max_s);
}

void metrics_errors(struct metrics *m, const struct snapshot *s)
{
    errors(m, s);
    incidents(m, s);
    if (s->outages)
        outages(m, s);
    if (s->kind == SNAPSHOT_FINAL)
        connections(m, &s->connections);
    if (s->kind == SNAPSHOT_FINAL && s->batches.asked)
        batches(m, &s->batches);
}
