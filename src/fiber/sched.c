/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The workers of a run together: start, poke, wait for the end.
 */
#include "fiber/sched.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "fiber/worker.h"

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
