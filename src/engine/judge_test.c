/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the verdict is told of a span: each reading from the figure that it is named after, unknown
 * where that was not read.
 */
#include "engine/client_state.h"
#include "engine/collect.h"
#include "engine/ranks.h"

#include "base/test.h"
#include "engine/verdict.h"

static struct plan plan;
static struct client clients[6];
static struct run a_run;
static struct collect c = {.run = &a_run};

static const union proc_cpu_ticks
    before = {{.user = 1000, .system = 500, .idle = 700, .iowait = 30, .steal = 9}},
    now = {{.user = 1040, .system = 510, .idle = 725, .iowait = 45, .steal = 19}};

/* An interval of 2 s on 4 CPUs, with a server on this machine; of all ticks 40 % are idle and 10 %
 * stolen. */
static struct snapshot busy_interval(void)
{
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL,
                         .interval_ns = 2 * NS_PER_SEC,
                         .ncpu = 4,
                         .rate = {.target = 50,
                                  .offered = 11,
                                  .dropped = 12,
                                  .lost = 13,
                                  .total_offered = 111,
                                  .total_dropped = 112,
                                  .total_lost = 113,
                                  .waiting = 14,
                                  .in_flight = 15,
                                  .oldest_ns = 16,
                                  .service = {.n = 17, .mean = 18.5, .max = 19},
                                  .lag = {.max = 20}},
                         .server = {.on = true,
                                    .d = {.wall_ns = NS_PER_SEC,
                                          .have = SAMPLE_ALL,
                                          .cpu_ns = NS_PER_SEC * 4 / 5,
                                          .runq_wait_ns = NS_PER_SEC / 5}},
                         .self = {.on = true,
                                  .d = {.wall_ns = NS_PER_SEC,
                                        .have = SAMPLE_ALL | SAMPLE_THROTTLE,
                                        .cpu_ns = NS_PER_SEC * 2 / 5,
                                        .runq_wait_ns = NS_PER_SEC / 4,
                                        .throttled_ns = 3}}};

    for (int i = 0; i < CNT_MAX; i++)
        s.count[i] = 200 + (uint64_t)i, s.total[i] = 300 + (uint64_t)i;
    return s;
}

static void counts(void)
{
    for (int all = 0; all < 2; all++) {
        struct snapshot s = busy_interval();
        s.kind = all ? SNAPSHOT_FINAL : SNAPSHOT_INTERVAL;
        const struct verdict_readings v = span_readings(&c, &s, &before, &now);
        const uint64_t n = all ? 300 : 200;
        CHECK_INT(v.clients, 6);
        CHECK_INT(v.workers, 2);
        CHECK(v.cpus > 0);
        CHECK(v.target == 50 && v.tolerance_pct == 0.5 && v.think == 77);
        CHECK(v.no_rate);
        CHECK_INT(v.scheduled, 2 * NS_PER_SEC);
        CHECK_INT(v.offered, all ? 111 : 11);
        CHECK_INT(v.dropped, all ? 225 : 25);
        CHECK_INT(v.done, n + CNT_DONE);
        CHECK_INT(v.failed, n + CNT_FAILED);
        CHECK_INT(v.withdrawn, n + CNT_WITHDRAWN);
        CHECK_INT(v.late, n + CNT_LATE);
        CHECK_INT(v.late_idle, n + CNT_LATE_IDLE);
        CHECK_INT(v.open, 29);
        CHECK_INT(v.waiting, 14);
        CHECK_INT(v.together, 1);
        CHECK_INT(v.lag_max, 20);
        CHECK_INT(v.service_n, 17);
        CHECK(v.service_mean == 18.5);
        CHECK_INT(v.longest, 19);
        CHECK(!v.error && !v.away_error && !v.errors);
    }
    /* what has been running for longer than anything that has ended; aligned arrivals */
    struct snapshot s = busy_interval();
    s.rate.oldest_ns = 21;
    plan.arrival = ARRIVAL_ALIGNED;
    struct verdict_readings v = span_readings(&c, &s, &before, &now);
    CHECK_INT(v.longest, 21);
    CHECK_INT(v.together, 6);
    s.rate.in_flight = 0;
    v = span_readings(&c, &s, &before, &now);
    CHECK_INT(v.longest, 19);
    CHECK_INT(v.open, 14);
    plan.arrival = (enum arrival_shape)0;
}

