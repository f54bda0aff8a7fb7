/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How clients run: each on a thread of its own (the default, and the reference), or many on
 * the workers of --workers (fiber/sched.h).  What a client does is client_live(), the same for
 * both.
 */
#include "engine/client.h"
#include "engine/busy.h"
#include "engine/client_state.h"
#include "engine/executor.h"
#include "engine/stop.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/client_errors.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/overflow.h"
#include "base/prefetch.h"
#include "fiber/sched.h"
#include "interpose/interpose.h"

/* Enough for a TLS handshake, getaddrinfo and a Lua callback; untouched pages cost nothing. */
#define DEFAULT_STACK (256 * 1024)
/* Descriptors of a worker that are not connections, and what libraries and telemetry may need. */
#define WORKER_DESCRIPTORS 3
#define SPARE_DESCRIPTORS  8
/* Of what is left for clients that need none at first (place_note in client_connect.c). */
#define KEPT_DESCRIPTORS 24

/* --- the life of a client ---
 *
 * The life of one client from client_open to client_free, on a thread or a worker (executor.c
 * starts them).
 *
 * Each step wakes the main thread only if that acts on it, as on the last client's: to wake it the
 * kernel walks a list that may contain all clients that sleep, so n wakes take n * n steps.
 */

static uint64_t statements(struct client *c)
{
    return counters_get(c->counters, CNT_READ) + counters_get(c->counters, CNT_WRITE) +
           counters_get(c->counters, CNT_OTHER);
}

/* Or has none, as a client that was refused until the end.  The main thread acts on the last one,
 * and on the last but those that are refused. */
static void leave_loop(struct run *r)
{
    if (atomic_fetch_sub(&r->looping, 1) - 1 <= atomic_load(&r->absent))
        run_poke(r);
}

static void run_loop(struct client *c, void *state)
{
    struct run *r = c->run;
    struct err e = {0};
    mono_ns now, end, over;

    STORE(c->last, c->late ? run_now(r) : r->t0);
    if (r->workload->ops->client_run(r->workload, c, state, &e)) {
        c->failed = true;
        run_fail(r, &e);
    }
    client_left(c);
    /* With tickets the loop ended where the schedule did, or with the last transaction, whichever
     * was later: the time that an idle thread takes to wake up and notice is not part of the run.
     */
    c->loop_end = now = run_now(r);
    if (r->tickets) {
        end = atomic_load(&r->end);
        over = LOAD(c->over_at);
        end = over && over < end ? over : end;
        c->loop_end = later(end < now ? end : now, LOAD(c->last));
    }
    int64_t latest = atomic_load(&r->loops_end);
    while (c->loop_end > latest &&
           !atomic_compare_exchange_weak(&r->loops_end, &latest, c->loop_end))
        ;
    uint64_t before = statements(c);
    leave_loop(r);
    /* see final_reading_note */
    while (c->told_over && run_watches(r) &&
           atomic_load_explicit(&r->final_reading, memory_order_acquire) == 0)
        client_await(c, MONO_NEVER, &r->final_reading);
    if (r->workload->ops->client_close &&
        r->workload->ops->client_close(r->workload, c, state, c->failed, &e))
        run_fail(r, &e);
    if (statements(c) != before)
        /* statements at the end (a last bulk insert) took time too */
        c->loop_end = run_now(r);
}

static void client_live(struct client *c)
{
    struct run *r = c->run;
    struct err e = {0};
    void *state = NULL;

    log_debug("Worker thread (#%d) started", c->number);
    /* the memory that each of its transactions touches here; its workload adds its own */
    struct prefetch_list *l = prefetch_for(PREFETCH_OF_CLIENT, c);
    if (l) {
        prefetch_add(l, c, offsetof(struct client, think));
        prefetch_add(l, c->counters, sizeof *c->counters);
    }
    const struct workload_ops *ops = r->workload->ops;
    bool open =
        !run_stopped(r) && (!ops->client_open || ops->client_open(r->workload, c, &state, &e) == 0);
    if (open)
        log_debug("Worker thread (#%d) initialized", c->number);
    else if (!c->never) {
        log_debug("Worker thread (#%d) failed to initialize!", c->number);
        if (atomic_load(&r->gate) != 1) {
            run_note_error(r, &e);
            atomic_fetch_add(&r->broken, 1);
            run_poke(r);
        } else if (client_keep_trying(c)) {
            run_fail(r, &e); /* one that came late ends the run; once it is over, nothing follows */
        }
    }
    /* Its thread_init() is over. */
    if (c->absent && open && client_keep_trying(c)) /* else the run is over */
        atomic_fetch_add(&c->run->joined, 1);
    if (c->absent)
        atomic_fetch_sub(&c->run->absent, 1);
    c->absent = false;
    c->begun_loop = true;
    c->late = atomic_load(&r->gate) == 1;
    sched_trim_stack();
    if (atomic_fetch_add(&r->ready, 1) + 1 + atomic_load(&r->absent) >= (uint32_t)r->plan->clients)
        run_poke(r);
    while (atomic_load_explicit(&r->gate, memory_order_acquire) == 0)
        client_await(c, MONO_NEVER, &r->gate);
    if (atomic_load_explicit(&r->gate, memory_order_acquire) == 1 && open)
        run_loop(c, state);
    else
        leave_loop(r);
    if (ops->client_free)
        ops->client_free(r->workload, c, state);
    if (atomic_fetch_sub(&r->alive, 1) == 1)
        run_poke(r);
}

