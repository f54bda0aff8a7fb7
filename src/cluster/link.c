/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The link's thread: it sleeps in epoll until a peer sends something, a sender wakes it, or the
 * next ping is due.  On the leader it wakes about once a second for each member, on a member twice.
 *
 * A peer whose connection ends is lost when everything that came before was read, so the last
 * messages of a process that died are not lost with it.
 *
 * Only time in which this thread could listen counts as silence of the others.  When it wakes much
 * later than it wanted to (the process was stopped, or the machine), their silence begins anew.  A
 * stop that was over soon after that goes unnoticed, so nobody is lost at once: a peer that was
 * silent for too long has a last chance, in which this thread is awake.
 *
 * Pings are a member's sign of life, what its clock is compared with the leader's by, and how the
 * leader learns the result.  A member sends BURST of them one after the other when it has joined,
 * each as soon as the one before was answered, and then GROUP of them each second: the first one
 * finds both threads asleep, so the next ones are there and back in a fraction of its time.
 *
 *     PING  version, sent, compared, offset, uncertainty, drift, round trip, samples
 *     PONG  version, sent, received, answered
 */
#include "cluster/cluster_state.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/thread.h"

#define EVENTS      64
#define CHUNKS      16 /* readings of one peer, until the others have their turn */
#define LEAVE_LIMIT (5 * NS_PER_SEC)

void link_wake(const struct cluster *c)
{
    eventfd_write(c->wake, 1);
}

/* --- frames on their way to a peer.  The first one may have left in part; it stays in the list
 * until it has left as a whole, and nothing takes its place. --- */

static void remove_first(struct peer *p)
{
    struct frame *f = TAILQ_FIRST(&p->out);

    TAILQ_REMOVE(&p->out, f, entry);
    p->queued -= f->size;
    free(f);
}

void queue_clear(struct peer *p)
{
    while (!TAILQ_EMPTY(&p->out))
        remove_first(p);
}

int queue_add(struct peer *p, bool urgent, unsigned type, const void *bytes, size_t n)
{
    struct frame *first = TAILQ_FIRST(&p->out), *f;

    p->overrun = p->overrun || p->queued + n > CLUSTER_QUEUE_MAX;
    if (p->overrun || !atomic_load(&p->alive))
        return -1;
    f = frame_new(type, bytes, n);
    if (urgent && first && first->begun)
        TAILQ_INSERT_AFTER(&p->out, first, f, entry);
    else if (urgent)
        TAILQ_INSERT_HEAD(&p->out, f, entry);
    else
        TAILQ_INSERT_TAIL(&p->out, f, entry);
    p->queued += f->size;
    return 0;
}

/* Sends what the socket takes. */
static void queue_send(struct cluster *c, struct peer *p)
{
    p->blocked = false;
    while (!p->peer_closed) {
        pthread_mutex_lock(&c->lock);
        struct frame *f = TAILQ_FIRST(&p->out);
        bool first = f && !f->begun;
        if (f)
            f->begun = true;
        pthread_mutex_unlock(&c->lock);
        if (!f)
            return;
        if (first) /* from now on it is ours alone, and nothing overtakes it */
            frame_close(f, &p->seal);
        size_t size = f->size + f->tag;
        ssize_t n = send(p->fd, f->bytes + f->sent, size - f->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0) {
            p->blocked = errno == EAGAIN || errno == EINTR || errno == ENOBUFS;
            p->peer_closed = !p->blocked;
            return;
        }
        f->sent += (size_t)n;
        if (f->sent < size)
            continue;
        pthread_mutex_lock(&c->lock);
        remove_first(p);
        pthread_mutex_unlock(&c->lock);
    }
}

/* --- pings --- */

#define VERSION  1
#define BURST    32
#define GROUP    3
#define INTERVAL NS_PER_SEC
/* Times and differences of an honest clock are far below; sums of them do not overflow. */
#define LARGEST (INT64_MAX / 8)

static void send_urgent(struct cluster *c, struct peer *p, unsigned type, struct str *m)
{
    pthread_mutex_lock(&c->lock);
    queue_add(p, true, type, m->s, m->len);
    pthread_mutex_unlock(&c->lock);
    str_free(m);
    queue_send(c, p);
}

/* The leader's clock; in a trial, one that goes its own way. */
static mono_ns leader_time(const struct cluster *c, mono_ns t)
{
    const struct meet_trial *y = c->trial;

    return y ? t + y->ahead + (dur_ns)llround((double)(t - y->from) * y->drift) : t;
}

