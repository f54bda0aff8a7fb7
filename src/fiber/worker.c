/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The workers of a run.  A worker's thread starts its tasks one by one, runs those that are ready,
 * and when none is, sleeps until a socket, the timer or a poke makes one ready.
 *
 * The timer is one descriptor, set to the earliest deadline and changed only when that becomes
 * earlier: epoll's own time-out would set a timer of the kernel at each wait.
 */
#include "fiber/sched.h"

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
}

void worker_park(struct task *t)
{
    t->state = TASK_PARKED;
    t->parks++;
    give_way(t);
}

bool sched_pin(bool pinned)
{
    bool was;

    if (!sched_current)
        return false;
    was = sched_current->pinned;
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

/* Prefetches what the task's turn will touch: the notes themselves, the stack as deep as calls into
 * a client library go, and what was noted. */
static void fetch(const struct task *t)
{
    prefetch_bytes(&t->prefetch, sizeof t->prefetch);
    if (fiber_stack_pointer(&t->fiber))
        prefetch_bytes(fiber_stack_pointer(&t->fiber), STACK_PREFETCH);
    prefetch_start(&t->prefetch);
}

static void run(struct worker *w, struct task *t)
{
    t->state = TASK_RUNS;
    sched_current = t;
    if (w->ntasks >= PREFETCH_FROM) {
        prefetch_here = &t->prefetch;
        fetch(t);
    }
    atomic_store_explicit(&w->turns, w->turns + 1, memory_order_relaxed);
    atomic_store_explicit(&w->busy, true, memory_order_release);
    fiber_switch(&w->self, &t->fiber);
    atomic_store_explicit(&w->busy, false, memory_order_release);
    sched_current = NULL;
    prefetch_here = NULL;
    if (atomic_load_explicit(&w->stalled_since, memory_order_relaxed))
        watch_report(w, t);
    if (t->state == TASK_ENDED)
        fiber_close(&t->fiber);
}

/* Starts one more task: each does much before it first blocks, and those that are connecting must
 * not wait for all of that. */
static void start_one(struct worker *w)
{
    struct task *t;

    if (w->started == w->ntasks)
        return;
    t = &w->task[w->started++];
    t->state = TASK_READY;
    queue_add(&w->ready, t);
}

/* All tasks that are ready now; those that become ready meanwhile wait for the next round. */
static void run_ready(struct worker *w)
{
    for (size_t n = w->ready.n; n > 0; n--) {
        run(w, queue_take(&w->ready));
        w->unpolled++;
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

void worker_poke(struct worker *w)
{
    static const uint64_t one = 1;

    if (write(w->event, &one, sizeof one) < 0)
        return; /* the counter is full: it is ready anyhow */
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

/* The time-out of epoll_wait(): -1 none, or 0. */
static int poll_timeout(struct worker *w)
{
    mono_ns first = timers_first(&w->timers);

    if (w->ready.n > 0 || w->started < w->ntasks)
        return 0;
    if (first == MONO_NEVER)
        return -1;
    if (w->sched->spec.spin) {
        if (first - w->sched->spec.spin <= clock_mono())
            return 0;
        first -= w->sched->spec.spin;
    }
    arm(w, first > 0 ? first : 1);
    return -1;
}

static void add(_Atomic uint64_t *to, uint64_t n)
{
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static void count_batch(struct worker_batches *b, int answers, dur_ns held)
{
    add(&b->n, 1);
    add(&b->answers, (uint64_t)answers);
    add(&b->sum, (uint64_t)answers * (uint64_t)held);
    if ((uint64_t)held > atomic_load_explicit(&b->most, memory_order_relaxed))
        atomic_store_explicit(&b->most, (uint64_t)held, memory_order_relaxed);
}

/* batch_note: sleeps, and returns how many events there are then; 0: wait for the next one. */
static int gather(struct worker *w, struct epoll_event *ev)
{
    mono_ns begin = clock_mono(), until = begin + w->sched->spec.batch;
    struct timespec at = {.tv_sec = until / NS_PER_SEC, .tv_nsec = until % NS_PER_SEC};
    int n;

    if (w->connecting || timers_first(&w->timers) < until)
        return 0;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    n = epoll_wait(w->epoll, ev, EVENTS, 0);
    if (n > 0)
        count_batch(&w->batches, n, clock_mono() - begin);
    return n;
}

static void poll_sockets(struct worker *w)
{
    struct epoll_event ev[EVENTS];
    int wait = poll_timeout(w), n = 0;

    if (wait == 0 && w->ready.n > 0 && w->unpolled < POLL_EVERY) {
        fire_timers(w);
        return;
    }
    w->unpolled = 0;
    if (w->sched->spec.batch && wait < 0)
        n = gather(w, ev);
    if (n <= 0)
        n = epoll_wait(w->epoll, ev, EVENTS, wait);
    /* timers first: they were due before the answers came */
    fire_timers(w);
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
    struct overflow_stack alternate;

    atomic_store(&w->tid, (int)gettid());
    overflow_begin(&alternate);
    clock_precise_sleeps();
    fiber_adopt_thread(&w->self);
    clock_sleep_until(MONO_NEVER, &w->sched->go, 0);
    if (atomic_load(&w->sched->go) != 1)
        goto out;
    while (w->ended < w->ntasks) {
        start_one(w);
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

/* --- life --- */

static int watch_fd(struct worker *w, int fd, uint32_t events)
{
    struct epoll_event ev = {.events = events, .data.fd = fd};

    return epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &ev);
}

int worker_init(struct worker *w, struct sched *s, int index, struct err *e)
{
    w->sched = s;
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
    const struct sched_spec *s = &w->sched->spec;
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

/* --- the workers together --- */

/* A server may answer before the client waits, but not so often. */
#define SUSPICIOUS 64

static void destroy(struct sched *s)
{
    for (int i = 0; i < s->spec.workers; i++)
        worker_fini(&s->worker[i]);
    free(s->worker);
    free(s);
}

static void set_go(struct sched *s, uint32_t how)
{
    atomic_store(&s->go, how);
    clock_wake(&s->go);
}

static int start_threads(struct sched *s, struct err *e)
{
    char why[LIMITS_TEXT];
    int rc = 0, n = 0;

    while (n < s->spec.workers &&
           (rc = pthread_create(&s->worker[n].thread, NULL, worker_thread, &s->worker[n])) == 0)
        n++;
    if (rc)
        limits_of_threads(why, 0);
    set_go(s, rc ? 2 : 1);
    if (rc == 0)
        return 0;
    for (int i = 0; i < n; i++)
        pthread_join(s->worker[i].thread, NULL);
    return err_sys(e, rc, "cannot create worker %d of %d%s%s%s", n + 1, s->spec.workers,
                   *why ? " (" : "", why, *why ? ")" : "");
}

static int too_many(const struct sched *s, struct err *e)
{
    char why[LIMITS_TEXT];
    size_t made = 0;

    for (int i = 0; i < s->spec.workers; i++)
        made += s->worker[i].ntasks;
    limits_of_mappings(why, s->spec.stack);
    if (strncmp(why, "vm.", 3) == 0)
        return err_add(e, "only %zu of %zu clients fit (%s, the stack of each takes 2)", made,
                       s->spec.tasks, why);
    return err_add(e, "only %zu of %zu clients fit%s%s%s", made, s->spec.tasks, *why ? " (" : "",
                   why, *why ? ")" : "");
}

static int open_workers(struct sched *s, struct err *e)
{
    for (int i = 0; i < s->spec.workers; i++) {
        if (worker_init(&s->worker[i], s, i, e))
            return -1;
        if (worker_open_tasks(&s->worker[i], e))
            return too_many(s, e);
    }
    return 0;
}

int sched_start(struct sched **out, const struct sched_spec *spec, struct err *e)
{
    struct sched *s = mem_alloc(sizeof *s);

    s->spec = *spec;
    s->worker = mem_array((size_t)spec->workers, sizeof *s->worker);
    for (int i = 0; i < spec->workers; i++)
        s->worker[i].epoll = s->worker[i].timer = s->worker[i].event = -1;
    *out = s; /* before any task runs: its caller may want to poke */
    if (open_workers(s, e) || (spec->stall_limit && watch_start(&s->watch, s, e)) ||
        start_threads(s, e)) {
        watch_stop(s->watch);
        destroy(s);
        *out = NULL;
        return -1;
    }
    return 0;
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

int sched_workers(const struct sched *s)
{
    return s->spec.workers;
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
