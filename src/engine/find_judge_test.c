/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each way in which a rate can fail to hold, with its sentence and the side that was the limit.
 */
#include "engine/verdict.h"

#include "base/test.h"

static struct find_objective objective;

static struct find_objective parsed(const char *text)
{
    struct find_objective o;
    struct err e = {0};

    CHECK_INT(find_objective_parse(&o, text, &e), 0);
    return o;
}

/* 1,000 a second for 10 s, all done, each in 1 ms. */
static struct find_step good(void)
{
    return (struct find_step){.rate = 1000,
                              .length = 10 * NS_PER_SEC,
                              .offered = 10000,
                              .done = 10000,
                              .value = {5e6},
                              .lag_p99 = 1e5,
                              .server_busy_pct = 50,
                              .client_busy_pct = 20};
}

static struct find_reading reading(void)
{
    return (struct find_reading){
        .objective = &objective,
        .v = {.tolerance_pct = 1, .service_mean = 1e6, .clients = 2, .server_wait = -1}};
}

static void judge(struct find_reading *r, struct find_step *s)
{
    struct verdict_readings *v = &r->v;

    v->cpus = v->server_cpus = v->host_cpus = 1;
    v->idle_pct = NAN;
    v->self_cpu_pct = s->client_busy_pct;
    v->server_cpu_pct = s->server_busy_pct;
    v->server_waited_pct = v->server_wait > 0 ? 90 : 0;
    v->target = s->rate;
    v->scheduled = s->length;
    v->offered = s->offered;
    v->done = v->service_n = s->done;
    v->failed = s->failed;
    v->dropped = s->dropped;
    v->waiting = s->waiting;
    v->open = s->offered > s->done ? s->offered - s->done - s->failed - s->dropped : 0;
    v->calm = v->service_mean;
    v->early = v->least = v->worker_pct = v->script_pct = v->short_pct = NAN;
    v->in_time = v->done;
    v->own = v->clients;
    v->longest = (dur_ns)v->service_mean;
    find_judge(r, s);
}

static void check(struct find_reading *r, struct find_step *s, const char *why,
                  enum find_limit limit)
{
    judge(r, s);
    CHECK_STR(s->why, why);
    CHECK_INT(s->holds, *why == '\0');
    CHECK_INT(s->limit, limit);
}

static void holds(void)
{
    struct find_reading r = reading();
    struct find_step s = good();

    check(&r, &s, "", FIND_LIMIT_NONE);
    s = good();
    s.done = 9900; /* the share that may be missing */
    check(&r, &s, "", FIND_LIMIT_NONE);
    s = good();
    s.done = 10005; /* more than offered: the rest of what came before */
    check(&r, &s, "", FIND_LIMIT_NONE);
}

/* Few are in flight at 10/s: the one in flight at the end is no backlog. */
static void by_chance(void)
{
    struct find_reading r = reading();
    struct find_step s = good();

    s.rate = 10;
    s.offered = 10;
    s.done = 9;
    s.server_busy_pct = s.client_busy_pct = 1;
    objective = parsed("p50<20ms");
    check(&r, &s, "", FIND_LIMIT_NONE);
    s.waiting = 1; /* it is due at the reading, and its client has not got the CPU yet */
    check(&r, &s, "", FIND_LIMIT_NONE);
    s.waiting = 0;
    s.done = 7;
    check(&r, &s, "not sustained: 70.0 % was done in time", FIND_LIMIT_LATENCY);
    objective = parsed("p99<20ms");
}

/* "raise --threads" is no help where CPUs are missing. */
static void waited_for_a_cpu(void)
{
    struct find_reading r = reading();
    struct find_step s = good();

    s.done = 8000;
    s.waiting = 2000;
    r.v.late = 7900;
    check(&r, &s, "not sustained: 80.0 % was done in time", FIND_LIMIT_CLIENTS);
    *s.why = '\0';
    r.v.server_wait = 5 * NS_PER_SEC;
    check(&r, &s, "not sustained: 80.0 % was done in time", FIND_LIMIT_CPU_WAIT);
}

