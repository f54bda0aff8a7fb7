/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The built-in test `mutex`: many threads that run concurrently most of the time and take a mutex
 * for a moment.  One event is all a client does: --mutex-locks times it spins --mutex-loops empty
 * iterations, then locks one of --mutex-num mutexes, adds one to the number that it guards, and
 * unlocks.
 *
 * With a warm-up a client repeats the event until measuring begins; only the one after that is its
 * event.  In 0.4 and 0.5 --max-requests does not apply.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/client.h"
#include "workload/builtin.h"

struct slot {
    pthread_mutex_t lock;
    uint64_t value;
};

struct mutex {
    struct workload w;
    int num, locks, loops;
    struct slot *slot;
};

/* clang-format off */
static const struct opt_row rows[] = {
    {ROW("mutex-num", INT, "4096", OPT_COUNT, "total size of mutex array")},
    {ROW("mutex-locks", INT, "50000", OPT_COUNT, "number of mutex locks to do per thread")},
    {ROW("mutex-loops", INT, "10000", OPT_COUNT, "number of empty loops to do outside mutex lock")},
    {.name = NULL},
};
/* clang-format on */

static void print_header(struct workload *w)
{
    (void)w;
    log_info("Doing mutex performance test");
}

static int client_run(struct workload *w, struct client *c, void *state, struct err *e)
{
    struct mutex *t = (struct mutex *)w;
    struct rng *r = client_rng(c);
    bool measured = false;

    (void)state;
    (void)e;
    while (!measured && client_next(c)) {
        client_begin(c);
        measured = client_measuring(c);
        for (int i = 0; i < t->locks; i++) {
            struct slot *s = &t->slot[(size_t)(rng_double(r) * t->num)];
            for (int n = t->loops; n > 0; n--)
                __asm__ volatile("" : "+r"(n)); /* keeps the compiler from removing the iteration */
            pthread_mutex_lock(&s->lock);
            s->value++;
            pthread_mutex_unlock(&s->lock);
        }
        client_end(c);
    }
    return 0;
}

static const struct workload_ops ops = {
    .name = "mutex",
    .print_header = print_header,
    .client_open = builtin_client_open,
    .client_run = client_run,
    .client_free = builtin_client_free,
};

static struct workload *open_mutex(const struct builtin_env *env, struct err *e)
{
    const struct opts *o = env->opts;
    static const char *const names[] = {"mutex-num", "mutex-locks", "mutex-loops"};
    struct mutex *t;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int64_t v = opt_int(o, names[i]);
        if (v < (i < 2)) { /* no loops are allowed */
            err_set(e, ERR_USAGE, "Invalid value for %s: %lld.", names[i], (long long)v);
            return NULL;
        }
    }
    t = mem_alloc(sizeof *t);
    t->w = (struct workload){.ops = &ops, .name = ops.name, .own_limit = env->generation->old};
    t->num = (int)opt_int(o, "mutex-num");
    t->locks = (int)opt_int(o, "mutex-locks");
    t->loops = (int)opt_int(o, "mutex-loops");
    t->slot = mem_array((size_t)t->num, sizeof *t->slot);
    for (int i = 0; i < t->num; i++)
        pthread_mutex_init(&t->slot[i].lock, NULL);
    return &t->w;
}

static void close_mutex(struct workload *w)
{
    struct mutex *t = (struct mutex *)w;

    for (int i = 0; i < t->num; i++)
        pthread_mutex_destroy(&t->slot[i].lock);
    free(t->slot);
    free(t);
}

const struct builtin builtin_mutex = {
    .name = "mutex",
    .title = "Mutex performance test",
    .rows = rows,
    .open = open_mutex,
    .close = close_mutex,
};
