/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The workers of a run.  A worker's thread starts its tasks one by one, runs those that are ready,
 * and when none is, sleeps until a socket, the timer or a poke makes one ready.
 *
 * The timer is one descriptor, set to the earliest deadline and changed only when that becomes
 * earlier: epoll's own time-out would set a timer of the kernel at each wait.
 */
#include "fiber/sched.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/overflow.h"
#include "fiber/worker.h"

#define EVENTS 256
/* Turns between two polls of the sockets while tasks are ready: tasks that never block should not
 * poll after each turn. */
#define POLL_EVERY 16

_Thread_local struct task *sched_current;
_Thread_local unsigned sched_waits;

/* --- tasks --- */

static void live(void *arg)
{
    struct task *t = arg;
    struct worker *w = t->worker;

    w->sched->spec.live(w->sched->spec.arg, t->id);
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
    void (*before_switch)(void) = t->worker->sched->spec.before_switch;

    if (t->pinned)
        abort(); /* pin_note: every wait checks before */
    if (before_switch)
        before_switch();
    fiber_switch(&t->fiber, &t->worker->self);
    sched_waits++;
}

void worker_park(struct task *t)
{
    t->state = TASK_PARKED;
    t->parks++;
    give_way(t);
}

bool sched_pin(bool pinned)
{
    if (!sched_current)
        return false;
    bool was = sched_current->pinned;
    sched_current->pinned = pinned;
    return was;
}

void sched_take_turn(struct task *t)
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

/* Starts the prefetch of what the task's turn will touch: the stack as deep as calls into a client
 * library go, and what was noted.  Reads the task. */
static void prefetch_task(const struct task *t)
{
    if (fiber_stack_pointer(&t->fiber))
        prefetch_bytes(fiber_stack_pointer(&t->fiber), STACK_PREFETCH);
    prefetch_start(&t->prefetch);
}

/* All tasks that are ready now; those that become ready meanwhile wait for the next round. */
static void run_ready(struct worker *w)
{
    for (size_t n = w->ready.n; n > 0; n--) {
        struct task *t = queue_take(&w->ready);
        t->state = TASK_RUNS;
        sched_current = t;
        if (w->ntasks >= PREFETCH_FROM) {
            prefetch_here = &t->prefetch;
            if (w->ready.first) /* while this one runs */
                prefetch_bytes(w->ready.first, sizeof *w->ready.first);
            prefetch_task(t);
        }
        atomic_store_explicit(&w->turns, w->turns + 1, memory_order_relaxed);
        atomic_store_explicit(&w->busy, true, memory_order_release);
        fiber_switch(&w->self, &t->fiber);
        atomic_store_explicit(&w->busy, false, memory_order_release);
        sched_current = NULL;
        prefetch_here = NULL;
        if (atomic_load_explicit(&w->stalled_since, memory_order_relaxed))
            watch_report(w, t);
        w->unpolled++;
    }
}

/* --- what makes them ready --- */

static struct task *task_of(struct timer *e)
{
    return (struct task *)((char *)e - offsetof(struct task, timer));
}

static void fire_timers(struct worker *w)
{
    struct timer *e;

    if (w->timers.n == 0)
        return;
    mono_ns now = clock_mono();
    while ((e = timers_due(&w->timers, now)))
        worker_make_ready(task_of(e));
}

void worker_poke(struct worker *w)
{
    static const uint64_t one = 1;

    if (write(w->event, &one, sizeof one) < 0)
        return; /* the counter is full: it is ready anyhow */
}

