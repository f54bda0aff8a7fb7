/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What an objective can say, each way in which a rate can fail to hold, with its sentence and the
 * side that was the limit.  tests/data/golden/find_judge_test.txt has the answers.
 */
#include "engine/verdict.h"

#include "base/test_golden.h"

static struct find_objective objective;
static struct str out;

static const char *const limit_names[] = {[FIND_LIMIT_NONE] = "none",
                                          [FIND_LIMIT_ERRORS] = "errors",
                                          [FIND_LIMIT_CLIENT_CPU] = "client CPU",
                                          [FIND_LIMIT_SERVER_CPU] = "server CPU",
                                          [FIND_LIMIT_CLIENTS] = "clients",
                                          [FIND_LIMIT_LATENCY] = "latency",
                                          [FIND_LIMIT_CPU_WAIT] = "wait for a CPU"};

static void parsed(const char *text)
{
    struct err e = {0};

    CHECK_INT(find_objective_parse(&objective, text, &e), 0);
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

static void tell(struct find_reading *r, struct find_step *s, const char *how)
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
    str_printf(&out, "%s: %s; limit: %s; unkept %d\n",
               s->unmeasured ? "not measured"
               : s->holds    ? "holds"
                             : "does not hold",
               s->why, limit_names[s->limit], (int)s->unkept);
    if (*s->cause)
        str_printf(&out, "%s\n", s->cause);
    golden(&out, "%s: %s", objective.text, how);
}

