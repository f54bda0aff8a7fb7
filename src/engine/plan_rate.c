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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "engine/verdict.h"

static const struct opt_row rate_rows[] = {
    {OPT_ROW("tx-rate", DOUBLE, "0", OPT_COUNT | OPT_OR_TEXT,
             "steady rate: transactions per second over all threads, fractions allowed. 0 for "
             "unlimited rate. 500:60s,500-2000:5m,sine(1000,500,60s) or @trace.csv: a rate that "
             "changes"),
     .max = 1e9},
    {OPT_ROW("tx-scale", DOUBLE, "1", 0, "play a trace with so many times its rate"),
     .of = "tx-rate", .mark = "*", .min = 1e-6, .max = 1e6},
    {OPT_ROW("tx-speed", DOUBLE, "1", 0,
             "play a trace so many times faster; its rate stays what it is"),
     .of = "tx-rate", .mark = "speed=", .min = 1e-6, .max = 1e6},
    {OPT_ROW("tx-jitter", DOUBLE, "0", OPT_MICROS,
             "move each planned start by a uniform random offset within a window of this many "
             "microseconds centred on it"),
     .max = 3.6e9},
    {OPT_ROW("tx-arrival", STRING, "even", 0, "shape of the arrivals"),
     .choices = "even|poisson|aligned"},
    {OPT_ROW("tx-burst", INT, "0", OPT_COUNT,
             "catch up with at most this many overdue transactions and drop older ones. 0 for no "
             "limit"),
     .max = INT32_MAX},
    {OPT_ROW("tx-overload", STRING, NULL, 0,
             "what to do with transactions overdue beyond --tx-burst or --tx-max-lag {} "
             "(default: queue without such a limit, drop with one)"),
     .choices = "queue|drop|abort"},
    {OPT_ROW("tx-max-lag", DOUBLE, "0", OPT_MILLIS,
             "drop transactions that are overdue by more than this many milliseconds. 0 for no "
             "limit"),
     .max = 3.6e9},
    {OPT_ROW("tx-spin", DOUBLE, "0", OPT_MICROS,
             "busy-wait for the last microseconds before a planned start: less lag, but more "
             "client CPU"),
     .max = 1e6},
    {OPT_ROW("tx-strict", STRING, NULL, OPT_MAY_BE_EMPTY,
             "exit with status 3 if the rate was not sustained; an optional number is the "
             "percentage of offered transactions that may be missing (default 1)")},
};

#define START        100.0 /* the rate, if --tx-rate does not say */
#define STEP_S       10.0  /* the default */
#define LEAST_STEP_S 0.5
#define OF_TIME      20  /* steps that --time is divided into */
#define LEAST_STEPS  8   /* that have to fit into it */
#define BRIEF        5   /* brief steps are so many times shorter */
#define AROUND       1.5 /* a step with its settling and draining, at most */

static const struct opt_row find_rows[] = {
    {OPT_ROW("tx-find", STRING, NULL, 0,
             "find the highest rate that holds an objective, such as 'p99<20ms' or "
             "'p95<5ms,errors<1%,cpu<80%'; --tx-rate is where the search begins")},
    {OPT_ROW("tx-find-step", DOUBLE, NULL, OPT_SECONDS,
             "seconds for which a rate is judged (default: 10, or a twentieth of --time)"),
     .of = "tx-find", .mark = "step=", .min = LEAST_STEP_S, .max = 86400},
    {OPT_ROW("tx-find-steps", INT, "40", 0, "end the search after this many steps"),
     .of = "tx-find", .mark = "steps=", .min = LEAST_STEPS, .max = FIND_MAX_STEPS},
    {OPT_ROW("tx-find-confirm", INT, "2", 0, "how often a rate has to hold to be the answer"),
     .of = "tx-find", .mark = "confirm=", .min = 1, .max = 10},
    {OPT_ROW("tx-find-precision", DOUBLE, "5", 0,
             "stop when the rates that passed and failed differ by less than half of this "
             "percentage"),
     .of = "tx-find", .mark = "precision=", .min = 0.5, .max = 100},
};

void plan_rate_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_RATE, rate_rows, COUNT(rate_rows));
    opts_add(o, OPT_GROUP_RATE, find_rows, COUNT(find_rows));
}

