/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options into the plan: limits, forced shutdown, checkpoints, rate and overload, workers and think
 * time; the plans, and the refusals with their messages.  (--percentile and --report-interval are
 * in plan_test.c.)
 */
#include "engine/plan.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/test.h"
#include "pace/rates.h"

/* The plan of "option=value option=value ..."; the error in *e. */
static int plan_of(struct plan *p, const char *options, struct err *e)
{
    static const struct opt_row seed = {
        .name = "rand-seed", .type = OPT_INT, .def = "0", .help = "seed"};
    static const struct opt_row marks = {
        .name = "mark-on", .type = OPT_STRING, .def = "", .help = "marks"};
    struct opts *o = opts_new();
    char text[256], *at = NULL;
    int rc;

    plan_options(o);
    opts_add(o, OPT_GROUP_RANDOM, &seed, 1);
    opts_add(o, OPT_GROUP_LOG, &marks, 1);
    snprintf(text, sizeof text, "%s", options);
    for (char *word = strtok_r(text, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        opt_set(o, word, value, NULL);
    }
    *e = (struct err){0};
    rc = opts_check(o, e) || plan_from_options(p, o, e) ? -1 : 0;
    opts_free(o);
    return rc;
}

static const struct {
    const char *options, *complaint;
} bad[] = {
    {"threads=0", "Invalid value for --threads: 0.\n"},
    {"threads=-1", "Invalid value for --threads: -1.\n"},
    {"threads=1000001", "Invalid value for --threads: 1000001 (at most 1000000).\n"},
    {"warmup-time=-1", "Invalid value for --warmup-time: -1.\n"},
    {"warmup-until=steady",
     "--warmup-until=steady needs a limit: --warmup-time=N, at least 15 seconds"},
    {"warmup-until=steady:2% warmup-time=14",
     "--warmup-until=steady:2% needs a limit: --warmup-time=N, at least 15 seconds"},
    {"warmup-until=flat warmup-time=20",
     "Invalid value for --warmup-until: 'flat' (steady, or steady:PCT with a percentage above 0, at "
     "most 100)"},
    {"warmup-until=steady5 warmup-time=20",
     "Invalid value for --warmup-until: 'steady5' (steady, or steady:PCT with a percentage above 0, "
     "at most 100)"},
    {"warmup-until=steady:0 warmup-time=20",
     "Invalid value for --warmup-until: 'steady:0' (steady, or steady:PCT with a percentage above "
     "0, at most 100)"},
    {"warmup-until=steady:101% warmup-time=20",
     "Invalid value for --warmup-until: 'steady:101%' (steady, or steady:PCT with a percentage "
     "above 0, at most 100)"},
    {"warmup-until=steady:5%% warmup-time=20",
     "Invalid value for --warmup-until: 'steady:5%%' (steady, or steady:PCT with a percentage above "
     "0, at most 100)"},
    {"thread-init-timeout=-1", "Invalid value for --thread-init-timeout: -1.\n"},
    {"thread-stack-size=100G", "Invalid value for --thread-stack-size: 100G (at most 1G)"},
    {"thread-stack-size=0", "Invalid value for thread-stack-size: 0.\n"},
    {"forced-shutdown=x", "Invalid value for --forced-shutdown: 'x' (off, seconds, or a percentage "
                          "of --time such as 5%)"},
    {"forced-shutdown=-1", "Invalid value for --forced-shutdown: '-1' (off, seconds, or a "
                           "percentage of --time such as 5%)"},
    {"forced-shutdown=5%%", "Invalid value for --forced-shutdown: '5%%' (off, seconds, or a "
                            "percentage of --time such as 5%)"},
    {"forced-shutdown=2147483648", "Invalid value for --forced-shutdown: '2147483648' (off, "
                                   "seconds, or a percentage of --time such as 5%)"},
    {"report-checkpoints=1,x", "Invalid value for --report-checkpoints: 'x'"},
    {"report-checkpoints=1,2.5x", "Invalid value for --report-checkpoints: '2.5x'"},
    {"report-checkpoints=-1", "Invalid value for --report-checkpoints: '-1'"},
    {"report-checkpoints=2147483648", "Invalid value for --report-checkpoints: '2147483648'"},
    {"rate=-1", "Invalid value for --rate: -1."},
    {"rate=10 tx-rate=5", "--rate=10 and --tx-rate=5 cannot be combined"},
    {"tx-rate=1e-7", "Invalid value for --tx-rate: 1e-7 (allowed: 0, or 1e-6 to 1e+09)"},
    {"tx-jitter=5", "--tx-jitter needs a rate: --tx-rate=N"},
    {"compat=0.4 tx-jitter=5 tx-strict=", "--tx-strict needs a rate: --tx-rate=N"},
    {"compat=0.4 tx-rate=10.5",
     "Invalid value for --tx-rate: 10.5 (--compat=0.4 takes a whole number; --tx-arrival=even, "
     "poisson or aligned takes fractions)"},
    {"compat=0.5 tx-rate=0.5",
     "Invalid value for --tx-rate: 0.5 (--compat=0.5 takes a whole number; --tx-arrival=even, "
     "poisson or aligned takes fractions)"},
    {"compat=0.4 tx-rate=10 tx-jitter=0.5",
     "Invalid value for --tx-jitter: 0.5 (--compat=0.4 takes a whole number; --tx-arrival=even, "
     "poisson or aligned takes fractions)"},
    {"compat=0.4 tx-rate=2000000", "Invalid value for --tx-rate: 2000000 (at most 1000000: only "
                                   "even arrivals without jitter may be more)"},
    {"tx-rate=10 tx-arrival=aligned tx-burst=5",
     "--tx-burst cannot be used with aligned arrivals, which drop nothing"},
    {"compat=0.4 tx-rate=10 tx-max-lag=5",
     "--tx-max-lag cannot be used with aligned arrivals, which drop nothing "
     "(--tx-arrival=even can drop)"},
    {"tx-strict=", "--tx-strict needs a rate: --tx-rate=N"},
    {"tx-rate=1 tx-strict=x", "Invalid value for --tx-strict: 'x' (a percentage from 0 to 100)"},
    {"tx-rate=1 tx-strict=101",
     "Invalid value for --tx-strict: '101' (a percentage from 0 to 100)"},
    {"tx-rate=1 tx-strict=-1", "Invalid value for --tx-strict: '-1' (a percentage from 0 to 100)"},
    {"tx-rate=1 tx-strict=nan",
     "Invalid value for --tx-strict: 'nan' (a percentage from 0 to 100)"},
    {"tx-rate=1 tx-strict=1%%",
     "Invalid value for --tx-strict: '1%%' (a percentage from 0 to 100)"},
    {"tx-rate=1 tx-overload=queue tx-burst=5",
     "--tx-overload=queue drops nothing and cannot be combined with --tx-burst or --tx-max-lag"},
    {"tx-rate=1 tx-overload=abort",
     "--tx-overload=abort needs a limit: --tx-burst=N or --tx-max-lag=MS"},
    {"tx-rate=1000001 tx-jitter=1", "Invalid value for --tx-rate: 1000001 (at most 1000000: only "
                                    "even arrivals without jitter may be more)"},
    {"tx-rate=10000001 tx-arrival=poisson",
     "Invalid value for --tx-rate: 10000001 (at most 10000000: only even arrivals without jitter "
     "may be more)"},
    {"tx-rate=1000000 tx-jitter=100001",
     "Invalid value for --tx-jitter: 100001 (at this rate at most 100000: a window of 100000 "
     "planned starts)"},
    {"workers=x", "Invalid value for --workers: 'x' (default, auto, or 0 to 1024)"},
    {"workers=1025", "Invalid value for --workers: '1025' (default, auto, or 0 to 1024)"},
    {"trx-retries=x", "Invalid value for --trx-retries: 'x' (unlimited, or 0 to 1000000)"},
    {"trx-retries=-1", "Invalid value for --trx-retries: '-1' (unlimited, or 0 to 1000000)"},
    {"error-backoff=-1", "Invalid value for --trx-retries=backoff: -1 (allowed: 0 to 3600000)"},
    {"think-time=x", "Invalid value for --think-time: 'x' (MS or MS:exp, at most a day)"},
    {"think-time=5:gauss",
     "Invalid value for --think-time: '5:gauss' (MS or MS:exp, at most a day)"},
    {"think-time=-1", "Invalid value for --think-time: '-1' (MS or MS:exp, at most a day)"},
    {"think-time=86400001",
     "Invalid value for --think-time: '86400001' (MS or MS:exp, at most a day)"},
};

/* A file of starts is no rate for random ones. */
static void planned_starts(void)
{
    char path[] = "/tmp/sb-plan-XXXXXX", options[80], want[120];
    struct plan p;
    struct err e;
    int fd = mkstemp(path);

    CHECK(fd >= 0 && write(fd, "0\n0.5\n1\n", 8) == 8);
    close(fd);
    snprintf(options, sizeof options, "tx-rate=@%s tx-arrival=poisson", path);
    snprintf(want, sizeof want, "--tx-arrival=poisson needs a rate, and %s has planned starts",
             path);
    CHECK_INT(plan_of(&p, options, &e), -1);
    CHECK_STR(e.msg, want);
    rates_free(p.rates);
    unlink(path);
}

static void refused(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e;
        struct plan p;

        CHECK_INT(plan_of(&p, bad[i].options, &e), -1);
        CHECK_STR(e.msg, bad[i].complaint);
    }
}

