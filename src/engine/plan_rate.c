/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the options of the rate into a plan.  What --tx-rate means depends on the generation
 * (enum tx_rate_meaning): ours with 1.0 and 1.1, the patch of 2009 with 0.4, the queue of --rate
 * with 0.5.  An option of ours that refines the rate makes it ours in any generation: the
 * generation then chooses only the default of --tx-arrival.
 *
 * And those of the search for the highest rate.  A search of the usual 14 steps takes about two
 * minutes with steps of 10 s.  With --time, which limits all of it, a step is a twentieth of that
 * time unless --tx-find=step says otherwise; without, the limit is the time that all the steps can
 * take.
 */
#include "engine/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "engine/find_search.h"

static const struct opt_row rate_rows[] = {
    {.name = "tx-rate",
     .type = OPT_DOUBLE,
     .def = "0",
     .help = "steady rate: transactions per second over all threads, fractions allowed. 0 for "
             "unlimited rate. 500:60s,500-2000:5m,sine(1000,500,60s) or @trace.csv: a rate that "
             "changes",
     .flags = OPT_COUNT | OPT_OR_TEXT,
     .max = 1e9},
    {.name = "tx-scale",
     .type = OPT_DOUBLE,
     .def = "1",
     .help = "play a trace with so many times its rate",
     .min = 1e-6,
     .max = 1e6},
    {.name = "tx-speed",
     .type = OPT_DOUBLE,
     .def = "1",
     .help = "play a trace so many times faster; its rate stays what it is",
     .min = 1e-6,
     .max = 1e6},
    {.name = "tx-jitter",
     .type = OPT_DOUBLE,
     .def = "0",
     .help =
         "move each planned start by a uniform random offset within a window of this many microseconds centred on it",
     .max = 3.6e9},
    {.name = "tx-arrival",
     .type = OPT_STRING,
     .def = "even",
     .help = "shape of the arrivals",
     .choices = "even|poisson|aligned"},
    {.name = "tx-burst",
     .type = OPT_INT,
     .def = "0",
     .help =
         "catch up with at most this many overdue transactions and drop older ones. 0 for no limit",
     .flags = OPT_COUNT,
     .max = INT32_MAX},
    {.name = "tx-overload",
     .type = OPT_STRING,
     .help = "what to do with transactions overdue beyond --tx-burst or --tx-max-lag "
             "{} (default: queue without such a limit, drop with one)",
     .choices = "queue|drop|abort"},
    {.name = "tx-max-lag",
     .type = OPT_DOUBLE,
     .def = "0",
     .help =
         "drop transactions that are overdue by more than this many milliseconds. 0 for no limit",
     .max = 3.6e9},
    {.name = "tx-spin",
     .type = OPT_DOUBLE,
     .def = "0",
     .help =
         "busy-wait for the last microseconds before a planned start: less lag, but more client CPU",
     .max = 1e6},
    {.name = "tx-strict",
     .type = OPT_STRING,
     .help = "exit with status 3 if the rate was not sustained; an optional number is the "
             "percentage of offered transactions that may be missing (default 1)",
     .flags = OPT_MAY_BE_EMPTY},
};

#define START        100.0 /* the rate, if --tx-rate does not say */
#define STEP_S       10.0  /* the default */
#define LEAST_STEP_S 0.5
#define OF_TIME      20  /* steps that --time is divided into */
#define LEAST_STEPS  8   /* that have to fit into it */
#define BRIEF        5   /* brief steps are so many times shorter */
#define AROUND       1.5 /* a step with its settling and draining, at most */

static const struct opt_row find_rows[] = {
    {.name = "tx-find",
     .type = OPT_STRING,
     .help = "find the highest rate that holds an objective, such as 'p99<20ms' or "
             "'p95<5ms,errors<1%,cpu<80%'; --tx-rate is where the search begins"},
    {.name = "tx-find-step",
     .type = OPT_DOUBLE,
     .help = "seconds for which a rate is judged (default: 10, or a twentieth of --time)",
     .flags = OPT_SECONDS,
     .min = LEAST_STEP_S,
     .max = 86400},
    {.name = "tx-find-steps",
     .type = OPT_INT,
     .def = "40",
     .help = "end the search after this many steps",
     .min = LEAST_STEPS,
     .max = FIND_MAX_STEPS},
    {.name = "tx-find-confirm",
     .type = OPT_INT,
     .def = "2",
     .help = "how often a rate has to hold to be the answer",
     .min = 1,
     .max = 10},
    {.name = "tx-find-precision",
     .type = OPT_DOUBLE,
     .def = "5",
     .help = "how near the answer is to be, in percent; the rates that held and that did not are "
             "at most half of it apart",
     .min = 0.5,
     .max = 100},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void plan_rate_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_RATE, rate_rows, COUNT(rate_rows));
    opts_add(o, OPT_GROUP_RATE, find_rows, COUNT(find_rows));
}

