/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See collect.h.
 *
 * step_note: what is judged of a step lies between two readings.  The first one comes when the rate
 * has settled, so that the change itself, caches and the ramp of the server's threads are not part
 * of it.  A step whose backlog alone is more than the objective and a tenth of the step can make up
 * for is cut short: it has failed, and the rest of it would only make the next steps wait.  After
 * each step the rate is 0 until all has ended.
 *
 * again_note: the CPU of a process may be missing once, because the server was restarted or a brief
 * step was too short for its reading.  So a step that only lacks this is taken again, in whole
 * length.  What is missing twice in a row stays missing.  The same with a percentile that had too
 * few transactions; at a low rate a whole step takes longer, until it has enough.
 *
 * unmoved_note: three times in a row a rate fails by the same time, each is half of the one before
 * or less, and the time hardly changes: lower rates would change nothing either.  If others use the
 * machine, nothing can be said of the server; else no rate holds.
 */
#include "engine/collect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "engine/stop.h"
#include "engine/verdict.h"
#include "engine/warmup.h"
#include "report/text.h"

/* The highest rate, unless arrivals are even: they are walked one by one. */
#define MOST_WALKED 1e6
/* Transactions of a brief step, if a whole one has as many; those of a whole step at the lowest
 * rate that is tried. */
#define FEW   10.0
#define LEAST 2.0
#define LOOK  (50 * NS_PER_MS) /* at the backlog, this often */
/* The part of a step before it is judged: a tenth, and at least so long. */
#define SETTLES     10
#define LEAST_QUIET (100 * NS_PER_MS)
#define LONGER      6 /* times, a whole step at a low rate */
/* So many steps in a row of which the time is not less than that part of the one before
 * (unmoved_note). */
#define UNMOVED 3
#define MOVED   0.5
#define DRAIN   (30 * NS_PER_SEC) /* longer than this a backlog is stuck */

struct finder {
    struct run *run;
    struct ticker *ticker;
    struct collect collect; /* of the steps */
    struct search search;
    struct find_record record;
    bool again; /* the latest step could not be measured (again_note) */
    /* unmoved_note: how often in a row, and the latest of these */
    unsigned unmoved;
    struct find_step last;
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

/* --- what a step measures --- */

/*
 * It reads through a collector of its own, under the ticker's lock, so interval reports go on
 * beside it.  A step is a window of that collector: from where its interval began to the latest
 * reading.
 */

/* A window begins, or begins anew. */
static void begin_window(struct finder *f, struct snapshot *s)
{
    pthread_mutex_lock(&f->ticker->lock);
    collect_snapshot(&f->collect, SNAPSHOT_INTERVAL, 0, s);
    collect_next(&f->collect, SNAPSHOT_INTERVAL);
    backlog_begin(&f->collect.backlog, 0);
    collect_look(&f->collect, MONO_NEVER);
    pthread_mutex_unlock(&f->ticker->lock);
}

/* Of the window that has ended, ns; NaN: nothing was done. */
static double time_of(struct finder *f, enum find_series series, double point)
{
    const struct baseline *now = &f->collect.now, *from = &f->collect.interval;
    struct hist_counts *diff = &f->collect.figures.diff;

    /* stock's histogram is the first */
    hist_counts_diff(diff, tally_hist(&baseline_tally, now, 1 + series),
                     tally_hist(&baseline_tally, from, 1 + series));
    if (point == FIND_MEAN)
        return hist_mean(diff);
    int64_t ns = point == FIND_MAX ? hist_max(diff) : hist_percentile(diff, point);
    return ns < 0 ? NAN : (double)ns;
}

/* A lower bound could pass for a figure that keeps a limit. */
static bool has_cpu(const struct snapshot_server *v)
{
    return v->on && v->d.have & ~v->d.lower & SAMPLE_CPU;
}

/* Why a process of the snapshot has no CPU; NULL: it has. */
static const char *no_cpu(const struct snapshot_server *v)
{
    if (has_cpu(v))
        return NULL;
    return v->on ? sample_why(&v->d, SAMPLE_CPU) : "its process is not read";
}

/* In per cent of all CPUs of its host. */
static double system_cpu(const struct snapshot *s, const struct snapshot_server *v)
{
    return has_cpu(v) ? sample_pct_system(v->d.cpu_ns, v->d.wall_ns, v->ncpu ? v->ncpu : s->ncpu)
                      : NAN;
}

/* The window ends: all of *step that is measured, and what the cause is found from. */
static void end_window(struct finder *f, struct snapshot *s, struct verdict_readings *v,
                       struct find_step *step)
{
    const struct find_objective *o = &f->record.objective;
    const struct snapshot_rate *q = &s->rate;