static size_t executor_stack_size(const struct run *r)
{
    return r->plan->stack_size ? r->plan->stack_size : DEFAULT_STACK;
}

/* --- threads --- */

static void *client_thread(void *arg)
{
    static _Thread_local struct prefetch prefetch;
    struct client *c = arg;
    struct overflow_stack alternate;

    overflow_begin(&alternate);
    clock_precise_sleeps();
    if (c->run->plan->clients >= PREFETCH_FROM)
        prefetch_here = &prefetch;
    client_live(c);
    overflow_end();
    return NULL;
}

/* On failure r->alive is the number of clients that are left, blocked in a call. */
static int start_threads(struct run *r, struct err *e)
{
    size_t stack = executor_stack_size(r);
    pthread_attr_t attr;
    int rc = 0;

    pthread_attr_init(&attr);
    if (stack >= (size_t)PTHREAD_STACK_MIN)
        pthread_attr_setstacksize(&attr, stack + sizeof(struct overflow_stack));
    pthread_attr_setguardsize(&attr, OVERFLOW_GUARD);
    /* ready_await() handles a signal and the time-out */
    for (int i = 0;
         i < r->plan->clients && rc == 0 && !atomic_load(&r->signal) && run_now(r) < r->init_by;
         i++) {
        atomic_fetch_add(&r->alive, 1);
        atomic_fetch_add(&r->looping, 1);
        struct client *c = &r->client[i];
        rc = clock_thread_create(r->clock, &c->thread, &attr, client_thread, c);
        /* Replaces a size that the system refuses by its default: a size that is too small at once,
         * one that is too large when the first thread does not start. */
        if (rc && i == 0 && r->plan->stack_size) {
            pthread_attr_destroy(&attr);
            pthread_attr_init(&attr);
            rc = clock_thread_create(r->clock, &c->thread, &attr, client_thread, c);
        }
        c->started = rc == 0;
        if (rc) {
            err_sys(e, rc, "only %d of %d threads fit (" LIMITS_OF_THREADS ")", i,
                    r->plan->clients);
            atomic_fetch_sub(&r->alive, 1);
        }
    }
    pthread_attr_destroy(&attr);
    if (rc == 0)
        return 0;
    /* those that were started end; those that block longer than the grace are left (r->alive) */
    run_call_off(r, STOP_ERROR);
    mono_ns until = run_now(r) + COURSE_GRACE;
    while (atomic_load(&r->alive) > 0 && run_now(r) < until) {
        uint32_t word = atomic_load(&r->word);
        if (atomic_load(&r->alive) > 0)
            clock_await(r->clock, until, &r->word, word);
    }
    if (atomic_load(&r->alive) == 0)
        executor_join(r);
    return -1;
}

/* --- workers --- */

static void live(void *arg, size_t i)
{
    struct run *r = arg;

    client_live(&r->client[i]);
}

static int start_workers(struct run *r, struct err *e)
{
    struct sched_spec spec = {
        .workers = r->plan->workers,
        .tasks = (size_t)r->plan->clients,
        .stack = executor_stack_size(r),
        .spin = r->plan->spin,
        .batch = r->plan->worker_batch,
        .stall_limit = r->plan->worker_stall,
        .live = live,
        .arg = r,
        .stalled = r->workload->ops->client_stalled,
        .before_switch = tls_clear_errors,
    };

    if (interpose_check(e))
        return -1;
    atomic_store(&r->alive, (uint32_t)r->plan->clients);
    atomic_store(&r->looping, (uint32_t)r->plan->clients);
    if (sched_start(&r->sched, &spec, e) == 0)
        return 0;
    atomic_store(&r->alive, 0);
    return -1;
}

/* --- either --- */

