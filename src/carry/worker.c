/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One worker's thread: start the tasks one by one, run those that are ready, and when nobody is,
 * sleep until a socket, the timer or a poke makes one ready.
 *
 * The timer is one descriptor, set to the earliest instant and touched only when that comes nearer:
 * epoll's own time-out would set a timer of the kernel anew at each wait.
 *
 * tls_note: OpenSSL keeps a queue of errors per thread and looks at it to learn what the latest
 * call meant.  What one connection's failure left there would be taken for the failure of another
 * that the same thread carries, so it is cleared before the task gives way; but nobody looks at it
 * before there is a connection with TLS.
 */
#include "carry/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "sql/tls_hook.h"

#define EVENTS 256
/* Tasks that never block must not make each of their turns pay for a look at the sockets. */
#define LOOK_EVERY 16

_Thread_local struct task *carry_task;

/* --- tasks --- */

static void live(void *arg)
{
    struct task *t = arg;
    struct worker *w = t->worker;

    w->carry->spec.live(w->carry->spec.arg, t->id);
    t->state = TASK_ENDED;
    w->ended++;
    fiber_leave(&t->fiber, &w->self);
}

void worker_make_ready(struct task *t)
{
    if (t->state != TASK_PARKED)
        return;
    t->state = TASK_READY;
    queue_add(&t->worker->ready, t);
}

static void give_way(struct task *t)
{
    const struct carry *c = t->worker->carry;

    if (t->pinned)
        abort(); /* pin_note: every wait asks before */
    if (tls_hook_used() && c->tls_error && c->tls_error())
        c->clear_tls_errors();
    fiber_switch(&t->fiber, &t->worker->self);
}

void worker_park(struct task *t)
{
    t->state = TASK_PARKED;
    t->parks++;
    give_way(t);
}

bool carry_pin(bool pinned)
{
    bool was;

    if (!carry_task)
        return false;
    was = carry_task->pinned;
    carry_task->pinned = pinned;
    return was;
}

void carry_take_turn(struct task *t)
{
    if (t->pinned)
        return;
    if (t->parks == t->parks_at_turn) {
        t->state = TASK_READY;
        queue_add(&t->worker->ready, t);
        give_way(t);
    }
    t->parks_at_turn = t->parks;
}

/* What its turn will touch: the stack as deep as calls into a client library go, and what was
 * noted; first of all the notes. */
static void fetch(const struct task *t)
{
    warm_fetch_bytes(&t->warm, sizeof t->warm);
    if (fiber_stack_pointer(&t->fiber))
        warm_fetch_bytes(fiber_stack_pointer(&t->fiber), STACK_WARM);
    warm_fetch(&t->warm);
}

static void run(struct worker *w, struct task *t)
{
    t->state = TASK_RUNS;
    carry_task = t;
    if (w->ntasks >= WARM_FROM) {
        warm_here = &t->warm;
        fetch(t);
    }
    atomic_store_explicit(&w->turns, w->turns + 1, memory_order_relaxed);
    atomic_store_explicit(&w->busy, true, memory_order_release);
    fiber_switch(&w->self, &t->fiber);
    atomic_store_explicit(&w->busy, false, memory_order_release);
    carry_task = NULL;
    warm_here = NULL;
    if (atomic_load_explicit(&w->held_since, memory_order_relaxed))
        watch_report(w, t);
    if (t->state == TASK_ENDED)
        fiber_close(&t->fiber);
}

/* One more of those that have not begun: each does much before it first blocks, and those that are
 * connecting must not wait for all of that. */
static void start_one(struct worker *w)
{
    struct task *t;

    if (w->started == w->ntasks)
        return;
    t = &w->task[w->started++];
    t->state = TASK_READY;
    queue_add(&w->ready, t);
}

/* Everybody who is ready now; who becomes ready meanwhile has to wait for the next round. */
static void run_ready(struct worker *w)
{
    for (size_t n = w->ready.n; n > 0; n--) {
        run(w, queue_take(&w->ready));
        w->unlooked++;
    }
}

/* --- what makes them ready --- */

static void fire_timers(struct worker *w)
{
    struct timer *e;
    mono_ns now;

    if (w->timers.n == 0)
        return;
    now = clock_mono();
    while ((e = timers_due(&w->timers, now)))
        worker_make_ready((struct task *)((char *)e - offsetof(struct task, timer)));
}