    pthread_mutex_lock(&f->ticker->lock);
    collect_look(&f->collect, MONO_NEVER);
    collect_snapshot(&f->collect, SNAPSHOT_INTERVAL, 0, s);
    *v = span_readings(&f->collect, s, &f->collect.interval.cpu, &f->collect.now.cpu);
    pthread_mutex_unlock(&f->ticker->lock);
    step->from = s->elapsed_ns - s->interval_ns;
    step->length = s->interval_ns;
    step->offered = q->offered;
    step->done = q->done;
    step->failed = q->failed;
    step->dropped = q->dropped;
    step->errors = s->errors;
    step->waiting = q->waiting;
    double bad = (double)(step->failed + step->dropped + step->errors);
    step->lag_p99 = time_of(f, FIND_LAG, 99);
    step->server_busy_pct = has_cpu(&s->server) ? verdict_server_pct(v) : NAN;
    step->client_busy_pct = has_cpu(&s->self) ? verdict_self_pct(v) : NAN;
    for (size_t i = 0; i < o->n; i++)
        switch (o->bound[i].what) {
        case FIND_TIME: step->value[i] = time_of(f, o->bound[i].series, o->bound[i].point); break;
        case FIND_ERRORS_PCT:
            step->value[i] = step->offered ? 100 * bad / (double)step->offered : NAN;
            break;
        case FIND_ERRORS_RATE: step->value[i] = bad / dur_sec(step->length); break;
        case FIND_SERVER_CPU: step->value[i] = system_cpu(s, &s->server); break;
        case FIND_CLIENT_CPU: step->value[i] = system_cpu(s, &s->self); break;
        }
}

/* --- a step --- */

/* Until the step ends, or its backlog is too long (*cut); false: the run is over. */
static bool await_window(struct finder *f, mono_ns until, uint64_t most, bool *cut)
{
    struct run *r = f->run;

    while (!*cut && run_now(r) < until) {
        mono_ns next = run_now(r) + LOOK;
        next = next < until ? next : until;
        if (!pause_until(f, next))
            return false;
        pthread_mutex_lock(&f->ticker->lock);
        late_add(&f->collect.late, later(run_now(r) - next, 0));
        collect_look(&f->collect, MONO_NEVER);
        pthread_mutex_unlock(&f->ticker->lock);
        *cut = look_at_backlog(f).waiting > most;
    }
    return true;
}

/* False: the run is over, and nothing is known of this rate. */
static bool run_step(struct finder *f, const struct search_ask *ask, struct find_step *step,
                     struct verdict_readings *v)
{
    const struct plan_find *p = &f->run->plan->find;
    bool brief = ask->brief && !f->again;
    dur_ns length = brief ? p->brief : p->step, most_long = LONGER * p->step;
    dur_ns few = brief ? (dur_ns)(FEW / ask->rate * 1e9) : 0;
    const struct find_objective *o = &f->record.objective;
    struct find_reading reading = {.objective = o};
    double longest = 0; /* time that the objective allows, ns */
    uint64_t most;      /* that may wait before the step is cut short (step_note) */
    struct snapshot s;
    bool cut = false;

