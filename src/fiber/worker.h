/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A worker and its tasks, for src/fiber and src/interpose.  Everything belongs to the worker's own
 * thread unless marked otherwise.
 *
 *     not started -> READY -> runs -> PARKED -> READY ...    -> ended
 *
 * A parked task waits for one or more of: a timer, a word, descriptors, a place among those that
 * connect.  The first of these makes it ready; the function that parked it removes it from the
 * other lists when it runs again.
 *
 * level_note: poll(2) reports a state, epoll with EPOLLET a change of it; but a level-triggered
 * epoll would cost two more system calls per wait.  So a task first polls without waiting and parks
 * only when nothing is ready; the descriptor is registered before, or then, and the kernel checks
 * its state when it is registered and again when it delivers an event.  Hence no readiness is lost
 * between the two, and an event that is delivered is true at that moment.
 *
 * quiet_note: most reads follow a request immediately, before the answer has arrived: a recv() and
 * a poll() without waiting would be two system calls for nothing.  So the program's own recv()
 * notes when it has drained the socket (it got fewer bytes than requested, or EAGAIN): the socket
 * is quiet.  An arrival is then an event that the kernel keeps until the worker polls next; if no
 * task waits for it, the socket is no longer quiet.  A task that reads from a registered and quiet
 * socket can park at once: in poll() always; in recv() when the socket is a client library's
 * (sched_connect_end) and a request was sent in full since the last read, because then an answer is
 * due and the library will do nothing else before it arrives.  A peer that hangs up may have sent
 * its last words before: one event says both, and after a short read of the words no further event
 * announces the end.  So a socket whose peer has hung up is never quiet again.
 *
 * batch_note: with spec.batch a worker that has nothing to do sleeps for that long before it asks
 * for answers, and so takes several at once.  An answer that arrives meanwhile waits; when it came
 * is not known, so the length of the sleep is counted for each of its answers, as the most that it
 * waited.  A worker does not sleep beyond its first timer, or while a task connects.
 *
 * reuse_note: a registration ends with its descriptor, and the next socket gets the same number.
 * The program's own close() (interpose/waits.c) therefore forgets the number, and while a task
 * connects, all its descriptors are registered again.
 */
#ifndef SB_FIBER_WORKER_H
#define SB_FIBER_WORKER_H

#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "fiber/fiber.h"
#include "fiber/sched.h"

/* --- timers (worker.c) ---
 *
 * Private to src/fiber: timers in a heap, each embedded in the task that it wakes, so that
 * nothing is allocated while it is used and any timer can be removed.  The current time is an
 * argument.  One thread only.
 */

/* All zero: not set. */
struct timer {
    size_t place; /* in the heap; 0: not in it */
};

struct timers {
    struct timer_place {
        mono_ns at;
        struct timer *timer;
    } * heap;
    size_t n, capacity;
};

#define TIMERS_ROOT 3 /* the place of the earliest */

/* Room for so many entries at a time. */
void timers_init(struct timers *t, size_t capacity);
void timers_fini(struct timers *t);

/* The entry must not be set already, and there must be room (both asserted). */
void timers_add(struct timers *t, struct timer *e, mono_ns at);

/* Nothing happens when it is not set. */
void timers_remove(struct timers *t, struct timer *e);

static inline bool timer_is_set(const struct timer *e)
{
    return e->place != 0;
}

/* The earliest instant, MONO_NEVER when there is none. */
static inline mono_ns timers_first(const struct timers *t)
{
    return t->n ? t->heap[TIMERS_ROOT].at : MONO_NEVER;
}

/* The earliest entry; not of none. */
static inline struct timer *timers_next(const struct timers *t)
{
    return t->heap[TIMERS_ROOT].timer;
}

/* Removes and returns the earliest entry that is due at `now`; NULL: none is. */
struct timer *timers_due(struct timers *t, mono_ns now);

/* The part of a stack that is prefetched. */
#define STACK_PREFETCH 2048

enum task_state { TASK_NEW, TASK_READY, TASK_RUNS, TASK_PARKED, TASK_ENDED };