static void poked(struct worker *w)
{
    struct task *t;
    uint64_t count;

    if (read(w->event, &count, sizeof count) < 0)
        return;
    LIST_FOREACH(t, &w->sleepers, sleeper)
    if (atomic_load_explicit(t->word, memory_order_acquire) != t->expect)
        worker_make_ready(t);
}

/* Makes the timer descriptor ready at `at`. */
static void arm(struct worker *w, mono_ns at)
{
    struct itimerspec when = {.it_value = {.tv_sec = at / NS_PER_SEC, .tv_nsec = at % NS_PER_SEC}};

    if (at >= w->armed)
        return;
    timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &when, NULL);
    w->armed = at;
}

/* How long the look at the sockets may last: -1 for ever, or 0. */
static int patience(struct worker *w)
{
    mono_ns first = timers_first(&w->timers);

    if (w->ready.n > 0 || w->started < w->ntasks)
        return 0;
    if (first == MONO_NEVER)
        return -1;
    if (w->carry->spec.spin) {
        if (first - w->carry->spec.spin <= clock_mono())
            return 0;
        first -= w->carry->spec.spin;
    }
    arm(w, first > 0 ? first : 1);
    return -1;
}

static void look(struct worker *w)
{
    struct epoll_event ev[EVENTS];
    int wait = patience(w), n;

    if (wait == 0 && w->ready.n > 0 && w->unlooked < LOOK_EVERY) {
        fire_timers(w);
        return;
    }
    w->unlooked = 0;
    n = epoll_wait(w->epoll, ev, EVENTS, wait);
    fire_timers(w); /* first: who asked for this instant has been waiting longer than who was
                       answered just now */
    for (int i = 0; i < n; i++) {
        if (ev[i].data.fd == w->event)
            poked(w);
        else if (ev[i].data.fd == w->timer)
            w->armed = MONO_NEVER;
        else
            sockets_event(w, ev[i].data.fd, ev[i].events);
    }
}

void *worker_thread(void *arg)
{
    struct worker *w = arg;
    struct timespec cpu;

    clock_precise_sleeps();
    fiber_adopt_thread(&w->self);
    clock_sleep_until(MONO_NEVER, &w->carry->go, 0);
    if (atomic_load(&w->carry->go) != 1)
        return NULL;
    while (w->ended < w->ntasks) {
        start_one(w);
        run_ready(w);
        if (w->ended < w->ntasks)
            look(w);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    atomic_store(&w->cpu_ns, (int64_t)cpu.tv_sec * NS_PER_SEC + cpu.tv_nsec);
    return NULL;
}

/* --- life --- */

static int watch_fd(struct worker *w, int fd, uint32_t events)
{
    struct epoll_event ev = {.events = events, .data.fd = fd};

    return epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &ev);
}

int worker_init(struct worker *w, struct carry *c, int index, struct err *e)
{
    w->carry = c;
    w->index = index;
    w->armed = MONO_NEVER;
    w->ready.last = &w->ready.first;
    TAILQ_INIT(&w->want_connect);
    LIST_INIT(&w->sleepers);
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    w->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (w->epoll < 0 || w->timer < 0 || w->event < 0 || watch_fd(w, w->timer, EPOLLIN | EPOLLET) ||
        watch_fd(w, w->event, EPOLLIN))
        return err_sys(e, errno, "cannot create the descriptors of worker %d", index + 1);
    return 0;
}

int worker_open_tasks(struct worker *w, struct err *e)
{
    const struct carry_spec *s = &w->carry->spec;
    size_t m = (size_t)s->workers, first = (size_t)w->index,
           want = s->tasks / m + (first < s->tasks % m);

    w->task = mem_array_aligned(want, sizeof *w->task);
    timers_init(&w->timers, want);
    for (; w->ntasks < want; w->ntasks++) {
        struct task *t = &w->task[w->ntasks];
        t->worker = w;
        t->id = first + w->ntasks * m;
        if (fiber_open(&t->fiber, s->stack, live, t, e))
            return -1;
    }
    return 0;
}

void worker_fini(struct worker *w)
{
    for (size_t i = 0; i < w->ntasks; i++)
        fiber_close(&w->task[i].fiber);
    free(w->task);
    free(w->slot);
    timers_fini(&w->timers);
    if (w->epoll >= 0)
        close(w->epoll);
    if (w->timer >= 0)
        close(w->timer);
    if (w->event >= 0)
        close(w->event);
}
