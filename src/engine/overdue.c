/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Events of scripts that will never end.  After the time limit a run waits for what it began, and
 * an endless loop would keep it waiting for ever.  An event counts as such a loop when its thread
 * has done nothing but compute for a second, five seconds after the time limit: it used CPU time,
 * and never waited for anything.  A slow statement, a lock or a busy machine does not look like
 * that.
 *
 *     deadline + 4 s   look: CPU time and voluntary switches of each thread whose client is left
 *     + 1 s            again: those that only computed are interrupted; else look again, less and
 *                      less often
 *
 * The interruption is a signal, in whose handler the script's state gets a hook that raises an
 * error (workload.h).  Compiled code runs no hook: after the grace of course.h the client is left.
 *
 * `current` is one of the few file-scope variables: a handler gets no argument.
 */
#include "engine/run_state.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fiber/sched.h"

#define FIRST_LOOK (4 * NS_PER_SEC)
#define STEP       NS_PER_SEC
#define LONGEST    (16 * NS_PER_SEC)
/* So much CPU time in a step is computing, even where many threads share a CPU. */
#define LEAST_CPU_PCT 4

static _Atomic(struct run *) current;

/* --- readings --- */

static bool read_first(int tid, const char *file, const char *key, long long *value)
{
    char path[64], line[256];
    bool found = false;
    FILE *f;

    snprintf(path, sizeof path, "/proc/self/task/%d/%s", tid, file);
    f = fopen(path, "re");
    if (!f)
        return false;
    while (!found && fgets(line, sizeof line, f))
        found =
            strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%lld", value) == 1;
    fclose(f);
    return found;
}

static struct overdue_reading read_thread(int tid)
{
    struct overdue_reading v = {.tid = tid};

    v.valid = tid > 0 && read_first(tid, "schedstat", "", &v.cpu) &&
              read_first(tid, "status", "voluntary_ctxt_switches:", &v.switches);
    return v;
}

static int threads(const struct run *r)
{
    return r->sched ? sched_workers(r->sched) : r->plan->clients;
}

static int tid_of(const struct run *r, int i)
{
    return r->sched ? sched_worker_tid(r->sched, i) : (int)atomic_load(&r->client[i].tid);
}

static void interrupt(const struct run *r, int i)
{
    if (r->sched)
        sched_interrupt(r->sched, i, SIGURG);
    else
        pthread_kill(r->client[i].thread, SIGURG);
}

/* --- the interruption --- */

static void on_urgent(int sig)
{
    struct run *r = atomic_load(&current);
    int none = -1, id = r ? r->workload->ops->client_overdue() : -1;

    (void)sig;
    if (id >= 0)
        atomic_compare_exchange_strong(&r->overdue.client, &none, id);
}

static void catch_urgent(struct run *r)
{
    struct sigaction sa;

    atomic_store(&current, r);
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_urgent;
    sa.sa_flags = SA_RESTART;
    sigaction(SIGURG, &sa, NULL);
}

static bool only_computed(const struct overdue_reading *before, const struct overdue_reading *now,
                          dur_ns step)
{
    return before->valid && now->valid && before->tid == now->tid &&
           before->switches == now->switches &&
           now->cpu - before->cpu >= step / 100 * LEAST_CPU_PCT;
}

/* --- looking --- */

/* True when some client was interrupted. */
static bool compare(struct run *r, dur_ns step)
{
    struct overdue *o = &r->overdue;
    bool any = false;

    for (int i = 0; i < threads(r); i++) {
        struct overdue_reading now = read_thread(tid_of(r, i));
        if (o->reading && only_computed(&o->reading[i], &now, step)) {
            if (!any)
                catch_urgent(r);
            interrupt(r, i);
            any = true;
        }
        if (o->reading)
            o->reading[i] = now;
    }
    return any;
}

static void look(struct run *r, mono_ns now)
{
    struct overdue *o = &r->overdue;

    if (!o->reading) {
        o->reading = mem_array((size_t)threads(r), sizeof *o->reading);
        compare(r, STEP);
        o->step = STEP;
    } else if (compare(r, o->step)) {
        o->at = now;
    } else if (o->step < LONGEST) {
        o->step *= 2;
    }
    o->next = now + o->step;
}

mono_ns overdue_look(struct run *r, mono_ns now)
{
    struct overdue *o = &r->overdue;

    if (!r->workload->ops->client_overdue || clock_held(r->clock) || r->deadline == MONO_NEVER || o->at ||
        r->plan->forced == FORCED_ON ||
        (run_stopped(r) != STOP_NONE && run_stopped(r) != STOP_TIME) ||
        atomic_load(&r->looping) == 0)
        return MONO_NEVER;
    if (!o->next)
        o->next = r->deadline + FIRST_LOOK;
    if (now >= o->next)
        look(r, now);
    return o->at ? MONO_NEVER : o->next;
}

void overdue_end(struct run *r)
{
    if (r->overdue.at)
        signal(SIGURG, SIG_DFL); /* which is to ignore it */
    atomic_store(&current, NULL);
    free(r->overdue.reading);
}

void overdue_describe(const struct run *r, struct err *e)
{
    int client = atomic_load(&r->overdue.client);
    char who[32] = "a client";

    if (client >= 0)
        snprintf(who, sizeof who, "client %d", client);
    err_set(
        e, ERR_FAILED,
        "the event of %s has done nothing but compute since the time limit and cannot be interrupted: is it an endless loop?",
        who);
}
