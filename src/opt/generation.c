/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See generation.h.  The facts were observed on 1.0.20, as packaged, on 1.1.0, built from its
 * snapshot, and on programs that call themselves 0.4.12 and 0.5.
 */
#include "opt/generation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#define QUEUE_1_0                                                                                  \
    .event_queue = 131072,                                                                         \
    .queue_full = "The event queue is full. This means the worker threads are unable to keep up "  \
                  "with the specified event generation rate"
#define OLD                                                                                        \
    .old = true, .rand_type = "special", .init_failed = "Thread initialization failed!",           \
    .any_option = true, .max_requests = 10000, .all_on_stdout = true
#define OLD_0_4                                                                                    \
    OLD, QUEUE_1_0, .verbosity = 4, .arrival = TX_RATE_ALIGNED, .builtin_oltp = true,              \
                    .rules = {.only_on = true, .unknown = OPT_UNKNOWN_OLD}
#define OLD_0_5                                                                                    \
    OLD, .version = "0.5", .verbosity = 3, .commits_are_transactions = true,                       \
         .arrival = TX_RATE_QUEUE, .event_queue = 100000, .queue_full = "Event queue is full.",    \
         .rules = {.only_on = true, .unknown = OPT_UNKNOWN_TAKEN}

static const struct generation_facts facts[GENERATION_MAX] = {
    [GENERATION_1_0] =
        {
            QUEUE_1_0,
            .id = GENERATION_1_0,
            .form = FORM_1_0,
            .name = "1.0",
            .version = "1.0.20",
            .rand_type = "special",
            .init_failed = "Thread initialization failed!",
            .warmup_reports = true,
            .any_option = true,
            .verbosity = 3,
        },
    [GENERATION_1_1] =
        {
            QUEUE_1_0,
            .id = GENERATION_1_1,
            .form = FORM_1_1,
            .name = "1.1",
            .version = "1.1.0",
            .rand_type = "uniform",
            .init_failed = "Threads initialization failed!",
            .any_option = false,
            .unlisted = {"max-requests", "max-time", "num-threads"},
            .verbosity = 3,
        },
    [GENERATION_0_4_12] =
        {
            OLD_0_4,
            .id = GENERATION_0_4_12,
            .rules.leading_digits = true,
            .form = FORM_0_4,
            .name = "0.4.12",
            .dialect = "L0",
            .version = "0.4.12",
        },
    [GENERATION_0_4_TC] =
        {
            OLD_0_4,
            .id = GENERATION_0_4_TC,
            .rules.leading_digits = true,
            .form = FORM_0_4,
            .name = "0.4",
            .dialect = "L0+TC",
            .version = "0.4.12",
        },
    [GENERATION_0_4_D] =
        {
            OLD_0_4,
            .id = GENERATION_0_4_D,
            .rules.leading_digits = true,
            .form = FORM_0_4,
            .name = "L0-D",
            .version = "0.4.12",
        },
    [GENERATION_0_4_HEAD] =
        {
            OLD_0_4,
            .id = GENERATION_0_4_HEAD,
            .form = FORM_0_4_HEAD,
            .name = "L1",
            .version = "0.4.12",
        },
    [GENERATION_0_4_ORACLE] =
        {
            OLD_0_4,
            .id = GENERATION_0_4_ORACLE,
            .form = FORM_0_4_ORACLE,
            .name = "L2",
            .version = "0.4.12.10",
        },
    [GENERATION_0_5_2011] =
        {
            OLD_0_5,
            .id = GENERATION_0_5_2011,
            .form = FORM_0_5_2011,
            .name = "M0",
        },
    [GENERATION_0_5] =
        {
            OLD_0_5,
            .id = GENERATION_0_5,
            .form = FORM_0_5,
            .name = "0.5",
            .dialect = "M1",
        },
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
    .choices = "1.0|1.1|0.5|0.4|0.4.12|L0|L0+TC|L0-D|L1|L2|M0|M1"};

void generation_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_GENERAL, &row, 1);
}

static const struct generation_facts *named(const char *name)
{
    for (int g = 0; g < GENERATION_MAX; g++)
        if (strcasecmp(facts[g].name, name) == 0 ||
            (facts[g].dialect && strcasecmp(facts[g].dialect, name) == 0))
            return &facts[g];
    return NULL;
}

static const char *compat(const struct opts *o, bool *given)
{
    *given = opt_given(o, row.name);
    return opt_str(o, row.name);
}

const struct generation_facts *generation_of(const struct opts *o)
{
    bool given;
    const struct generation_facts *f = named(compat(o, &given));

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
    bool given;
    const char *name = compat(o, &given);

    if (given || named(name))
        return 0;
    err_set(e, ERR_USAGE, "Invalid value for SYSBENCH_COMPAT: '%s'", name);
    return opt_explain(o, row.name, e);
}

static void set_number(struct opts *o, const char *name, int n)
{
    struct str text = STR_INIT;

    str_printf(&text, "%d", n);
    opts_set_default(o, name, str_cstr(&text));
    str_free(&text);
}

void generation_apply(struct opts *o)
{
    const struct generation_facts *f = generation_of(o);

    opts_set_default(o, "rand-type", f->rand_type);
    set_number(o, "verbosity", f->verbosity);
    if (f->old) {
        opts_list_old(o);
        set_number(o, "max-requests", f->max_requests);
        set_number(o, "events", f->max_requests);
        set_number(o, "time", 0);
    }
    for (size_t i = 0; i < sizeof f->unlisted / sizeof f->unlisted[0] && f->unlisted[i]; i++)
        opts_unlist(o, f->unlisted[i]);
}

const char *generation_identity(const struct generation_facts *f, const char *detail,
                                struct str *out)
{
    str_printf(out, "sysbench %s (%s %s", f->version, PACKAGE_NAME, PACKAGE_VERSION);
    if (detail)
        str_printf(out, ", %s", detail);
    str_adds(out, ")");
    return str_cstr(out);
}

const char *generation_banner(const struct generation_facts *f, const char *detail, struct str *out)
{
    if (!f->old)
        return generation_identity(f, detail, out);
    str_printf(out, "sysbench %s:  multi-threaded system evaluation benchmark", f->version);
    return str_cstr(out);
}

const char *generation_version(const struct generation_facts *f, struct str *out)
{
    if (!f->old)
        return generation_identity(f, NULL, out);
    str_printf(out, "sysbench %s", f->version);
    return str_cstr(out);
}