static void add(_Atomic uint64_t *to, uint64_t n)
{
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static void poll_sockets(struct worker *w)
{
    const struct sched_spec *spec = &w->sched->spec;
    mono_ns first = timers_first(&w->timers);
    struct epoll_event ev[EVENTS];
    int wait = -1, n = 0; /* the time-out of epoll_wait(): -1 none, or 0 */

    if (w->ready.n > 0 || w->started < w->ntasks ||
        (first != MONO_NEVER && spec->spin && first - spec->spin <= clock_mono())) {
        wait = 0;
    } else if (first != MONO_NEVER) { /* the timer descriptor becomes ready at `at` */
        mono_ns at = first - spec->spin > 0 ? first - spec->spin : 1;
        struct itimerspec when = {
            .it_value = {.tv_sec = at / NS_PER_SEC, .tv_nsec = at % NS_PER_SEC}};
        if (at < w->armed) {
            timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &when, NULL);
            w->armed = at;
        }
    }
    if (wait == 0 && w->ready.n > 0 && w->unpolled < POLL_EVERY) {
        fire_timers(w);
        return;
    }
    w->unpolled = 0;
    if (wait < 0 && w->timers.n > 0 && w->ntasks >= PREFETCH_FROM)
        prefetch_task(
            task_of(timers_next(&w->timers)));       /* whose turn comes next, if no answer does */
    if (spec->batch && wait < 0 && !w->connecting) { /* batch_note */
        mono_ns begin = clock_mono(), until = begin + spec->batch;
        struct timespec at = {.tv_sec = until / NS_PER_SEC, .tv_nsec = until % NS_PER_SEC};
        if (timers_first(&w->timers) >= until) {
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
            n = epoll_wait(w->epoll, ev, EVENTS, 0);
        }
        if (n > 0) {
            struct worker_batches *b = &w->batches;
            uint64_t held = (uint64_t)(clock_mono() - begin);
            add(&b->n, 1);
            add(&b->answers, (uint64_t)n);
            add(&b->sum, (uint64_t)n * held);
            if (held > atomic_load_explicit(&b->most, memory_order_relaxed))
                atomic_store_explicit(&b->most, held, memory_order_relaxed);
        }
    }
    if (n <= 0)
        n = epoll_wait(w->epoll, ev, EVENTS, wait);
    /* timers first: they were due before the answers came */
    fire_timers(w);
    for (int i = 0; i < n; i++) {
        struct task *t;
        uint64_t count;
        if (ev[i].data.fd == w->timer) {
            w->armed = MONO_NEVER;
        } else if (ev[i].data.fd != w->event) {
            sockets_event(w, ev[i].data.fd, ev[i].events);
        } else if (read(w->event, &count, sizeof count) > 0) { /* poked */
            LIST_FOREACH(t, &w->sleepers, sleeper)
                if (atomic_load_explicit(t->word, memory_order_acquire) != t->expect)
                    worker_make_ready(t);
        }
    }
}