/* --tx-strict, --tx-strict=0.5, --tx-strict=0.5% */
static int read_strict(struct plan *p, const struct opts *o, struct err *e)
{
    const char *v = opt_str(o, "tx-strict");
    char *end;

    p->tolerance_pct = 1.0;
    p->strict = opt_given(o, "tx-strict");
    if (!*v)
        return 0;
    p->tolerance_pct = strtod(v, &end);
    if (end == v || (*end && strcmp(end, "%") != 0) ||
        !(p->tolerance_pct >= 0 && p->tolerance_pct <= 100))
        return err_set(e, ERR_USAGE,
                       "Invalid value for --tx-strict: '%s' (a percentage from 0 to 100)", v);
    return 0;
}

/* What was said about the pace. */
struct given {
    double rate, jitter_us;
    const char *rate_text, *jitter_text;
    const char *spec; /* --tx-rate, when it is more than a number; else NULL */
    bool rate_given, jitter_given;
    const char *shape;  /* NULL: --tx-arrival was not given */
    const char *refine; /* an option of ours beside rate and jitter, NULL: none was given */
};

static struct given read_given(const struct opts *o)
{
    static const char *const refine[] = {"tx-arrival", "tx-burst", "tx-overload",
                                         "tx-max-lag", "tx-spin",  "tx-strict",
                                         "tx-scale",   "tx-speed", "tx-find"};
    struct given g = {.rate = opt_double(o, "tx-rate"),
                      .rate_text = opt_str(o, "tx-rate"),
                      .jitter_us = opt_double(o, "tx-jitter"),
                      .jitter_text = opt_str(o, "tx-jitter"),
                      .rate_given = opt_given(o, "tx-rate"),
                      .jitter_given = opt_given(o, "tx-jitter")};

    struct opt_view v;

    if (opt_beyond_number(OPT_OR_TEXT, g.rate_text))
        g.spec = g.rate_text;
    if (opt_given(o, "tx-arrival"))
        g.shape = opt_str(o, "tx-arrival");
    for (size_t i = 0; i < COUNT(refine) && !g.refine; i++)
        if (opt_given(o, refine[i]) && opts_view(o, refine[i], &v))
            g.refine = v.title;
    return g;
}

static int read_overload(struct plan *p, const struct opts *o, struct err *e)
{
    const char *policy = opt_str(o, "tx-overload");
    bool limited = p->burst || p->max_lag;

    if (!*policy)
        p->overload = limited ? OVERLOAD_DROP : OVERLOAD_QUEUE;
    else if (strcmp(policy, "queue") == 0)
        p->overload = OVERLOAD_QUEUE;
    else
        p->overload = strcmp(policy, "drop") == 0 ? OVERLOAD_DROP : OVERLOAD_ABORT;
    if (p->overload == OVERLOAD_QUEUE && limited)
        return err_set(
            e, ERR_USAGE,
            "--tx-overload=queue drops nothing and cannot be combined with --tx-burst or --tx-max-lag");
    if (p->overload != OVERLOAD_QUEUE && !limited)
        return err_set(e, ERR_USAGE,
                       "--tx-overload=%s needs a limit: --tx-burst=N or --tx-max-lag=MS", policy);
    return 0;
}

/* See pace/arrivals.h. */
static int check_aligned(const struct plan *p, struct err *e)
{
    if (p->arrival == ARRIVAL_ALIGNED && p->rates)
        return err_set(e, ERR_USAGE,
                       "aligned arrivals have one rate: --tx-rate=N, or --tx-arrival=even");
    if (p->arrival != ARRIVAL_ALIGNED || p->overload == OVERLOAD_QUEUE)
        return 0;
    return err_set(e, ERR_USAGE, "--%s cannot be used with aligned arrivals, which drop nothing%s",
                   p->burst ? "tx-burst" : "tx-max-lag",
                   p->generation->arrival == TX_RATE_ALIGNED ? " (--tx-arrival=even can drop)"
                                                             : "");
}