static void set_figures(struct cluster *c, struct peer *p, bool compared,
                        const struct cluster_clock_figures *f)
{
    pthread_mutex_lock(&c->lock);
    p->compared = compared;
    p->figures = *f;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

/* The leader: keeps what the member thinks of its clock, and answers. */
static bool take_ping(struct cluster *c, struct peer *p, struct get *g, mono_ns now)
{
    struct cluster_clock_figures f = {.same_clock = p->same_clock};
    mono_ns sent = get_range(g, 0, LARGEST);
    bool compared = get_bool(g);
    struct str m = STR_INIT;

    f.offset = get_range(g, -LARGEST, LARGEST);
    f.uncertainty = get_range(g, 0, LARGEST);
    f.drift_ppm = get_double(g);
    f.round_trip = get_range(g, 0, LARGEST);
    f.samples = (unsigned)get_u64(g);
    if (!get_end(g) || !isfinite(f.drift_ppm))
        return false;
    set_figures(c, p, compared, &f);
    put_u64(&m, VERSION);
    put_i64(&m, sent);
    put_i64(&m, leader_time(c, now));
    put_i64(&m, leader_time(c, clock_mono()));
    send_urgent(c, p, FRAME_PONG, &m);
    return true;
}

static void send_ping(struct cluster *c)
{
    struct peer *leader = cluster_peer(c, 0);
    struct str m = STR_INIT;

    pthread_mutex_lock(&c->lock);
    struct cluster_clock_figures f = leader->figures;
    pthread_mutex_unlock(&c->lock);
    put_u64(&m, VERSION);
    put_i64(&m, clock_mono());
    put_bool(&m, c->burst <= 0);
    put_i64(&m, f.offset);
    put_i64(&m, f.uncertainty);
    put_double(&m, f.drift_ppm);
    put_i64(&m, f.round_trip);
    put_u64(&m, f.samples);
    send_urgent(c, leader, FRAME_PING, &m);
}

/* A member: compares the clocks, and sends the next ping of a burst or group. */
static bool take_pong(struct cluster *c, struct peer *leader, struct get *g, mono_ns now)
{
    mono_ns sent = get_range(g, 0, now), received = get_range(g, -LARGEST, LARGEST);
    mono_ns answered = get_range(g, -LARGEST, LARGEST);
    struct cluster_clock *k = atomic_load(&c->clock);
    struct cluster_clock_figures f = {.same_clock = leader->same_clock};
    struct skew_estimate x;
    dur_ns off = 0;

    if (!get_end(g))
        return false;
    skew_add(&c->skew, sent, received, answered, now);
    if (c->burst > 0)
        c->burst--;
    if (!skew_at(&c->skew, now, &x))
        return true;
    /* the clock is made when the first comparison is complete, and steered from then on */
    if (!leader->same_clock && !k && c->burst <= 0)
        atomic_store(&c->clock, cluster_clock_new(x.offset, x.drift));
    else if (!leader->same_clock && k) {
        cluster_clock_steer(k, now, x.offset, x.drift);
        off = cluster_clock_at(k, now) - (now + x.offset);
    }
    f.round_trip = x.round_trip;
    f.samples = c->skew.taken;
    if (!leader->same_clock) {
        f.offset = x.offset;
        f.uncertainty = x.uncertainty + llabs(off);
        f.drift_ppm = x.drift * 1e6;
    }
    set_figures(c, leader, c->burst <= 0, &f);
    if (c->next_ping == MONO_NEVER) { /* of the burst; the last one tells the result */
        c->next_ping = c->burst > 0 ? MONO_NEVER : now + INTERVAL;
        c->again = 0;
        send_ping(c);
    } else if (c->again > 0) {
        c->again--;
        send_ping(c);
    }
    return true;
}

bool link_take(struct cluster *c, struct peer *p, mono_ns now)
{
    struct get g = get_of(p->in.payload.s, p->in.payload.len);

    if (p->in.type == FRAME_BYE) {
        p->bye = true;
        return true;
    }
    if (p->in.type != (c->rank == 0 ? FRAME_PING : FRAME_PONG) || get_u64(&g) != VERSION)
        return false;
    return c->rank == 0 ? take_ping(c, p, &g, now) : take_pong(c, p, &g, now);
}

/* --- the end of a peer --- */

static void lose(struct cluster *c, struct peer *p, const char *why)
{
    int fd = p->fd;

    if (fd < 0)
        return;
    snprintf(p->why, sizeof p->why, "%s", why);
    atomic_store(&p->alive, false);
    pthread_mutex_lock(&c->lock);
    p->fd = -1; /* nobody who has the lock writes to a descriptor that is another's by then */
    queue_clear(p);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    close(fd);
    if (!atomic_load(&c->leaving))
        inbox_deliver(c, p->rank, 0, p->why, strlen(p->why) + 1);
}

/* --- what comes and goes --- */

static void heard(struct peer *p, mono_ns now)
{
    p->heard = now;
    p->last_chance = 0;
}

/* False: there is no more, for now or at all. */
static bool receive(struct cluster *c, struct peer *p)
{
    ssize_t got = recv(p->fd, c->buf, CLUSTER_CHUNK, MSG_DONTWAIT);
    mono_ns now = clock_mono();
    const unsigned char *at = c->buf;
    size_t n = got > 0 ? (size_t)got : 0;
    const char *why = NULL;
    char text[96];
    int rc = 0;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        snprintf(text, sizeof text, "the connection failed: %s", strerror(errno));
        if (p->bye)
            why = "it left";
        else if (got == 0 || errno == ECONNRESET || errno == EPIPE)
            why = "the connection was closed";
        else
            why = text;
    } else {
        heard(p, now);
        while (!why && (rc = frame_take(&p->in, &at, &n)) == 1) {
            const struct str *s = &p->in.payload;
            if (p->in.type < CLUSTER_TYPE_FIRST)
                why = link_take(c, p, now) ? NULL : "it sent what is no message";
            else if (!atomic_load(&c->leaving) &&
                     !inbox_deliver(c, p->rank, p->in.type, str_cstr(s), s->len))
                why = "it sent more than was read";
        }
        if (rc < 0)
            why = "a frame from it was damaged";
    }
    if (why)
        lose(c, p, why);
    return !why && got == CLUSTER_CHUNK;
}

