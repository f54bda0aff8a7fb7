/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_hosts.h.  Two tables, since one line for all figures of a host would not fit a terminal.
 */
#include "report/text_hosts.h"

#include <string.h>

#include "base/clock.h"
#include "report/text_lines.h"

#define NAME_WIDTH 21

/* A name that is too long has a line of its own. */
static void name(struct str *out, const char *text)
{
    str_printf(out, "    %-*s", NAME_WIDTH, text);
    if (strlen(text) > NAME_WIDTH)
        str_printf(out, "\n    %*s", NAME_WIDTH, "");
}

static void counts(struct str *out, const struct snapshot_host *h, uint64_t all)
{
    name(out, h->name);
    str_printf(out, " %7u %12llu", h->clients, (unsigned long long)h->events);
    if (all)
        str_printf(out, " %6.2f", 100.0 * (double)h->events / (double)all);
    else
        str_printf(out, " %6s", "n/a");
    str_printf(out, " %7llu %7llu %5llu %6llu\n", (unsigned long long)h->failed,
               (unsigned long long)h->errors, (unsigned long long)h->lost,
               (unsigned long long)h->reconnects);
}

static void ms(struct str *out, int64_t ns)
{
    if (ns < 0)
        str_printf(out, " %10s", "n/a");
    else
        str_printf(out, " %10.3f", dur_ms(ns));
}

static void latency(struct str *out, const struct snapshot_host *h)
{
    const struct snapshot_series *v = &h->latency;

    name(out, h->name);
    ms(out, v->p50);
    ms(out, v->p95);
    ms(out, v->p99);
    ms(out, v->max);
    ms(out, v->n ? (int64_t)v->mean : -1);
    str_adds(out, "\n");
}

void text_hosts(struct str *out, const struct snapshot *s)
{
    uint64_t all = 0;

    if (!(s->connections.asked || snapshot_tells_rate(s)))
        return;
    if (s->hosts_many)
        str_adds(out, "Database hosts:\n    n/a (" SNAPSHOT_HOSTS_MANY ")\n\n");
    if (!s->hosts)
        return;
    for (size_t i = 0; i < s->hosts; i++)
        all += s->host[i].events;
    str_printf(out, "Database hosts:\n    %-*s %7s %12s %6s %7s %7s %5s %6s\n", NAME_WIDTH, "host",
               "clients", "transactions", "%", "failed", "errors", "lost", "reconn");
    for (size_t i = 0; i < s->hosts; i++)
        counts(out, &s->host[i], all);
    str_printf(out, "    %-*s %10s %10s %10s %10s %10s\n", NAME_WIDTH, "ms", "p50", "p95", "p99",
               "maximum", "mean");
    for (size_t i = 0; i < s->hosts; i++)
        latency(out, &s->host[i]);
    if (s->host_asked)
        text_item(out, "server status of:", "%s", s->host_asked);
    str_adds(out, "\n");
}
