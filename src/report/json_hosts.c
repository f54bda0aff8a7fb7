/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of each database host as JSON, when the clients are spread over several.  In an
 * interval they are those of the interval, in the summary those of the run.
 */
#include <math.h>

#include "report/json.h"
#include "report/json_doc.h"

static void duration(struct str *out, bool *first, const char *name, int64_t ns)
{
    json_number_member(out, first, name, ns < 0 ? (double)NAN : dur_sec(ns));
}

static void latency(struct str *out, const struct snapshot_series *v)
{
    bool first = true;

    str_adds(out, "{");
    json_count_member(out, &first, "samples", v->n);
    duration(out, &first, "p50_s", v->p50);
    duration(out, &first, "p95_s", v->p95);
    duration(out, &first, "p99_s", v->p99);
    duration(out, &first, "max_s", v->max);
    json_number_member(out, &first, "mean_s", v->mean / 1e9);
    str_adds(out, "}");
}

/* The clients have closed their connections when the last report is made. */
static void connections(struct str *out, bool *first, const struct snapshot_host *h, bool final)
{
    if (final)
        json_number_member(out, first, "connections", NAN);
    else
        json_count_member(out, first, "connections", h->connections);
}

static void one_host(struct str *out, const struct snapshot_host *h, bool final)
{
    bool first = true;

    str_adds(out, "{");
    json_string_member(out, &first, "host", h->name);
    json_count_member(out, &first, "clients", h->clients);
    connections(out, &first, h, final);
    json_count_member(out, &first, "transactions", h->events);
    json_count_member(out, &first, "failed", h->failed);
    json_count_member(out, &first, "errors", h->errors);
    json_count_member(out, &first, "lost", h->lost);
    json_count_member(out, &first, "reconnects", h->reconnects);
    json_name(out, &first, "latency");
    latency(out, &h->latency);
    str_adds(out, "}");
}

void json_doc_hosts(struct str *out, bool *first, const struct snapshot *s)
{
    if (!s->hosts && !s->hosts_many)
        return;
    json_name(out, first, "hosts");
    if (s->hosts_many) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "[");
    for (size_t i = 0; i < s->hosts; i++) {
        str_adds(out, i ? "," : "");
        one_host(out, &s->host[i], s->kind == SNAPSHOT_FINAL);
    }
    str_adds(out, "]");
}
