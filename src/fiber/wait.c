/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The waits of a task: for an instant, a word, descriptors, its turn to connect.  Each function
 * adds the task to the lists that can wake it, parks it, and removes it when it runs again.
 *
 * The descriptors of a worker's epoll set (level_note and reuse_note in worker.h): one stays
 * registered after a wait, edge-triggered and only for the awaited events: interest in writing
 * would report every answer of a unix socket's reader as room to write.
 */
#include "fiber/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/plain.h"

/* Descriptors that epoll does not take are polled at this interval. */
#define ASK_AGAIN NS_PER_MS
/* Descriptors of one poll() call that need no allocation. */
#define FEW 8

static void set_timer(struct task *t, mono_ns at)
{
    if (at != MONO_NEVER)
        timers_add(&t->worker->timers, &t->timer, at);
}

static void unset_timer(struct task *t)
{
    timers_remove(&t->worker->timers, &t->timer);
}

/* --- instants and words --- */

static void sleep_on(struct task *t, _Atomic uint32_t *word, uint32_t expect)
{
    t->word = word;
    t->expect = expect;
    LIST_INSERT_HEAD(&t->worker->sleepers, t, sleeper);
}

static void sleep_no_more(struct task *t)
{
    LIST_REMOVE(t, sleeper);
    t->word = NULL;
}

/* Other threads have used the cache meanwhile. */
void sched_woke(void)
{
    sched_waits++;
    if (sched_current || !prefetch_here)
        return;
    prefetch_bytes(__builtin_frame_address(0), STACK_PREFETCH);
    prefetch_start(prefetch_here);
}

bool sched_sleep_until(mono_ns until, _Atomic uint32_t *word, uint32_t expect)
{
    struct task *t = task_to_park();
    bool same;

    if (!t) {
        same = clock_sleep_until(until, word, expect);
        sched_woke();
        return same;
    }
    if (atomic_load_explicit(word, memory_order_acquire) != expect)
        return false;
    if (until != MONO_NEVER && clock_mono() >= until)
        return true;
    sleep_on(t, word, expect);
    set_timer(t, until);
    do {
        worker_park(t);
        same = atomic_load_explicit(word, memory_order_acquire) == expect;
    } while (same && (until == MONO_NEVER || timer_is_set(&t->timer)));
    unset_timer(t);
    sleep_no_more(t);
    return same;
}

void task_sleep(struct task *t, mono_ns until)
{
    if (clock_mono() >= until) {
        sched_take_turn(t);
        return;
    }
    set_timer(t, until);
    while (timer_is_set(&t->timer))
        worker_park(t);
}

/* --- the epoll set --- */

/* poll's and epoll's bits are the same on Linux. */
_Static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT && POLLPRI == EPOLLPRI &&
                   POLLERR == EPOLLERR && POLLHUP == EPOLLHUP && POLLRDHUP == EPOLLRDHUP,
               "bits of poll and epoll");

static struct fd_slot *slot_of(struct worker *w, int fd)
{
    size_t want = (size_t)fd + 1;

    if (want > w->nslots) {
        want = want < 2 * w->nslots ? 2 * w->nslots : want + 64;
        w->slot = mem_grow(w->slot, want, sizeof *w->slot);
        memset(w->slot + w->nslots, 0, (want - w->nslots) * sizeof *w->slot);
        w->nslots = want;
    }
    return &w->slot[fd];
}

static int sockets_wait_on(struct worker *w, struct fd_wait *wait, bool afresh)
{
    struct fd_slot *s = slot_of(w, wait->fd);
    short interest = wait->events & (POLLIN | POLLOUT | POLLPRI | POLLRDHUP);

    for (struct fd_wait *other = s->waiters; other; other = other->next)
        interest |= other->events & (POLLIN | POLLOUT | POLLPRI | POLLRDHUP);
    if (s->interest != interest || afresh) {
        /* whether the kernel knows it already is only our guess; that the peer hangs up is always
         * of interest (quiet_note) */
        struct epoll_event ev = {.events = (uint32_t)interest | EPOLLRDHUP | EPOLLET,
                                 .data.fd = wait->fd};
        int rc = epoll_ctl(w->epoll, s->interest ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, wait->fd, &ev);
        if (rc && errno == ENOENT)
            rc = epoll_ctl(w->epoll, EPOLL_CTL_ADD, wait->fd, &ev);
        else if (rc && errno == EEXIST)
            rc = epoll_ctl(w->epoll, EPOLL_CTL_MOD, wait->fd, &ev);
        if (rc)
            return -1;
        s->interest = interest;
        s->hung_up = false; /* the kernel says it again */
    }
    sockets_link(w, wait);
    return 0;
}

static void sockets_done(struct worker *w, struct fd_wait *wait)
{
    struct fd_wait **at = &w->slot[wait->fd].waiters;

    while (*at && *at != wait)
        at = &(*at)->next;
    if (*at)
        *at = wait->next;
}