static void processes(void)
{
    static const struct status_name status[] = {{"a", false}, {"innodb_row_lock_TIME", false}};
    struct probe_delta probe = {
        .statuses = 2, .status_name = status, .status = {.have = 3, .v = {9, 1.5}}};
    struct snapshot s = busy_interval();

    s.probe = &probe;
    struct verdict_readings v = span_readings(&c, &s, &before, &now);
    CHECK_NEAR(v.self_cpu_pct, 40, 1e-9);
    CHECK_INT(v.throttled, 3);
    CHECK_INT(v.self_wait, NS_PER_SEC / 4);
    CHECK_NEAR(v.self_wait_pct, 25, 1e-9);
    CHECK_INT(v.server_wait, NS_PER_SEC / 5);
    CHECK_INT(v.lock_wait, 3 * NS_PER_MS / 2);
    CHECK(v.lock_rows && !v.lock_who);

    /* samples of lock waits: more than InnoDB counts, less, and one alone */
    struct status_waits *w = &probe.status.waits;
    *w = (struct status_waits){.known = NS_PER_SEC,
                               .waited = 4 * NS_PER_MS,
                               .behind = 3 * NS_PER_MS,
                               .seen = 2,
                               .blockers = 1,
                               .who = "pid 7"};
    v = span_readings(&c, &s, &before, &now);
    CHECK_INT(v.lock_wait, 4 * NS_PER_MS);
    CHECK_INT(v.lock_behind, 3 * NS_PER_MS);
    CHECK(!v.lock_rows && v.lock_blockers == 1);
    CHECK_STR(v.lock_who, "pid 7");
    CHECK(!v.lock_why);
    w->waited = w->behind = NS_PER_MS;
    v = span_readings(&c, &s, &before, &now);
    CHECK_INT(v.lock_wait, 3 * NS_PER_MS / 2);
    CHECK_INT(v.lock_behind, 3 * NS_PER_MS / 2);
    CHECK(v.lock_rows);
    w->waited = w->behind = NS_PER_SEC;
    w->seen = 1;
    v = span_readings(&c, &s, &before, &now);
    CHECK_INT(v.lock_wait, 3 * NS_PER_MS / 2);
    CHECK_INT(v.lock_behind, 0);
    CHECK(v.server_here);
    CHECK_INT(v.server_cpus, 4);
    CHECK_INT(v.host_cpus, 4);
    CHECK_NEAR(v.server_cpu_pct, 80, 1e-9);
    CHECK_NEAR(v.server_waited_pct, 20, 1e-9);
    CHECK_NEAR(v.idle_pct, 40, 1e-9);
    CHECK_NEAR(v.steal_pct, 10, 1e-9);
    CHECK_NEAR(v.others_pct, 20, 1e-9); /* 50 % busy, less 80 / 4 and 40 / 4 */

    /* of another host the CPUs are known, and its server uses none of ours */
    s.server.ncpu = 16;
    probe.status.have = 1;
    *w = (struct status_waits){.why = "not allowed"};
    s.self.d.throttled_ns = 2 * NS_PER_SEC; /* of several CPUs */
    v = span_readings(&c, &s, &before, &now);
    CHECK(!v.server_here);
    CHECK_INT(v.server_cpus, 16);
    CHECK_INT(v.lock_wait, -1);
    CHECK_STR(v.lock_why, "not allowed");
    CHECK_INT(v.throttled, NS_PER_SEC);
    CHECK_NEAR(v.others_pct, 40, 1e-9);
    s.server.ncpu = 0; /* more than all: rounding, or readings at different instants */
    s.server.d.cpu_ns = 4 * NS_PER_SEC;
    CHECK(span_readings(&c, &s, &before, &now).others_pct == 0);
}

