/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of the search: what a plan says for them, how long its steps are, and the sentence
 * for each combination that cannot be.
 */
#include "engine/plan.h"

#include "base/test.h"

/* The plan of "option=value option=value ..."; the error in *e. */
static int plan_of(struct plan *p, const char *options, struct err *e)
{
    static const struct opt_row others[] = {
        {.name = "rand-seed", .type = OPT_INT, .def = "0", .help = "seed"},
        {.name = "mark-on", .type = OPT_STRING, .def = "", .help = "marks"}};
    struct opts *o = opts_new();
    char text[256], *at = NULL;
    int rc;

    plan_options(o);
    opts_add(o, OPT_GROUP_RANDOM, others, sizeof others / sizeof *others);
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

static struct plan good(const char *options)
{
    struct plan p;
    struct err e;

    CHECK_INT(plan_of(&p, options, &e), 0);
    CHECK_STR(e.msg, "");
    return p;
}

static void defaults(void)
{
    struct plan p = good("tx-find=p99<20ms");

    CHECK(p.rate_changes);
    CHECK(plan_finds(&p));
    CHECK_NEAR(p.rate, 100, 0);
    CHECK_INT(p.find.step, 10 * NS_PER_SEC);
    CHECK_INT(p.find.brief, 2 * NS_PER_SEC);
    CHECK_INT(p.find.steps, 40);
    CHECK_INT(p.find.confirm, 2);
    CHECK_NEAR(p.find.precision_pct, 5, 0);
    CHECK_INT(p.time_limit, 600 * NS_PER_SEC); /* what 40 steps can take */
    CHECK_INT(p.arrival, ARRIVAL_EVEN);
    p = good("threads=2");
    CHECK(!plan_finds(&p) && p.rate == 0);
}

static void given(void)
{
    struct plan p = good("tx-find=p99<20ms tx-rate=500 tx-arrival=poisson tx-find-step=1 "
                         "tx-find-steps=20 tx-find-confirm=3 tx-find-precision=2 tx-strict=0.5");

    CHECK_NEAR(p.rate, 500, 0);
    CHECK_INT(p.arrival, ARRIVAL_POISSON);
    CHECK_INT(p.find.step, NS_PER_SEC);
    CHECK_INT(p.find.brief, NS_PER_SEC / 5);
    CHECK_INT(p.find.steps, 20);
    CHECK_INT(p.find.confirm, 3);
    CHECK_NEAR(p.find.precision_pct, 2, 0);
    CHECK_NEAR(p.tolerance_pct, 0.5, 0);
    CHECK_INT(p.time_limit, 30 * NS_PER_SEC);
}

/* --time is the limit of all of it, and divides into steps. */
static void times(void)
{
    struct plan p = good("tx-find=p99<20ms time=60");

    CHECK_INT(p.time_limit, 60 * NS_PER_SEC);
    CHECK_INT(p.find.step, 3 * NS_PER_SEC);
    p = good("tx-find=p99<20ms time=3600");
    CHECK_INT(p.find.step, 10 * NS_PER_SEC);
    p = good("tx-find=p99<20ms time=6");
    CHECK_INT(p.find.step, NS_PER_SEC / 2);
    p = good("tx-find=p99<20ms time=0");
    CHECK_INT(p.time_limit, 0);
    CHECK_INT(p.find.step, 10 * NS_PER_SEC);
    p = good("tx-find=p99<20ms time=12 tx-find-step=1");
    CHECK_INT(p.find.step, NS_PER_SEC);
}

static const struct {
    const char *options, *complaint;
} bad[] = {
    {"tx-find-step=1", "--tx-find=step needs an objective: --tx-find='p99<20ms'"},
    {"tx-find-steps=20 tx-rate=5", "--tx-find=steps needs an objective: --tx-find='p99<20ms'"},
    {"tx-find-confirm=1", "--tx-find=confirm needs an objective: --tx-find='p99<20ms'"},
    {"tx-find-precision=1", "--tx-find=precision needs an objective: --tx-find='p99<20ms'"},
    {"tx-find=p99<20", "Invalid value for --tx-find: 'p99<20' (a time needs a unit: us, ms or s)"},
    {"tx-find=p99<20ms rate=10",
     "--rate=10 and --tx-find cannot be combined; --tx-rate=N is where a search begins"},
    {"tx-find=p99<20ms tx-rate=10:5s,20",
     "--tx-rate=10:5s,20 and --tx-find cannot be combined: a search begins at one rate"},
    {"tx-find=p99<20ms events=10",
     "--events=10 and --tx-find cannot be combined: the steps of a search take their time"},
    {"tx-find=p99<20ms tx-arrival=aligned",
     "--tx-find cannot be used with aligned arrivals, whose rate cannot change "
     "(--tx-arrival=even or poisson)"},
    {"tx-find=p99<20ms tx-burst=5 tx-overload=abort",
     "--tx-overload=abort and --tx-find cannot be combined: a search goes beyond what the server "
     "can do"},
    {"tx-find=p99<20ms time=5",
     "--time=5 is too short for --tx-find: 8 steps of 0.5 s take up to 6 s "
     "(--tx-find=step makes them shorter)"},
    {"tx-find=p99<20ms time=60 tx-find-step=10",
     "--time=60 is too short for --tx-find: 8 steps of 10 s take up to 120 s (--tx-find=step makes them "
     "shorter)"},
};

static void refusals(void)
{
    struct plan p = {0};
    struct err e;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_INT(plan_of(&p, bad[i].options, &e), -1);
        CHECK_STR(e.msg, bad[i].complaint);
        CHECK_INT(e.kind, ERR_USAGE);
        plan_fini(&p);
    }
    CHECK_INT(plan_of(&p, "tx-find=p99<20ms tx-find-steps=3", &e), -1);
    CHECK_INT(plan_of(&p, "tx-find=p99<20ms tx-find-step=0.1", &e), -1);
    CHECK_INT(plan_of(&p, "tx-find=p99<20ms tx-find-precision=0", &e), -1);
    CHECK_INT(plan_of(&p, "tx-find=p99<20ms tx-find-confirm=0", &e), -1);
}

static void without_server(void)
{
    struct plan p = good("tx-find=p99<20ms,errors<1%");
    struct err e = {0};

    CHECK_INT(plan_find_without_server(&p, "it hid", &e), 0);
    p.find.objective.bound[p.find.objective.n].what = FIND_SERVER_CPU; /* behind the last */
    CHECK_INT(plan_find_without_server(&p, "it hid", &e), 0);
    p = good("tx-find=p99<20ms,cpu<50%");
    CHECK_INT(plan_find_without_server(&p, "it hid", &e), -1);
    CHECK_STR(e.msg, "--tx-find=p99<20ms,cpu<50% needs the server's CPU, which is n/a (it hid); "
                     "--server=PID names the process to read");
    CHECK_INT(e.kind, ERR_USAGE);
    p = good("threads=2");
    CHECK_INT(plan_find_without_server(&p, "it hid", &e), 0);
}

TEST_MAIN(plan_find_test)
{
    defaults();
    given();
    times();
    refusals();
    without_server();
    return test_done("plan_find");
}