static void *worker_thread(void *arg)
{
    struct worker *w = arg;
    struct timespec cpu;
    struct overflow_stack alternate;

    atomic_store(&w->tid, (int)gettid());
    overflow_begin(&alternate);
    clock_precise_sleeps();
    fiber_adopt_thread(&w->self);
    clock_sleep_until(MONO_NEVER, &w->sched->go, 0);
    if (atomic_load(&w->sched->go) != 1)
        goto out;
    while (w->ended < w->ntasks) {
        /* starts one more: each does much before it first blocks, and those that are connecting
         * must not wait for all of that */
        if (w->started < w->ntasks) {
            w->task[w->started].state = TASK_READY;
            queue_add(&w->ready, &w->task[w->started++]);
        }
        run_ready(w);
        if (w->ended < w->ntasks)
            poll_sockets(w);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    atomic_store(&w->cpu_ns, (int64_t)cpu.tv_sec * NS_PER_SEC + cpu.tv_nsec);
out:
    overflow_end();
    return NULL;
}

/* --- the workers together --- */

/* A server may answer before the client waits, but not so often. */
#define SUSPICIOUS 64

static void destroy(struct sched *s)
{
    for (struct worker *w = s->worker; w < s->worker + s->spec.workers; w++) {
        for (size_t i = 0; i < w->ntasks; i++)
            fiber_close(&w->task[i].fiber);
        free(w->task);
        free(w->slot);
        timers_fini(&w->timers);
        fd_close(w->epoll);
        fd_close(w->timer);
        fd_close(w->event);
    }
    free(s->worker);
    free(s);
}

static int open_all(struct sched *s, struct err *e)
{
    const struct sched_spec *spec = &s->spec;
    size_t made = 0, m = (size_t)spec->workers;
    int rc = 0, n = 0;

    for (int i = 0; i < spec->workers; i++) {
        struct epoll_event timer = {.events = EPOLLIN | EPOLLET}, event = {.events = EPOLLIN};
        struct worker *w = &s->worker[i];
        size_t first = (size_t)i, want = spec->tasks / m + (first < spec->tasks % m);

        w->sched = s;
        w->index = i;
        w->armed = MONO_NEVER;
        w->ready.last = &w->ready.first;
        TAILQ_INIT(&w->want_connect);
        LIST_INIT(&w->sleepers);
        w->epoll = epoll_create1(EPOLL_CLOEXEC);
        w->timer = timer.data.fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        w->event = event.data.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (w->epoll < 0 || w->timer < 0 || w->event < 0 ||
            epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->timer, &timer) ||
            epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->event, &event))
            return err_sys(e, errno, "cannot create the descriptors of worker %d", i + 1);
        w->task = mem_array_aligned(want, sizeof *w->task);
        timers_init(&w->timers, want);
        for (; w->ntasks < want; w->ntasks++, made++) {
            struct task *t = &w->task[w->ntasks];
            t->worker = w;
            t->id = first + w->ntasks * m;
            if (fiber_open(&t->fiber, spec->stack, live, t, e))
                return err_add(e, "only %zu of %zu clients fit (" LIMITS_OF_STACKS ")", made,
                               spec->tasks);
        }
    }
    if (spec->stall_limit && watch_start(&s->watch, s, e))
        return -1;
    while (n < spec->workers &&
           (rc = pthread_create(&s->worker[n].thread, NULL, worker_thread, &s->worker[n])) == 0)
        n++;
    atomic_store(&s->go, rc ? 2 : 1);
    clock_wake(&s->go);
    if (rc == 0)
        return 0;
    for (int i = 0; i < n; i++)
        pthread_join(s->worker[i].thread, NULL);
    return err_sys(e, rc, "cannot create worker %d of %d (" LIMITS_OF_THREADS ")", n + 1,
                   spec->workers);
}

int sched_start(struct sched **out, const struct sched_spec *spec, struct err *e)
{
    struct sched *s = mem_alloc(sizeof *s);

    s->spec = *spec;
    s->worker = mem_array((size_t)spec->workers, sizeof *s->worker);
    for (int i = 0; i < spec->workers; i++)
        s->worker[i].epoll = s->worker[i].timer = s->worker[i].event = -1;
    *out = s; /* before any task runs: its caller may want to poke */
    if (open_all(s, e) == 0)
        return 0;
    watch_stop(s->watch);
    destroy(s);
    *out = NULL;
    return -1;
}

void sched_poke(struct sched *s)
{
    for (int i = 0; s && i < s->spec.workers; i++)
        worker_poke(&s->worker[i]);
}

void sched_join(struct sched *s)
{
    for (int i = 0; i < s->spec.workers; i++)
        pthread_join(s->worker[i].thread, NULL);
    watch_stop(s->watch);
    destroy(s);
}

void sched_leave(struct sched *s)
{
    for (int i = 0; i < s->spec.workers; i++)
        pthread_detach(s->worker[i].thread);
}

int sched_check(struct sched *s, struct err *e)
{
    if (atomic_load(&s->connects) < SUSPICIOUS || atomic_load(&s->connects_waited) > 0)
        return 0;
    return err_set(e, ERR_FAILED,
                   "the database client library does not wait in poll(), so --workers would block: "
                   "--workers=0 gives each client a thread");
}

