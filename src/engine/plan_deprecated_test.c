/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which old names take effect, and the messages about them.
 */
#include "engine/plan.h"

#include "base/test.h"
#include "base/test_capture.h"
#include "opt/generation.h"

static struct opts *options(const char *const *arg)
{
    struct opts *o = opts_new();
    struct err e = {0};

    plan_options(o);
    random_options_declare(o); /* the plan has --rand-seed */
    for (; *arg; arg++)
        CHECK_INT(opts_set_arg(o, *arg, &e), 0);
    return o;
}

#define OPTIONS(...) options((const char *const[]){__VA_ARGS__, NULL})

static void check(const char *arg, const char *now, int64_t value, const char *warning)
{
    struct opts *o = OPTIONS(arg);

    capture();
    plan_apply_deprecated(o);
    CHECK_STR(captured(), warning);
    CHECK_INT(opt_int(o, now), value);
    opts_free(o);
}

static void test_names(void)
{
    check("--num-threads=8", "threads", 8,
          "WARNING: --num-threads is deprecated, use --threads instead\n");
    check("--num-threads=1", "threads", 1, ""); /* its default: "not used" */
    check("--max-requests=100", "events", 100,
          "WARNING: --max-requests is deprecated, use --events instead\n");
    check("--max-requests=0", "events", 0, "");
    check("--max-requests=-1", "events", -1,
          "WARNING: --max-requests is deprecated, use --events instead\n");
    check("--max-time=5", "time", 5, "WARNING: --max-time is deprecated, use --time instead\n");
    check("--max-time=-5", "time", 10, "");
    check("--threads=3", "threads", 3, "");
}

/* The old name wins. */
static void test_both(void)
{
    struct opts *o = OPTIONS("--num-threads=8", "--threads=2");

    capture();
    plan_apply_deprecated(o);
    captured();
    CHECK_INT(opt_int(o, "threads"), 8);
    opts_free(o);
}

static size_t note_length(struct opts *o, const char *command)
{
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
    CHECK_INT(note_length(OPTIONS("--tx-rate=5"), "run"), 0); /* nobody asked for 1.0's ways */
    setenv("SYSBENCH_COMPAT", "1.0", 1);
    CHECK(note_length(OPTIONS("--tx-rate=5"), "run") > 100);
    CHECK_INT(note_length(OPTIONS("--tx-rate=5"), "prepare"), 0);
    CHECK_INT(note_length(OPTIONS("--tx-rate=5"), NULL), 0);
    CHECK_INT(note_length(OPTIONS("--tx-rate=0"), "run"), 0);
    CHECK_INT(note_length(OPTIONS("--rate=5"), "run"), 0);
    /* another option of ours: the user knows the difference */
    CHECK_INT(note_length(OPTIONS("--tx-rate=5", "--tx-jitter=0"), "run"), 0);
    CHECK_INT(note_length(OPTIONS("--tx-rate=5:1s,6"), "run"), 0); /* 1.0 had no stages */
    unsetenv("SYSBENCH_COMPAT");
}

