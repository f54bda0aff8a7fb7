/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See find.h.
 *
 * step_note: what is judged of a step lies between two readings.  The first one comes when the rate
 * has settled, so that the change itself, caches and the ramp of the server's threads are not part
 * of it.  A step whose backlog alone is more than the objective and a tenth of the step can make up
 * for is cut short: it has failed, and the rest of it would only make the next steps wait.  After
 * each step the rate is 0 until nothing is unfinished.
 *
 * again_note: the CPU of a process may be missing once, because the server was restarted or a brief
 * step was too short for its reading.  So a step that only lacks this is taken again, in whole
 * length.  What is missing twice in a row stays missing.
 */
#include "engine/find.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "engine/find_figures.h"
#include "engine/find_judge.h"
#include "engine/find_search.h"
#include "engine/set_rate.h"

#define MOST_WALKED                                                                                \
    1e6                  /* the highest rate, unless arrivals are even: they are walked one by one \
                          */
#define FEW         10.0 /* transactions of a brief step, if a whole one has as many */
#define LEAST       2.0  /* those of a whole step at the lowest rate that is tried */
#define LOOK        (50 * NS_PER_MS)  /* at the backlog, this often */
#define SETTLES     10                /* the part of a step before it is judged */
#define LEAST_QUIET (100 * NS_PER_MS) /* and at least this */
#define DRAIN       (30 * NS_PER_SEC) /* longer than this a backlog is stuck */

struct finder {
    struct run *run;
    struct ticker *ticker;
    struct find_figures figures;
    struct search search;
    struct find_record record;
    bool again; /* the latest step could not be measured (again_note) */
    pthread_t thread;
    _Atomic uint32_t quit;
};

/* False: the run is ending. */
static bool set_rate(struct finder *f, double rate)
{
    struct err e = {0};

    return run_set_rate(f->run, rate, NULL, &e) == 0;
}

/* --- waiting --- */

static bool is_over(const struct finder *f)
{
    const struct run *r = f->run;

    return run_stopped(r) != STOP_NONE || atomic_load(&f->quit) || atomic_load(&r->looping) == 0;
}

/* False: the run is over. */
static bool pause_until(struct finder *f, mono_ns until)
{
    struct run *r = f->run;

    for (;;) {
        uint32_t word = atomic_load(&r->word);
        if (is_over(f))
            return false;
        if (run_now(r) >= until)
            return true;
        clock_await(r->clock, until, &r->word, word);
    }
}

/* --- the backlog --- */

struct open_starts {
    uint64_t waiting, in_flight;
};

static struct open_starts look_at_backlog(const struct finder *f)
{
    struct run *r = f->run;
    uint64_t count[CNT_MAX] = {0}, offered, dropped;

    for (int i = 0; i < r->plan->clients; i++)
        warmup_counts(r, i, false, count);
    dropped = tickets_dropped(r->tickets);
    pthread_mutex_lock(&f->ticker->lock);
    offered = tickets_offered(r->tickets, run_now(r) - r->measure_from);
    pthread_mutex_unlock(&f->ticker->lock);
    return (struct open_starts){.waiting = offered - dropped - count[CNT_STARTED],
                                .in_flight = count[CNT_STARTED] - count[CNT_DONE] -
                                             count[CNT_FAILED] - count[CNT_WITHDRAWN]};
}

/* The longest time that the objective allows, ns. */
static double longest_bound(const struct find_objective *o)
{
    double most = 0;

    for (size_t i = 0; i < o->n; i++)
        if (o->bound[i].what == FIND_TIME)
            most = fmax(most, o->bound[i].limit);
    return most;
}

/* How many may wait before a step is cut short (step_note). */
static uint64_t most_waiting(const struct finder *f, double rate, dur_ns length)
{
    double allowed = fmax((double)length / 10, 2 * longest_bound(&f->record.objective));

    return (uint64_t)(rate * fmin(allowed, (double)length / 2) / 1e9) + 10;
}

/* After each step; false: the run is over, or the backlog does not end. */
static bool drain(struct finder *f)
{
    mono_ns give_up = run_now(f->run) + DRAIN + 3 * f->run->plan->find.step;

    if (!set_rate(f, 0))
        return false;
    for (;;) {
        struct open_starts b = look_at_backlog(f);
        if (b.waiting + b.in_flight == 0)
            return !is_over(f);
        if (run_now(f->run) >= give_up) {
            f->search.end = FIND_STUCK;
            return false;
        }
        if (!pause_until(f, run_now(f->run) + LOOK))
            return false;
    }
}

/* --- a step --- */

/* Until the step ends, or its backlog is too long (*cut); false: the run is over. */
static bool await_window(struct finder *f, mono_ns until, uint64_t most, bool *cut)
{
    struct run *r = f->run;

    while (!*cut && run_now(r) < until) {
        mono_ns next = run_now(r) + LOOK;
        if (!pause_until(f, next < until ? next : until))
            return false;
        *cut = look_at_backlog(f).waiting > most;
    }
    return true;
}

static void judge_step(struct finder *f, const struct snapshot *began, bool cut,
                       struct find_step *step)
{
    struct snapshot s;
    struct find_reading reading = {
        .objective = &f->record.objective, .queued_before = began->rate.waiting, .cut = cut};

    find_figures_end(&f->figures, &f->record.objective, &s, &reading.v, step);
    reading.no_server_cpu = find_figures_no_cpu(&s.server);
    reading.no_client_cpu = find_figures_no_cpu(&s.self);
    find_judge(&reading, step);
}