void sockets_event(struct worker *w, int fd, uint32_t events)
{
    if ((size_t)fd >= w->nslots)
        return;
    w->slot[fd].quiet = false;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        w->slot[fd].hung_up = true;
    for (struct fd_wait *wait = w->slot[fd].waiters; wait; wait = wait->next) {
        short now =
            (short)(events & ((uint32_t)(unsigned short)wait->events | EPOLLERR | EPOLLHUP));
        if (now) {
            wait->task->revents = now;
            worker_make_ready(wait->task);
        }
    }
}

/* --- descriptors --- */

static void dont_block(int fd)
{
    int type, flags;
    socklen_t len = sizeof type;

    if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len))
        return; /* not a socket: its flags may be shared with other programs */
    flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && !(flags & O_NONBLOCK))
        fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* sched_limit_waits() and sched_cancel_waits() of a thread without tasks */
static _Thread_local mono_ns thread_limit;
static _Thread_local unsigned thread_reads;
static _Thread_local bool (*thread_cancelled)(void);

void sched_limit_waits(mono_ns at)
{
    if (sched_current) {
        sched_current->limit = at;
        sched_current->reads = 0;
    } else {
        thread_limit = at;
        thread_reads = 0;
    }
}

void sched_cancel_waits(bool (*cancelled)(void))
{
    thread_cancelled = cancelled;
}

mono_ns waits_limit(mono_ns until)
{
    mono_ns limit = sched_current ? sched_current->limit : thread_limit;

    if (limit && !sched_current && thread_cancelled && thread_cancelled())
        limit = 1;
    return limit && limit < until ? limit : until;
}

bool sched_waits_over(void)
{
    mono_ns limit = waits_limit(MONO_NEVER);

    return limit != MONO_NEVER && clock_mono() >= limit;
}

/* Who sends without a pause is never waited for: the limit is also looked at after every so many
 * reads, and then at each one. */
#define READS_PER_LOOK 16

static bool reads_over(void)
{
    unsigned *reads = sched_current ? &sched_current->reads : &thread_reads;

    if (!(sched_current ? sched_current->limit : thread_limit) || ++*reads < READS_PER_LOOK)
        return false;
    *reads = 0;
    if (!sched_waits_over())
        return false;
    *reads = READS_PER_LOOK;
    return true;
}

/* --- the length of answers --- */

static _Thread_local int64_t thread_answer_left;

static int64_t *answer_left(void)
{
    return sched_current ? &sched_current->answer_left : &thread_answer_left;
}

int64_t sched_limit_answer(int64_t bytes)
{
    int64_t *left = answer_left(), was = *left;

    *left = bytes;
    return was;
}

bool sched_answer_over(void)
{
    return *answer_left() < 0;
}

ssize_t sched_received(ssize_t n)
{
    int64_t *left = answer_left();

    if (n > 0 && reads_over()) {
        errno = ETIMEDOUT;
        return -1;
    }
    if (n <= 0 || *left == 0 || (*left > 0 && (*left -= n) > 0))
        return n;
    *left = -1;
    errno = EMSGSIZE;
    return -1;
}

static int poll_with(struct task *t, struct pollfd *fds, nfds_t n, mono_ns until,
                     struct fd_wait *wait)
{
    static const struct timespec no_time = {0};
    int rc = 0;

    for (;;) {
        mono_ns wake = until;
        nfds_t linked = 0;
        /* if the socket is quiet, nothing can be there yet (quiet_note); libpq also asks for what
         * poll() reports in any case */
        bool quiet = n == 1 && (fds->events & ~(POLLERR | POLLHUP)) == POLLIN && fds->fd >= 0 &&
                     !t->connecting && sockets_quiet(t->worker, fds->fd);
        if ((!quiet && (rc = plain_ppoll(fds, n, &no_time, NULL)) != 0) ||
            (until != MONO_NEVER && clock_mono() >= until))
            break;
        for (nfds_t i = 0; i < n; i++) {
            if (fds[i].fd < 0)
                continue;
            wait[linked] = (struct fd_wait){.task = t, .fd = fds[i].fd, .events = fds[i].events};
            if (t->connecting)
                dont_block(fds[i].fd);
            if (sockets_wait_on(t->worker, &wait[linked], t->connecting) == 0)
                linked++;
            else if (wake > clock_mono() + ASK_AGAIN) /* it cannot be waited for */
                wake = clock_mono() + ASK_AGAIN;
        }
        t->revents = 0;
        set_timer(t, wake);
        worker_park(t);
        unset_timer(t);
        for (nfds_t i = 0; i < linked; i++)
            sockets_done(t->worker, &wait[i]);
        if (n == 1 && t->revents) { /* true when it was delivered, and only this task reads it */
            fds[0].revents = t->revents;
            rc = 1;
            break;
        }
    }
    return rc;
}