/* With an old --compat the names are today's, and each value counts. */
static void test_current(void)
{
    static const struct {
        const char *arg, *now, *value;
    } t[] = {
        {"--num-threads=1", "threads", "1"},
        {"--num-threads=0", "threads", "0"},
        {"--max-requests=0", "events", "0"},
        {"--max-requests=5", "events", "5"},
        {"--max-time=0", "time", "0"},
        {"--max-time=7", "time", "7"},
        {"--seed-rng=9", "rand-seed", "9"},
        {"--intermediate-result-timer=3", "report-interval", "3"},
        {"--debug", "events", "10000"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = OPTIONS("--compat=0.4", t[i].arg);
        struct opt_rules rules = generation_of(o)->rules;
        generation_apply(o);
        opts_set_rules(o, &rules, "sysbench 0.4.12");
        capture();
        plan_apply_deprecated(o);
        CHECK_STR(captured(), "");
        CHECK_STR(opt_str(o, t[i].now), t[i].value);
        opts_free(o);
    }
}

/* What 0.4 and 0.5 add beside the names. */
static void test_old_only(void)
{
    static const struct {
        const char *arg, *warning;
    } t[] = {
        {"--init-rng", "WARNING: --init-rng is deprecated: without --rand-seed, the seed comes "
                       "from the clock\n"},
        {"--rand-init=on", "WARNING: --rand-init is deprecated: without --rand-seed, the seed "
                           "comes from the clock\n"},
        {"--batch", "WARNING: --batch has no effect without --compat=0.4, use --report-interval "
                    "instead\n"},
        {"--batch=100", ""}, /* an option of the script */
        {"--intermediate-result-timer=5", "WARNING: --intermediate-result-timer is deprecated, "
                                          "use --report-interval instead\n"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = OPTIONS(t[i].arg);
        capture_errors();
        plan_apply_deprecated(o);
        CHECK_STR(captured(), t[i].warning);
        opts_free(o);
    }
}

static void seed_is(struct opts *o, uint32_t seed, bool by_default, const char *complaint)
{
    struct plan p;
    struct err e = {0};

    generation_apply(o);
    capture_errors();
    plan_apply_deprecated(o);
    captured();
    CHECK_INT(plan_from_options(&p, o, &e), *complaint ? -1 : 0);
    CHECK_STR(e.msg, complaint);
    CHECK_INT(p.seed, seed);
    CHECK_INT(p.seed_by_default, by_default);
    opts_free(o);
}

/* Without a seed, old generations draw the same numbers in each run. */
static void test_seed(void)
{
    seed_is(OPTIONS("--rand-seed=3"), 3, false, "");
    seed_is(OPTIONS("--init-rng"), 0, false, "");
    seed_is(OPTIONS("--compat=0.4"), PLAN_OLD_SEED, true, "");
    seed_is(OPTIONS("--compat=0.5", "--rand-seed=0"), PLAN_OLD_SEED, true, "");
    seed_is(OPTIONS("--compat=0.5", "--rand-seed=5"), 5, false, "");
    seed_is(OPTIONS("--compat=0.4", "--seed-rng=6"), 6, false, "");
    seed_is(OPTIONS("--compat=0.4", "--init-rng"), 0, false, "");
    seed_is(OPTIONS("--compat=0.5", "--rand-init=on"), 0, false, "");
    seed_is(OPTIONS("--compat=0.4", "--init-rng", "--seed-rng=6"), 6, false,
            "Cannot set both --init-rng and --seed-rng");
    seed_is(OPTIONS("--rand-init", "--rand-seed=6"), 6, false,
            "Cannot set both --rand-init and --rand-seed");
}

static void batch_is(struct opts *o, dur_ns delay, int rc)
{
    struct plan p;
    struct err e = {0};

    CHECK_INT(plan_from_options(&p, o, &e), rc);
    CHECK_INT(p.batch_delay, delay);
    opts_free(o);
}

/* Lines of 0.4.12. */
static void test_batch(void)
{
    batch_is(OPTIONS("--compat=0.4"), 0, 0);
    batch_is(OPTIONS("--compat=0.4", "--batch"), 300 * NS_PER_SEC, 0);
    batch_is(OPTIONS("--compat=0.4", "--batch=on", "--batch-delay=5"), 5 * NS_PER_SEC, 0);
    batch_is(OPTIONS("--compat=0.4", "--batch=off", "--batch-delay=5"), 0, 0);
    batch_is(OPTIONS("--compat=0.5", "--batch"), 0, 0);
    batch_is(OPTIONS("--compat=0.4", "--batch", "--batch-delay=0"), 0, -1);
    batch_is(OPTIONS("--batch", "--batch-delay=0"), 0, 0);
}

static void test_percentile(void)
{
    static const char *const bad[] = {"99.9", "0", "101", "50,95", "-1", "x"};
    struct plan p;
    struct err e = {0};
    struct opts *o = OPTIONS("--compat=0.4", "--percentile=99");

    CHECK_INT(plan_from_options(&p, o, &e), 0);
    CHECK_NEAR(p.percentile[0], 99, 0);
    opts_free(o);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        o = OPTIONS("--compat=0.4");
        opt_set(o, "percentile", bad[i], NULL);
        CHECK_INT(plan_from_options(&p, o, &e), -1);
        CHECK(strstr(e.msg, "(a whole number from 1 to 100, in reports of sysbench 0.4.12)"));
        opts_free(o);
    }
}

TEST_MAIN(plan_deprecated_test)
{
    test_names();
    test_current();
    test_old_only();
    test_seed();
    test_batch();
    test_percentile();
    test_both();
    test_note();
    return test_done("plan_deprecated_test");
}
