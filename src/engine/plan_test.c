/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options into the plan.  tests/data/golden/plan_test.txt has, for each combination of options,
 * what differs from the plan without any, or the refusal.
 */
#include "engine/plan.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/record.h"
#include "base/test_golden.h"

/* The plan of "option=value;option=value;...", or one rank's share of it; the error in *e. */
static int rank_plan(struct plan *p, const char *options, int rank, int ranks, struct err *e)
{
    static const struct opt_row others[] = {
        {.name = "rand-seed", .type = OPT_INT, .def = "0", .help = "seed"},
        {.name = "mark-on", .type = OPT_STRING, .def = "", .help = "marks"}};
    struct opts *o = opts_new();
    char text[700], *at = NULL;
    int rc;

    plan_options(o);
    opts_add(o, OPT_GROUP_RANDOM, others, COUNT(others));
    snprintf(text, sizeof text, "%s", options);
    for (char *word = strtok_r(text, ";", &at); word; word = strtok_r(NULL, ";", &at)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        opt_set(o, word, value, NULL);
    }
    *e = (struct err){0};
    *p = (struct plan){0};
    rc = opts_check(o, e) || plan_from_options(p, o, e) ||
                 (ranks > 1 && plan_divide(p, o, rank, ranks, e))
             ? -1
             : 0;
    opts_free(o);
    return rc;
}

static int plan_of(struct plan *p, const char *options, struct err *e)
{
    return rank_plan(p, options, 0, 1, e);
}

static const struct record_field members[] = {
    MEMBERS(struct plan, clients, max_events, time_limit, time_given, warmup, warmup_steady_pct,
            forced, forced_grace, asks_more, min_clients, stack_size, workers, workers_left,
            workers_by_default, worker_batch, worker_stall, think, think_exp, limits_retries,
            trx_retries, error_backoff, init_timeout, stamp_decimals, report_interval, batch_delay,
            warmup_reports, checkpoints, percentiles, keep_histograms, fine_percentiles, seed,
            seed_by_default, rate, rate_changes, tx_rate_given, stock_rate, old_rate, plain_rate,
            arrival, jitter, overload, burst, max_lag, spin, strict, tolerance_pct, find.step,
            find.brief, find.steps, find.confirm, find.precision_pct)};

static void spell(const char *options)
{
    struct str out = STR_INIT;
    struct plan p, usual;
    struct err e;

    CHECK_INT(plan_of(&usual, "", &e), 0);
    if (plan_of(&p, options, &e)) {
        str_printf(&out, "%s%s\n", e.kind == ERR_SYNTAX ? "syntax: " : "", e.msg);
    } else {
        golden_members(&out, members, COUNT(members), &p, *options ? &usual : NULL);
        for (size_t i = 0; i < p.checkpoints; i++)
            str_printf(&out, "%s%.9g s", i ? ", " : "; at ", dur_sec(p.checkpoint[i]));
        for (size_t i = 0; i < p.percentiles; i++)
            str_printf(&out, "%sp%g", i ? ", " : "; ", p.percentile[i]);
        if (plan_walked_rate(&p) < p.rate)
            str_printf(&out, "; walks %g", plan_walked_rate(&p));
        str_adds(&out, "\n");
    }
    golden(&out, "%s", options);
    plan_fini(&p);
    plan_fini(&usual);
    str_free(&out);
}

