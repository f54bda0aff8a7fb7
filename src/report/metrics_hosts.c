/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See metrics_hosts.h.
 */
#include "report/metrics_hosts.h"

#include <stddef.h>

#define OF(member) offsetof(struct snapshot_host, member)

static const struct {
    const char *family, *help;
    size_t of;
} counts[] = {
    {"database_transactions", "transactions done at a database host", OF(total_events)},
    {"database_failed", "transactions that failed there", OF(total_failed)},
    {"database_errors", "statements that failed there and were ignored", OF(total_errors)},
    {"database_connections_lost", "connections that were lost there", OF(total_lost)},
    {"database_reconnects", "connections that were reestablished there", OF(total_reconnects)},
};

static void levels(struct metrics *m, const struct snapshot_host *h,
                   const struct metrics_label *host)
{
    metrics_count(m,
                  metrics_family(m, "database_connections", METRICS_GAUGE,
                                 "connections to a database host that are up"),
                  "", host, 1, h->connections);
    metrics_count(m,
                  metrics_family(m, "database_clients", METRICS_GAUGE,
                                 "clients whose transactions are done there"),
                  "", host, 1, h->clients);
}

static void latency(struct metrics *m, const struct snapshot_series *v,
                    const struct metrics_label *host)
{
    const struct {
        const char *percentile;
        int64_t ns;
    } at[] = {{"50", v->p50}, {"95", v->p95}, {"99", v->p99}, {"100", v->max}};
    size_t family =
        metrics_family(m, "database_latency_seconds", METRICS_GAUGE,
                       "latency of a transaction at a database host, in the last report");

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const struct metrics_label label[] = {*host, {"percentile", at[i].percentile}};
        if (at[i].ns >= 0)
            metrics_number(m, family, "", label, 2, dur_sec(at[i].ns));
    }
}

void metrics_hosts(struct metrics *m, const struct snapshot *s)
{
    for (size_t i = 0; i < s->hosts; i++) {
        const struct snapshot_host *h = &s->host[i];
        const struct metrics_label host = {"host", h->name};

        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            metrics_count(m, metrics_family(m, counts[k].family, METRICS_COUNTER, counts[k].help),
                          "", &host, 1,
                          *(const uint64_t *)(const void *)((const char *)h + counts[k].of));
        levels(m, h, &host);
        latency(m, &h->latency, &host);
    }
}
