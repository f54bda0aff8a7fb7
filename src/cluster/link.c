/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The link's thread: it sleeps in epoll until a peer sends something, a sender wakes it, or the
 * next ping is due.  On the leader it wakes about once a second for each member, on a member twice.
 *
 * loss_note: a peer whose connection ends is lost when everything that came before was read, so the
 * last messages of a process that died are not lost with it.
 *
 * silence_note: only time in which this thread could listen counts as silence of the others.  When
 * it wakes much later than it wanted to (the process was stopped, or the machine), their silence
 * begins anew.  A stop that was over soon after that goes unnoticed, so nobody is lost at once: a
 * peer that was silent for too long has a last chance, in which this thread is awake.
 */
#include "cluster/cluster_state.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS      64
#define CHUNKS      16 /* readings of one peer, until the others have their turn */
#define LEAVE_LIMIT (5 * NS_PER_SEC)

void link_wake(const struct cluster *c)
{
    eventfd_write(c->wake, 1);
}

/* --- the end of a peer --- */

static void close_peer(struct cluster *c, struct peer *p)
{
    int fd = p->fd;

    atomic_store(&p->alive, false);
    pthread_mutex_lock(&c->lock);
    p->fd = -1; /* nobody who has the lock writes to a descriptor that is another's by then */
    queue_clear(p);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    close(fd);
}

static void lose(struct cluster *c, struct peer *p, const char *why)
{
    if (p->fd < 0)
        return;
    snprintf(p->why, sizeof p->why, "%s", why);
    close_peer(c, p);
    if (!atomic_load(&c->leaving))
        inbox_deliver(c, p->rank, 0, p->why, strlen(p->why) + 1);
}

static void lose_closed(struct cluster *c, struct peer *p, int errnum)
{
    char why[96];

    if (p->bye)
        return lose(c, p, "it left");
    if (!errnum || errnum == ECONNRESET || errnum == EPIPE)
        return lose(c, p, "the connection was closed");
    snprintf(why, sizeof why, "the connection failed: %s", strerror(errnum));
    lose(c, p, why);
}

/* --- what comes --- */

/* False: the peer is lost. */
static bool take_frame(struct cluster *c, struct peer *p, mono_ns now)
{
    const struct str *text = &p->in.payload;

    if (p->in.type >= CLUSTER_TYPE_FIRST) {
        if (atomic_load(&c->leaving) ||
            inbox_deliver(c, p->rank, p->in.type, str_cstr(text), text->len))
            return true;
        lose(c, p, "it sent more than was read");
    } else if (p->in.type == FRAME_BYE) {
        p->bye = true;
        return true;
    } else if (pings_take(c, p, now)) {
        return true;
    } else {
        lose(c, p, "it sent what is no message");
    }
    return false;
}

static bool take_bytes(struct cluster *c, struct peer *p, const unsigned char *bytes, size_t n,
                       mono_ns now)
{
    int rc;

    while ((rc = frame_take(&p->in, &bytes, &n)) == 1)
        if (!take_frame(c, p, now))
            return false;
    if (rc == 0)
        return true;
    lose(c, p, "a frame from it was damaged");
    return false;
}

static void heard(struct peer *p, mono_ns now)
{
    p->heard = now;
    p->last_chance = 0;
}

/* False: there is no more, for now or at all. */
static bool receive(struct cluster *c, struct peer *p)
{
    ssize_t n = recv(p->fd, c->buf, CLUSTER_CHUNK, MSG_DONTWAIT);
    mono_ns now = clock_mono();

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) {
        lose_closed(c, p, n < 0 ? errno : 0);
        return false;
    }
    heard(p, now);
    return take_bytes(c, p, c->buf, (size_t)n, now) && n == CLUSTER_CHUNK;
}

/* --- what goes --- */

static void watch(struct cluster *c, struct peer *p, int op)
{
    struct epoll_event ev = {.events = EPOLLIN | (p->blocked ? EPOLLOUT : 0), .data.ptr = p};

    epoll_ctl(c->epoll, op, p->fd, &ev);
}

static void finish(const struct cluster *c, struct peer *p)
{
    if (!atomic_load(&c->leaving) || p->finished || p->first)
        return;
    p->finished = true;
    shutdown(p->fd, SHUT_WR);
}