static void steady_warm_up(void)
{
    static const struct {
        const char *options;
        double pct;
    } t[] = {{"warmup-time=15 warmup-until=steady", 5},
             {"warmup-time=60 warmup-until=steady:2.5%", 2.5},
             {"warmup-time=60 warmup-until=steady:100", 100}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e;
        struct plan p;

        CHECK_INT(plan_of(&p, t[i].options, &e), 0);
        CHECK_NEAR(p.warmup_steady_pct, t[i].pct, 0);
    }
}

static void limits(void)
{
    struct err e;
    struct plan p;

    CHECK_INT(plan_of(&p, "", &e), 0);
    CHECK(p.clients == 1 && p.max_events == 0 && p.workers == 0 && p.stack_size == 0);
    CHECK_INT(p.time_limit, 10 * NS_PER_SEC);
    CHECK_INT(p.init_timeout, 30 * NS_PER_SEC);
    CHECK_INT(p.worker_stall, 100 * NS_PER_MS);
    CHECK(p.rate == 0 && !p.clock && !p.workers_by_default);
    CHECK_INT(plan_of(&p,
                      "threads=7 events=9 time=0 warmup-time=3 thread-stack-size=64K "
                      "thread-init-timeout=0 rand-seed=5",
                      &e),
              0);
    CHECK(p.clients == 7 && p.max_events == 9 && p.time_limit == 0 && p.init_timeout == 0);
    CHECK_INT(p.warmup, 3 * NS_PER_SEC);
    CHECK(p.warmup_steady_pct == 0);
    CHECK_INT(p.stack_size, 65536);
    CHECK_INT(p.seed, 5);
}

