/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The retries of a run as JSON: how many, and the latencies of the transactions that needed them.
 * Its connections likewise, the warm-up that waited for a steady load, and the answers that
 * --worker-batch held back.
 */
#include "report/json_doc.h"

#include <math.h>

#include "report/json.h"

static void count(struct str *out, bool *first, const char *name, uint64_t v)
{
    json_name(out, first, name);
    str_printf(out, "%llu", (unsigned long long)v);
}

/* -1: there was none */
static void duration(struct str *out, const char *name, int64_t ns)
{
    bool first = false;

    json_name(out, &first, name);
    json_number(out, ns < 0 ? (double)NAN : dur_sec(ns));
}

static void series(struct str *out, bool *first, const char *name, const struct snapshot_series *v)
{
    bool inner = true;

    json_name(out, first, name);
    str_adds(out, "{");
    count(out, &inner, "samples", v->n);
    duration(out, "p50_s", v->p50);
    duration(out, "p95_s", v->p95);
    duration(out, "p99_s", v->p99);
    duration(out, "max_s", v->max);
    json_name(out, &inner, "mean_s");
    json_number(out, v->mean / 1e9);
    str_adds(out, "}");
}

void json_doc_retries(struct str *out, const struct snapshot_retries *r)
{
    bool first = true;

    str_adds(out, "{");
    count(out, &first, "transactions", r->transactions);
    count(out, &first, "retries", r->retries);
    count(out, &first, "most", r->most);
    count(out, &first, "failed", r->failed);
    count(out, &first, "commits_unknown", r->unknown);
    series(out, &first, "first_attempt", &r->first);
    series(out, &first, "until_done", &r->last);
    str_adds(out, "}");
}

static void clients(struct str *out, bool *first, const struct snapshot_connections *v)
{
    bool inner = true;

    json_name(out, first, "clients");
    if (!v->limited) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "{");
    count(out, &inner, "threads", v->clients);
    count(out, &inner, "connected", v->connected);
    count(out, &inner, "refused", v->refused);
    json_name(out, &inner, "refused_with");
    if (v->refused_with)
        str_printf(out, "%d", v->refused_with);
    else
        str_adds(out, "null");
    str_adds(out, "}");
}

void json_doc_connections(struct str *out, const struct snapshot_connections *v)
{
    bool first = true;

    str_adds(out, "{");
    clients(out, &first, v);
    count(out, &first, "plain_queries", v->plain);
    series(out, &first, "reconnect", &v->connect);
    series(out, &first, "away", &v->away);
    str_adds(out, "}");
}

void json_doc_batches(struct str *out, bool *outer, const struct snapshot_batches *b,
                      struct str *missing, bool *first_missing)
{
    bool first = true;

    if (!b->asked)
        return;
    json_name(out, outer, "worker_batch");
    str_adds(out, "{");
    count(out, &first, "batches", b->batches);
    count(out, &first, "answers", b->answers);
    json_number_member(out, &first, "held_mean_s", b->held_mean_s);
    json_number_member(out, &first, "held_max_s", b->held_max_s);
    str_adds(out, "}");
    if (b->batches)
        return;
    json_string_member(missing, first_missing, "worker_batch.held_mean_s", SNAPSHOT_NONE_HELD);
    json_string_member(missing, first_missing, "worker_batch.held_max_s", SNAPSHOT_NONE_HELD);
}

/* --warmup-until. */
void json_doc_warmup(struct str *out, bool *outer, const struct snapshot_warmup *w)
{
    bool first = true;

    if (!w->asked)
        return;
    json_name(out, outer, "warmup");
    str_adds(out, "{");
    json_name(out, &first, "steady");
    str_adds(out, w->steady ? "true" : "false");
    json_number_member(out, &first, "lasted_s", dur_sec(w->after));
    json_string_member(out, &first, "figure", w->rate ? "response_mean_s" : "transactions_per_s");
    json_number_member(out, &first, "bound_pct", w->bound_pct);
    json_number_member(out, &first, "change_pct", w->has_trend ? w->change_pct : NAN);
    json_number_member(out, &first, "error_pct", w->has_trend ? w->error_pct : NAN);
    str_adds(out, "}");
}