static void transmit(struct cluster *c, struct peer *p)
{
    bool was = p->blocked, flooded;

    if (p->fd < 0)
        return;
    queue_send(c, p);
    if (p->blocked != was)
        watch(c, p, EPOLL_CTL_MOD);
    pthread_mutex_lock(&c->lock);
    flooded = p->flooded;
    finish(c, p);
    pthread_mutex_unlock(&c->lock);
    if (flooded)
        lose(c, p, "it does not read what is sent to it");
}

static void serve(struct cluster *c, struct peer *p)
{
    for (int i = 0; i < CHUNKS && p->fd >= 0 && receive(c, p); i++)
        ;
    transmit(c, p);
}

/* --- the loop --- */

static void lose_silent(struct cluster *c, struct peer *p, mono_ns now)
{
    char why[96];

    if (!p->last_chance) {
        p->last_chance = now + (c->silence < 4 * NS_PER_SEC ? c->silence / 4 : NS_PER_SEC);
    } else if (now >= p->last_chance) {
        snprintf(why, sizeof why, "nothing came from it for %g s", dur_sec(c->silence));
        lose(c, p, why);
    }
}

static void check_silence(struct cluster *c, mono_ns now)
{
    FOR_PEERS(c, p)
    if (p->fd >= 0 && now - p->heard >= c->silence)
        lose_silent(c, p, now);
}

static mono_ns first_silence(const struct cluster *c)
{
    mono_ns first = MONO_NEVER;

    FOR_PEERS(c, p)
    {
        mono_ns limit = p->last_chance ? p->last_chance : p->heard + c->silence;

        if (p->fd >= 0 && limit < first)
            first = limit;
    }
    return first;
}

/* See silence_note. */
static void forgive(struct cluster *c, mono_ns wanted, mono_ns now)
{
    if (now - wanted > NS_PER_SEC / 2)
        FOR_PEERS(c, p)
    heard(p, now);
}

static bool all_closed(const struct cluster *c)
{
    FOR_PEERS(c, p)
    if (p->fd >= 0)
        return false;
    return true;
}

static int timeout_ms(mono_ns now, mono_ns until)
{
    dur_ns left = until - now;

    if (left <= 0)
        return 0;
    return left / NS_PER_MS < INT_MAX - 1 ? (int)(left / NS_PER_MS) + 1 : INT_MAX;
}

static void woken(struct cluster *c)
{
    eventfd_t count;

    eventfd_read(c->wake, &count);
    inbox_flush(c);
    FOR_PEERS(c, p)
    transmit(c, p);
}

/* Waits once, at most until then, and serves who has something to say. */
static void turn(struct cluster *c, mono_ns until)
{
    struct epoll_event ev[EVENTS];
    mono_ns now = clock_mono();
    int n = epoll_wait(c->epoll, ev, EVENTS, timeout_ms(now, until));

    forgive(c, until > now ? until : now, clock_mono());
    for (int i = 0; i < n; i++) {
        struct peer *p = ev[i].data.ptr;

        if (!p)
            woken(c);
        else if (p->fd >= 0)
            serve(c, p);
    }
    if (n < EVENTS)
        check_silence(c, clock_mono());
}

static mono_ns least(mono_ns a, mono_ns b)
{
    return a < b ? a : b;
}

static void *link_thread(void *arg)
{
    struct cluster *c = arg;
    mono_ns limit = MONO_NEVER;

    prctl(PR_SET_NAME, "sb-cluster");
    for (;;) {
        mono_ns now = clock_mono(), next = pings_send(c, now);

        if (atomic_load(&c->leaving) && limit == MONO_NEVER)
            limit = now + LEAVE_LIMIT;
        if (now >= limit || (limit != MONO_NEVER && all_closed(c)))
            return NULL;
        turn(c, least(limit, least(next, first_silence(c))));
    }
}

static int start_thread(struct cluster *c)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&c->thread, NULL, link_thread, c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int link_start(struct cluster *c, struct err *e)
{
    struct epoll_event ev = {.events = EPOLLIN};
    int rc;

    c->epoll = epoll_create1(EPOLL_CLOEXEC);
    c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c->epoll < 0 || c->wake < 0 || epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->wake, &ev))
        return err_sys(e, errno, "cannot watch the connections of the cluster");
    FOR_PEERS(c, p)
    {
        p->heard = clock_mono();
        atomic_store(&p->alive, true);
        watch(c, p, EPOLL_CTL_ADD);
    }
    rc = start_thread(c);
    return rc ? err_sys(e, rc, "cannot start the thread of the cluster") : 0;
}