int task_poll(struct task *t, struct pollfd *fds, nfds_t n, mono_ns until)
{
    struct fd_wait few[FEW], *many;

    t->hooked++;
    if (n <= FEW)
        return poll_with(t, fds, n, until, few);
    many = mem_array(n, sizeof *many);
    int rc = poll_with(t, fds, n, until, many);
    free(many);
    return rc;
}

/* Waits as poll() without a time-out would for a registered and quiet socket. */
static void await_answer(struct task *t, int fd)
{
    struct fd_wait wait = {.task = t, .fd = fd, .events = POLLIN};

    if (t->connecting || t->pinned || !sockets_answer_due(t->worker, fd) || sched_waits_over())
        return;
    sockets_link(t->worker, &wait);
    t->revents = 0;
    if (t->limit)
        set_timer(t, t->limit);
    while (!t->revents && (!t->limit || timer_is_set(&t->timer)))
        worker_park(t);
    if (t->limit)
        unset_timer(t);
    sockets_done(t->worker, &wait);
}

static ssize_t recv_now(struct task *t, int fd, void *buf, size_t len, int flags)
{
    ssize_t n = plain_recv(fd, buf, len, flags);

    sockets_note_read(t->worker, fd, n, n < 0 ? errno == EAGAIN : n > 0 && (size_t)n < len);
    return sched_received(n);
}

size_t sched_peek(int fd, void *buf, size_t n)
{
    if (fd < 0 || (sched_current && sockets_quiet(sched_current->worker, fd)))
        return 0;
    ssize_t got = plain_recv(fd, buf, n, MSG_PEEK | MSG_DONTWAIT);
    return got > 0 ? (size_t)got : 0;
}

ssize_t task_recv(struct task *t, int fd, void *buf, size_t len, int flags)
{
    t->hooked++;
    if (fd < 0 || flags & MSG_PEEK)
        return plain_recv(fd, buf, len, flags);
    await_answer(t, fd);
    return recv_now(t, fd, buf, len, flags);
}

void sched_await_answer(int fd)
{
    if (sched_current)
        await_answer(sched_current, fd);
}

ssize_t sched_recv_now(int fd, void *buf, size_t len)
{
    if (sched_current)
        return recv_now(sched_current, fd, buf, len, MSG_DONTWAIT);
    if (waits_limit(MONO_NEVER) != MONO_NEVER)
        return sched_received(plain_recv(fd, buf, len, MSG_DONTWAIT));
    ssize_t n = plain_recv(fd, buf, len, 0);
    sched_woke();
    return n;
}

void task_sent(struct task *t, int fd, bool all)
{
    t->hooked++;
    if (fd >= 0)
        sockets_note_sent(t->worker, fd, all);
}

void task_closed(struct task *t, int fd)
{
    if (fd >= 0 && (size_t)fd < t->worker->nslots)
        t->worker->slot[fd] = (struct fd_slot){.waiters = t->worker->slot[fd].waiters};
}

/* --- connecting --- */

/* There may be a free place: wakes the first in the queue to check. */
static void wake_connector(struct worker *w)
{
    if (!TAILQ_EMPTY(&w->want_connect))
        worker_make_ready(TAILQ_FIRST(&w->want_connect));
}

bool sched_connect_begin(_Atomic uint32_t *word, uint32_t expect)
{
    struct task *t = sched_current;

    if (!t || t->connecting)
        return true;
    struct worker *w = t->worker;
    while (w->connecting >= SCHED_CONNECTS && !t->pinned) {
        if (atomic_load_explicit(word, memory_order_acquire) != expect) {
            wake_connector(w);
            return false;
        }
        sleep_on(t, word, expect);
        TAILQ_INSERT_TAIL(&w->want_connect, t, wants_connect);
        worker_park(t);
        TAILQ_REMOVE(&w->want_connect, t, wants_connect);
        sleep_no_more(t);
    }
    w->connecting++;
    t->connecting = true;
    t->hooked = 0;
    return true;
}

void sched_connect_end(int fd)
{
    struct task *t = sched_current;

    if (!t || !t->connecting)
        return;
    struct worker *w = t->worker;
    t->connecting = false;
    w->connecting--;
    wake_connector(w);
    if (fd < 0)
        return;
    dont_block(fd);
    slot_of(w, fd)->ours = true; /* a connection of a client library */
    atomic_fetch_add(&w->sched->connects, 1);
    if (t->hooked)
        atomic_fetch_add(&w->sched->connects_waited, 1);
}

/* --- the stack --- */

void sched_trim_stack(void)
{
    if (sched_current)
        mem_trim_stack_of(sched_current->fiber.low, sched_current->fiber.size);
    else
        mem_trim_stack();
}
