/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See generation.h.  The facts were observed on 1.0.20, as packaged, on 1.1.0, built from its
 * snapshot, and on programs that call themselves 0.4.12 and 0.5.
 */
#include "opt/generation.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#define IN_0_4(behaviour, a, b, c, d) .behaviour = a,
#define IN_0_5(behaviour, a, b, c, d) .behaviour = b,
#define IN_1_0(behaviour, a, b, c, d) .behaviour = c,
#define IN_1_1(behaviour, a, b, c, d) .behaviour = d,

#define QUEUE_1_0                                                                                  \
    .event_queue = 131072,                                                                         \
    .queue_full = "The event queue is full. This means the worker threads are unable to keep up "  \
                  "with the specified event generation rate"
#define FACTS_1(which, compat)                                                                     \
    .id = which, .name = compat, .verbosity = 3, .command_is = "implement", QUEUE_1_0
#define FACTS_0(which, compat)                                                                     \
    .id = which, .name = compat, .rand_type = "special",                                           \
    .init_failed = "Thread initialization failed!", .command_is = "have",                          \
    .slogan = ":  multi-threaded system evaluation benchmark"
#define FACTS_0_4(which, compat)                                                                   \
    [which] = {FACTS_0(which, compat),                                                             \
               .form = FORM_0_4,                                                                   \
               .version = "0.4.12",                                                                \
               .verbosity = 4,                                                                     \
               .tx_rate = TX_RATE_ALIGNED,                                                         \
               QUEUE_1_0,                                                                          \
               .rules = {.only_on = true, .leading_digits = true, .unknown = OPT_UNKNOWN_OLD},     \
               GENERATION_POLICY(IN_0_4)}

static const struct generation_facts facts[GENERATION_MAX] = {
    [GENERATION_1_0] = {FACTS_1(GENERATION_1_0, "1.0"), .form = FORM_1_0, .version = "1.0.20",
                        .rand_type = "special", .init_failed = "Thread initialization failed!",
                        GENERATION_POLICY(IN_1_0)},
    [GENERATION_1_1] = {FACTS_1(GENERATION_1_1, "1.1"), .form = FORM_1_1, .version = "1.1.0",
                        .rand_type = "uniform", .init_failed = "Threads initialization failed!",
                        .unlisted = {"max-requests", "max-time", "num-threads"},
                        .rules = {.unknown = OPT_UNKNOWN_REFUSED}, GENERATION_POLICY(IN_1_1)},
    FACTS_0_4(GENERATION_0_4, "0.4"),
    FACTS_0_4(GENERATION_0_4_TX, "0.4-tx"),
    FACTS_0_4(GENERATION_0_4_DRIZZLE, "0.4-drizzle"),
    [GENERATION_0_5] = {FACTS_0(GENERATION_0_5, "0.5"), .form = FORM_0_5, .version = "0.5",
                        .verbosity = 3, .tx_rate = TX_RATE_QUEUE, .event_queue = 100000,
                        .queue_full = "Event queue is full.",
                        .rules = {.only_on = true, .unknown = OPT_UNKNOWN_TAKEN},
                        GENERATION_POLICY(IN_0_5)},
};

const struct generation_facts *generation_facts(enum generation g)
{
    assert(g < GENERATION_MAX);
    return &facts[g];
}

static const struct opt_row row = {
    .name = "compat",
    .type = OPT_STRING,
    .def = "1.0",
    .help = "generation of sysbench whose reports, messages and defaults are used",
    .flags = OPT_OWN | OPT_ANY_CASE,
    .choices = "1.0|1.1|0.5|0.4|0.4-tx|0.4-drizzle"};

void generation_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_GENERAL, &row, 1);
}

/* What releases up to 1.2 called them. */
static const struct {
    const char *letters, *now;
} renamed[] = {
    {"0.4.12", "it is 0.4 now"},
    {"L0", "it is 0.4 now"},
    {"L0+TC", "it is 0.4-tx now"},
    {"L0-D", "it is 0.4-drizzle now"},
    {"L1", "its reports are gone, those of 0.4 are nearest"},
    {"L2", "its reports are gone, those of 0.4 are nearest"},
    {"M0", "its reports are gone, those of 0.5 are nearest"},
    {"M1", "it is 0.5 now"},
};

