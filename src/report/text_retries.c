/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_retries.h.  The two lines of latencies are of the same transactions, so that the
 * difference is what the retries cost them.
 */
#include "report/text_retries.h"

#include <stdio.h>

#include "report/text_lines.h"

#define CELL " %10s"

static const char *ms(char buf[32], int64_t ns)
{
    if (ns < 0)
        snprintf(buf, 32, "n/a");
    else
        snprintf(buf, 32, "%s%.3f", ns >= HIST_OVER_NS ? ">" : "", dur_ms(ns));
    return buf;
}

static void series(struct str *out, const char *label, const struct snapshot_series *v)
{
    const int64_t at[] = {v->p50, v->p95, v->p99, v->max, v->n ? (int64_t)v->mean : -1};
    char buf[32];

    str_printf(out, "    %-14s", label);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        str_printf(out, CELL, ms(buf, at[i]));
    str_adds(out, "\n");
}

static void head(struct str *out)
{
    str_printf(out, "    %-14s" CELL CELL CELL CELL CELL "\n", "ms", "p50", "p95", "p99", "maximum",
               "mean");
}

static void latencies(struct str *out, const struct snapshot_retries *r)
{
    head(out);
    series(out, "first attempt", &r->first);
    series(out, "until done", &r->last);
}

void text_retries(struct str *out, const struct snapshot *s)
{
    const struct snapshot_retries *r = &s->retries;

    if (!r->unknown && !r->failed && !(r->transactions && snapshot_tells_rate(s)))
        return;
    str_adds(out, "Retries:\n");
    if (r->transactions)
        text_item(out, "transactions run again:", "%llu (%llu retries, at most %llu of one)",
                  (unsigned long long)r->transactions, (unsigned long long)r->retries,
                  (unsigned long long)r->most);
    if (r->failed)
        text_item(out, "failed nevertheless:", "%llu", (unsigned long long)r->failed);
    if (r->unknown)
        text_item(out, "commits of unknown outcome:",
                  "%llu (the connection was lost before the answer; run again, they may have been "
                  "done twice)",
                  (unsigned long long)r->unknown);
    if (r->last.n)
        latencies(out, r);
    str_adds(out, "\n");
}

/* --- connections --- */

static void clients(struct str *out, const struct snapshot_connections *v)
{
    char error[32] = "";

    if (v->refused_with)
        snprintf(error, sizeof error, " (error %d)", v->refused_with);
    if (v->refused)
        text_item(out, "clients:", "%u of %u connected, %u refused at first%s", v->connected,
                  v->clients, v->refused, error);
    else
        text_item(out, "clients:", "%u of %u connected", v->connected, v->clients);
}

void text_connections(struct str *out, const struct snapshot *s)
{
    const struct snapshot_connections *v = &s->connections;

    if (!(v->limited || v->plain || v->connect.n) || !(v->asked || snapshot_tells_rate(s)))
        return;
    str_adds(out, "Connections:\n");
    if (v->limited)
        clients(out, v);
    if (v->plain)
        text_item(out, "plain queries:", "%zu connection%s without prepared statements", v->plain,
                  v->plain == 1 ? "" : "s");
    if (v->connect.n) {
        text_item(out, "lost and replaced:", "%llu", (unsigned long long)v->connect.n);
        head(out);
        series(out, "connect", &v->connect);
        series(out, "since the loss", &v->away);
    }
    str_adds(out, "\n");
}