/* The grace after the time limit, in seconds; -1: no forced shutdown. */
static void forced(void)
{
    static const struct {
        const char *options;
        int grace;
    } t[] = {
        {"forced-shutdown=off", -1},        {"forced-shutdown=OFF", -1},
        {"forced-shutdown=7", 7},           {"forced-shutdown=0", 0},
        {"forced-shutdown=7s", 7},          {"forced-shutdown=2m", 120},
        {"forced-shutdown= time=40", 2}, /* 5 % */
        {"forced-shutdown=10% time=50", 5}, {"forced-shutdown=10% time=50 warmup-time=50", 10},
        {"forced-shutdown=7 time=0", -1},   {"forced-shutdown=2147483647% time=1000", INT32_MAX},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e;
        struct plan p;

        CHECK_INT(plan_of(&p, t[i].options, &e), 0);
        CHECK_INT(p.forced, t[i].grace < 0 ? FORCED_OFF : FORCED_ON);
        CHECK_INT(p.forced_grace, t[i].grace < 0 ? 0 : t[i].grace * NS_PER_SEC);
    }
}

/* Every option that is a time: a fraction, or a unit. */
static void times(void)
{
    static const struct {
        const char *options;
        size_t member;
        dur_ns ns;
        int decimals;
    } t[] = {
#define T(options, member, ns, decimals) {options, offsetof(struct plan, member), ns, decimals}
        T("time=0.5", time_limit, NS_PER_SEC / 2, 0),
        T("time=500ms", time_limit, NS_PER_SEC / 2, 0),
        T("time=1.0", time_limit, NS_PER_SEC, 0),
        T("time=-1", time_limit, 0, 0),
        T("time=2147483647", time_limit, INT32_MAX * NS_PER_SEC, 0),
        T("warmup-time=1.25", warmup, 5 * NS_PER_SEC / 4, 0),
        T("thread-init-timeout=250us", init_timeout, 250 * NS_PER_US, 0),
        T("report-interval=0.25s", report_interval, NS_PER_SEC / 4, 2),
        T("report-checkpoints=0.5", checkpoint[0], NS_PER_SEC / 2, 1),
        T("report-checkpoints=3,1500ms", checkpoint[0], 3 * NS_PER_SEC / 2, 1),
        T("report-checkpoints=+3", checkpoint[0], 3 * NS_PER_SEC, 0),
        T("forced-shutdown=0.5", forced_grace, NS_PER_SEC / 2, 0),
        T("forced-shutdown=10% time=2.5", forced_grace, NS_PER_SEC / 4, 0),
        T("forced-shutdown=10% time=25", forced_grace, 2 * NS_PER_SEC, 0),
        T("worker-warn=1.5", worker_stall, 3 * NS_PER_MS / 2, 0),
        T("worker-warn=2s", worker_stall, 2 * NS_PER_SEC, 0),
        T("worker-batch=1ms", worker_batch, NS_PER_MS, 0),
        T("error-backoff=0.5s", error_backoff, NS_PER_SEC / 2, 0),
        T("think-time=2s", think, 2 * NS_PER_SEC, 0),
        T("think-time=0.5s:exp", think, NS_PER_SEC / 2, 0),
        T("tx-rate=5 tx-max-lag=2s", max_lag, 2 * NS_PER_SEC, 0),
        T("tx-rate=5 tx-jitter=2ms", jitter, 2 * NS_PER_MS, 0),
        T("tx-rate=5 tx-spin=0.01ms", spin, 10 * NS_PER_US, 0),
#undef T
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e = {0};
        struct plan p;

        CHECK_INT(plan_of(&p, t[i].options, &e), 0);
        CHECK_STR(e.msg, "");
        CHECK_INT(*(const dur_ns *)((const char *)&p + t[i].member), t[i].ns);
        CHECK_INT(p.stamp_decimals, t[i].decimals);
    }
}