/* What was said about the pace. */
struct given {
    int64_t stock; /* --rate */
    double rate, jitter_us;
    const char *rate_text, *jitter_text;
    const char *spec;   /* --tx-rate, when it is more than a number; else NULL */
    const char *shape;  /* NULL: --tx-arrival was not given */
    const char *refine; /* an option of ours beside rate and jitter, NULL: none was given */
    bool rate_given, jitter_given, scales, speeds;
    struct rates_play play; /* --tx-scale, --tx-speed */
    dur_ns limit;           /* --time, if it may cut the schedule short; 0: it does not */
};

static struct given read_given(const struct opts *o)
{
    static const char *const refine[] = {"tx-arrival", "tx-burst", "tx-overload",
                                         "tx-max-lag", "tx-spin",  "tx-strict",
                                         "tx-scale",   "tx-speed", "tx-find"};
    struct given g = {.stock = opt_int(o, "rate"),
                      .rate = opt_double(o, "tx-rate"),
                      .rate_text = opt_str(o, "tx-rate"),
                      .jitter_us = opt_double(o, "tx-jitter"),
                      .jitter_text = opt_str(o, "tx-jitter"),
                      .rate_given = opt_given(o, "tx-rate"),
                      .jitter_given = opt_given(o, "tx-jitter"),
                      .scales = opt_given(o, "tx-scale"),
                      .speeds = opt_given(o, "tx-speed"),
                      .play = {opt_double(o, "tx-scale"), opt_double(o, "tx-speed")}};
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
        return plan_invalid(e, "tx-rate",
                            "%.12g (at most %.0f: only even arrivals without jitter may be more)",
                            rate, most);
    if ((double)p->jitter / 1e9 * rate > most_in_window)
        return plan_invalid(e, "tx-jitter",
                            "%s (at this rate at most %.0f: a window of %.0f planned starts)",
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

static int read_ours(struct plan *p, const struct given *g, const struct opts *o, struct err *e)
{
    static const enum arrival_shape meant[] = {[TX_RATE_OURS] = ARRIVAL_EVEN,
                                               [TX_RATE_ALIGNED] = ARRIVAL_ALIGNED,
                                               [TX_RATE_QUEUE] = ARRIVAL_POISSON};
    const char *policy = opt_str(o, "tx-overload"), *strict = opt_str(o, "tx-strict");
    char *end;

    p->arrival = !g->shape                          ? meant[p->generation->tx_rate]
                 : strcmp(g->shape, "poisson") == 0 ? ARRIVAL_POISSON
                 : strcmp(g->shape, "aligned") == 0 ? ARRIVAL_ALIGNED
                                                    : ARRIVAL_EVEN;
    p->old_rate = !g->shape && p->generation->tx_rate == TX_RATE_ALIGNED;
    p->plain_rate = p->old_rate && !opts_own_given(o, "compat tx-rate tx-jitter");
    p->jitter = (dur_ns)(g->jitter_us * 1e3);
    p->burst = (uint64_t)opt_int(o, "tx-burst");
    /* less than 1 ns is not "no limit" */
    p->max_lag = (dur_ns)ceil(opt_double(o, "tx-max-lag") * 1e6);
    p->spin = (dur_ns)(opt_double(o, "tx-spin") * 1e3);
    if (!*policy)
        p->overload = p->burst || p->max_lag ? OVERLOAD_DROP : OVERLOAD_QUEUE;
    else
        p->overload = strcmp(policy, "queue") == 0  ? OVERLOAD_QUEUE
                      : strcmp(policy, "drop") == 0 ? OVERLOAD_DROP
                                                    : OVERLOAD_ABORT;
    /* --tx-strict, --tx-strict=0.5, --tx-strict=0.5% */
    p->tolerance_pct = 1.0;
    p->strict = opt_given(o, "tx-strict");
    if (*strict) {
        p->tolerance_pct = strtod(strict, &end);
        if (end == strict || (*end && strcmp(end, "%") != 0) ||
            !(p->tolerance_pct >= 0 && p->tolerance_pct <= 100))
            return plan_invalid(e, "tx-strict", "'%s' (a percentage from 0 to 100)", strict);
    }
    return check_walk(p, g->jitter_text, e);
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

/* Stages, a shape or a trace. */
static int read_spec(struct plan *p, struct given *g, struct err *e)
{
    p->rates = rates_parse(g->spec, &g->play, e);
    if (!p->rates)
        return err_add(e, "Invalid value for --tx-rate");
    /* a schedule with an end is as long as the run, unless --time says less */
    dur_ns end = rates_end(p->rates);
    g->limit = p->time_given || end == MONO_NEVER ? p->time_limit : 0;
    if (end != MONO_NEVER && (!p->time_given || !p->time_limit || p->time_limit > end))
        p->time_limit = end;
    p->rate_spec = g->spec;
    g->rate = rates_mean(p->rates, p->time_limit ? p->time_limit : MONO_NEVER);
    if (g->rate == 0)
        return plan_invalid(e, "tx-rate", "no transaction is planned%s",
                            p->time_limit ? " before the run ends" : "");
    return 0;
}

struct refusal {
    bool when;
    const char *part[5]; /* of the sentence */
};

static int refuse(const struct refusal *row, size_t n, struct err *e)
{
    for (size_t i = 0; i < n; i++) {
        const char *const *s = row[i].part;
        if (row[i].when)
            return err_set(e, ERR_USAGE, "%s%s%s%s%s", s[0], s[1], s[2] ? s[2] : "",
                           s[3] ? s[3] : "", s[4] ? s[4] : "");
    }
    return 0;
}

/* The first option of --tx-find's own, without its prefix; NULL: there is none. */
static const char *find_part_given(const struct opts *o)
{
    const char *part = NULL;

    for (size_t i = COUNT(find_rows); i-- > 1;)
        if (opt_given(o, find_rows[i].name))
            part = find_rows[i].name + strlen("tx-find-");
    return part;
}

/* Options that cannot be combined, and those that need another one: the first row that applies. */
static int refuse_pairs(const struct plan *p, const struct opts *o, const struct given *g,
                        struct err *e)
{
    bool finds = plan_finds(p), aligned = p->arrival == ARRIVAL_ALIGNED;
    bool ours = p->generation->tx_rate == TX_RATE_OURS, limited = p->burst || p->max_lag;
    long long us = p->worker_batch / NS_PER_US;
    const char *lonely = finds ? NULL : find_part_given(o);
    /* old command lines may have a jitter without a rate */
    const char *option = g->refine ? g->refine : g->jitter_given && ours ? "tx-jitter" : NULL;
    char stock[24], events[24], batch[24];

    snprintf(stock, sizeof stock, "%lld", (long long)g->stock);
    snprintf(events, sizeof events, "%llu", (unsigned long long)p->max_events);
    snprintf(batch, sizeof batch, "%lld", us);
    const struct refusal rows[] = {
        {(g->scales || g->speeds) && g->spec && *g->spec != '@',
         {"--tx-rate=", g->scales ? "*" : "speed", " plays a trace: --tx-rate=@FILE"}},
        {p->rates && rates_are_starts(p->rates) && g->shape && strcmp(g->shape, "poisson") == 0,
         {"--tx-arrival=poisson needs a rate, and ", g->spec ? g->spec + 1 : "",
          " has planned starts"}},
        {g->stock > 0 && finds,
         {"--rate=", stock,
          " and --tx-find cannot be combined; --tx-rate=N is where a search begins"}},
        {p->rates && finds,
         {"--tx-rate=", g->rate_text,
          " and --tx-find cannot be combined: a search begins at one rate"}},
        {g->stock > 0 && g->rate > 0,
         {"--rate=", stock, " and --tx-rate=", g->rate_text, " cannot be combined"}},
        {g->rate == 0 && option, {"--", option ? option : "", " needs a rate: --tx-rate=N"}},
        {p->overload == OVERLOAD_QUEUE && limited,
         {"--tx-overload=queue drops nothing and cannot be combined ",
          "with --tx-burst or --tx-max-lag"}},
        {p->overload != OVERLOAD_QUEUE && !limited,
         {"--tx-overload=", p->overload == OVERLOAD_DROP ? "drop" : "abort",
          " needs a limit: --tx-burst=N or --tx-max-lag=MS"}},
        {aligned && p->rates,
         {"aligned arrivals have one rate: ", "--tx-rate=N, or --tx-arrival=even"}},
        {aligned && limited, /* see pace/arrivals.h */
         {p->burst ? "--tx-burst" : "--tx-max-lag",
          " cannot be used with aligned arrivals, which drop nothing",
          p->generation->tx_rate == TX_RATE_ALIGNED ? " (--tx-arrival=even can drop)" : ""}},
        {lonely, {"--tx-find=", lonely, " needs an objective: --tx-find='p99<20ms'"}},
        {p->max_events && finds,
         {"--events=", events,
          " and --tx-find cannot be combined: the steps of a search take their time"}},
        {aligned && finds,
         {"--tx-find cannot be used with aligned arrivals, whose rate cannot change ",
          "(--tx-arrival=even or poisson)"}},
        {p->overload == OVERLOAD_ABORT && finds,
         {"--tx-overload=abort and --tx-find cannot be combined: ",
          "a search goes beyond what the server can do"}},
        {us && p->rate > 0, /* answers that are held back would be late in every figure of a rate */
         {"--workers=batch=", batch,
          " cannot be combined with a rate: it delays the answers whose "
          "latency a rate measures"}},
        {us && !p->workers && !p->workers_left,
         {"--workers=batch=", batch, " needs workers, and --workers=0 asks for threads"}},
    };
    return refuse(rows, COUNT(rows), e);
}

/* The search: how long its steps take. */
static int read_find(struct plan *p, const struct opts *o, struct err *e)
{
    struct plan_find *f = &p->find;
    bool timed = p->time_given && p->time_limit;
    double step_s = opt_given(o, "tx-find-step") ? opt_double(o, "tx-find-step")
                    : timed ? fmin(fmax(dur_sec(p->time_limit) / OF_TIME, LEAST_STEP_S), STEP_S)
                            : STEP_S;
    double least = LEAST_STEPS * step_s * AROUND;

    p->rate_changes = true;
    f->steps = (size_t)opt_int(o, "tx-find-steps");
    f->confirm = (unsigned)opt_int(o, "tx-find-confirm");
    f->precision_pct = opt_double(o, "tx-find-precision");
    if (timed && dur_sec(p->time_limit) < least)
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

int plan_read_rate(struct plan *p, const struct opts *o, struct err *e)
{
    struct given g = read_given(o);
    bool old; /* --tx-rate has the meaning of an old generation */

    if (g.spec && read_spec(p, &g, e))
        return -1;
    if (opt_given(o, "tx-find")) {
        g.rate = g.rate > 0 ? g.rate : START;
        if (find_objective_parse(&p->find.objective, opt_str(o, "tx-find"), e))
            return -1;
    }
    p->rate = g.rate;
    p->tx_rate_given = g.rate_given;
    old = p->generation->tx_rate != TX_RATE_OURS && !g.refine && !g.spec && g.stock == 0 &&
          g.rate > 0;
    if (g.stock < 0)
        return plan_invalid(e, "rate", "%lld.", (long long)g.stock);
    if (g.rate > 0 && g.rate < 1e-6)
        return plan_invalid(e, "tx-rate", "%s (allowed: 0, or 1e-6 to 1e+09)", g.rate_text);
    if (old && check_whole(p, "tx-rate", g.rate, g.rate_text, e))
        return -1;
    if (g.stock > 0 || (old && p->generation->tx_rate == TX_RATE_QUEUE)) {
        /* as in --rate=N; 0.5 took --tx-jitter for a script's option */
        p->rate = g.stock > 0 ? (double)g.stock : g.rate;
        p->stock_rate = true;
        p->arrival = ARRIVAL_POISSON;
        p->overload = OVERLOAD_ABORT;
        p->burst = p->generation->event_queue;
    } else if (g.rate > 0 && ((old && check_whole(p, "tx-jitter", g.jitter_us, g.jitter_text, e)) ||
                              read_ours(p, &g, o, e))) {
        return -1;
    }
    if (refuse_pairs(p, o, &g, e))
        return -1;
    if (p->rates) {
        /* What --time cuts off, or does not reach. */
        size_t n = rates_stages(p->rates), first = n;
        char end[UNITS_TEXT_SIZE];
        if (g.limit && rates_end(p->rates) < g.limit)
            log_stderr(
                "The schedule of --tx-rate ends after %s, before --time: the run ends with it.",
                units_format_duration(end, rates_end(p->rates)));
        while (first > 0 && g.limit && rates_stage(p->rates, first - 1)->from >= g.limit)
            first--;
        if (first < n)
            log_stderr("The run ends after %s: stage %zu of --tx-rate (%s)%s not reached.",
                       units_format_duration(end, g.limit), first + 1,
                       rates_stage(p->rates, first)->text,
                       first + 1 < n ? " and those after it are" : " is");
    }
    return plan_finds(p) ? read_find(p, o, e) : 0;
}

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
