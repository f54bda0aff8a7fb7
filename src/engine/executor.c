/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How clients run: each on a thread of its own (the default, and the reference), or many on
 * the workers of --workers (fiber/sched.h).  What a client does is client_live(), the same for
 * both.
 */
#include "engine/run_state.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/overflow.h"
#include "base/prefetch.h"
#include "fiber/sched.h"
#include "interpose/interpose.h"

/* Enough for a TLS handshake, getaddrinfo and a Lua callback; untouched pages cost nothing. */
#define DEFAULT_STACK (256 * 1024)
/* Descriptors of a worker that are not connections, and what libraries and telemetry may need. */
#define WORKER_DESCRIPTORS 3
#define SPARE_DESCRIPTORS  8

size_t executor_stack_size(const struct run *r)
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
    absent_make_places(r);
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