static void checkpoints(void)
{
    char many[16 + 2 * (PLAN_MAX_CHECKPOINTS + 1)] = "";
    struct opts *o = opts_new();
    struct err e;
    struct plan p;

    CHECK_INT(plan_of(&p, "report-checkpoints=30,5,10", &e), 0);
    CHECK_INT(p.checkpoints, 3);
    CHECK_INT(p.checkpoint[0], 5 * NS_PER_SEC);
    CHECK_INT(p.checkpoint[1], 10 * NS_PER_SEC);
    CHECK_INT(p.checkpoint[2], 30 * NS_PER_SEC);
    CHECK_INT(plan_of(&p, "report-checkpoints=0,2147483647", &e), 0);
    CHECK_INT(p.checkpoint[0], 0);
    CHECK_INT(p.checkpoint[1], INT32_MAX * NS_PER_SEC);
    for (int i = 0; i <= PLAN_MAX_CHECKPOINTS; i++)
        strcat(many, "1,");
    many[strlen(many) - 1] = '\0';
    plan_options(o);
    opt_set(o, "report-checkpoints", many, NULL);
    e = (struct err){0};
    CHECK_INT(plan_from_options(&p, o, &e), -1);
    CHECK_STR(e.msg, "Too many checkpoints in --report-checkpoints (up to 256 can be defined)");
    opts_free(o);
}

