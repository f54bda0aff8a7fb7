/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the options of the search for the highest rate into a plan.  A search of the usual 14 steps
 * takes about two minutes with steps of 10 s.  With --time, which limits all of it, a step is a
 * twentieth of that time unless --tx-find=step says otherwise; without, the limit is the time that
 * all the steps can take.
 */
#include "engine/plan.h"

#include <math.h>
#include <string.h>

#include "engine/find_objective.h"

#define START        100.0 /* the rate, if --tx-rate does not say */
#define STEP_S       10.0  /* the default */
#define LEAST_STEP_S 0.5
#define OF_TIME      20  /* steps that --time is divided into */
#define LEAST_STEPS  8   /* that have to fit into it */
#define BRIEF        5   /* brief steps are so many times shorter */
#define AROUND       1.5 /* a step with its settling and draining, at most */

static const struct opt_row rows[] = {
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

void plan_find_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_RATE, rows, COUNT(rows));
}

int plan_find_rate(struct plan *p, const struct opts *o, int64_t stock, const char *rate_text,
                   double *rate, struct err *e)
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

static int needs_find(const struct opts *o, struct err *e)
{
    for (size_t i = 1; i < COUNT(rows); i++)
        if (opt_given(o, rows[i].name))
            return err_set(e, ERR_USAGE, "--tx-find=%s needs an objective: --tx-find='p99<20ms'",
                           rows[i].name + strlen("tx-find-"));
    return 0;
}

static int check_others(const struct plan *p, struct err *e)
{
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
    return 0;
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

static double step_of(const struct plan *p, const struct opts *o)
{
    double s = dur_sec(p->time_limit) / OF_TIME;

    if (opt_given(o, "tx-find-step"))
        return opt_double(o, "tx-find-step");
    if (!p->time_given || p->time_limit == 0)
        return STEP_S;
    return fmin(fmax(s, LEAST_STEP_S), STEP_S);
}

static int check_time(const struct plan *p, double step_s, struct err *e)
{
    double least = LEAST_STEPS * step_s * AROUND;

    if (p->time_limit == 0 || dur_sec(p->time_limit) >= least)
        return 0;
    return err_set(
        e, ERR_USAGE,
        "--time=%.12g is too short for --tx-find: %d steps of %.12g s take up to %.12g s "
        "(--tx-find=step makes them shorter)",
        dur_sec(p->time_limit), LEAST_STEPS, step_s, ceil(least));
}

static int read_time(struct plan *p, const struct opts *o, struct err *e)
{
    double step_s = step_of(p, o);

    if (p->time_given) {
        if (check_time(p, step_s, e))
            return -1;
    } else {
        p->time_limit = (dur_ns)ceil((double)p->find.steps * step_s * AROUND) * NS_PER_SEC;
    }
    p->find.step = (dur_ns)llround(step_s * 1e9);
    p->find.brief = p->find.step / BRIEF;
    return 0;
}

int plan_read_find(struct plan *p, const struct opts *o, struct err *e)
{
    struct plan_find *f = &p->find;

    if (!plan_finds(p))
        return needs_find(o, e);
    if (check_others(p, e))
        return -1;
    p->rate_changes = true;
    f->steps = (size_t)opt_int(o, "tx-find-steps");
    f->confirm = (unsigned)opt_int(o, "tx-find-confirm");
    f->precision_pct = opt_double(o, "tx-find-precision");
    return read_time(p, o, e);
}