static const struct generation_facts *named(const char *name)
{
    for (int g = 0; g < GENERATION_MAX; g++)
        if (strcasecmp(facts[g].name, name) == 0)
            return &facts[g];
    return NULL;
}

const struct generation_facts *generation_of(const struct opts *o)
{
    const struct generation_facts *f = named(opt_str(o, row.name));

    return f ? f : &facts[0];
}

void generation_environment(struct opts *o)
{
    const char *name = getenv("SYSBENCH_COMPAT");

    if (name && *name)
        opts_set_default(o, row.name, name);
}

int generation_check(const struct opts *o, struct err *e)
{
    bool given = opt_given(o, row.name);
    const char *name = opt_str(o, row.name), *where = given ? "--compat" : "SYSBENCH_COMPAT";

    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcasecmp(renamed[i].letters, name) == 0)
            return err_set(e, ERR_USAGE, "Invalid value for %s: '%s' (%s)", where, name,
                           renamed[i].now);
    if (given || named(name))
        return 0;
    err_set(e, ERR_USAGE, "Invalid value for %s: '%s'", where, name);
    return opt_explain(o, row.name, e);
}

void generation_apply(struct opts *o)
{
    const struct generation_facts *f = generation_of(o);
    char verbosity[12];

    opts_set_default(o, "rand-type", f->rand_type);
    snprintf(verbosity, sizeof verbosity, "%d", f->verbosity);
    opts_set_default(o, "verbosity", verbosity);
    if (f->long_help)
        opts_list_old(o);
    if (f->limits_requests) {
        opts_set_default(o, "max-requests", "10000");
        opts_set_default(o, "events", "10000");
        opts_set_default(o, "time", "0");
    }
    for (size_t i = 0; i < sizeof f->unlisted / sizeof f->unlisted[0] && f->unlisted[i]; i++)
        opts_unlist(o, f->unlisted[i]);
}

const char *generation_banner(const struct generation_facts *f, const char *detail, struct str *out)
{
    str_printf(out, "sysbench %s", f->version);
    if (detail && f->slogan)
        str_adds(out, f->slogan);
    else if (detail)
        str_printf(out, " (%s)", detail);
    return str_cstr(out);
}

/* --- random numbers; names, defaults and descriptions are stock's --- */

static const struct opt_row random_rows[] = {
    {OPT_ROW("rand-type", STRING, "special", OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER,
             "random numbers distribution {} to use by default"),
     .choices = DIST_NAMES},
    {OPT_ROW("rand-spec-iter", INT, "12", 0, "number of iterations used for numbers generation")},
    {OPT_ROW("rand-spec-pct", INT, "1", 0,
             "percentage of values to be treated as 'special' (for special distribution)")},
    {OPT_ROW("rand-spec-res", INT, "75", 0,
             "percentage of 'special' values to use (for special distribution)")},
    {OPT_ROW("rand-seed", INT, "0", 0,
             "seed for random number generator. When 0, the current time is used as an RNG seed.")},
    {OPT_ROW("rand-pareto-h", DOUBLE, "0.2", 0, "shape parameter for the Pareto distribution")},
    {OPT_ROW("rand-zipfian-exp", DOUBLE, "0.8", 0,
             "shape parameter (exponent, theta) for the Zipfian distribution")},
};

void random_options_declare(struct opts *o)
{
    opts_add(o, OPT_GROUP_RANDOM, random_rows, sizeof random_rows / sizeof *random_rows);
}

int random_options_read(struct dist_params *d, const struct opts *o, struct err *e)
{
    struct dist_spec spec = {
        .type = opt_str(o, "rand-type"),
        .iter = opt_int(o, "rand-spec-iter"),
        .pct = opt_int(o, "rand-spec-pct"),
        .res = opt_int(o, "rand-spec-res"),
        .pareto_h = opt_double(o, "rand-pareto-h"),
        .zipfian_exp = opt_double(o, "rand-zipfian-exp"),
    };

    return dist_setup(d, &spec, e) ? opt_explain(o, "rand-type", e) : 0;
}