static void rates(void)
{
    struct err e;
    struct plan p;

    CHECK_INT(plan_of(&p, "rate=50", &e), 0);
    CHECK(p.stock_rate && p.arrival == ARRIVAL_POISSON && p.overload == OVERLOAD_ABORT);
    CHECK_INT(p.burst, 131072);
    CHECK_INT(plan_of(&p, "tx-rate=0.5 tx-jitter=2.5 tx-spin=3 tx-strict=0.5%", &e), 0);
    CHECK(p.rate == 0.5 && !p.stock_rate && p.arrival == ARRIVAL_EVEN);
    CHECK_INT(p.jitter, 2500);
    CHECK_INT(p.spin, 3000);
    CHECK(p.strict && p.tolerance_pct == 0.5 && p.overload == OVERLOAD_QUEUE);
    CHECK_INT(plan_of(&p, "tx-rate=5 tx-arrival=aligned tx-strict=", &e), 0);
    CHECK(p.arrival == ARRIVAL_ALIGNED && p.strict && p.tolerance_pct == 1);
    CHECK_INT(plan_of(&p, "tx-rate=5 tx-arrival=poisson tx-burst=7", &e), 0);
    CHECK(p.arrival == ARRIVAL_POISSON && p.overload == OVERLOAD_DROP && p.burst == 7);
    CHECK_INT(plan_of(&p, "tx-rate=5 tx-overload=queue", &e), 0);
    CHECK_INT(p.overload, OVERLOAD_QUEUE);
    CHECK_INT(plan_of(&p, "tx-rate=5 tx-overload=drop tx-max-lag=0.0000001", &e), 0);
    CHECK_INT(p.overload, OVERLOAD_DROP);
    CHECK_INT(p.max_lag, 1); /* less than 1 ns is not "no limit" */
    CHECK_INT(plan_of(&p, "tx-rate=5 tx-overload=abort tx-max-lag=20", &e), 0);
    CHECK(p.overload == OVERLOAD_ABORT && p.max_lag == 20 * NS_PER_MS);
}

/* The meaning of --tx-rate in old generations. */
static void old_rates(void)
{
    struct err e;
    struct plan p;

    CHECK_INT(plan_of(&p, "compat=0.4 tx-rate=20", &e), 0);
    CHECK(p.rate == 20 && p.arrival == ARRIVAL_ALIGNED && p.jitter == 0);
    CHECK(p.plain_rate && !p.stock_rate && p.old_rate && !p.warmup_reports);
    CHECK_INT(plan_of(&p, "compat=0.4-tx tx-rate=20 tx-jitter=400000", &e), 0);
    CHECK(p.arrival == ARRIVAL_ALIGNED && p.jitter == 400 * NS_PER_MS && p.plain_rate);
    CHECK_INT(plan_of(&p, "compat=0.4 tx-jitter=5", &e), 0);
    CHECK(p.rate == 0);
    CHECK_INT(plan_of(&p, "compat=0.5 tx-rate=20 tx-jitter=5.5", &e), 0);
    CHECK(p.rate == 20 && p.arrival == ARRIVAL_POISSON && p.jitter == 0);
    CHECK(p.stock_rate && !p.old_rate && !p.plain_rate);
    CHECK(p.overload == OVERLOAD_ABORT && p.burst == 100000);
    CHECK_INT(plan_of(&p, "compat=0.5 rate=20", &e), 0);
    CHECK(p.stock_rate && p.burst == 100000);
    CHECK_INT(plan_of(&p, "compat=0.4 rate=20", &e), 0);
    CHECK(p.stock_rate && p.burst == 131072);
    /* a further option of ours: fractions, and the blocks of our reports */
    CHECK_INT(plan_of(&p, "compat=0.4 tx-rate=2.5 tx-strict=", &e), 0);
    CHECK(p.arrival == ARRIVAL_ALIGNED && !p.plain_rate && p.old_rate);
    CHECK_INT(plan_of(&p, "compat=0.4 tx-rate=2.5 tx-arrival=even", &e), 0);
    CHECK(p.arrival == ARRIVAL_EVEN && !p.plain_rate && !p.old_rate);
    CHECK_INT(plan_of(&p, "compat=0.5 tx-rate=2.5 tx-jitter=5.5 tx-spin=1", &e), 0);
    CHECK(p.arrival == ARRIVAL_POISSON && !p.stock_rate && p.jitter == 5500);
    CHECK_INT(plan_of(&p, "tx-rate=20", &e), 0);
    CHECK(p.arrival == ARRIVAL_EVEN && !p.plain_rate && !p.old_rate);
}