static const char accepted[] =
    "|warmup-time=15;warmup-until=steady|warmup-time=60;warmup-until=steady:2.5%|"
    "warmup-time=60;warmup-until=steady:100|forced-shutdown=off|forced-shutdown=OFF|"
    "forced-shutdown=7|forced-shutdown=0|forced-shutdown=7s|forced-shutdown=2m|"
    "forced-shutdown=;time=40|forced-shutdown=10%;time=50|"
    "forced-shutdown=10%;time=50;warmup-time=50|forced-shutdown=7;time=0|"
    "forced-shutdown=2147483647%;time=1000|time=0.5|time=500ms|time=1.0|time=-1|"
    "time=2147483647|warmup-time=1.25|thread-init-timeout=250us|report-interval=0.25s|"
    "report-checkpoints=0.5|report-checkpoints=3,1500ms|report-checkpoints=+3|"
    "forced-shutdown=0.5|forced-shutdown=10%;time=2.5|forced-shutdown=10%;time=25|"
    "worker-warn=1.5|worker-warn=2s|worker-batch=1ms|error-backoff=0.5s|think-time=2s|"
    "think-time=0.5s:exp|tx-rate=5;tx-max-lag=2s|tx-rate=5;tx-jitter=2ms|"
    "tx-rate=5;tx-spin=0.01ms|report-checkpoints=30,5,10|report-checkpoints=0,2147483647|"
    "rate=50|tx-rate=0.5;tx-jitter=2.5;tx-spin=3;tx-strict=0.5%|"
    "tx-rate=5;tx-arrival=aligned;tx-strict=|tx-rate=5;tx-arrival=poisson;tx-burst=7|"
    "tx-rate=5;tx-overload=queue|tx-rate=5;tx-overload=drop;tx-max-lag=0.0000001|"
    "tx-rate=5;tx-overload=abort;tx-max-lag=20|compat=0.4;tx-rate=20|"
    "compat=0.4-tx;tx-rate=20;tx-jitter=400000|compat=0.4;tx-jitter=5|"
    "compat=0.5;tx-rate=20;tx-jitter=5.5|compat=0.5;rate=20|compat=0.4;rate=20|"
    "compat=0.4;tx-rate=2.5;tx-strict=|compat=0.4;tx-rate=2.5;tx-arrival=even|"
    "compat=0.5;tx-rate=2.5;tx-jitter=5.5;tx-spin=1|tx-rate=20|tx-rate=5|rate=5|"
    "rate=5;compat=1.1|tx-rate=5;compat=1.1|"
    "threads=7;events=9;time=0;warmup-time=3;"
    "thread-stack-size=64K;thread-init-timeout=0;rand-seed=5|"
    "threads=8;workers=3;worker-warn=0|threads=2;workers=3|threads=1000|"
    "threads=256;workers=0|threads=8;workers=1;worker-batch=100|think-time=2.5|"
    "think-time=10:exp|workers=0;worker-batch=100|workers=1;worker-batch=100;rate=5|"
    "workers=1;worker-batch=100;tx-rate=5|rate=10000001|rate=2147483647|tx-rate=1e9|"
    "percentile=95|percentile=1|percentile=100|percentile=0|percentile=|percentile=0.0|"
    "percentile=99.9|percentile=.5|percentile=007|percentile=50,95,99,99.9|"
    "percentile=99.99,50|percentile=100,0.001|report-interval=0|report-interval=|"
    "report-interval=1|report-interval=10|report-interval=1.0|report-interval=0.1|"
    "report-interval=0.25|report-interval=2.5|report-interval=0.3333333|"
    "report-interval=2147483647|report-interval=0.0999|report-interval=2147483648|"
    "report-interval=-1|report-interval=-0.5|report-interval=abc|report-interval=0x10|"
    "report-interval=1x|report-interval=inf|percentile=101|percentile=-1|percentile=100.1|"
    "percentile=abc|percentile=1e1|percentile=95%|percentile=9.5.1|percentile=.|"
    "percentile=-0.5|percentile=99999999999|percentile=,|percentile=50,|percentile=50,,95|"
    "percentile=50,x|percentile=50, 95|percentile=50,-1|percentile=50,nan,95|"
    "percentile=50,100.001|percentile=50,0|percentile=50,95,50.0|"
    "percentile=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17";

static const char refused[] =
    "threads=0|threads=-1|threads=1000001|warmup-time=-1|warmup-until=steady|"
    "warmup-until=steady:2%;warmup-time=14|warmup-until=flat;warmup-time=20|"
    "warmup-until=steady5;warmup-time=20|warmup-until=steady:0;warmup-time=20|"
    "warmup-until=steady:101%;warmup-time=20|warmup-until=steady:5%%;warmup-time=20|"
    "thread-init-timeout=-1|thread-stack-size=100G|thread-stack-size=0|forced-shutdown=x|"
    "forced-shutdown=-1|forced-shutdown=5%%|forced-shutdown=2147483648|"
    "report-checkpoints=1,x|report-checkpoints=1,2.5x|report-checkpoints=-1|"
    "report-checkpoints=2147483648|rate=-1|rate=10;tx-rate=5|tx-rate=1e-7|tx-jitter=5|"
    "compat=0.4;tx-jitter=5;tx-strict=|compat=0.4;tx-rate=10.5|compat=0.5;tx-rate=0.5|"
    "compat=0.4;tx-rate=10;tx-jitter=0.5|compat=0.4;tx-rate=2000000|"
    "tx-rate=10;tx-arrival=aligned;tx-burst=5|compat=0.4;tx-rate=10;tx-max-lag=5|tx-strict=|"
    "tx-rate=1;tx-strict=x|tx-rate=1;tx-strict=101|tx-rate=1;tx-strict=-1|"
    "tx-rate=1;tx-strict=nan|tx-rate=1;tx-strict=1%%|tx-rate=1;tx-overload=queue;tx-burst=5|"
    "tx-rate=1;tx-overload=abort|tx-rate=1000001;tx-jitter=1|"
    "tx-rate=10000001;tx-arrival=poisson|tx-rate=1000000;tx-jitter=100001|workers=x|"
    "workers=1025|trx-retries=x|trx-retries=-1|error-backoff=-1|think-time=x|"
    "think-time=5:gauss|think-time=-1|think-time=86400001";

