/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The built-in tests that lock mutexes.
 *
 * `threads` measures a scheduler with threads that compete for a few mutexes.  One event locks,
 * yields the CPU and unlocks --thread-yields times, on mutex n mod --thread-locks, where n numbers
 * the events of all clients.
 *
 * `mutex`: many threads that run concurrently most of the time and take a mutex for a moment.  One
 * event is all a client does: --mutex-locks times it spins --mutex-loops empty iterations, then
 * locks one of --mutex-num mutexes, adds one to the number that it guards, and unlocks.  With a
 * warm-up a client repeats the event until measuring begins; only the one after that is its event.
 * In 0.4 and 0.5 --max-requests does not apply.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/client.h"
#include "workload/builtin.h"

struct slot {
    pthread_mutex_t lock;
    uint64_t value;
};

struct locks {
    struct workload w;
    int option[3]; /* their values, in the order of the rows */
    int slots;
    struct slot *slot;
    bool idle;               /* threads: no event at all, old_no_events() */
    _Atomic uint64_t events; /* threads: n of the next one */
};

enum { THREAD_YIELDS, THREAD_LOCKS };
enum { MUTEX_NUM, MUTEX_LOCKS, MUTEX_LOOPS };

static const struct opt_row thread_rows[] = {
    {OPT_ROW("thread-yields", INT, "1000", OPT_COUNT, "number of yields to do per request")},
    {OPT_ROW("thread-locks", INT, "8", OPT_COUNT, "number of locks per thread")},
    {.name = NULL},
};

static const struct opt_row mutex_rows[] = {
    {OPT_ROW("mutex-num", INT, "4096", OPT_COUNT, "total size of mutex array")},
    {OPT_ROW("mutex-locks", INT, "50000", OPT_COUNT, "number of mutex locks to do per thread")},
    {OPT_ROW("mutex-loops", INT, "10000", OPT_COUNT,
             "number of empty loops to do outside mutex lock")},
    {.name = NULL},
};

static void print_threads(struct workload *w)
{
    const struct locks *t = (const struct locks *)w;

    log_info("Doing thread subsystem performance test");
    log_info("Thread yields per test: %d Locks used: %d", t->option[THREAD_YIELDS], t->slots);
}

static void print_mutex(struct workload *w)
{
    (void)w;
    log_info("Doing mutex performance test");
}

static int run_threads(struct workload *w, struct client *c, void *state, struct err *e)
{
    struct locks *t = (struct locks *)w;

    (void)state;
    (void)e;
    while (!t->idle && client_next(c)) {
        uint64_t n = atomic_fetch_add_explicit(&t->events, 1, memory_order_relaxed);
        pthread_mutex_t *lock = &t->slot[n % (uint64_t)t->slots].lock;
        client_begin(c);
        for (int i = 0; i < t->option[THREAD_YIELDS]; i++) {
            pthread_mutex_lock(lock);
            sched_yield();
            pthread_mutex_unlock(lock);
        }
        client_end(c);
    }
    return 0;
}

static int run_mutex(struct workload *w, struct client *c, void *state, struct err *e)
{
    struct locks *t = (struct locks *)w;
    struct rng *r = client_rng(c);
    bool measured = false;

    (void)state;
    (void)e;
    while (!measured && client_next(c)) {
        client_begin(c);
        measured = client_measuring(c);
        for (int i = 0; i < t->option[MUTEX_LOCKS]; i++) {
            struct slot *s = &t->slot[(size_t)(rng_double(r) * t->slots)];
            for (int n = t->option[MUTEX_LOOPS]; n > 0; n--)
                __asm__ volatile("" : "+r"(n)); /* keeps the compiler from removing the iteration */
            pthread_mutex_lock(&s->lock);
            s->value++;
            pthread_mutex_unlock(&s->lock);
        }
        client_end(c);
    }
    return 0;
}

static const struct workload_ops threads_ops = {
    .name = "threads", .print_header = print_threads, .client_run = run_threads};
static const struct workload_ops mutex_ops = {
    .name = "mutex", .print_header = print_mutex, .client_run = run_mutex};

/* `least`: of each option; `slots`: the option that says how many mutexes there are. */
static struct workload *open_locks(const struct builtin_env *env, const struct opt_row *rows,
                                   const int *least, int slots, struct err *e)
{
    struct locks *t = mem_alloc(sizeof *t);

    for (int i = 0; rows[i].name; i++) {
        int64_t v = opt_int(env->opts, rows[i].name);
        if (v < least[i]) {
            err_set(e, ERR_USAGE, "Invalid value for %s: %lld.", rows[i].name, (long long)v);
            free(t);
            return NULL;
        }
        t->option[i] = (int)v;
    }
    t->slots = t->option[slots];
    t->slot = mem_array((size_t)t->slots, sizeof *t->slot);
    for (int i = 0; i < t->slots; i++)
        pthread_mutex_init(&t->slot[i].lock, NULL);
    return &t->w;
}

static struct workload *open_threads(const struct builtin_env *env, struct err *e)
{
    struct workload *w = open_locks(env, thread_rows, (const int[]){0, 1}, THREAD_LOCKS, e);

    if (w) {
        *w = (struct workload){.ops = &threads_ops, .name = threads_ops.name};
        ((struct locks *)w)->idle = old_no_events(env);
    }
    return w;
}

static struct workload *open_mutex(const struct builtin_env *env, struct err *e)
{
    struct workload *w = open_locks(env, mutex_rows, (const int[]){1, 1, 0}, MUTEX_NUM, e);

    if (w)
        *w = (struct workload){.ops = &mutex_ops,
                               .name = mutex_ops.name,
                               .own_limit = env->generation->mutex_has_own_limit};
    return w;
}

static void close_locks(struct workload *w)
{
    struct locks *t = (struct locks *)w;

    for (int i = 0; i < t->slots; i++)
        pthread_mutex_destroy(&t->slot[i].lock);
    free(t->slot);
    free(t);
}

const struct builtin builtin_threads = {.name = "threads",
                                        .title = "Threads subsystem performance test",
                                        .example =
                                            "  sysbench threads --threads=64 --time=30 run\n",
                                        .rows = thread_rows,
                                        .open = open_threads,
                                        .close = close_locks},
                     builtin_mutex = {.name = "mutex",
                                      .title = "Mutex performance test",
                                      .example = "  sysbench mutex --threads=16 run\n",
                                      .rows = mutex_rows,
                                      .open = open_mutex,
                                      .close = close_locks};