/* Longer at a low rate: nothing can be said of a step without a transaction. */
static dur_ns brief_length(const struct plan_find *p, double rate)
{
    dur_ns few = (dur_ns)(fmin(FEW / rate, dur_sec(p->step)) * 1e9);

    return few > p->brief ? few : p->brief;
}

/* False: the run is over, and nothing is known of this rate. */
static bool run_step(struct finder *f, const struct search_ask *ask, struct find_step *step)
{
    const struct plan_find *p = &f->run->plan->find;
    bool brief = ask->brief && !f->again;
    dur_ns length = brief ? brief_length(p, ask->rate) : p->step, settle = length / SETTLES;
    uint64_t most = most_waiting(f, ask->rate, length);
    struct snapshot began;
    bool cut = false;

    *step = (struct find_step){.rate = ask->rate, .brief = ask->brief};
    settle = settle < LEAST_QUIET ? LEAST_QUIET : settle;
    if (!set_rate(f, ask->rate))
        return false;
    find_figures_begin(&f->figures, &began);
    if (!await_window(f, run_now(f->run) + settle, most, &cut))
        return false;
    if (!cut)
        find_figures_begin(&f->figures, &began);
    if (!await_window(f, run_now(f->run) + length, most, &cut))
        return false;
    judge_step(f, &began, cut, step);
    return true;
}

/* --- the record --- */

static const struct find_step *failed_step(const struct find_record *r, double rate)
{
    const struct find_step *found = NULL;

    for (size_t i = 0; i < r->nsteps; i++)
        if (r->step[i].rate == rate && !r->step[i].holds && !r->step[i].unmeasured)
            found = &r->step[i];
    return found;
}

static void note_answer(struct finder *f)
{
    struct find_record *r = &f->record;
    struct search_answer a;

    search_answer(&f->search, &a);
    r->end = a.end;
    r->held = a.held;
    r->confirmed = a.confirmed;
    r->not_held = a.not_held;
    r->failed = failed_step(r, a.not_held);
}

static void publish(struct finder *f, const struct find_step *step)
{
    size_t n = f->record.nsteps;

    f->record.step[n] = *step;
    atomic_store_explicit(&f->record.nsteps, n + 1, memory_order_release);
    observers_tell(&f->run->obs->list,
                   &(struct run_event){.kind = RUN_FOUND, .find = &f->record, .step = n});
}

/* --- the thread --- */

/* False: it is not worth going on. */
static bool one_step(struct finder *f, const struct search_ask *ask)
{
    struct find_step step;

    if (!run_step(f, ask, &step))
        return false;
    publish(f, &step);
    if (!step.unmeasured)
        search_tell(&f->search, ask, step.holds);
    else if (!f->again)
        search_pass(&f->search);
    else
        f->search.end = FIND_UNMEASURED;
    f->again = step.unmeasured;
    return f->search.end != FIND_UNMEASURED && drain(f);
}

static bool await_origin(struct finder *f)
{
    struct ticker *t = f->ticker;
    uint32_t origin;

    while ((origin = atomic_load(&t->origin)) == ORIGIN_AHEAD || origin == ORIGIN_WARMING)
        clock_await(f->run->clock, MONO_NEVER, &t->origin, origin);
    return origin == ORIGIN_MEASURING;
}

static void *finder_thread(void *arg)
{
    struct finder *f = arg;
    struct search_ask ask;

    pthread_setname_np(pthread_self(), "sb-find");
    clock_precise_sleeps();
    if (!await_origin(f))
        return NULL;
    find_figures_origin(&f->figures);
    while (search_next(&f->search, &ask) && one_step(f, &ask))
        continue;
    if (!is_over(f))
        run_stop(f->run, STOP_FOUND);
    return NULL;
}

static struct finder *finder_new(struct run *r, struct ticker *t)
{
    const struct plan_find *p = &r->plan->find;
    struct finder *f = mem_alloc(sizeof *f);

    f->run = r;
    f->ticker = t;
    f->record.objective = p->objective;
    f->record.confirm = p->confirm;
    find_figures_init(&f->figures, r, t);
    search_begin(&f->search, r->plan->rate, p->precision_pct / 200, p->confirm, p->steps);
    f->search.least = fmax(f->search.least, fmin(r->plan->rate, LEAST / dur_sec(p->step)));
    if (r->plan->arrival != ARRIVAL_EVEN || r->plan->jitter)
        f->search.most = MOST_WALKED;
    return f;
}

int find_begin(struct run *r, struct ticker *t, struct err *e)
{
    int rc;

    if (!plan_finds(r->plan))
        return 0;
    r->finder = finder_new(r, t);
    r->find = &r->finder->record;
    rc = clock_thread_create(r->clock, &r->finder->thread, NULL, finder_thread, r->finder);
    if (rc == 0)
        return 0;
    r->find = NULL;
    find_free(r->finder);
    r->finder = NULL;
    return err_sys(e, rc, "cannot create the thread of --tx-find");
}

void find_stop(struct finder *f)
{
    if (!f)
        return;
    atomic_store(&f->quit, 1);
    if (atomic_load(&f->ticker->origin) != ORIGIN_MEASURING) { /* it ended in its warm-up */
        atomic_store(&f->ticker->origin, ORIGIN_NEVER);
        clock_notify(f->run->clock, &f->ticker->origin);
    }
    run_poke(f->run);
    clock_thread_join(f->run->clock, f->thread);
    if (f->search.end == FIND_GOES_ON)
        f->search.end = FIND_STOPPED;
    note_answer(f);
}

void find_free(struct finder *f)
{
    if (!f)
        return;
    find_figures_fini(&f->figures);
    free(f);
}
