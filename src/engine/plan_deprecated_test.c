/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which old names take effect, and the messages about them.
 */
#include "engine/plan.h"

#include "base/test_capture.h"
#include "base/test_golden.h"
#include "opt/generation.h"

/* "--option=value --option=value ..." */
static struct opts *options(const char *args)
{
    struct opts *o = opts_new();
    struct err e = {0};
    char text[200], *at = NULL;

    plan_options(o);
    random_options_declare(o); /* the plan has --rand-seed */
    snprintf(text, sizeof text, "%s", args);
    for (char *arg = strtok_r(text, " ", &at); arg; arg = strtok_r(NULL, " ", &at))
        CHECK_INT(opts_set_arg(o, arg, &e), 0);
    return o;
}

static void (*capture_from_here)(void); /* where the warnings are expected */

/* The warning, what the names of today are then, and the seed and the delay of the plan. */
static void spell(const char *args)
{
    struct opts *o = options(args);
    struct opt_rules rules = generation_of(o)->rules;
    struct plan p;
    struct err e = {0};

    generation_apply(o);
    if (strstr(args, "--compat=0.4"))
        opts_set_rules(o, &rules, "sysbench 0.4.12");
    capture_from_here();
    plan_apply_deprecated(o);
    const char *warning = captured();
    int rc = plan_from_options(&p, o, &e);
    golden_line("%s: threads %s, events %s, time %s, interval %s, rand-seed %s", args,
                opt_str(o, "threads"), opt_str(o, "events"), opt_str(o, "time"),
                opt_str(o, "report-interval"), opt_str(o, "rand-seed"));
    golden_line("  seed %u%s, batch delay %g s, p%g; %s%s", (unsigned)p.seed,
                p.seed_by_default ? " by default" : "", dur_sec(p.batch_delay), p.percentile[0],
                rc ? e.msg : "", warning);
    plan_fini(&p);
    opts_free(o);
}

static size_t note_length(const char *args, const char *command)
{
    struct opts *o = options(args);
    struct plan p;
    struct err e = {0};

    capture_errors();
    CHECK_INT(plan_from_options(&p, o, &e), 0);
    plan_note_tx_rate(&p, o, command);
    plan_fini(&p);
    opts_free(o);
    return strlen(captured());
}

static void test_note(void)
{
    CHECK_INT(note_length("--tx-rate=5", "run"), 0); /* nobody asked for 1.0's ways */
    setenv("SYSBENCH_COMPAT", "1.0", 1);
    CHECK(note_length("--tx-rate=5", "run") > 100);
    CHECK_INT(note_length("--tx-rate=5", "prepare"), 0);
    CHECK_INT(note_length("--tx-rate=5", NULL), 0);
    CHECK_INT(note_length("--tx-rate=0", "run"), 0);
    CHECK_INT(note_length("--rate=5", "run"), 0);
    /* another option of ours: the user knows the difference */
    CHECK_INT(note_length("--tx-rate=5 --tx-jitter=0", "run"), 0);
    CHECK_INT(note_length("--tx-rate=5:1s,6", "run"), 0); /* 1.0 had no stages */
    unsetenv("SYSBENCH_COMPAT");
}

TEST_MAIN(plan_deprecated_test)
{
    capture_from_here = capture;
    /* a default is "not used", and the old name wins */
    golden_each("--num-threads=8|--num-threads=1|--max-requests=100|--max-requests=0|"
                "--max-requests=-1|--max-time=5|--max-time=-5|--threads=3|"
                "--num-threads=8 --threads=2",
                spell);
    /* with an old --compat the names are today's, and each value counts */
    golden_each("--compat=0.4 --num-threads=1|--compat=0.4 --num-threads=0|"
                "--compat=0.4 --max-requests=0|--compat=0.4 --max-requests=5|"
                "--compat=0.4 --max-time=0|--compat=0.4 --max-time=7|--compat=0.4 --seed-rng=9|"
                "--compat=0.4 --intermediate-result-timer=3|--compat=0.4 --debug",
                spell);
    capture_from_here = capture_errors;
    /* what 0.4 and 0.5 add beside the names; --batch=100 is an option of the script */
    golden_each("--init-rng|--rand-init=on|--batch|--batch=100|--intermediate-result-timer=5",
                spell);
    /* without a seed, old generations draw the same numbers in each run */
    golden_each("--rand-seed=3|--init-rng|--compat=0.4|--compat=0.5 --rand-seed=0|"
                "--compat=0.5 --rand-seed=5|--compat=0.4 --seed-rng=6|--compat=0.4 --init-rng|"
                "--compat=0.5 --rand-init=on|--compat=0.4 --init-rng --seed-rng=6|"
                "--rand-init --rand-seed=6",
                spell);
    /* lines of 0.4.12 */
    golden_each("--compat=0.4 --batch|--compat=0.4 --batch=on --batch-delay=5|"
                "--compat=0.4 --batch=off --batch-delay=5|--compat=0.5 --batch|"
                "--compat=0.4 --batch --batch-delay=0|--batch --batch-delay=0",
                spell);
    golden_each("--compat=0.4 --percentile=99|--compat=0.4 --percentile=99.9|"
                "--compat=0.4 --percentile=0|--compat=0.4 --percentile=101|"
                "--compat=0.4 --percentile=50,95|--compat=0.4 --percentile=-1|"
                "--compat=0.4 --percentile=x",
                spell);
    test_note();
    golden_done("plan_deprecated_test");
    return test_done("plan_deprecated_test");
}