static void bound_unkept(void)
{
    struct find_reading r = reading();
    struct find_step s = good();

    s.value[0] = 31.2e6;
    check(&r, &s, "p99 31.2 ms, not < 20.0 ms", FIND_LIMIT_LATENCY);
    s = good();
    s.value[0] = 20e6; /* < is not <= */
    check(&r, &s, "p99 20.0 ms, not < 20.0 ms", FIND_LIMIT_LATENCY);
    s = good();
    s.value[0] = NAN;
    check(&r, &s, "p99 n/a", FIND_LIMIT_LATENCY);
    objective = parsed("p99<=20ms");
    s = good();
    s.value[0] = 20e6;
    check(&r, &s, "", FIND_LIMIT_NONE);
    objective = parsed("p99<20ms");
}

static void limits(void)
{
    struct find_reading r = reading();
    struct find_step s = good();

    s.value[0] = 31e6;
    s.server_busy_pct = 98;
    check(&r, &s, "p99 31.0 ms, not < 20.0 ms", FIND_LIMIT_SERVER_CPU);
    s = good();
    s.value[0] = 31e6;
    s.server_busy_pct = 98;
    s.client_busy_pct = 99;
    check(&r, &s, "p99 31.0 ms, not < 20.0 ms", FIND_LIMIT_CLIENT_CPU);
    s = good();
    s.value[0] = 31e6;
    s.server_busy_pct = s.client_busy_pct = NAN;
    r.v.late = 500;
    r.v.late_idle = 100;
    check(&r, &s, "p99 31.0 ms, not < 20.0 ms", FIND_LIMIT_CLIENTS);
    r.v.late_idle = 400; /* they were idle, and woke late */
    s = good();
    s.value[0] = 31e6;
    check(&r, &s, "p99 31.0 ms, not < 20.0 ms", FIND_LIMIT_CPU_WAIT);
    CHECK_STR(s.cause, "the load generator woke up late (400 of 500 late starts had an idle "
                       "client); give it more CPU time");
}

static void backlog(void)
{
    struct find_reading r = reading();
    struct find_step s = good();

    r.v.service_mean = 2.2e6;
    s.done = 9000;
    s.waiting = 990;
    check(&r, &s, "not sustained: 90.0 % was done in time", FIND_LIMIT_CLIENTS);
    r.v.service_mean = 1e6;
    s = good();
    s.done = 9000;
    s.waiting = 990;
    s.server_busy_pct = 99;
    check(&r, &s, "not sustained: 90.0 % was done in time", FIND_LIMIT_SERVER_CPU);
    s = good();
    s.length = NS_PER_SEC;
    s.waiting = 812;
    s.done = 9188;
    s.server_busy_pct = s.client_busy_pct = 50;
    r.v.service_mean = 2.2e6;
    r.cut = true;
    check(&r, &s, "not sustained: 812 waited for a client after 1.00 s", FIND_LIMIT_CLIENTS);
}

/* All 8 clients are busy, and the line grows slowly: no chance, however few they are. */
static void slow_growth(void)
{
    struct find_reading r = reading();
    struct find_step s = good();

    r.v.service_mean = 50e6;
    r.queued_before = 2;
    s.rate = 150;
    s.offered = 450;
    s.done = 442;
    s.waiting = 5; /* 3 more: half of 1 %, and one that may be a chance */
    check(&r, &s, "", FIND_LIMIT_NONE);
    s.waiting = 6;
    check(&r, &s, "not sustained: 4 more waited for a client than 10.00 s before",
          FIND_LIMIT_CLIENTS);
    s.why[0] = '\0';
    s.waiting = 4;
    s.failed = 4; /* of the 4.5 that may be missing: no room is left for a queue but of one */
    check(&r, &s, "not sustained: 2 more waited for a client than 10.00 s before",
          FIND_LIMIT_CLIENTS);
    s.why[0] = '\0';
    s.waiting = 3;
    check(&r, &s, "", FIND_LIMIT_NONE);
}

