/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The life of a cluster, what callers ask of it (cluster.h), and its inbox: messages and losses
 * that came go to the handler, in the order in which they came, or into a list until there is a
 * handler or somebody awaits them.
 */
#include "cluster/cluster_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* --- inbox --- */

static struct event *take_first(struct cluster *c)
{
    pthread_mutex_lock(&c->lock);
    struct event *v = TAILQ_FIRST(&c->inbox);
    if (v) {
        TAILQ_REMOVE(&c->inbox, v, entry);
        c->kept -= v->n;
    }
    pthread_mutex_unlock(&c->lock);
    return v;
}

static void call(const struct cluster *c, int from, unsigned type, const void *bytes, size_t n)
{
    if (type)
        c->handler.message(c->handler.arg, from, type, bytes, n);
    else
        c->handler.lost(c->handler.arg, from, bytes);
}

/* With the delivery held. */
static void flush(struct cluster *c)
{
    struct event *v;

    while (c->handled && (v = take_first(c)) != NULL) {
        call(c, v->from, v->type, v->bytes, v->n);
        free(v);
    }
}

bool inbox_deliver(struct cluster *c, int from, unsigned type, const void *bytes, size_t n)
{
    bool fits = true;

    pthread_mutex_lock(&c->delivery);
    flush(c);
    if (c->handled) {
        call(c, from, type, bytes, n);
    } else {
        struct event *v = mem_alloc(sizeof *v + n + 1);

        v->from = from;
        v->type = type;
        v->n = n;
        if (n)
            memcpy(v->bytes, bytes, n);
        pthread_mutex_lock(&c->lock);
        TAILQ_INSERT_TAIL(&c->inbox, v, entry);
        c->kept += n;
        fits = c->kept <= CLUSTER_QUEUE_MAX;
        pthread_cond_broadcast(&c->changed);
        pthread_mutex_unlock(&c->lock);
    }
    pthread_mutex_unlock(&c->delivery);
    return fits;
}

void inbox_flush(struct cluster *c)
{
    pthread_mutex_lock(&c->delivery);
    flush(c);
    pthread_mutex_unlock(&c->delivery);
}

/* --- life --- */

static char *name_of(int rank, const char *host)
{
    return *host ? mem_printf("rank %d (%s)", rank, host) : mem_printf("rank %d", rank);
}

struct cluster *cluster_new(const struct cluster_spec *t, const char *host)
{
    struct cluster *c = mem_alloc(sizeof *c);
    pthread_condattr_t attr;

    c->rank = t->rank;
    c->size = t->size;
    c->host = mem_strdup(host);
    c->name = name_of(t->rank, host);
    c->silence = t->silence;
    c->trial = t->trial;
    c->epoll = c->wake = -1;
    TAILQ_INIT(&c->inbox);
    c->buf = mem_alloc(CLUSTER_CHUNK);
    c->peer = mem_array((size_t)t->size, sizeof *c->peer);
    for (int i = 0; i < t->size; i++) {
        c->peer[i].rank = i;
        TAILQ_INIT(&c->peer[i].out);
        c->peer[i].fd = -1;
        c->peer[i].in.max = CLUSTER_FRAME_MAX;
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->delivery, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&c->changed, &attr);
    pthread_condattr_destroy(&attr);
    return c;
}

void cluster_drop(struct cluster *c)
{
    struct event *v;

    for (int i = 0; i < c->size; i++) {
        fd_close(c->peer[i].fd);
        queue_clear(&c->peer[i]);
        frame_in_fini(&c->peer[i].in);
        free(c->peer[i].host);
        free(c->peer[i].name);
    }
    fd_close(c->epoll);
    fd_close(c->wake);
    while ((v = take_first(c)) != NULL)
        free(v);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    pthread_mutex_destroy(&c->delivery);
    cluster_clock_retire(atomic_load(&c->clock));
    free(c->buf);
    free(c->peer);
    free(c->host);
    free(c->name);
    free(c);
}