/* What is not an even schedule without jitter is walked start by start (pace/arrivals.h), by
 * those who take and by the reporter; beyond these limits the walk would last longer than the time
 * that is walked over. */
static int check_walk(const struct plan *p, const char *jitter, struct err *e)
{
    const double most = p->jitter || p->arrival == ARRIVAL_ALIGNED ? 1e6 : PLAN_MOST_POISSON;
    const double most_in_window = 1e5, rate = p->rates ? rates_most(p->rates) : p->rate;

    if (p->arrival == ARRIVAL_EVEN && p->jitter == 0)
        return 0;
    if (rate > most)
        return err_set(e, ERR_USAGE,
                       "Invalid value for --tx-rate: %.12g (at most %.0f: only even "
                       "arrivals without jitter may be more)",
                       rate, most);
    if ((double)p->jitter / 1e9 * rate > most_in_window)
        return err_set(
            e, ERR_USAGE,
            "Invalid value for --tx-jitter: %s (at this rate at most %.0f: a window of %.0f "
            "planned starts)",
            jitter, most_in_window / rate * 1e6, most_in_window);
    return 0;
}

int plan_check_change(const struct plan *p, double rate, struct err *e)
{
    struct plan changed = *p;

    if (p->stock_rate)
        return err_set(e, ERR_USAGE, "the rate of --rate cannot be changed: --tx-rate=N can");
    if (p->arrival == ARRIVAL_ALIGNED)
        return err_set(e, ERR_USAGE, "the rate of aligned arrivals cannot be changed");
    if (!(rate == 0 || (rate >= 1e-6 && rate <= RATES_MOST)))
        return err_set(e, ERR_USAGE, "a rate is 0, or from 1e-6 to %.0e", RATES_MOST);
    changed.rate = rate;
    changed.rates = NULL;
    return check_walk(&changed, "", e);
}

void plan_fini(struct plan *p)
{
    rates_free(p->rates);
    p->rates = NULL;
}

double plan_walked_rate(const struct plan *p)
{
    return p->stock_rate && p->rate > PLAN_MOST_POISSON ? PLAN_MOST_POISSON : p->rate;
}

/* As in --rate=N. */
static void read_queue(struct plan *p, double rate)
{
    p->rate = rate;
    p->stock_rate = true;
    p->arrival = ARRIVAL_POISSON;
    p->overload = OVERLOAD_ABORT;
    p->burst = p->generation->event_queue;
}

static enum arrival_shape shape_of(const struct plan *p, const char *shape)
{
    static const enum arrival_shape meant[] = {[TX_RATE_EVEN] = ARRIVAL_EVEN,
                                               [TX_RATE_ALIGNED] = ARRIVAL_ALIGNED,
                                               [TX_RATE_QUEUE] = ARRIVAL_POISSON};

    if (!shape)
        return meant[p->generation->arrival];
    return strcmp(shape, "poisson") == 0   ? ARRIVAL_POISSON
           : strcmp(shape, "aligned") == 0 ? ARRIVAL_ALIGNED
                                           : ARRIVAL_EVEN;
}

static int read_ours(struct plan *p, const struct given *g, const struct opts *o, struct err *e)
{
    p->arrival = shape_of(p, g->shape);
    p->old_rate = !g->shape && p->generation->arrival == TX_RATE_ALIGNED;
    p->plain_rate = p->old_rate && !opts_own_given(o, "compat tx-rate tx-jitter");
    p->jitter = (dur_ns)(g->jitter_us * 1e3);
    p->burst = (uint64_t)opt_int(o, "tx-burst");
    /* less than 1 ns is not "no limit" */
    p->max_lag = (dur_ns)ceil(opt_double(o, "tx-max-lag") * 1e6);
    p->spin = (dur_ns)(opt_double(o, "tx-spin") * 1e3);
    return read_overload(p, o, e) || check_aligned(p, e) || read_strict(p, o, e) ||
                   check_walk(p, g->jitter_text, e)
               ? -1
               : 0;
}