/* After a checkpoint all figures of the last report are since that, the machine's, too; the
 * verdict's are of the run. */
static void machine(void)
{
    const struct run_observer obs = {0};
    union proc_cpu_ticks later = now;
    struct probe_delta probe;
    struct snapshot s;
    struct collect k;

    later.idle += 90, later.user += 10;
    a_run.obs = &obs;
    collect_init(&k, &a_run, false);
    k.origin.cpu = before, k.period.cpu = now, k.now.cpu = later;
    collect_fill(&k, SNAPSHOT_FINAL, &k.period, &k.now, &probe, &s);
    CHECK(s.machine.known);
    CHECK_NEAR(s.machine.idle_pct, 90, 1e-9);
    CHECK_NEAR(s.machine.others_pct, 10, 1e-9);
    CHECK_NEAR(s.machine.stolen_pct, 0, 1e-9);
    s.self.on = true;
    k.now.self = (struct sample){.at = 2 * NS_PER_SEC, .have = SAMPLE_CPU, .cpu_ns = 7};
    k.period.self = (struct sample){.at = NS_PER_SEC, .have = SAMPLE_CPU, .cpu_ns = 5};
    k.origin.self = (struct sample){.have = SAMPLE_CPU};
    CHECK_INT(span_whole(&k, &s).self.d.cpu_ns, 7);
    collect_fini(&k);
}

/* Nothing is known of what was not read. */
static void unknown(void)
{
    struct snapshot s = busy_interval();
    union proc_cpu_ticks few = before, enough = before;

    s.server.d.have = s.self.d.have = 0;
    struct verdict_readings v = span_readings(&c, &s, &before, &before);
    CHECK(v.self_cpu_pct == 0 && v.self_wait_pct == 0 && v.throttled == 0);
    CHECK_INT(v.self_wait, -1);
    CHECK_INT(v.server_wait, -1);
    CHECK(isnan(v.server_cpu_pct) && isnan(v.server_waited_pct));
    CHECK(isnan(v.idle_pct) && isnan(v.steal_pct) && isnan(v.others_pct));
    s = busy_interval();
    s.server.on = s.self.on = false;
    v = span_readings(&c, &s, &before, &now);
    CHECK(v.self_cpu_pct == 0 && v.throttled == 0 && v.self_wait == -1 && v.server_wait == -1);
    CHECK(!v.server_here && isnan(v.server_cpu_pct));
    CHECK_NEAR(v.others_pct, 50, 1e-9);
    s = busy_interval();
    s.server.d.wall_ns = s.self.d.wall_ns = 0;
    v = span_readings(&c, &s, &before, &now);
    CHECK(v.self_cpu_pct == 0 && v.self_wait_pct == 0 && isnan(v.server_cpu_pct));

    few.idle += 19, enough.idle += 20; /* ticks */
    CHECK(isnan(span_readings(&c, &s, &before, &few).idle_pct));
    CHECK_NEAR(span_readings(&c, &s, &before, &enough).idle_pct, 100, 1e-9);
    plan.ranks = 2;
    CHECK(isnan(span_readings(&c, &s, &before, &now).idle_pct));
    plan.ranks = 1;
}

/* The most frequent error, and the most frequent of those that no load brings about. */
static void errors(void)
{
    static const struct error_row row[] = {{.code = 1213, .class = "deadlock"},
                                           {.code = 2013, .class = "connection"},
                                           {.code = 1040, .class = "refused"}};
    const struct snapshot_error error[] = {
        {.row = &row[0], .count = 9}, {.row = &row[1], .count = 3}, {.row = &row[2], .count = 4}};
    struct snapshot s = busy_interval();

    s.by_code = error, s.nby_code = 3;
    const struct verdict_readings v = span_readings(&c, &s, &before, &now);
    CHECK_INT(v.errors, 16);
    CHECK_STR(v.error, "deadlock");
    CHECK_STR(v.error_code, "1213");
    CHECK_INT(v.error_count, 9);
    CHECK_STR(v.away_error, "refused");
    CHECK_STR(v.away_code, "1040");
    CHECK_INT(v.away_count, 4);
}