static const char of_a_rate[] =
    "tx-rate=-1|tx-rate=-0.001|tx-rate=nan|tx-rate=inf|tx-rate=1e10|tx-rate=ten|tx-rate=5/s|"
    "tx-rate=10T|tx-rate=1 0|tx-rate=0x|tx-rate=9;tx-jitter=-1|tx-rate=9;tx-jitter=nan|"
    "tx-rate=9;tx-jitter=inf|tx-rate=9;tx-jitter=1e11|tx-rate=9;tx-burst=-1|tx-rate=9;tx-burst=1.5|"
    "tx-rate=9;tx-burst=nan|tx-rate=9;tx-burst=99999999999|tx-rate=9;tx-burst=many|"
    "tx-rate=9;tx-max-lag=-1|tx-rate=9;tx-max-lag=nan|tx-rate=9;tx-max-lag=inf|"
    "tx-rate=9;tx-max-lag=1e11|tx-rate=9;tx-spin=-1|tx-rate=9;tx-spin=nan|tx-rate=9;tx-spin=inf|"
    "tx-rate=9;tx-spin=1e7|tx-rate=9;tx-strict=inf|tx-rate=9;tx-strict=one|tx-rate=9;tx-strict=x5|"
    "tx-rate=9;tx-arrival=Even|tx-rate=9;tx-arrival=steady|tx-rate=9;tx-arrival=even |"
    "tx-rate=9;tx-arrival=even,poisson|tx-rate=9;tx-overload=Drop|tx-rate=9;tx-overload=wait|"
    "tx-rate=9;tx-overload=0|tx-rate=9;tx-overload=drop|tx-rate=9;tx-overload=queue;tx-max-lag=5|"
    "tx-rate=9;tx-overload=abort;tx-max-lag=5|tx-rate=9;tx-overload=drop;tx-burst=5|"
    "tx-arrival=poisson|tx-burst=1|tx-overload=drop|tx-max-lag=1|tx-spin=1|rate=5;tx-jitter=5|"
    "tx-rate=0;tx-jitter=5";

static const char searches[] =
    "tx-find=p99<20ms|"
    "tx-find=p99<20ms;tx-rate=500;tx-arrival=poisson;"
    "tx-find-step=1;tx-find-steps=20;tx-find-confirm=3;"
    "tx-find-precision=2;tx-strict=0.5|"
    "tx-find=p99<20ms;time=60|tx-find=p99<20ms;time=3600|tx-find=p99<20ms;time=6|"
    "tx-find=p99<20ms;time=0|tx-find=p99<20ms;time=12;tx-find-step=1|"
    "tx-find=p99<20ms,errors<1%|tx-find=p99<20ms,cpu<50%|tx-find-step=1|"
    "tx-find-steps=20;tx-rate=5|tx-find-confirm=1|tx-find-precision=1|tx-find=p99<20|"
    "tx-find=p99<20ms;rate=10|tx-find=p99<20ms;tx-rate=10:5s,20|tx-find=p99<20ms;events=10|"
    "tx-find=p99<20ms;tx-arrival=aligned|tx-find=p99<20ms;tx-burst=5;tx-overload=abort|"
    "tx-find=p99<20ms;time=5|tx-find=p99<20ms;time=60;tx-find-step=10|"
    "tx-find=p99<20ms;tx-find-steps=3|tx-find=p99<20ms;tx-find-step=0.1|"
    "tx-find=p99<20ms;tx-find-precision=0|tx-find=p99<20ms;tx-find-confirm=0";

