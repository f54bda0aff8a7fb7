/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The built-in test `threads`: measures a scheduler with threads that compete for a few mutexes.
 * One event locks, yields the CPU and unlocks --thread-yields times, on mutex n mod --thread-locks,
 * where n numbers the events of all clients.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/client.h"
#include "workload/builtin.h"

struct threads {
    struct workload w;
    int yields, locks;
    bool idle; /* no event at all: old_no_events() */
    pthread_mutex_t *lock;
    _Atomic uint64_t events; /* n of the next one */
};

/* clang-format off */
static const struct opt_row rows[] = {
    {ROW("thread-yields", INT, "1000", OPT_COUNT, "number of yields to do per request")},
    {ROW("thread-locks", INT, "8", OPT_COUNT, "number of locks per thread")},
    {.name = NULL},
};
/* clang-format on */

static void print_header(struct workload *w)
{
    const struct threads *t = (const struct threads *)w;

    log_info("Doing thread subsystem performance test");
    log_info("Thread yields per test: %d Locks used: %d", t->yields, t->locks);
}

static int client_run(struct workload *w, struct client *c, void *state, struct err *e)
{
    struct threads *t = (struct threads *)w;

    (void)state;
    (void)e;
    while (!t->idle && client_next(c)) {
        uint64_t n = atomic_fetch_add_explicit(&t->events, 1, memory_order_relaxed);
        pthread_mutex_t *lock = &t->lock[n % (uint64_t)t->locks];
        client_begin(c);
        for (int i = 0; i < t->yields; i++) {
            pthread_mutex_lock(lock);
            sched_yield();
            pthread_mutex_unlock(lock);
        }
        client_end(c);
    }
    return 0;
}

static const struct workload_ops ops = {
    .name = "threads",
    .print_header = print_header,
    .client_open = builtin_client_open,
    .client_run = client_run,
    .client_free = builtin_client_free,
};

static struct workload *open_threads(const struct builtin_env *env, struct err *e)
{
    const struct opts *o = env->opts;
    int64_t yields = opt_int(o, "thread-yields"), locks = opt_int(o, "thread-locks");
    struct threads *t;

    if (yields < 0 || locks <= 0) {
        if (yields < 0)
            err_set(e, ERR_USAGE, "Invalid value for thread-yields: %lld.", (long long)yields);
        else
            err_set(e, ERR_USAGE, "Invalid value for thread-locks: %lld.", (long long)locks);
        return NULL;
    }
    t = mem_alloc(sizeof *t);
    t->w = (struct workload){.ops = &ops, .name = ops.name};
    t->idle = old_no_events(env);
    t->yields = (int)yields;
    t->locks = (int)locks;
    t->lock = mem_array((size_t)locks, sizeof *t->lock);
    for (int i = 0; i < t->locks; i++)
        pthread_mutex_init(&t->lock[i], NULL);
    return &t->w;
}

static void close_threads(struct workload *w)
{
    struct threads *t = (struct threads *)w;

    for (int i = 0; i < t->locks; i++)
        pthread_mutex_destroy(&t->lock[i]);
    free(t->lock);
    free(t);
}

const struct builtin builtin_threads = {
    .name = "threads",
    .title = "Threads subsystem performance test",
    .rows = rows,
    .open = open_threads,
    .close = close_threads,
};
