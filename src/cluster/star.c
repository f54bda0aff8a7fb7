/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The life of a cluster, and what callers ask of it (cluster.h).
 */
#include "cluster/cluster.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cluster/cluster_state.h"

/* --- life --- */

static void init_lock(struct cluster *c)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->delivery, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&c->changed, &attr);
    pthread_condattr_destroy(&attr);
}

struct cluster *cluster_new(const struct meet_terms *t, const char *host)
{
    struct cluster *c = mem_alloc(sizeof *c);

    c->rank = t->rank;
    c->size = t->size;
    c->host = mem_strdup(host);
    c->silence = t->silence;
    c->trial = t->trial;
    c->epoll = c->wake = -1;
    c->buf = mem_alloc(CLUSTER_CHUNK);
    c->peer = mem_array((size_t)t->size, sizeof *c->peer);
    for (int i = 0; i < t->size; i++) {
        c->peer[i].rank = i;
        c->peer[i].fd = -1;
        c->peer[i].in.max = CLUSTER_FRAME_MAX;
    }
    init_lock(c);
    return c;
}

static void peer_free(struct peer *p)
{
    if (p->fd >= 0)
        close(p->fd);
    queue_clear(p);
    frame_in_fini(&p->in);
    free(p->host);
}

void cluster_drop(struct cluster *c)
{
    for (int i = 0; i < c->size; i++)
        peer_free(&c->peer[i]);
    if (c->epoll >= 0)
        close(c->epoll);
    if (c->wake >= 0)
        close(c->wake);
    inbox_clear(c);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    pthread_mutex_destroy(&c->delivery);
    cluster_clock_free(atomic_load(&c->clock));
    free(c->buf);
    free(c->peer);
    free(c->host);
    free(c);
}

void cluster_leave(struct cluster *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    FOR_PEERS(c, p)
    queue_add(p, FRAME_BYE, NULL, 0, false);
    pthread_mutex_unlock(&c->lock);
    atomic_store(&c->leaving, true);
    link_wake(c);
    pthread_join(c->thread, NULL);
    cluster_drop(c);
}

/* --- waiting --- */

/* False: it is too late. */
static bool await_change(struct cluster *c, mono_ns until)
{
    struct timespec ts = {.tv_sec = until / NS_PER_SEC, .tv_nsec = until % NS_PER_SEC};

    if (clock_mono() >= until)
        return false;
    pthread_cond_timedwait(&c->changed, &c->lock, &ts);
    return true;
}

static int say_lost(const struct cluster *c, int rank, struct err *e)
{
    return err_set(e, ERR_FAILED, "rank %d (%s) was lost: %s", rank, cluster_host(c, rank),
                   cluster_peer(c, rank)->why);
}

static int settle_peer(struct cluster *c, const struct peer *p, mono_ns until, struct err *e)
{
    while (!p->settled) {
        if (!atomic_load(&p->alive))
            return say_lost(c, p->rank, e);
        if (!await_change(c, until))
            return err_set(e, ERR_TIMEOUT, "rank %d (%s) did not answer in time", p->rank,
                           cluster_host(c, p->rank));
    }
    return 0;
}

int cluster_settle(struct cluster *c, mono_ns until, struct err *e)
{
    int rc = 0;

    pthread_mutex_lock(&c->lock);
    FOR_PEERS(c, p)
    rc = rc ? rc : settle_peer(c, p, until, e);
    pthread_mutex_unlock(&c->lock);
    return rc;
}

static int take(struct cluster *c, int from, unsigned type, mono_ns until, struct event **v,
                struct err *e)
{
    for (;;) {
        bool alive = cluster_alive(c, from);

        *v = inbox_take(c, from, type);
        if (*v)
            return 0;
        if (!alive)
            return say_lost(c, from, e);
        if (!await_change(c, until))
            return err_set(e, ERR_TIMEOUT, "rank %d (%s) did not answer in time", from,
                           cluster_host(c, from));
    }
}

int cluster_await(struct cluster *c, int from, unsigned type, mono_ns until, struct str *out,
                  struct err *e)
{
    struct event *v;
    int rc;

    assert(from != c->rank && type >= CLUSTER_TYPE_FIRST);
    pthread_mutex_lock(&c->lock);
    rc = take(c, from, type, until, &v, e);
    pthread_mutex_unlock(&c->lock);
    if (rc)
        return -1;
    str_reset(out);
    str_add(out, (const char *)v->bytes, v->n);
    free(v);
    return 0;
}

/* --- sending, handling --- */

static int send_frame(struct cluster *c, int to, unsigned type, const void *p, size_t n,
                      bool latest)
{
    int rc;

    assert(to != c->rank && to >= 0 && to < c->size && (c->rank == 0 || to == 0));
    assert(type >= CLUSTER_TYPE_FIRST && type <= CLUSTER_TYPE_LAST && n <= CLUSTER_FRAME_MAX);
    pthread_mutex_lock(&c->lock);
    rc = queue_add(cluster_peer(c, to), type, p, n, latest);
    pthread_mutex_unlock(&c->lock);
    link_wake(c);
    return rc;
}

int cluster_send(struct cluster *c, int to, unsigned type, const void *p, size_t n)
{
    return send_frame(c, to, type, p, n, false);
}

int cluster_send_latest(struct cluster *c, int to, unsigned type, const void *p, size_t n)
{
    return send_frame(c, to, type, p, n, true);
}

void cluster_handle(struct cluster *c, const struct cluster_handler *h)
{
    pthread_mutex_lock(&c->delivery);
    c->handled = h != NULL;
    if (h)
        c->handler = *h;
    pthread_mutex_unlock(&c->delivery);
    link_wake(c);
}

/* --- what there is to know --- */

int cluster_rank(const struct cluster *c)
{
    return c->rank;
}

int cluster_size(const struct cluster *c)
{
    return c->size;
}

const char *cluster_host(const struct cluster *c, int rank)
{
    const char *host = rank == c->rank ? c->host : cluster_peer(c, rank)->host;

    return host ? host : "";
}

struct clock *cluster_clock(struct cluster *c)
{
    struct cluster_clock *k = atomic_load(&c->clock);

    return k ? cluster_clock_of(k) : NULL;
}

bool cluster_clock_figures(struct cluster *c, int rank, struct cluster_clock_figures *out)
{
    bool known = true;

    if (c->rank == 0 && rank == 0) {
        *out = (struct cluster_clock_figures){.same_clock = true};
        return true;
    }
    pthread_mutex_lock(&c->lock);
    known = rank == c->rank || c->rank == 0;
    if (known)
        *out = cluster_peer(c, c->rank == 0 ? rank : 0)->figures;
    known = known && out->samples > 0;
    pthread_mutex_unlock(&c->lock);
    return known;
}

bool cluster_alive(const struct cluster *c, int rank)
{
    return rank == c->rank || atomic_load(&cluster_peer(c, rank)->alive);
}

const char *cluster_lost_why(const struct cluster *c, int rank)
{
    return cluster_alive(c, rank) ? NULL : cluster_peer(c, rank)->why;
}