/* Of several load hosts the one that is nearest to its limit; those that are lost, or unknown, are
 * none. */
static void busiest(void)
{
    static const struct snapshot_rank rank[] = {{.cpu_pct = 90, .cpus = 1},
                                                {.cpu_pct = 380, .cpus = 4},
                                                {.cpu_pct = 700, .cpus = 8},
                                                {.cpu_pct = 999, .cpus = 0},
                                                {.cpu_pct = NAN, .cpus = 2}};
    struct snapshot s = {.rank = rank, .nranks = 5};
    double pct = 1;
    int cpus = 2;

    CHECK(ranks_busiest(&s, &pct, &cpus));
    CHECK(pct == 380 && cpus == 4);
    s.nranks = 1;
    CHECK(ranks_busiest(&s, &pct, &cpus));
    CHECK(pct == 90 && cpus == 1);
    s.rank = rank + 3, s.nranks = 2;
    CHECK(!ranks_busiest(&s, &pct, &cpus));
    CHECK(pct == 90 && cpus == 1);
}

/* What members told last, added up: clients whose last transaction ended after the limit, and what
 * was lost with a rank, as far as it was planned after the last stage. */
static void members(void)
{
    struct rank of[4] = {0};
    struct ranks k = {.n = 4, .of = of};
    struct run r = {.plan = &plan, .ranks = &k};

    pthread_mutex_init(&k.lock, NULL);
    for (int i = 1; i < 4; i++) {
        reading_init(&of[i].now, 2);
        of[i].now.t.running = (unsigned)i;
        of[i].now.client[0].last = 100 * i;
        of[i].now.client[1].last = 100 * i + 1;
    }
    of[1].now.b.offered = 50, of[1].stage_due = 40, of[1].given_up = 7;  /* 7 of 10 */
    of[2].now.b.offered = 50, of[2].stage_due = 48, of[2].given_up = 20; /* 2 */
    of[3].now.b.offered = 50, of[3].stage_due = 51, of[3].given_up = 30; /* none */
    struct ranks_members sum = ranks_members(&r, 200);
    CHECK_INT(sum.lost_later, 9);
    CHECK_INT(sum.trailing, 3); /* 201, 300, 301 */
    CHECK_INT(sum.t.running, 6);
    struct snapshot s = {.threads_running = 10};
    c.run = &r;
    ranks_add_running(&c, &s);
    CHECK_INT(s.threads_running, 16);
    of[1].ended = of[3].ended = true;
    of[1].end.run_end = 70, of[2].end.run_end = 90, of[3].end.run_end = 80;
    CHECK_INT(ranks_run_end(&r, 60), 80);
    CHECK_INT(ranks_run_end(&r, 85), 85);
    plan.rank = 1; /* only the leader knows */
    sum = ranks_members(&r, 0);
    CHECK(sum.lost_later == 0 && sum.trailing == 0 && sum.t.running == 0);
    ranks_add_running(&c, &s);
    CHECK_INT(s.threads_running, 16);
    CHECK_INT(ranks_run_end(&r, 60), 60);
    plan.rank = 0;
    c.run = &a_run;
    for (int i = 1; i < 4; i++)
        reading_fini(&of[i].now);
    pthread_mutex_destroy(&k.lock);
}

TEST_MAIN(judge_test)
{
    plan = (struct plan){.clients = 6, .workers = 2, .tolerance_pct = 0.5, .think = 77, .ranks = 1};
    a_run.plan = &plan;
    a_run.client = clients;
    counts();
    processes();
    machine();
    unknown();
    errors();
    busiest();
    members();
    return test_done("judge");
}
