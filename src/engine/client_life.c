/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The life of one client from client_open to client_free, on a thread or a worker (carrier.c starts
 * them).
 *
 * Each step wakes the main thread only if that acts on it, as on the last client's: to wake it the
 * kernel walks a list that may contain all clients that sleep, so n wakes take n * n steps.
 */
#include "engine/client.h"
#include "engine/run_state.h"

#include <stddef.h>

#include "base/log.h"
#include "base/prefetch.h"
#include "fiber/sched.h"

static uint64_t statements(struct client *c)
{
    return counters_get(c->counters, CNT_READ) + counters_get(c->counters, CNT_WRITE) +
           counters_get(c->counters, CNT_OTHER);
}

/* With tickets the loop ended where the schedule did, or with the last transaction, whichever was
 * later: the time that an idle thread takes to wake up and notice is not part of the run. */
static mono_ns end_of_loop(const struct client *c)
{
    mono_ns now = run_now(c->run), end = atomic_load(&c->run->end), last = LOAD(c->last);
    mono_ns over = LOAD(c->over_at);

    if (!c->run->tickets)
        return now;
    end = over && over < end ? over : end;
    end = end < now ? end : now;
    return end > last ? end : last;
}

/* Before run->looping counts the loop out. */
static void note_loop_end(struct run *r, mono_ns end)
{
    int64_t latest = atomic_load(&r->loops_end);

    while (end > latest && !atomic_compare_exchange_weak(&r->loops_end, &latest, end))
        ;
}

static void run_loop(struct client *c, void *state)
{
    struct run *r = c->run;
    struct err e = {0};
    uint64_t before;

    STORE(c->last, c->late ? run_now(r) : r->t0);
    if (r->workload->ops->client_run(r->workload, c, state, &e)) {
        c->failed = true;
        run_fail(r, &e);
    }
    client_left(c);
    c->loop_end = end_of_loop(c);
    note_loop_end(r, c->loop_end);
    before = statements(c);
    if (atomic_fetch_sub(&r->looping, 1) - 1 <= atomic_load(&r->absent))
        run_poke(r);
    client_await_final_reading(c);
    if (r->workload->ops->client_close &&
        r->workload->ops->client_close(r->workload, c, state, c->failed, &e))
        run_fail(r, &e);
    if (statements(c) != before)
        /* statements at the end (a last bulk insert) took time too */
        c->loop_end = run_now(r);
}

/* Notes the memory that each of its transactions touches here; its workload adds its own. */
static void note_memory(struct client *c)
{
    struct prefetch_list *l = prefetch_for(PREFETCH_OF_CLIENT, c);

    if (!l)
        return;
    prefetch_add(l, c, offsetof(struct client, think));
    prefetch_add(l, c->counters, sizeof *c->counters);
}

/* Once the run goes on (a client that came late), this ends it; once it is over, nothing
 * follows. */
static void note_broken(struct client *c, const struct err *e)
{
    struct run *r = c->run;

    log_debug("Worker thread (#%d) failed to initialize!", c->number);
    if (atomic_load(&r->gate) == 1) {
        if (client_keep_trying(c))
            run_fail(r, e);
        return;
    }
    pthread_mutex_lock(&r->err_lock);
    if (r->first.kind == ERR_NONE)
        r->first = *e;
    pthread_mutex_unlock(&r->err_lock);
    atomic_fetch_add(&r->broken, 1);
    run_poke(r);
}

void client_live(struct client *c)
{
    struct run *r = c->run;
    struct err e = {0};
    void *state = NULL;
    bool open;

    log_debug("Worker thread (#%d) started", c->number);
    note_memory(c);
    open = !run_stopped(r) && r->workload->ops->client_open(r->workload, c, &state, &e) == 0;
    if (open)
        log_debug("Worker thread (#%d) initialized", c->number);
    else if (!c->never)
        note_broken(c, &e);
    absent_end(c, open);
    c->begun_loop = true;
    c->late = atomic_load(&r->gate) == 1;
    sched_trim_stack();
    if (atomic_fetch_add(&r->ready, 1) + 1 + atomic_load(&r->absent) >= (uint32_t)r->plan->clients)
        run_poke(r);
    if (client_await_start_line(c) && open)
        run_loop(c, state);
    else
        atomic_fetch_sub(&r->looping, 1);
    r->workload->ops->client_free(r->workload, c, state);
    if (atomic_fetch_sub(&r->alive, 1) == 1)
        run_poke(r);
}