/* Old programs took whole numbers, or the whole part of a number without a word. */
static int check_whole(const struct plan *p, const char *name, double v, const char *text,
                       struct err *e)
{
    if (v == floor(v))
        return 0;
    return err_set(e, ERR_USAGE,
                   "Invalid value for --%s: %s (--compat=%s takes a whole number; "
                   "--tx-arrival=even, poisson or aligned takes fractions)",
                   name, text, p->generation->name);
}

/* --tx-rate in the meaning of an old generation. */
static int read_old(struct plan *p, const struct given *g, const struct opts *o, struct err *e)
{
    if (check_whole(p, "tx-rate", g->rate, g->rate_text, e))
        return -1;
    if (p->generation->arrival == TX_RATE_QUEUE) { /* 0.5 took --tx-jitter for a script's option */
        read_queue(p, g->rate);
        return 0;
    }
    return check_whole(p, "tx-jitter", g->jitter_us, g->jitter_text, e) || read_ours(p, g, o, e)
               ? -1
               : 0;
}

/* What --time cuts off, or does not reach. */
static void say_length(const struct plan *p, dur_ns limit)
{
    size_t n = rates_stages(p->rates), first = n;
    char end[UNITS_TEXT_SIZE];

    if (limit && rates_end(p->rates) < limit)
        log_stderr("The schedule of --tx-rate ends after %s, before --time: the run ends with it.",
                   units_format_duration(end, rates_end(p->rates)));
    while (first > 0 && limit && rates_stage(p->rates, first - 1)->from >= limit)
        first--;
    if (first < n)
        log_stderr("The run ends after %s: stage %zu of --tx-rate (%s)%s not reached.",
                   units_format_duration(end, limit), first + 1, rates_stage(p->rates, first)->text,
                   first + 1 < n ? " and those after it are" : " is");
}

/* Stages, a shape or a trace. */
static int read_spec(struct plan *p, struct given *g, const struct opts *o, struct err *e)
{
    struct rates_play play = {opt_double(o, "tx-scale"), opt_double(o, "tx-speed")};
    dur_ns limit, end;

    if ((opt_given(o, "tx-scale") || opt_given(o, "tx-speed")) && *g->spec != '@')
        return err_set(e, ERR_USAGE, "--tx-rate=%s plays a trace: --tx-rate=@FILE",
                       opt_given(o, "tx-scale") ? "*" : "speed");
    p->rates = rates_parse(g->spec, &play, e);
    if (!p->rates)
        return err_add(e, "Invalid value for --tx-rate");
    if (rates_are_starts(p->rates) && g->shape && strcmp(g->shape, "poisson") == 0)
        return err_set(e, ERR_USAGE, "--tx-arrival=poisson needs a rate, and %s has planned starts",
                       g->spec + 1);
    /* a schedule with an end is as long as the run, unless --time says less */
    end = rates_end(p->rates);
    limit = p->time_given || end == MONO_NEVER ? p->time_limit : 0;
    if (end != MONO_NEVER && (!p->time_given || !p->time_limit || p->time_limit > end))
        p->time_limit = end;
    p->rate_spec = g->spec;
    g->rate = rates_mean(p->rates, p->time_limit ? p->time_limit : MONO_NEVER);
    if (g->rate == 0)
        return err_set(e, ERR_USAGE, "Invalid value for --tx-rate: no transaction is planned%s",
                       p->time_limit ? " before the run ends" : "");
    say_length(p, limit);
    return 0;
}

static int check_rates(const struct plan *p, const struct given *g, int64_t stock, struct err *e)
{
    /* old command lines may have a jitter without a rate */
    const char *option = g->refine                                ? g->refine
                         : g->jitter_given && !p->generation->old ? "tx-jitter"
                                                                  : NULL;

    if (stock < 0)
        return err_set(e, ERR_USAGE, "Invalid value for --rate: %lld.", (long long)stock);
    if (stock > 0 && g->rate > 0)
        return err_set(e, ERR_USAGE, "--rate=%lld and --tx-rate=%s cannot be combined",
                       (long long)stock, g->rate_text);
    if (g->rate > 0 && g->rate < 1e-6)
        return err_set(e, ERR_USAGE,
                       "Invalid value for --tx-rate: %s (allowed: 0, or 1e-6 to 1e+09)",
                       g->rate_text);
    return g->rate == 0 && option ? err_set(e, ERR_USAGE, "--%s needs a rate: --tx-rate=N", option)
                                  : 0;
}