static void watch(struct cluster *c, struct peer *p, int op)
{
    struct epoll_event ev = {.events = EPOLLIN | (p->blocked ? EPOLLOUT : 0), .data.ptr = p};

    epoll_ctl(c->epoll, op, p->fd, &ev);
}

static void transmit(struct cluster *c, struct peer *p)
{
    bool was = p->blocked, overrun;

    if (p->fd < 0)
        return;
    queue_send(c, p);
    if (p->blocked != was)
        watch(c, p, EPOLL_CTL_MOD);
    pthread_mutex_lock(&c->lock);
    overrun = p->overrun;
    if (atomic_load(&c->leaving) && !p->finished && TAILQ_EMPTY(&p->out)) {
        p->finished = true;
        shutdown(p->fd, SHUT_WR);
    }
    pthread_mutex_unlock(&c->lock);
    if (overrun)
        lose(c, p, "it does not read what is sent to it");
}

/* --- the loop --- */

/* Waits once, at most until then, and serves who has something to say. */
static void turn(struct cluster *c, mono_ns until)
{
    struct epoll_event ev[EVENTS];
    mono_ns now = clock_mono(), wanted = until > now ? until : now;
    int n = epoll_wait(c->epoll, ev, EVENTS, handshake_timeout(until));

    now = clock_mono();
    if (now - wanted > NS_PER_SEC / 2) /* this thread could not listen */
        FOR_PEERS(c, p)
            heard(p, now);
    for (int i = 0; i < n; i++) {
        struct peer *from = ev[i].data.ptr;

        if (from) {
            for (int k = 0; k < CHUNKS && from->fd >= 0 && receive(c, from); k++)
                ;
            transmit(c, from);
        } else {
            eventfd_t count;

            eventfd_read(c->wake, &count);
            inbox_flush(c);
            FOR_PEERS(c, p)
                transmit(c, p);
        }
    }
    if (n == EVENTS)
        return;
    /* peers that were silent for too long get their last chance, or are lost */
    dur_ns silence = c->silence;
    char why[96];
    snprintf(why, sizeof why, "nothing came from it for %g s", dur_sec(silence));
    now = clock_mono();
    FOR_PEERS(c, p)
        if (p->fd >= 0 && now - p->heard >= silence) {
            if (!p->last_chance)
                p->last_chance = now + (silence < 4 * NS_PER_SEC ? silence / 4 : NS_PER_SEC);
            else if (now >= p->last_chance)
                lose(c, p, why);
        }
}

static void *link_thread(void *arg)
{
    struct cluster *c = arg;
    mono_ns limit = MONO_NEVER;

    prctl(PR_SET_NAME, "sb-cluster");
    for (;;) {
        mono_ns now = clock_mono(), next = MONO_NEVER;
        bool open = false;

        if (c->rank != 0 && now >= c->next_ping) { /* a member, and it is time for one */
            if (c->skew.taken == 0)
                c->burst = BURST;
            c->next_ping = c->burst > 0 ? MONO_NEVER : now + INTERVAL;
            c->again = GROUP - 1;
            if (atomic_load(&cluster_peer(c, 0)->alive))
                send_ping(c);
        }
        if (c->rank != 0)
            next = c->next_ping;

        if (atomic_load(&c->leaving) && limit == MONO_NEVER)
            limit = now + LEAVE_LIMIT;
        next = limit < next ? limit : next;
        FOR_PEERS(c, p)
            if (p->fd >= 0) {
                mono_ns silent = p->last_chance ? p->last_chance : p->heard + c->silence;

                open = true;
                next = silent < next ? silent : next;
            }
        if (now >= limit || (limit != MONO_NEVER && !open))
            return NULL;
        turn(c, next);
    }
}

int link_start(struct cluster *c, struct err *e)
{
    struct epoll_event ev = {.events = EPOLLIN};

    c->epoll = epoll_create1(EPOLL_CLOEXEC);
    c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c->epoll < 0 || c->wake < 0 || epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->wake, &ev))
        return err_sys(e, errno, "cannot watch the connections of the cluster");
    FOR_PEERS(c, p) {
        p->heard = clock_mono();
        atomic_store(&p->alive, true);
        watch(c, p, EPOLL_CTL_ADD);
    }
    int rc = thread_start_deaf(&c->thread, link_thread, c);
    return rc ? err_sys(e, rc, "cannot start the thread of the cluster") : 0;
}