int64_t sched_worker_cpu(const struct sched *s, int worker)
{
    struct worker *w = &s->worker[worker];
    int64_t at_end = atomic_load(&w->cpu_ns);
    struct timespec ts;
    clockid_t clock;

    if (at_end)
        return at_end;
    if (pthread_getcpuclockid(w->thread, &clock) == 0 && clock_gettime(clock, &ts) == 0)
        return (int64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
    at_end = atomic_load(&w->cpu_ns); /* it has ended meanwhile */
    return at_end ? at_end : -1;
}

struct sched_batches sched_batches(const struct sched *s)
{
    struct sched_batches sum = {0};

    for (int i = 0; i < s->spec.workers; i++) {
        const struct worker_batches *b = &s->worker[i].batches;
        uint64_t most = atomic_load_explicit(&b->most, memory_order_relaxed);
        sum.n += atomic_load_explicit(&b->n, memory_order_relaxed);
        sum.answers += atomic_load_explicit(&b->answers, memory_order_relaxed);
        sum.sum += atomic_load_explicit(&b->sum, memory_order_relaxed);
        sum.most = most > sum.most ? most : sum.most;
    }
    sum.n -= s->before.n;
    sum.answers -= s->before.answers;
    sum.sum -= s->before.sum;
    return sum;
}

/* A worker only ever writes the length of its latest sleep into `most`, so nothing old returns. */
void sched_batches_begin(struct sched *s)
{
    s->before = (struct sched_batches){0};
    s->before = sched_batches(s);
    for (int i = 0; i < s->spec.workers; i++)
        atomic_store_explicit(&s->worker[i].batches.most, 0, memory_order_relaxed);
}

/* --- timers ---
 *
 * The root is at place 3, the children of place k are 4(k - 2) to 4(k - 2) + 3, one cache line, and
 * its parent is k / 4 + 2; no child is earlier than its parent.  Places have copies of the
 * instants: a timer itself is in the memory of a task that has slept for long.
 */

void timers_init(struct timers *t, size_t capacity)
{
    t->heap = mem_array_aligned(TIMERS_ROOT + capacity, sizeof *t->heap);
    t->n = 0;
    t->capacity = capacity;
}

void timers_fini(struct timers *t)
{
    free(t->heap);
    t->heap = NULL;
    t->n = t->capacity = 0;
}

static void place_at(struct timers *t, size_t place, struct timer_place e)
{
    t->heap[place] = e;
    e.timer->place = place;
}

/* Finds the place of e at or above `place`. */
static void rise(struct timers *t, size_t place, struct timer_place e)
{
    for (size_t parent; place > TIMERS_ROOT && e.at < t->heap[parent = place / 4 + 2].at;
         place = parent)
        place_at(t, place, t->heap[parent]);
    place_at(t, place, e);
}

void timers_add(struct timers *t, struct timer *e, mono_ns at)
{
    assert(e->place == 0 && t->n < t->capacity);
    rise(t, TIMERS_ROOT + t->n++, (struct timer_place){.at = at, .timer = e});
}

void timers_remove(struct timers *t, struct timer *e)
{
    size_t place = e->place, child, end;

    if (place == 0)
        return;
    assert(place < TIMERS_ROOT + t->n && t->heap[place].timer == e);
    struct timer_place last = t->heap[end = TIMERS_ROOT + --t->n];
    e->place = 0;
    if (last.timer == e)
        return;
    /* sinks to its place, or rises */
    for (; (child = 4 * (place - 2)) < end; place = child) {
        for (size_t k = child + 1, after = child + 4; k < after && k < end; k++)
            if (t->heap[k].at < t->heap[child].at)
                child = k;
        if (last.at <= t->heap[child].at)
            break;
        place_at(t, place, t->heap[child]);
    }
    rise(t, place, last);
}

struct timer *timers_due(struct timers *t, mono_ns now)
{
    if (timers_first(t) > now || t->n == 0)
        return NULL;
    struct timer *e = timers_next(t);
    timers_remove(t, e);
    return e;
}

int sched_working(const struct sched *s)
{
    int n = 0;

    for (int i = 0; i < s->spec.workers; i++)
        n += atomic_load_explicit(&s->worker[i].busy, memory_order_relaxed);
    return n;
}