/* Before the rate: reads the objective; a search has a rate to begin with. */
static int read_objective(struct plan *p, const struct opts *o, int64_t stock,
                          const char *rate_text, double *rate, struct err *e)
{
    if (!opt_given(o, "tx-find"))
        return 0;
    if (stock > 0)
        return err_set(e, ERR_USAGE,
                       "--rate=%lld and --tx-find cannot be combined; --tx-rate=N is where a "
                       "search begins",
                       (long long)stock);
    if (p->rates)
        return err_set(e, ERR_USAGE,
                       "--tx-rate=%s and --tx-find cannot be combined: a search begins at one rate",
                       rate_text);
    *rate = *rate > 0 ? *rate : START;
    return find_objective_parse(&p->find.objective, opt_str(o, "tx-find"), e);
}

int plan_read_rate(struct plan *p, const struct opts *o, struct err *e)
{
    struct given g = read_given(o);
    int64_t stock = opt_int(o, "rate");

    if ((g.spec && read_spec(p, &g, o, e)) || read_objective(p, o, stock, g.rate_text, &g.rate, e))
        return -1;
    p->rate = g.rate;
    p->tx_rate_given = g.rate_given;
    if (check_rates(p, &g, stock, e))
        return -1;
    if (stock > 0)
        read_queue(p, (double)stock);
    if (stock > 0 || g.rate == 0)
        return 0;
    return p->generation->old && !g.refine && !g.spec ? read_old(p, &g, o, e)
                                                      : read_ours(p, &g, o, e);
}

/* --- the search --- */

int plan_find_without_server(const struct plan *p, const char *why, struct err *e)
{
    const struct find_objective *o = &p->find.objective;

    for (size_t i = 0; i < o->n; i++)
        if (o->bound[i].what == FIND_SERVER_CPU)
            return err_set(e, ERR_USAGE,
                           "--tx-find=%s needs the server's CPU, which is n/a (%s); --server=PID "
                           "names the process to read",
                           o->text, why);
    return 0;
}

int plan_read_find(struct plan *p, const struct opts *o, struct err *e)
{
    double step_s = STEP_S, least;
    struct plan_find *f = &p->find;

    for (size_t i = 1; !plan_finds(p) && i < COUNT(find_rows); i++)
        if (opt_given(o, find_rows[i].name))
            return err_set(e, ERR_USAGE, "--tx-find=%s needs an objective: --tx-find='p99<20ms'",
                           find_rows[i].name + strlen("tx-find-"));
    if (!plan_finds(p))
        return 0;
    if (p->max_events)
        return err_set(e, ERR_USAGE,
                       "--events=%llu and --tx-find cannot be combined: the steps of a search take "
                       "their time",
                       (unsigned long long)p->max_events);
    if (p->arrival == ARRIVAL_ALIGNED)
        return err_set(e, ERR_USAGE,
                       "--tx-find cannot be used with aligned arrivals, whose rate cannot change "
                       "(--tx-arrival=even or poisson)");
    if (p->overload == OVERLOAD_ABORT)
        return err_set(e, ERR_USAGE,
                       "--tx-overload=abort and --tx-find cannot be combined: a search goes beyond "
                       "what the server can do");
    p->rate_changes = true;
    f->steps = (size_t)opt_int(o, "tx-find-steps");
    f->confirm = (unsigned)opt_int(o, "tx-find-confirm");
    f->precision_pct = opt_double(o, "tx-find-precision");
    if (opt_given(o, "tx-find-step"))
        step_s = opt_double(o, "tx-find-step");
    else if (p->time_given && p->time_limit)
        step_s = fmin(fmax(dur_sec(p->time_limit) / OF_TIME, LEAST_STEP_S), STEP_S);
    least = LEAST_STEPS * step_s * AROUND;
    if (p->time_given && p->time_limit && dur_sec(p->time_limit) < least)
        return err_set(
            e, ERR_USAGE,
            "--time=%.12g is too short for --tx-find: %d steps of %.12g s take up to %.12g s "
            "(--tx-find=step makes them shorter)",
            dur_sec(p->time_limit), LEAST_STEPS, step_s, ceil(least));
    if (!p->time_given)
        p->time_limit = (dur_ns)ceil((double)f->steps * step_s * AROUND) * NS_PER_SEC;
    f->step = (dur_ns)llround(step_s * 1e9);
    f->brief = f->step / BRIEF;
    return 0;
}