struct task {
    /* what a switch and a wait for an answer touch: one cache line, with the stack pointer in
     * `fiber` */
    CACHE_ALIGNED struct worker *worker;
    struct task *next; /* of those that are ready */
    uint64_t parks;    /* how often it blocked, and how often at its last sched_turn() */
    uint64_t parks_at_turn;
    enum task_state state;
    short revents; /* what woke it, of the descriptor it waits for */
    bool connecting;
    bool pinned; /* pin_note in sched.h */
    struct fiber fiber;

    size_t id;
    struct timer timer;
    _Atomic uint32_t *word; /* sleeps until it differs from expect; NULL: on none */
    uint32_t expect;
    /* while connecting: how often the library reached our poll() with a wait, recv() or send().  A
     * library never waits for a server that answers at once. */
    unsigned hooked;
    mono_ns limit;       /* sched_limit_waits(); 0: none */
    unsigned reads;      /* since then, or since it was looked at */
    int64_t answer_left; /* sched_limit_answer(); 0: no limit, -1: reached */
    LIST_ENTRY(task) sleeper;
    TAILQ_ENTRY(task) wants_connect;
    struct prefetch prefetch; /* what it uses */
};

struct task_queue {
    struct task *first, **last;
    size_t n;
};

/* A task waits for a descriptor; on the task's stack. */
struct fd_wait {
    struct fd_wait *next;
    struct task *task;
    int fd;
    short events;
};

struct fd_slot {
    short interest;              /* what it is registered for; 0: not registered */
    bool quiet, requested, ours; /* see quiet_note */
    bool hung_up;                /* the same */
    struct fd_wait *waiters;
};

/* Written by the worker alone: batch_note. */
struct worker_batches {
    _Atomic uint64_t n, answers, sum, most;
};

struct worker {
    struct sched *sched;
    int index;
    pthread_t thread;
    struct fiber self;       /* the scheduler, on the thread's own stack */
    int epoll, timer, event; /* descriptors; the eventfd is what sched_poke writes to */
    struct task *task;       /* of this worker, ntasks */
    size_t ntasks, started, ended;
    struct task_queue ready;
    struct timers timers;
    mono_ns armed;              /* what the timer descriptor is set to */
    LIST_HEAD(, task) sleepers; /* those that sleep on a word */
    struct fd_slot *slot;       /* by descriptor */
    size_t nslots;
    unsigned unpolled; /* tasks run since the sockets were polled */
    unsigned connecting;
    TAILQ_HEAD(, task) want_connect;

    /* read by other threads; the watch thread writes stalled_since */
    _Atomic int tid;               /* of the thread; 0: it has not begun */
    _Atomic int64_t cpu_ns;        /* of the whole thread, when it has ended; 0: not yet */
    _Atomic uint64_t turns;        /* switches to a task */
    _Atomic bool busy;             /* a task is running */
    _Atomic int64_t stalled_since; /* the running task was seen to run too long since then; 0: no */
    _Atomic size_t stalled_task;   /* which, after a signal */
    struct worker_batches batches;
    char stalled_place[128]; /* by the task itself, after that; the watch's lock */
};

struct sched {
    struct sched_spec spec;
    struct worker *worker;
    _Atomic uint32_t go;       /* futex: 0 the workers wait, 1 they begin, 2 they end at once */
    _Atomic uint32_t connects; /* made by tasks */
    _Atomic uint32_t connects_waited; /* of these, those that came through our functions */
    struct watch *watch;
    struct sched_batches before; /* sched_batches_begin() */
};

/* worker.c */
void worker_make_ready(struct task *t);
void worker_poke(struct worker *w); /* sched_poke() for one worker; any thread */
void worker_park(struct task *t);   /* the running task; returns when it was made ready */

/* The task that runs here and may be parked; NULL: the caller has to block. */
static inline struct task *task_to_park(void)
{
    return sched_current && !sched_current->pinned ? sched_current : NULL;
}

