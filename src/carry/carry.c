/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The workers of a run as one: start, poke, wait for the end.
 */
#include "carry/carry.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "carry/worker.h"

/* A server may have answered before it is asked for, but not so often. */
#define SUSPICIOUS 64

/* dlsym() gives an object pointer for a function. */
static void find_tls_library(struct carry *c)
{
    void *peek = dlsym(RTLD_DEFAULT, "ERR_peek_error"),
         *clear = dlsym(RTLD_DEFAULT, "ERR_clear_error");

    if (!peek || !clear)
        return;
    c->tls_error = (unsigned long (*)(void))(uintptr_t)peek;
    c->clear_tls_errors = (void (*)(void))(uintptr_t)clear;
}

static void destroy(struct carry *c)
{
    for (int i = 0; i < c->spec.workers; i++)
        worker_fini(&c->worker[i]);
    free(c->worker);
    free(c);
}

static void let_go(struct carry *c, uint32_t how)
{
    atomic_store(&c->go, how);
    clock_wake(&c->go);
}

static int start_threads(struct carry *c, struct err *e)
{
    int rc = 0, n = 0;

    while (n < c->spec.workers &&
           (rc = pthread_create(&c->worker[n].thread, NULL, worker_thread, &c->worker[n])) == 0)
        n++;
    let_go(c, rc ? 2 : 1);
    if (rc == 0)
        return 0;
    for (int i = 0; i < n; i++)
        pthread_join(c->worker[i].thread, NULL);
    return err_sys(e, rc, "cannot create worker %d of %d", n + 1, c->spec.workers);
}

/* Most often it is the number of mappings that is used up. */
static int too_many(const struct carry *c, struct err *e)
{
    FILE *f = fopen("/proc/sys/vm/max_map_count", "r");
    size_t made = 0;
    long most = 0;

    for (int i = 0; i < c->spec.workers; i++)
        made += c->worker[i].ntasks;
    if (f && fscanf(f, "%ld", &most) != 1)
        most = 0;
    if (f)
        fclose(f);
    if (most)
        return err_add(
            e, "only %zu of %zu clients fit (vm.max_map_count is %ld, the stack of each takes 2)",
            made, c->spec.tasks, most);
    return err_add(e, "only %zu of %zu clients fit", made, c->spec.tasks);
}

static int open_workers(struct carry *c, struct err *e)
{
    for (int i = 0; i < c->spec.workers; i++) {
        if (worker_init(&c->worker[i], c, i, e))
            return -1;
        if (worker_open_tasks(&c->worker[i], e))
            return too_many(c, e);
    }
    return 0;
}

int carry_start(struct carry **out, const struct carry_spec *spec, struct err *e)
{
    struct carry *c;

    if (hook_check(e))
        return -1;
    c = mem_alloc(sizeof *c);
    c->spec = *spec;
    c->worker = mem_array((size_t)spec->workers, sizeof *c->worker);
    for (int i = 0; i < spec->workers; i++)
        c->worker[i].epoll = c->worker[i].timer = c->worker[i].event = -1;
    find_tls_library(c);
    *out = c; /* before any task runs: its caller may want to poke */
    if (open_workers(c, e) || (spec->hold_limit && watch_start(&c->watch, c, e)) ||
        start_threads(c, e)) {
        watch_stop(c->watch);
        destroy(c);
        *out = NULL;
        return -1;
    }
    return 0;
}

void carry_poke(struct carry *c)
{
    static const uint64_t one = 1;

    for (int i = 0; c && i < c->spec.workers; i++)
        if (write(c->worker[i].event, &one, sizeof one) < 0)
            continue; /* the counter is full: it is ready anyhow */
}

void carry_join(struct carry *c)
{
    for (int i = 0; i < c->spec.workers; i++)
        pthread_join(c->worker[i].thread, NULL);
    watch_stop(c->watch);
    destroy(c);
}

void carry_leave(struct carry *c)
{
    for (int i = 0; i < c->spec.workers; i++)
        pthread_detach(c->worker[i].thread);
}

int carry_check(struct carry *c, struct err *e)
{
    if (atomic_load(&c->connects) < SUSPICIOUS || atomic_load(&c->connects_waited) > 0)
        return 0;
    return err_set(e, ERR_FAILED,
                   "the database client library does not wait in poll(), so --workers would block: "
                   "--workers=0 gives each client a thread");
}

int carry_workers(const struct carry *c)
{
    return c->spec.workers;
}

int64_t carry_worker_cpu(const struct carry *c, int worker)
{
    struct worker *w = &c->worker[worker];
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