/* sysbench 1.1 has no reports of a warm-up; with our own rate there are. */
static void warm_up_reports(void)
{
    struct err e;
    struct plan p;

    CHECK(plan_of(&p, "tx-rate=5", &e) == 0 && p.warmup_reports);
    CHECK(plan_of(&p, "rate=5", &e) == 0 && p.warmup_reports);
    CHECK(plan_of(&p, "rate=5 compat=1.1", &e) == 0 && !p.warmup_reports);
    CHECK(plan_of(&p, "tx-rate=5 compat=1.1", &e) == 0 && p.warmup_reports);
}

static void workers(void)
{
    struct err e;
    struct plan p;

    CHECK(plan_of(&p, "threads=8 workers=3 worker-warn=0", &e) == 0 && p.workers == 3);
    CHECK_INT(p.worker_stall, 0);
    CHECK(plan_of(&p, "threads=2 workers=3", &e) == 0 && p.workers == 2);
    CHECK(plan_of(&p, "threads=1000 workers=auto", &e) == 0 && p.workers >= 1);
    CHECK(plan_of(&p, "threads=1000", &e) == 0 && p.workers == 0);
    CHECK(p.workers_left && plan_may_use_workers(&p));
    p.clients = 8;
    CHECK(plan_may_use_workers(&p));
    p.clients = 7;
    CHECK(!plan_may_use_workers(&p));
    plan_workers_by_default(&p);
    CHECK(p.workers >= 1 && p.workers_by_default && p.worker_stall == 0);
    CHECK(plan_of(&p, "threads=256 workers=0", &e) == 0);
    CHECK(!p.workers_left && !plan_may_use_workers(&p));
}

/* Answers may be held back only where no rate measures them, and only by workers. */
static void batch(void)
{
    struct err e;
    struct plan p;

    CHECK(plan_of(&p, "", &e) == 0 && p.worker_batch == 0 && plan_check_batch(&p, &e) == 0);
    CHECK(plan_of(&p, "threads=8 workers=1 worker-batch=100", &e) == 0);
    CHECK_INT(p.worker_batch, 100 * NS_PER_US);
    CHECK_INT(plan_check_batch(&p, &e), 0);
    CHECK(plan_of(&p, "threads=2 worker-batch=100", &e) == 0 && plan_may_use_workers(&p));
    CHECK_INT(plan_check_batch(&p, &e), -1); /* a script of the user's has threads */
    CHECK_STR(
        e.msg,
        "--workers=batch=100 needs --workers=N: without it, only the bundled scripts use workers");
    plan_workers_by_default(&p);
    CHECK_INT(plan_check_batch(&p, &e), 0);
    CHECK_INT(plan_of(&p, "workers=0 worker-batch=100", &e), -1);
    CHECK_STR(e.msg, "--workers=batch=100 needs workers, and --workers=0 asks for threads");
    for (int i = 0; i < 2; i++) {
        CHECK_INT(plan_of(&p,
                          i ? "workers=1 worker-batch=100 rate=5"
                            : "workers=1 worker-batch=100 tx-rate=5",
                          &e),
                  -1);
        CHECK_STR(e.msg,
                  "--workers=batch=100 cannot be combined with a rate: it delays the answers "
                  "whose latency a rate measures");
    }
}

static void think_time(void)
{
    struct err e;
    struct plan p;

    CHECK(plan_of(&p, "think-time=2.5", &e) == 0 && !p.think_exp);
    CHECK_INT(p.think, 2500 * NS_PER_US);
    CHECK(plan_of(&p, "think-time=10:exp", &e) == 0 && p.think_exp);
    CHECK_INT(p.think, 10 * NS_PER_MS);
}

TEST_MAIN(plan_options_test)
{
    refused();
    planned_starts();
    steady_warm_up();
    limits();
    forced();
    checkpoints();
    rates();
    old_rates();
    warm_up_reports();
    workers();
    batch();
    think_time();
    times();
    return test_done("plan_options_test");
}
