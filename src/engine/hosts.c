/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See hosts.h.
 */
#include "engine/hosts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/client.h"

void hosts_init(struct run *r)
{
    r->hosts.n = r->plan->hosts;
    r->hosts.row = mem_array(run_hosts(r), sizeof *r->hosts.row);
    pthread_mutex_init(&r->hosts.lock, NULL);
}

void hosts_fini(struct run *r)
{
    for (int i = 0; r->client && i < r->plan->clients; i++)
        free(r->client[i].was);
    free(r->hosts.row);
    pthread_mutex_destroy(&r->hosts.lock);
}

void hosts_lost(struct run *r, int host)
{
    if (host >= 0 && (size_t)host < r->hosts.n)
        atomic_fetch_add_explicit(&r->hosts.row[host].lost, 1, memory_order_relaxed);
}

static void lock(struct hosts *h)
{
    int rc = pthread_mutex_lock(&h->lock);
    assert(rc == 0);
    (void)rc;
}

static void unlock(struct hosts *h)
{
    int rc = pthread_mutex_unlock(&h->lock);
    assert(rc == 0);
    (void)rc;
}

/* --- clients --- */

/* What the client has counted at the host where it is: the rest is in `was`. */
static void counted_here(const struct run *r, const struct client *c, const uint64_t count[CNT_MAX],
                         uint64_t here[CNT_MAX])
{
    size_t rows = run_hosts(r);

    memcpy(here, count, CNT_MAX * sizeof *here);
    for (size_t h = 0; c->was && h < rows; h++)
        for (int k = 0; k < CNT_MAX; k++)
            here[k] -= c->was[h * CNT_MAX + (size_t)k];
}

/* Keeps for the old host what was counted there. */
static void settle(struct run *r, struct client *c)
{
    uint64_t count[CNT_MAX] = {0}, here[CNT_MAX], any = 0;
    unsigned old = LOAD(c->host);

    warmup_counts(r, c->id, false, count);
    counted_here(r, c, count, here);
    for (int k = 0; k < CNT_MAX; k++)
        any |= here[k];
    if (any && !c->was)
        c->was = mem_array(run_hosts(r) * CNT_MAX, sizeof *c->was);
    for (int k = 0; any && k < CNT_MAX; k++)
        c->was[old * CNT_MAX + (unsigned)k] += here[k];
}

static void move(struct client *c, unsigned to)
{
    struct run *r = c->run;

    lock(&r->hosts);
    settle(r, c);
    STORE(c->host, to);
    unlock(&r->hosts);
    client_write_to_host(c);
}

void client_at_host(struct client *c, int host, bool up, bool decides)
{
    struct hosts *h = &c->run->hosts;

    if (host < 0 || (size_t)host >= h->n)
        return;
    if (up)
        atomic_fetch_add_explicit(&h->row[host].connections, 1, memory_order_relaxed);
    else
        atomic_fetch_sub_explicit(&h->row[host].connections, 1, memory_order_relaxed);
    if (up && decides && LOAD(c->host) != (unsigned)host)
        move(c, (unsigned)host);
}

/* --- readings --- */

void hosts_read_begin(struct run *r, struct baseline *b)
{
    if (!b->host)
        return;
    for (size_t i = 0; i < b->nhosts; i++) {
        struct host_counts *h = &b->host[i];

        memset(h->count, 0, sizeof h->count);
        h->clients = 0;
        h->lost = LOAD(r->hosts.row[i].lost);
        h->connections = LOAD(r->hosts.row[i].connections);
        hist_counts_clear(&h->response);
    }
    lock(&r->hosts);
}

void hosts_read_client(const struct run *r, int client, const uint64_t count[CNT_MAX],
                       struct baseline *b)
{
    const struct client *c = &r->client[client];
    unsigned at =
        atomic_load_explicit(&((struct client *)(uintptr_t)c)->host, memory_order_relaxed);
    uint64_t here[CNT_MAX];

    if (!b->host)
        return;
    counted_here(r, c, count, here);
    b->host[at].clients++;
    for (int k = 0; k < CNT_MAX; k++)
        b->host[at].count[k] += here[k];
    for (size_t h = 0; c->was && h < b->nhosts; h++)
        for (int k = 0; k < CNT_MAX; k++)
            b->host[h].count[k] += c->was[h * CNT_MAX + (size_t)k];
}

void hosts_read_end(struct run *r, struct baseline *b)
{
    if (b->host)
        unlock(&r->hosts);
}

/* --- figures --- */

struct snapshot_host *hosts_rows_new(const struct run *r, struct baseline *const all[])
{
    size_t n = run_hosts(r);

    for (; *all; all++) {
        (*all)->host = host_counts_new(n);
        (*all)->nhosts = n;
    }
    return mem_array(n, sizeof(struct snapshot_host));
}

static uint64_t since(const struct host_counts *now, const struct host_counts *before,
                      enum counter k)
{
    return now->count[k] - before->count[k];
}

static void fill_totals(struct snapshot_host *s, const struct host_counts *now)
{
    s->total_events = figures_events(now->count);
    s->total_failed = now->count[CNT_FAILED];
    s->total_errors = now->count[CNT_ERROR];
    s->total_reconnects = now->count[CNT_RECONNECT];
    s->total_lost = now->lost;
    s->connections = now->connections;
    s->clients = now->clients;
}

static void fill_one(struct figure_table *f, struct snapshot_host *s, const struct host_counts *now,
                     const struct host_counts *before)
{
    fill_totals(s, now);
    s->events = s->total_events - figures_events(before->count);
    s->failed = since(now, before, CNT_FAILED);
    s->errors = since(now, before, CNT_ERROR);
    s->reconnects = since(now, before, CNT_RECONNECT);
    s->lost = now->lost - before->lost;
    hist_counts_diff(&f->diff, &now->response, &before->response);
    figures_series(f->plan, &f->diff, &s->latency);
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
        fill_one(f, &shown[i], &b->host[i], &from->host[i]);
        shown[i].name = i < n ? r->plan->host_name[i] : SNAPSHOT_NO_HOST;
    }
    s->host = shown;
    s->hosts = n + (shown[n].total_events || shown[n].total_errors);
}
