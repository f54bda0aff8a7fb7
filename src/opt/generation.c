/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See generation.h.  The facts were observed on 1.0.20, as packaged, and 1.1.0, built from its
 * snapshot.
 */
#include "opt/generation.h"

#include <assert.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

static const struct generation_facts facts[GENERATION_MAX] = {
    [GENERATION_1_0] =
        {
            .id = GENERATION_1_0,
            .name = "1.0",
            .version = "1.0.20",
            .rand_type = "special",
            .init_failed = "Thread initialization failed!",
            .warmup_reports = true,
            .any_option = true,
        },
    [GENERATION_1_1] =
        {
            .id = GENERATION_1_1,
            .name = "1.1",
            .version = "1.1.0",
            .rand_type = "uniform",
            .init_failed = "Threads initialization failed!",
            .any_option = false,
            .unlisted = {"max-requests", "max-time", "num-threads"},
        },
};

const struct generation_facts *generation_facts(enum generation g)
{
    assert(g < GENERATION_MAX);
    return &facts[g];
}

void generation_options(struct opts *o)
{
    struct opt_row row = {
        .name = "compat", .type = OPT_STRING, .def = facts[0].name, .flags = OPT_OWN};
    struct str choices = STR_INIT, help = STR_INIT;

    str_adds(&help, "generation of sysbench whose reports, messages and defaults are used");
    for (int g = 0; g < GENERATION_MAX; g++) {
        str_printf(&choices, "%s%s", g ? "|" : "", facts[g].name);
    }
    row.choices = str_cstr(&choices);
    row.help = str_cstr(&help);
    opts_add(o, OPT_GROUP_GENERAL, &row, 1);
    str_free(&choices);
    str_free(&help);
}

static const struct generation_facts *named(const char *name)
{
    for (int g = 0; g < GENERATION_MAX; g++)
        if (strcmp(facts[g].name, name) == 0)
            return &facts[g];
    return NULL;
}

const struct generation_facts *generation_of(const struct opts *o)
{
    const struct generation_facts *f = named(opt_str(o, "compat"));

    return f ? f : &facts[0];
}

void generation_apply(struct opts *o)
{
    const struct generation_facts *f = generation_of(o);

    opts_set_default(o, "rand-type", f->rand_type);
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