static inline void queue_add(struct task_queue *q, struct task *t)
{
    t->next = NULL;
    *q->last = t;
    q->last = &t->next;
    q->n++;
}

static inline struct task *queue_take(struct task_queue *q)
{
    struct task *t = q->first;

    if (!t)
        return NULL;
    q->first = t->next;
    if (!q->first)
        q->last = &q->first;
    q->n--;
    return t;
}

/* For a descriptor that is registered already. */
static inline void sockets_link(struct worker *w, struct fd_wait *wait)
{
    wait->next = w->slot[wait->fd].waiters;
    w->slot[wait->fd].waiters = wait;
}
void sockets_event(struct worker *w, int fd, uint32_t events);

/* Nothing has arrived since the socket was drained: the next arrival will be an event. */
static inline bool sockets_quiet(const struct worker *w, int fd)
{
    return (size_t)fd < w->nslots && w->slot[fd].quiet && w->slot[fd].interest == POLLIN;
}

/* The same, and an answer is due. */
static inline bool sockets_answer_due(const struct worker *w, int fd)
{
    return sockets_quiet(w, fd) && w->slot[fd].requested && w->slot[fd].ours;
}

static inline void sockets_note_read(struct worker *w, int fd, ssize_t n, bool all)
{
    if ((size_t)fd >= w->nslots)
        return;
    w->slot[fd].quiet = all && !w->slot[fd].hung_up;
    if (n >= 0)
        w->slot[fd].requested = false;
}

static inline void sockets_note_sent(struct worker *w, int fd, bool all)
{
    if ((size_t)fd < w->nslots)
        w->slot[fd].requested = all;
}

/* wait.c: what src/interpose calls, on a task */
/* `until`, or the limit of the calling task or thread if that is earlier. */
mono_ns waits_limit(mono_ns until);

int task_poll(struct task *t, struct pollfd *fds, nfds_t n, mono_ns until);
void task_sleep(struct task *t, mono_ns until);
ssize_t task_recv(struct task *t, int fd, void *buf, size_t len, int flags);
/* n bytes have been received; n, or -1 when the limit of sched_limit_answer() is reached, or that
 * of sched_limit_waits() has passed. */
ssize_t sched_received(ssize_t n);
void task_sent(struct task *t, int fd, bool all);
void task_closed(struct task *t, int fd);
void sched_woke(void); /* a client on a thread of its own has waited */

/* --- look-ups (resolver.c) ---
 *
 * Look-ups of host names that block neither a worker nor other names.  src/interpose explains how
 * the client libraries come here: getaddrinfo() and freeaddrinfo() of the program call these.
 *
 *     a client asks for a name -> a thread for that name calls the C library's getaddrinfo()
 *     other clients ask for it -> they wait for the same answer
 *     the answer comes         -> all of them go on with one list of addresses, which the last
 * frees
 *
 * A task parks while it waits, a thread sleeps.  Either is limited by sched_limit_waits().
 */

/* An answer also serves those that ask within this time after it came: thousands of clients that
 * connect one after another ask once per second.  A name server is then asked no less often than it
 * allows: no usual time to live is shorter.  Failures are not kept. */
#define RESOLVER_KEEPS NS_PER_SEC

/* As getaddrinfo(); EAI_FAIL when the limit of the caller's waits is reached first. */
int resolver_look_up(const char *node, const char *service, const struct addrinfo *hints,
                     struct addrinfo **out);

/* As freeaddrinfo(), for lists of either. */
void resolver_release(struct addrinfo *list);

/* For tests: what asks the name servers from now on; NULLs: the C library's. */
struct resolver_calls {
    int (*look_up)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    void (*release)(struct addrinfo *);
};
void resolver_use(const struct resolver_calls *calls);

/* watch.c: the thread that notices tasks that stall their worker; NULL: not wanted */
int watch_start(struct watch **out, struct sched *s, struct err *e);
void watch_stop(struct watch *h);
/* by the worker, when such a task's turn has ended */
void watch_report(struct worker *w, const struct task *t);

#endif
