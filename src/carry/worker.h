/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The inside of the carrying floor: a worker and its tasks.  All of it belongs to the worker's own
 * thread, but what is marked otherwise.
 *
 *     not started -> READY -> runs -> PARKED -> READY ...    -> ended
 *
 * A parked task waits for one or several of: a timer, a word, descriptors, a place among those who
 * connect.  Whatever comes first makes it ready; the function that parked it takes it out of the
 * other lists when it runs again.
 *
 * level_note: poll(2) tells a state, epoll with EPOLLET a change of it; yet each wait with a
 * level-triggered epoll would cost two more system calls.  So a task polls without waiting first,
 * and parks only when that says no; the descriptor is registered before, or at once, and the kernel
 * checks its state when it is registered and again when it delivers an event.  Hence no readiness
 * is lost between the two, and an event that is delivered is true at that moment.
 *
 * quiet_note: most reads come right after a request, and the answer is not there yet: asking for
 * it, and polling without waiting, would be two system calls for nothing.  So the program's own
 * recv() notes when it has read all that there was (it got less than it asked for, or EAGAIN). From
 * then on an arrival is an event that the kernel keeps for the next look at the sockets; if that
 * finds nobody waiting, the socket is not quiet any more.  Who wants to read from a socket that is
 * registered and quiet can park at once: in poll() always; in recv() when the socket is a client
 * library's (carry_connect_end) and a request was sent in full since something was read, because
 * then an answer is due and nothing else will be done before it is there.
 *
 * reuse_note: a registration dies with its descriptor, whose number the next socket gets.  The
 * program's own close() (poll_hook.c) therefore forgets the number, and while a task connects, all
 * its descriptors are registered anew.
 */
#ifndef SB_CARRY_WORKER_H
#define SB_CARRY_WORKER_H

#include <poll.h>
#include <pthread.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "base/mem.h"
#include "base/warm.h"
#include "carry/carry.h"
#include "carry/fiber.h"
#include "carry/library.h"
#include "carry/timers.h"

/* What is worth fetching of a stack (base/warm.h). */
#define STACK_WARM 2048

enum task_state { TASK_NEW, TASK_READY, TASK_RUNS, TASK_PARKED, TASK_ENDED };

struct task {
    /* what a switch and a wait for an answer touch: one cache line, with the stack pointer in
     * `fiber` */
    CACHE_ALIGNED struct worker *worker;
    struct task *next; /* of those that are ready */
    uint64_t parks;    /* how often it blocked, and how often at its last carry_turn() */
    uint64_t parks_at_turn;
    enum task_state state;
    short revents; /* what woke it, of the descriptor it waits for */
    bool connecting;
    bool pinned; /* pin_note in carry.h */
    struct fiber fiber;

    size_t id;
    struct timer timer;
    _Atomic uint32_t *word; /* sleeps until it differs from expect; NULL: on none */
    uint32_t expect;
    /* while connecting: how often the library called poll() with a wait, recv() or send(), and
     * found ours.  A server that answers at once is never waited for. */
    unsigned hooked;
    LIST_ENTRY(task) sleeper;
    TAILQ_ENTRY(task) wants_connect;
    struct warm warm; /* what it uses */
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
    short interest;          /* what it is registered for; 0: not registered */
    bool quiet, asked, ours; /* see quiet_note */
    struct fd_wait *waiters;
};

struct worker {
    struct carry *carry;
    int index;
    pthread_t thread;
    struct fiber self;       /* the scheduler, on the thread's own stack */
    int epoll, timer, event; /* descriptors; the eventfd is what carry_poke writes to */
    struct task *task;       /* of this worker, ntasks */
    size_t ntasks, started, ended;
    struct task_queue ready;
    struct timers timers;
    mono_ns armed;              /* what the timer descriptor is set to */
    LIST_HEAD(, task) sleepers; /* those that sleep on a word */
    struct fd_slot *slot;       /* by descriptor */
    size_t nslots;
    unsigned unlooked; /* tasks run since the sockets were looked at */
    unsigned connecting;
    TAILQ_HEAD(, task) want_connect;