static void lost(void)
{
    struct find_reading r = reading();
    struct find_step s = good();

    s.done = 9500;
    s.failed = 500;
    check(&r, &s, "not sustained: 95.0 % was done in time", FIND_LIMIT_ERRORS);
    s = good();
    s.done = 9500;
    s.dropped = 500; /* as all clients were busy */
    r.v.service_mean = 2.1e6;
    check(&r, &s, "not sustained: 95.0 % was done in time", FIND_LIMIT_CLIENTS);
    s = good();
    r.v.service_mean = 1e6;
    s.offered = s.done = 0;
    check(&r, &s, "nothing was done", FIND_LIMIT_LATENCY);
}

static void other_bounds(void)
{
    struct find_reading r = reading();
    struct find_step s = good();

    objective = parsed("errors<1%,cpu<80%");
    s.value[0] = 2.5;
    s.value[1] = 10;
    check(&r, &s, "errors 2.50 %, not < 1.00 %", FIND_LIMIT_ERRORS);
    s = good();
    s.value[0] = 0;
    s.value[1] = 85;
    check(&r, &s, "server CPU 85.0 %, not < 80.0 %", FIND_LIMIT_SERVER_CPU);
    objective = parsed("errors<=5/s");
    s = good();
    s.value[0] = 5.5;
    check(&r, &s, "errors 5.50/s, not <= 5.00/s", FIND_LIMIT_ERRORS);
}

static void check_unmeasured(struct find_reading *r, struct find_step *s, const char *why)
{
    judge(r, s);
    CHECK_STR(s->why, why);
    CHECK(s->unmeasured && !s->holds);
    CHECK_INT(s->limit, FIND_LIMIT_NONE);
}

/* A CPU that cannot be read says nothing of the rate, and is no limit. */
static void unmeasured(void)
{
    struct find_reading r = reading();
    struct find_step s = good();

    objective = parsed("cpu<80%,p99<20ms,client cpu<50%");
    r.no_server_cpu = "it has ended";
    r.no_client_cpu = "it is hidden";
    s.value[0] = NAN;
    s.value[1] = 5e6;
    s.value[2] = 10;
    check_unmeasured(&r, &s, "server CPU n/a: it has ended");
    s = good();
    s.value[0] = 70;
    s.value[1] = 5e6;
    s.value[2] = NAN;
    check_unmeasured(&r, &s, "client CPU n/a: it is hidden");
    s = good();
    s.value[0] = NAN; /* the rate does not hold, whatever the CPU was */
    s.value[1] = 31e6;
    check(&r, &s, "p99 31.0 ms, not < 20.0 ms", FIND_LIMIT_LATENCY);
    CHECK(!s.unmeasured);
    s = good();
    s.done = 9000;
    s.value[0] = NAN;
    check(&r, &s, "not sustained: 90.0 % was done in time", FIND_LIMIT_LATENCY);
    CHECK(!s.unmeasured);
}

/* A percentile needs transactions above it: no rate holds, and none fails, by that of fewer. */
static void too_few(void)
{
    struct find_reading r = reading();

    objective = parsed("p99<20ms");
    for (int slow = 0; slow < 2; slow++) {
        struct find_step s = good();
        s.rate = 9.9, s.offered = s.done = 99;
        s.value[0] = slow ? 31e6 : 5e6;
        check_unmeasured(&r, &s, "p99 of only 99 transactions: take longer steps");
        s = good();
        s.rate = 10, s.offered = s.done = 100;
        s.server_busy_pct = s.client_busy_pct = 1;
        s.value[0] = slow ? 31e6 : 5e6;
        judge(&r, &s);
        CHECK(s.holds == !slow && !s.unmeasured);
        CHECK_INT(s.unkept, slow);
    }
}

TEST_MAIN(find_judge_test)
{
    objective = parsed("p99<20ms");
    holds();
    by_chance();
    waited_for_a_cpu();
    bound_unkept();
    limits();
    backlog();
    slow_growth();
    lost();
    other_bounds();
    unmeasured();
    too_few();
    return test_done("find_judge");
}