/* A plan that three ranks divide: who has how many clients, and which numbers they have. */
static void divide(const char *options)
{
    golden_line("%s:", options);
    for (int r = 0; r < 3; r++) {
        struct plan p;
        struct err e;
        if (rank_plan(&p, options, r, 3, &e))
            golden_line("  %s", e.msg);
        else
            golden_line("  %d clients of %d, told %d; the second is number %d, at place %d; at "
                        "least %d; %d workers",
                        plan_share(&p, r), p.clients_all, plan_told_clients(&p),
                        plan_client_number(&p, 1), plan_client_place(&p, 1), p.min_clients,
                        p.workers);
        CHECK(*e.msg || p.clients == plan_share(&p, r));
        plan_fini(&p);
    }
}

static void many_checkpoints(void)
{
    char many[32 + 2 * (PLAN_MAX_CHECKPOINTS + 1)] = "report-checkpoints=1";

    for (int i = 0; i < PLAN_MAX_CHECKPOINTS; i++)
        strcat(many, ",1");
    spell(many);
}

/* A file of starts is no rate for random ones. */
static void planned_starts(void)
{
    char path[] = "/tmp/sb-plan-XXXXXX", options[80], want[120];
    struct plan p;
    struct err e;
    int fd = mkstemp(path);

    CHECK(fd >= 0 && write(fd, "0\n0.5\n1\n", 8) == 8);
    close(fd);
    snprintf(options, sizeof options, "tx-rate=@%s;tx-arrival=poisson", path);
    snprintf(want, sizeof want, "--tx-arrival=poisson needs a rate, and %s has planned starts",
             path);
    CHECK_INT(plan_of(&p, options, &e), -1);
    CHECK_STR(e.msg, want);
    rates_free(p.rates);
    unlink(path);
}

static void workers(void)
{
    struct err e;
    struct plan p;

    CHECK(plan_of(&p, "threads=1000;workers=auto", &e) == 0 && p.workers >= 1);
    CHECK(plan_of(&p, "threads=1000", &e) == 0 && plan_may_use_workers(&p));
    p.clients = 8;
    CHECK(plan_may_use_workers(&p));
    p.clients = 7;
    CHECK(!plan_may_use_workers(&p));
    plan_workers_by_default(&p);
    CHECK(p.workers >= 1 && p.workers_by_default && p.worker_stall == 0);
    CHECK(plan_of(&p, "threads=256;workers=0", &e) == 0 && !plan_may_use_workers(&p));
}

/* Answers may be held back only where no rate measures them, and only by workers. */
static void batch(void)
{
    struct err e;
    struct plan p;

    CHECK(plan_of(&p, "", &e) == 0 && p.worker_batch == 0 && plan_check_batch(&p, &e) == 0);
    CHECK(plan_of(&p, "threads=8;workers=1;worker-batch=100", &e) == 0);
    CHECK_INT(p.worker_batch, 100 * NS_PER_US);
    CHECK_INT(plan_check_batch(&p, &e), 0);
    CHECK(plan_of(&p, "threads=2;worker-batch=100", &e) == 0 && plan_may_use_workers(&p));
    CHECK_INT(plan_check_batch(&p, &e), -1); /* a script of the user's has threads */
    CHECK_STR(
        e.msg,
        "--workers=batch=100 needs --workers=N: without it, only the bundled scripts use workers");
    plan_workers_by_default(&p);
    CHECK_INT(plan_check_batch(&p, &e), 0);
}

/* A search that needs the server's CPU. */
static void without_server(const char *options)
{
    struct plan p;
    struct err e;

    CHECK_INT(plan_of(&p, options, &e), 0);
    p.find.objective.bound[p.find.objective.n].what = FIND_SERVER_CPU; /* behind the last */
    golden_line("%s without a server: %s", options,
                plan_find_without_server(&p, "it hid", &e) ? e.msg : "");
}

TEST_MAIN(plan_test)
{
    golden_each(accepted, spell);
    golden_each(refused, spell);
    golden_each(of_a_rate, spell);
    golden_each(searches, spell);
    golden_each("threads=10|threads=16;min-clients=10|threads=8;workers=4|"
                "threads=800;workers=4|threads=2|"
                "threads=8;warmup-time=15;warmup-until=steady|threads=8;tx-find=p99<20ms",
                divide);
    many_checkpoints();
    planned_starts();
    workers();
    batch();
    golden_each("tx-find=p99<20ms,errors<1%|tx-find=p99<20ms,cpu<50%|threads=2", without_server);
    golden_done("plan_test");
    return test_done("plan_test");
}