void cluster_leave(struct cluster *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    FOR_PEERS(c, p)
        queue_add(p, false, FRAME_BYE, NULL, 0);
    pthread_mutex_unlock(&c->lock);
    atomic_store(&c->leaving, true);
    link_wake(c);
    pthread_join(c->thread, NULL);
    cluster_drop(c);
}

/* --- waiting --- */

/* With the lock held, while what is awaited is not there: waits for a change.  -1: there will be
 * none, or it is too late. */
static int await_change(struct cluster *c, int rank, bool alive, mono_ns until, struct err *e)
{
    struct timespec ts = {.tv_sec = until / NS_PER_SEC, .tv_nsec = until % NS_PER_SEC};

    if (!alive)
        return err_set(e, ERR_FAILED, "%s was lost: %s", cluster_name(c, rank),
                       cluster_peer(c, rank)->why);
    if (clock_mono() >= until)
        return err_set(e, ERR_TIMEOUT, "%s did not answer in time", cluster_name(c, rank));
    pthread_cond_timedwait(&c->changed, &c->lock, &ts);
    return 0;
}

int cluster_start(struct cluster *c, dur_ns timeout, struct err *e)
{
    mono_ns until = clock_mono() + timeout;
    int rc = 0;

    FOR_PEERS(c, p)
        p->name = name_of(p->rank, p->host);
    if (link_start(c, e)) {
        cluster_drop(c);
        return -1;
    }
    pthread_mutex_lock(&c->lock);
    FOR_PEERS(c, p)
        while (rc == 0 && !p->compared)
            rc = await_change(c, p->rank, atomic_load(&p->alive), until, e);
    pthread_mutex_unlock(&c->lock);
    if (rc)
        cluster_leave(c);
    return rc;
}

int cluster_await(struct cluster *c, int from, unsigned type, mono_ns until, struct str *out,
                  struct err *e)
{
    struct event *found;
    int rc = 0;

    assert(from != c->rank && type >= CLUSTER_TYPE_FIRST);
    pthread_mutex_lock(&c->lock);
    while (rc == 0) {
        bool alive = cluster_alive(c, from); /* before the inbox is looked through */

        TAILQ_FOREACH(found, &c->inbox, entry)
            if (found->from == from && found->type == type)
                break;
        if (found) {
            TAILQ_REMOVE(&c->inbox, found, entry);
            c->kept -= found->n;
            break;
        }
        rc = await_change(c, from, alive, until, e);
    }
    pthread_mutex_unlock(&c->lock);
    if (rc)
        return -1;
    str_reset(out);
    str_add(out, (const char *)found->bytes, found->n);
    free(found);
    return 0;
}

/* --- sending, handling --- */

int cluster_send(struct cluster *c, int to, unsigned type, const void *p, size_t n)
{
    assert(to != c->rank && to >= 0 && to < c->size && (c->rank == 0 || to == 0));
    assert(type >= CLUSTER_TYPE_FIRST && type <= CLUSTER_TYPE_LAST && n <= CLUSTER_FRAME_MAX);
    pthread_mutex_lock(&c->lock);
    int rc = queue_add(cluster_peer(c, to), false, type, p, n);
    pthread_mutex_unlock(&c->lock);
    link_wake(c);
    return rc;
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

const char *cluster_name(const struct cluster *c, int rank)
{
    return rank == c->rank ? c->name : cluster_peer(c, rank)->name;
}

struct clock *cluster_clock(struct cluster *c)
{
    return (struct clock *)atomic_load(&c->clock);
}

bool cluster_clock_figures(struct cluster *c, int rank, struct cluster_clock_figures *out)
{
    if (c->rank == 0 && rank == 0) {
        *out = (struct cluster_clock_figures){.same_clock = true};
        return true;
    }
    if (c->rank != 0 && rank != c->rank)
        return false;
    pthread_mutex_lock(&c->lock);
    *out = cluster_peer(c, c->rank == 0 ? rank : 0)->figures;
    pthread_mutex_unlock(&c->lock);
    return out->samples > 0;
}

bool cluster_alive(const struct cluster *c, int rank)
{
    return rank == c->rank || atomic_load(&cluster_peer(c, rank)->alive);
}