    /* read by other threads; the watch thread writes held_since */
    _Atomic int64_t cpu_ns;     /* of the whole thread, when it has ended; 0: not yet */
    _Atomic uint64_t turns;     /* switches to a task */
    _Atomic bool busy;          /* a task is running */
    _Atomic int64_t held_since; /* the running task was seen to run too long since then; 0: no */
    char held_place[128];       /* by the task itself, after a signal */
};

struct carry {
    struct carry_spec spec;
    struct worker *worker;
    _Atomic uint32_t go;       /* futex: 0 the workers wait, 1 they begin, 2 they end at once */
    _Atomic uint32_t connects; /* made by tasks */
    _Atomic uint32_t connects_waited; /* of these, those that came through our functions */
    struct watch *watch;
    /* see tls_note in worker.c; NULL: there is no such library */
    unsigned long (*tls_error)(void);
    void (*clear_tls_errors)(void);
};

/* worker.c */
int worker_init(struct worker *w, struct carry *c, int index, struct err *e);
int worker_open_tasks(struct worker *w,
                      struct err *e); /* -1: no memory; ntasks is how many there are */
void worker_fini(struct worker *w);
void *worker_thread(void *arg);
void worker_make_ready(struct task *t);
void worker_park(struct task *t); /* the running task; returns when it was made ready */

/* The task that runs here and may be parked; NULL: the caller has to block. */
static inline struct task *task_to_park(void)
{
    return carry_task && !carry_task->pinned ? carry_task : NULL;
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

/* sockets.c: descriptors.  `wait_on` links the wait in and registers; -1: it cannot be waited for.
 * `link` is for one that is registered for just that. */
int sockets_wait_on(struct worker *w, struct fd_wait *wait, bool afresh);
static inline void sockets_link(struct worker *w, struct fd_wait *wait)
{
    wait->next = w->slot[wait->fd].waiters;
    w->slot[wait->fd].waiters = wait;
}
void sockets_done(struct worker *w, struct fd_wait *wait);
void sockets_event(struct worker *w, int fd, uint32_t events);
void sockets_forget(struct worker *w, int fd);
void sockets_own(struct worker *w, int fd); /* a connection of a client library */

/* Nothing has arrived since all was read: whoever waits for input will be told of it. */
static inline bool sockets_quiet(const struct worker *w, int fd)
{
    return (size_t)fd < w->nslots && w->slot[fd].quiet && w->slot[fd].interest == POLLIN;
}

/* The same, and an answer is due. */
static inline bool sockets_answer_due(const struct worker *w, int fd)
{
    return sockets_quiet(w, fd) && w->slot[fd].asked && w->slot[fd].ours;
}

static inline void sockets_note_read(struct worker *w, int fd, ssize_t n, bool all)
{
    if ((size_t)fd >= w->nslots)
        return;
    w->slot[fd].quiet = all;
    if (n >= 0)
        w->slot[fd].asked = false;
}

static inline void sockets_note_sent(struct worker *w, int fd, bool all)
{
    if ((size_t)fd < w->nslots)
        w->slot[fd].asked = all;
}

/* wait.c: what the hooks call on a task */
int task_poll(struct task *t, struct pollfd *fds, nfds_t n, mono_ns until);
void task_sleep(struct task *t, mono_ns until);
ssize_t task_recv(struct task *t, int fd, void *buf, size_t len, int flags);
void task_sent(struct task *t, int fd, bool all);
void task_closed(struct task *t, int fd);

/* own_thread.c: the same calls on a client's own thread.  `for_ever`: poll() without a time-out. */
void own_thread_connected(int fd);
void own_thread_closed(int fd);
void own_thread_sent(int fd, bool all);
void own_thread_woke(void); /* it has waited, whatever for */
void own_thread_polls(struct pollfd *fds, nfds_t n, bool for_ever);
ssize_t own_thread_recv(int fd, void *buf, size_t len, int flags);

/* poll_hook.c: is the poll() that a library finds the one of this program? */
int hook_plain_poll(struct pollfd *fds, nfds_t n, const struct timespec *timeout);
ssize_t hook_plain_recv(int fd, void *buf, size_t len, int flags);

/* watch.c: the thread that notices tasks that hold their worker; NULL: not wanted */
int watch_start(struct watch **out, struct carry *c, struct err *e);
void watch_stop(struct watch *h);
void watch_report(struct worker *w,
                  const struct task *t); /* by the worker, when such a task has let go */

#endif