/* A step that is good but for some members of s, and r. */
#define TELL(...)                                                                                  \
    do {                                                                                           \
        struct find_reading r = reading();                                                         \
        struct find_step s = good();                                                               \
        __VA_ARGS__;                                                                               \
        tell(&r, &s, #__VA_ARGS__);                                                                \
    } while (0)

static void steps(void)
{
    parsed("p99<20ms");
    TELL(s.rate = 1000);
    TELL(s.done = 9900);  /* the share that may be missing */
    TELL(s.done = 10005); /* more than offered: the rest of what came before */
    /* "raise --threads" is no help where CPUs are missing */
    TELL(s.done = 8000, s.waiting = 2000, r.v.late = 7900);
    TELL(s.done = 8000, s.waiting = 2000, r.v.late = 7900, r.v.server_wait = 5 * NS_PER_SEC);
    /* a bound that is not kept; < is not <= */
    TELL(s.value[0] = 31.2e6);
    TELL(s.value[0] = 20e6);
    TELL(s.value[0] = NAN);
    parsed("p99<=20ms");
    TELL(s.value[0] = 20e6);
    parsed("p99<20ms");
    TELL(s.value[0] = 31e6, s.server_busy_pct = 98);
    TELL(s.value[0] = 31e6, s.server_busy_pct = 98, s.client_busy_pct = 99);
    TELL(s.value[0] = 31e6, s.server_busy_pct = s.client_busy_pct = NAN, r.v.lag_max = 31e6,
         r.v.late = 500, r.v.late_idle = 100);
    TELL(s.value[0] = 31e6, r.v.lag_max = 31e6, r.v.late = 500,
         r.v.late_idle = 400); /* idle, and woke late */
    /* a backlog */
    TELL(s.done = 9000, s.waiting = 990, r.v.service_mean = 2.2e6);
    TELL(s.done = 9000, s.waiting = 990, s.server_busy_pct = 99);
    TELL(s.done = 9188, s.waiting = 812, s.length = NS_PER_SEC, s.client_busy_pct = 50,
         r.v.service_mean = 2.2e6, r.cut = true);
    /* all clients are busy, and the line grows slowly: no chance, however few they are */
    for (unsigned waiting = 3; waiting <= 6; waiting++)
        for (unsigned failed = 0; failed <= 4; failed += 4) {
            str_printf(&out, "%u waiting, %u failed\n", waiting, failed);
            TELL(s.rate = 150, s.offered = 450, s.done = 442, r.v.service_mean = 50e6,
                 r.queued_before = 2, s.waiting = waiting, s.failed = failed);
        }
    TELL(s.done = 9500, s.failed = 500);
    TELL(s.done = 9500, s.dropped = 500, r.v.service_mean = 2.1e6); /* all clients were busy */
    TELL(s.offered = s.done = 0);
    /* a percentile needs transactions above it: no rate holds, and none fails, by that of fewer */
    TELL(s.rate = 9.9, s.offered = s.done = 99, s.value[0] = 31e6);
    TELL(s.rate = 9.9, s.offered = s.done = 99);
    TELL(s.rate = 10, s.offered = s.done = 100, s.value[0] = 31e6);
    TELL(s.rate = 10, s.offered = s.done = 100, s.server_busy_pct = s.client_busy_pct = 1);
    /* few are in flight at 10/s: the one in flight at the end, or due then, is no backlog */
    parsed("p50<20ms");
    TELL(s.rate = 10, s.offered = 10, s.done = 9);
    TELL(s.rate = 10, s.offered = 10, s.done = 9, s.waiting = 1);
    TELL(s.rate = 10, s.offered = 10, s.done = 7);
    parsed("errors<1%,cpu<80%");
    TELL(s.value[0] = 2.5, s.value[1] = 10);
    TELL(s.value[0] = 0, s.value[1] = 85);
    parsed("errors<=5/s");
    TELL(s.value[0] = 5.5);
    /* a CPU that cannot be read says nothing of the rate, and is no limit */
    parsed("cpu<80%,p99<20ms,client cpu<50%");
    TELL(r.no_server_cpu = "it has ended", s.value[0] = NAN, s.value[1] = 5e6, s.value[2] = 10);
    TELL(r.no_client_cpu = "it is hidden", s.value[0] = 70, s.value[1] = 5e6, s.value[2] = NAN);
    TELL(r.no_server_cpu = "it has ended", s.value[0] = NAN, s.value[1] = 31e6);
    TELL(r.no_server_cpu = "it has ended", s.value[0] = NAN, s.done = 9000);
}

static void spell(const char *text)
{
    struct find_objective o = {0};
    struct err e = {0};
    int rc = find_objective_parse(&o, text, &e);

    CHECK_INT(e.kind, rc ? ERR_USAGE : 0);
    for (size_t k = 0; rc == 0 && k < o.n; k++)
        str_printf(&out, "what %d, series %d, point %g, %s %.9g\n", (int)o.bound[k].what,
                   (int)o.bound[k].series, o.bound[k].point,
                   o.bound[k].strict ? "<" : "<=", o.bound[k].limit);
    str_printf(&out, "%s\n", rc ? e.msg : o.text);
    golden(&out, "objective '%.60s'", text);
}

static void objectives(void)
{
    char text[400];

    golden_each("p99<20ms|p50<=250us|p99.9<1.5s| p95 < 5 ms |avg<2ms|mean<2ms|max<1s|lag<1ms|"
                "lag p50<1ms|service p99<=3ms|response-max<=3ms|errors<1%|errors<=0%|"
                "errors<5/s|cpu<80%|server cpu<80.5%|client-cpu<=50%|"
                "p99<20ms,errors<1% and cpu<80%, lag<=1ms||p99|p99>20ms|p0<20ms|p101<20ms|"
                "p<20ms|median<20ms|p99<20ms,|p99<20ms,,errors<1%|p99<ms|p99<-1ms|p99<<20ms|"
                "p99<20|lag<1%|errors<1|errors<101%|errors<x/s|cpu<20ms|errors<0%|p99<0ms|"
                "a<1%,b<1%|p1<1s,p2<1s,p3<1s,p4<1s,p5<1s,p6<1s,p7<1s,p8<1s,p9<1s",
                spell);
    memset(text, 'p', sizeof text);
    text[sizeof text - 1] = '\0';
    spell(text);
    text[150] = '\0'; /* a term that is too long */
    spell(text);
}

TEST_MAIN(find_judge_test)
{
    steps();
    objectives();
    str_free(&out);
    golden_done("find_judge_test");
    return test_done("find_judge_test");
}