void run_call_off(struct run *r, enum stop_reason why)
{
    atomic_store(&r->gate, 2);
    executor_wake(r, &r->gate);
    run_stop(r, why);
}

int executor_start(struct run *r, struct err *e)
{
    r->descriptors_left = limits_descriptors_left((long)WORKER_DESCRIPTORS * r->plan->workers);
    /* Once descriptors_left is known. */
    long fit = r->descriptors_left - KEPT_DESCRIPTORS;
    atomic_store(&r->places, fit > r->plan->min_clients ? fit : r->plan->min_clients);
    return r->plan->workers ? start_workers(r, e) : start_threads(r, e);
}

void executor_join(struct run *r)
{
    if (r->sched)
        sched_join(r->sched);
    r->sched = NULL;
    for (int i = 0; i < r->plan->clients; i++)
        if (r->client[i].started)
            clock_thread_join(r->clock, r->client[i].thread);
}

void executor_leave(struct run *r)
{
    if (r->sched)
        sched_leave(r->sched);
    for (int i = 0; i < r->plan->clients; i++)
        if (r->client[i].started)
            pthread_detach(r->client[i].thread);
}

void executor_wake(struct run *r, _Atomic uint32_t *word)
{
    clock_notify(r->clock, word);
    sched_poke(r->sched);
}

int executor_check(struct run *r, struct err *e)
{
    if (atomic_load(&r->broken) == 0)
        return r->sched ? sched_check(r->sched, e) : 0;
    /* each connection needs a descriptor: does their lack explain why clients failed to start? */
    if (r->descriptors_left >= 0 && r->plan->clients + SPARE_DESCRIPTORS > r->descriptors_left)
        log_notice("%d clients need a descriptor each for their connections, but this process may "
                   "open only %ld (ulimit -n): about %ld clients fit.",
                   r->plan->clients, limits_descriptors_allowed(), r->descriptors_left);
    return 0;
}

/* --- what workers do, and how busy they are --- */

/* A shorter time says nothing about a worker's load. */
#define SHORTEST NS_PER_SEC

static int64_t *read_workers(const struct run *r)
{
    int64_t *cpu = mem_array((size_t)r->plan->workers, sizeof *cpu);

    for (int i = 0; i < r->plan->workers; i++)
        cpu[i] = sched_worker_cpu(r->sched, i);
    return cpu;
}

void executor_mark(struct run *r)
{
    executor_measures(r);
    if (r->sched)
        r->worker_cpu = read_workers(r);
}

void executor_measures(struct run *r)
{
    if (r->sched)
        sched_batches_begin(r->sched);
}

void executor_fill_batches(const struct plan *p, const struct sched_batches *b,
                           struct snapshot_batches *out)
{
    *out = (struct snapshot_batches){
        .asked = p->worker_batch > 0,
        .batches = b->n,
        .answers = b->answers,
        .held_mean_s = b->n ? (double)b->sum / (double)b->answers / NS_PER_SEC : NAN,
        .held_max_s = b->n ? (double)b->most / NS_PER_SEC : NAN};
}

void executor_end_batches(struct run *r)
{
    struct snapshot_batches b;

    if (r->plan->worker_batch == 0 || !r->sched)
        return;
    r->batches = sched_batches(r->sched);
    executor_fill_batches(r->plan, &r->batches, &b);
    if (b.batches == 0)
        log_notice("--workers=batch held no answer back.");
    else
        log_notice("--workers=batch held answers back: %llu batches of %.1f on average, each "
                   "answer for up to %.1f us on average and %.1f us at most.",
                   (unsigned long long)b.batches, (double)b.answers / (double)b.batches,
                   b.held_mean_s * 1e6, b.held_max_s * 1e6);
}

void executor_say_busy(struct run *r, dur_ns elapsed)
{
    const struct plan *p = r->plan;
    char text[BUSY_TEXT];

    if (!r->worker_cpu || elapsed < SHORTEST)
        return;
    int64_t *now = read_workers(r);
    r->saturated.n = busy_workers(p->workers, elapsed, r->worker_cpu, now, &r->saturated.most_pct);
    free(now);
    if (!r->saturated.n || !busy_describe(text, p->workers, carry_cpus(), p->workers_by_default,
                                          r->saturated.n, r->saturated.most_pct))
        return;
    if (p->workers_by_default) /* the format of stdout is that of 1.0 */
        log_stderr("WARNING: %s", text);
    else
        log_notice("%s\n", text);
}

void executor_look(const struct run *r, uint64_t *workers, uint64_t *working)
{
    if (!r->sched)
        return;
    *workers = (uint64_t)r->plan->workers;
    *working = (uint64_t)sched_working(r->sched);
}