    *step = (struct find_step){.rate = ask->rate, .brief = ask->brief};
    /* longer at a low rate: percentiles need transactions */
    for (size_t i = 0; i < o->n; i++)
        if (o->bound[i].what == FIND_TIME)
            few = later(few, (dur_ns)(1.05e9 * (double)find_needs(o->bound[i].point) / ask->rate));
    length = later(length, few < most_long ? few : most_long);
    dur_ns settle = later(length / SETTLES, LEAST_QUIET);
    for (size_t i = 0; i < o->n; i++)
        if (o->bound[i].what == FIND_TIME)
            longest = fmax(longest, o->bound[i].limit);
    longest = fmin(fmax((double)length / 10, 2 * longest), (double)length / 2);
    most = (uint64_t)(ask->rate * longest / 1e9) + 10;
    if (!set_rate(f, ask->rate))
        return false;
    begin_window(f, &s);
    if (!await_window(f, run_now(f->run) + settle, most, &cut))
        return false;
    if (!cut)
        begin_window(f, &s);
    reading.queued_before = s.rate.waiting;
    if (!await_window(f, run_now(f->run) + length, most, &cut))
        return false;
    end_window(f, &s, &reading.v, step);
    reading.cut = cut;
    reading.no_server_cpu = no_cpu(&s.server);
    reading.no_client_cpu = no_cpu(&s.self);
    find_judge(&reading, step);
    *v = reading.v;
    return true;
}

/* Has lowering the rate changed nothing, three times (unmoved_note)? */
static bool is_unmoved(struct finder *f, const struct find_step *s,
                       const struct verdict_readings *v)
{
    size_t i = s->unkept - 1;
    const struct find_bound *b = &f->record.objective.bound[i];
    char value[TEXT_FIND_SIZE], rate[TEXT_FIND_SIZE];

    if (!s->unkept || b->what != FIND_TIME)
        f->unmoved = 0;
    else if (f->unmoved && f->last.unkept == s->unkept && s->rate <= f->last.rate * 0.75)
        f->unmoved = s->value[i] >= MOVED * f->last.value[i] ? f->unmoved + 1 : 1;
    else if (!f->unmoved)
        f->unmoved = 1;
    f->last = *s;
    if (f->unmoved < UNMOVED)
        return false;
    const char *others =
        v->steal_pct > v->others_pct ? "the hypervisor gives others" : "other processes use";
    double pct = fmax(v->others_pct, v->steal_pct);
    if (pct > 20)
        snprintf(f->record.unjudged, sizeof f->record.unjudged,
                 "cannot be judged: at %s %s; %s %.0f%% of this machine's CPU time",
                 text_find_rate(rate, s->rate), text_find_value(value, b, s->value[i]), others,
                 pct);
    return true;
}

/* --- the thread --- */

static void *finder_thread(void *arg)
{
    struct finder *f = arg;
    struct ticker *t = f->ticker;
    struct search_ask ask;
    uint32_t origin;

    pthread_setname_np(pthread_self(), "sb-find");
    clock_precise_sleeps();
    while ((origin = atomic_load(&t->origin)) == ORIGIN_AHEAD || origin == ORIGIN_WARMING)
        clock_await(f->run->clock, MONO_NEVER, &t->origin, origin);
    if (origin != ORIGIN_MEASURING)
        return NULL;
    pthread_mutex_lock(&t->lock);
    collect_origin(&f->collect, f->run->measure_from);
    pthread_mutex_unlock(&t->lock);
    late_begin(&f->collect.late, f->run->clock);
    while (search_next(&f->search, &ask)) {
        size_t n = f->record.nsteps;
        struct find_step step;
        struct verdict_readings v;

        if (!run_step(f, &ask, &step, &v))
            break;
        f->record.step[n] = step;
        atomic_store_explicit(&f->record.nsteps, n + 1, memory_order_release);
        observers_tell(&f->run->obs->list,
                       &(struct run_event){.kind = RUN_FOUND, .find = &f->record, .step = n});
        if (!step.unmeasured)
            search_tell(&f->search, &ask, step.holds);
        else if (!f->again)
            f->search.steps++; /* it is asked again */
        else
            f->search.end = FIND_UNMEASURED;
        f->again = step.unmeasured;
        if (!step.unmeasured && is_unmoved(f, &step, &v))
            f->search.end = *f->record.unjudged ? FIND_UNJUDGED : FIND_NONE;
        if (f->search.end == FIND_UNMEASURED || f->search.end == FIND_UNJUDGED || !drain(f))
            break; /* it is not worth going on */
    }
    late_fini(&f->collect.late);
    if (!is_over(f))
        run_stop(f->run, STOP_FOUND);
    return NULL;
}

int find_begin(struct run *r, struct ticker *t, struct err *e)
{
    const struct plan_find *p = &r->plan->find;

    if (!plan_finds(r->plan))
        return 0;
    struct finder *f = r->finder = mem_alloc(sizeof *f);
    f->run = r;
    f->ticker = t;
    f->record.objective = p->objective;
    f->record.confirm = p->confirm;
    collect_init(&f->collect, r, false);
    search_begin(&f->search, r->plan->rate, p->precision_pct / 200, p->confirm, p->steps);
    f->search.least = fmax(f->search.least, fmin(r->plan->rate, LEAST / dur_sec(p->step)));
    if (r->plan->arrival != ARRIVAL_EVEN || r->plan->jitter)
        f->search.most = MOST_WALKED;
    r->find = &f->record;
    int rc = clock_thread_create(r->clock, &f->thread, NULL, finder_thread, f);
    if (rc == 0)
        return 0;
    r->find = NULL;
    find_free(f);
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
    struct find_record *v = &f->record;
    v->stopped = atomic_load(&f->run->signal) ? "by a signal"
                 : run_stopped(f->run) == STOP_TIME || run_stopped(f->run) == STOP_FORCED
                     ? "by the time limit"
                     : "by an error";
    search_answer(&f->search, v);
    for (size_t i = 0; i < v->nsteps; i++)
        if (v->step[i].rate == v->not_held && !v->step[i].holds && !v->step[i].unmeasured)
            v->failed = &v->step[i];
}

void find_free(struct finder *f)
{
    if (!f)
        return;
    collect_fini(&f->collect);
    free(f);
}
