/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See hosts.h.
 */
#include "engine/hosts.h"

#include <string.h>

#include "base/mem.h"
#include "engine/client.h"
#include "engine/figures.h"
#include "engine/warmup.h"

/* What the client has counted at the host where it is: the rest is in `before_move`. */
static void counted_here(const struct run *r, const struct client *c, const uint64_t count[CNT_MAX],
                         uint64_t here[CNT_MAX])
{
    size_t rows = run_hosts(r);

    memcpy(here, count, CNT_MAX * sizeof *here);
    for (size_t h = 0; c->before_move && h < rows; h++)
        for (int k = 0; k < CNT_MAX; k++)
            here[k] -= c->before_move[h * CNT_MAX + (size_t)k];
}

void client_at_host(struct client *c, int host, bool up, bool decides)
{
    struct run *r = c->run;
    struct hosts *h = &r->hosts;
    uint64_t count[CNT_MAX] = {0}, here[CNT_MAX], any = 0, *before;
    unsigned old = LOAD(c->host);

    if (host < 0 || (size_t)host >= h->n)
        return;
    if (up)
        atomic_fetch_add_explicit(&h->row[host].connections, 1, memory_order_relaxed);
    else
        atomic_fetch_sub_explicit(&h->row[host].connections, 1, memory_order_relaxed);
    if (!up || !decides || old == (unsigned)host)
        return;
    /* it moves: what was counted until now stays with the old host */
    pthread_mutex_lock(&h->lock);
    warmup_counts(r, c->id, false, count);
    counted_here(r, c, count, here);
    for (int k = 0; k < CNT_MAX; k++)
        any |= here[k];
    if (any && !c->before_move)
        c->before_move = mem_array(run_hosts(r) * CNT_MAX, sizeof *c->before_move);
    before = any ? &c->before_move[old * CNT_MAX] : NULL;
    for (int k = 0; any && k < CNT_MAX; k++)
        before[k] += here[k];
    STORE(c->host, (unsigned)host);
    pthread_mutex_unlock(&h->lock);
    client_write_to_host(c);
}

void hosts_read_begin(struct run *r, struct baseline *b)
{
    if (!b->host)
        return;
    for (size_t h = 0; h < b->nhosts; h++) {
        memset(b->host[h].count, 0, sizeof b->host[h].count);
        b->host[h].clients = 0;
        b->host[h].lost = LOAD(r->hosts.row[h].lost);
        b->host[h].connections = LOAD(r->hosts.row[h].connections);
        hist_counts_clear(&b->host[h].response);
    }
    pthread_mutex_lock(&r->hosts.lock);
}

void hosts_read_client(const struct client *c, const uint64_t count[CNT_MAX], struct baseline *b)
{
    uint64_t here[CNT_MAX];

    if (!b->host)
        return;
    struct host_counts *at = &b->host[LOAD(c->host)];
    counted_here(c->run, c, count, here);
    at->clients++;
    for (int k = 0; k < CNT_MAX; k++)
        at->count[k] += here[k];
    for (size_t h = 0; c->before_move && h < b->nhosts; h++)
        for (int k = 0; k < CNT_MAX; k++)
            b->host[h].count[k] += c->before_move[h * CNT_MAX + (size_t)k];
}

void hosts_read_end(struct run *r, const struct baseline *b)
{
    if (b->host)
        pthread_mutex_unlock(&r->hosts.lock);
}

void hosts_fill(const struct run *r, struct figure_table *f, const struct baseline *before,
                struct snapshot_host *shown, struct snapshot *s)
{
    const struct baseline *b = f->now, *from = s->kind == SNAPSHOT_FINAL ? f->origin : before;
    size_t n = r->hosts.n;

    s->hosts_many = r->plan->hosts_many;
    if (!b->host || !from->host)
        return;
    for (size_t i = 0; i < b->nhosts; i++) {
        const struct host_counts *h = &b->host[i], *was = &from->host[i];

        shown[i] = (struct snapshot_host){
            .name = i < n ? r->plan->host_name[i] : SNAPSHOT_NO_HOST,
            .connections = h->connections,
            .clients = h->clients,
            .total_events = figures_events(h->count),
            .total_failed = h->count[CNT_FAILED],
            .total_errors = h->count[CNT_ERROR],
            .total_reconnects = h->count[CNT_RECONNECT],
            .total_lost = h->lost,
            .events = figures_events(h->count) - figures_events(was->count),
            .failed = h->count[CNT_FAILED] - was->count[CNT_FAILED],
            .errors = h->count[CNT_ERROR] - was->count[CNT_ERROR],
            .reconnects = h->count[CNT_RECONNECT] - was->count[CNT_RECONNECT],
            .lost = h->lost - was->lost};
        hist_counts_diff(&f->diff, &h->response, &was->response);
        figures_series(f->plan, &f->diff, &shown[i].latency);
    }
    s->host = shown;
    s->hosts = n + (shown[n].total_events || shown[n].total_errors);
}
