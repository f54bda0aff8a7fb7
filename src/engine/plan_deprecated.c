/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See plan_deprecated.h.
 */
#include "engine/plan_deprecated.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"

static const struct opt_row general_rows[] = {
    {.name = "intermediate-result-timer",
     .type = OPT_INT,
     .def = "0",
     .help = "old name of --report-interval",
     .flags = OPT_OLD | OPT_SECONDS,
     .now = "report-interval"},
    {.name = "batch",
     .type = OPT_STRING,
     .def = "off",
     .help = "with --compat=0.4: a line of statistics every --batch-delay seconds {on, off}",
     .flags = OPT_OLD | OPT_MAY_BE_EMPTY},
    {.name = "batch-delay",
     .type = OPT_INT,
     .def = "300",
     .help = "seconds between the lines of --batch",
     .flags = OPT_OLD | OPT_SECONDS},
};

static const struct opt_row random_rows[] = {
    {.name = "init-rng",
     .type = OPT_BOOL,
     .def = "off",
     .help = "seed the random numbers from the clock",
     .flags = OPT_OLD},
    {.name = "rand-init",
     .type = OPT_BOOL,
     .def = "off",
     .help = "the name of --init-rng in 0.5",
     .flags = OPT_OLD},
    {.name = "seed-rng",
     .type = OPT_INT,
     .def = "0",
     .help = "old name of --rand-seed",
     .flags = OPT_OLD,
     .now = "rand-seed"},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void plan_old_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_GENERAL, general_rows, COUNT(general_rows));
    opts_add(o, OPT_GROUP_RANDOM, random_rows, COUNT(random_rows));
}

static const struct {
    const char *old, *now;
    int64_t above;
} names[] = {{"num-threads", "threads", 1}, {"max-requests", "events", 0}, {"max-time", "time", 0}};

/* In 1.0, an old name counts only with a value that differs from "not used". */
static bool counts(size_t i, int64_t v, bool exact)
{
    bool negative_counts = strcmp(names[i].old, "max-time") != 0;

    return exact || v > names[i].above || (negative_counts && v < 0);
}

/* Bare, or "on"; another value is meant for an option of the script. */
static bool batch_is_on(const struct opts *o)
{
    const char *text = opt_str(o, "batch");

    return opt_given(o, "batch") && (!*text || strcmp(text, "on") == 0);
}

/* These choose between the clock and a seed that was not given: what 1.0 does anyway. */
static void warn_without_effect(const struct opts *o)
{
    static const char *const clock[] = {"init-rng", "rand-init"};

    for (size_t i = 0; i < COUNT(clock); i++)
        if (opt_given(o, clock[i]))
            log_stderr("WARNING: --%s is deprecated: without --rand-seed, the seed comes from the "
                       "clock",
                       clock[i]);
    if (batch_is_on(o))
        log_stderr("WARNING: --batch has no effect without --compat=0.4, use --report-interval "
                   "instead");
}

void plan_apply_deprecated(struct opts *o)
{
    bool current = generation_of(o)->old; /* not deprecated yet */

    for (size_t i = 0; i < COUNT(names); i++) {
        if (!opt_given(o, names[i].old) || !counts(i, opt_int(o, names[i].old), current))
            continue;
        if (!current)
            log_print("WARNING: --%s is deprecated, use --%s instead\n", names[i].old,
                      names[i].now);
        opt_set(o, names[i].now, opt_str(o, names[i].old), NULL);
    }
    if (!current)
        warn_without_effect(o);
    opts_apply_old(o);
}

static bool either(const struct opts *o, const char *a, const char *b, const char **given)
{
    *given = opt_bool(o, a) ? a : b;
    return opt_bool(o, a) || opt_bool(o, b);
}

int plan_read_seed(struct plan *p, const struct opts *o, struct err *e)
{
    const char *clock;

    p->seed = (uint32_t)opt_int(o, "rand-seed");
    if (either(o, "init-rng", "rand-init", &clock)) {
        if (p->seed)
            return err_set(e, ERR_USAGE, "Cannot set both --%s and --%s", clock,
                           opt_given(o, "seed-rng") ? "seed-rng" : "rand-seed");
        p->seed_from_clock = true;
    } else if (p->seed == 0 && p->generation->old) {
        p->seed = PLAN_OLD_SEED;
        p->seed_by_default = true;
    }
    return 0;
}

uint32_t plan_draw_seed(const struct plan *p)
{
    wall_ns now = clock_wall();

    return p->seed ? p->seed : (uint32_t)(now ^ (now >> 32) ^ ((int64_t)getpid() << 16)) | 1;
}

int plan_read_batch(struct plan *p, const struct opts *o, struct err *e)
{
    int64_t delay = opt_int(o, "batch-delay");

    if (!batch_is_on(o) || p->generation->form != FORM_0_4)
        return 0;
    if (delay <= 0)
        return err_set(e, ERR_USAGE, "Invalid value for --batch-delay: %lld (at least 1 second)",
                       (long long)delay);
    p->batch_delay = delay * NS_PER_SEC;
    return 0;
}

void plan_note_tx_rate(const struct plan *p, const struct opts *o, const char *command)
{
    if (!command || strcmp(command, "run") != 0)
        return;
    if (p->rate <= 0 || p->stock_rate || p->plain_rate || p->rate_spec ||
        opts_own_given(o, "tx-rate"))
        return;
    log_stderr(
        "NOTE: --tx-rate holds an even rate and adds lines to the reports (see "
        "sysbench-rate(7)); use --rate=N for the Poisson arrivals that it stood for in sysbench 1.0");
}
