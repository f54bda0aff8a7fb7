/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the verdict is told of a span: each reading from the figure that it is named after, unknown
 * where that was not read.
 */
#include "engine/client_state.h"
#include "engine/collect.h"
#include "engine/ranks.h"

#include "base/test_golden.h"
#include "engine/verdict.h"

static struct plan plan;
static struct client clients[6];
static struct run a_run;
static struct collect c = {.run = &a_run};

/* Those that do not depend on this machine. */
static const struct record_field readings[] = {
    MEMBERS(struct verdict_readings, clients, workers, target, no_rate, tolerance_pct, think,
            scheduled, offered, done, failed, withdrawn, dropped, open, waiting, together, late,
            late_idle, lag_max, service_n, service_mean, longest, errors),
    RECORD_ROW(struct verdict_readings, error.count, .name = "error_count"),
    RECORD_ROW(struct verdict_readings, away_error.count, .name = "away_count"),
    MEMBERS(struct verdict_readings, throttled, self_cpu_pct, self_wait, self_wait_pct,
            server_cpu_pct, server_cpus, server_here, host_cpus, server_wait, server_waited_pct,
            lock_wait, lock_counted, lock_rows, lock_behind, lock_blockers, lock_ours, lock_root,
            idle_pct, others_pct, steal_pct)};

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

/* What is read of a snapshot, as far as it differs from that of the interval, between two readings
 * of the machine. */
static void tell(const char *how, const struct snapshot *s, const union proc_cpu_ticks *to)
{
    static struct verdict_readings usual;
    struct verdict_readings v = span_readings(&c, s, &before, to);
    const char *const texts[] = {v.error.class,      v.error.class ? v.error.code : NULL,
                                 v.away_error.class, v.away_error.class ? v.away_error.code : NULL,
                                 v.lock_who,         v.lock_why};
    struct str out = STR_INIT;

    CHECK(v.cpus > 0);
    if (!*how)
        usual = v;
    golden_members(&out, readings, sizeof readings / sizeof *readings, &v, *how ? &usual : NULL);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        str_printf(&out, "%s%s", texts[i] ? "; " : "", texts[i] ? texts[i] : "");
    str_adds(&out, "\n");
    golden(&out, "%s", *how ? how : "the interval");
    str_free(&out);
}

static void counts(void)
{
    struct snapshot s = busy_interval();

    tell("", &s, &now);
    s.kind = SNAPSHOT_FINAL;
    tell("the whole run", &s, &now);
    s = busy_interval();
    s.rate.oldest_ns = 21;
    plan.arrival = ARRIVAL_ALIGNED;
    tell("runs for longer than any that has ended; aligned", &s, &now);
    s.rate.in_flight = 0;
    tell("it waits", &s, &now);
    plan.arrival = (enum arrival_shape)0;
}

static void processes(void)
{
    static const struct status_name status[] = {{"a", false}, {"innodb_row_lock_TIME", false}};
    struct probe_delta probe = {
        .statuses = 2, .status_name = status, .status = {.have = 3, .v = {9, 1.5}}};
    struct status_waits *w = &probe.status.waits;
    struct snapshot s = busy_interval();

    s.probe = &probe;
    tell("InnoDB counts lock waits", &s, &now);
    *w = (struct status_waits){.known = NS_PER_SEC,
                               .locks = 4 * NS_PER_MS,
                               .behind = 3 * NS_PER_MS,
                               .seen = 2,
                               .blockers = 1,
                               .who = "pid 7"};
    tell("samples show more than InnoDB counts", &s, &now);
    w->behind = 0;
    w->root[WAIT_LOG] = w->root[WAIT_ROW] = 2 * NS_PER_MS;
    tell("... behind ours, half of them at work", &s, &now);
    w->root[WAIT_LOG]++;
    tell("... behind ours that commit", &s, &now);
    w->locks = w->behind = NS_PER_MS;
    tell("... less, in few samples", &s, &now);
    w->hits[WAIT_LOCK] = w->squares[WAIT_LOCK] = 5;
    tell("... less, in enough of them", &s, &now);
    probe.status.wall_ns = 2 * w->known;
    tell("... of half of the time", &s, &now);
    w->locks = w->behind = NS_PER_SEC;
    w->seen = 1;
    tell("... one alone", &s, &now);
    /* of another host the CPUs are known, and its server uses none of ours */
    s.server.ncpu = 16;
    probe.status.have = 1;
    *w = (struct status_waits){.why = "not allowed"};
    s.self.d.throttled_ns = 2 * NS_PER_SEC; /* of several CPUs */
    tell("a server of another host", &s, &now);
    s.server.ncpu = 0;
    s.server.d.cpu_ns = 4 * NS_PER_SEC;
    tell("more than all CPUs: readings at different instants", &s, &now);
}

static struct verdict_readings readings_of(struct probe_delta *probe)
{
    struct snapshot s = busy_interval();

    s.probe = probe;
    return span_readings(&c, &s, &before, &now);
}

/* What sessions did, from samples of half of the time or more; what few of them saw is chance. */
static void waits(void)
{
    struct probe_delta probe = {.status = {.wall_ns = 2 * NS_PER_SEC}};
    struct status_waits *w = &probe.status.waits;
    struct verdict_readings v;

    *w = (struct status_waits){.known = NS_PER_SEC, .samples = 9, .names = 7};
    for (int i = 0; i < WAIT_CLASSES; i++) {
        w->of[i] = 100;
        w->hits[i] = 10, w->squares[i] = 24; /* as five of two: more than four of 2.5 */
    }
    w->name[0] = (struct wait_time){"WALWrite", WAIT_LOG, 60};
    w->name[1] = (struct wait_time){"WALSync", WAIT_LOG, 40};
    w->name[2] = (struct wait_time){"DataFileRead", WAIT_IO, 90};
    w->name[3] = (struct wait_time){"executing", WAIT_OTHER, 60};
    w->name[4] = (struct wait_time){"User sleep", WAIT_OTHER, 40};
    w->name[5] = (struct wait_time){"ClientWrite", WAIT_CLIENT, 90};
    w->name[6] = (struct wait_time){"BufferContent", WAIT_LATCH, 90};
    w->squares[WAIT_LATCH] = 25; /* as four */
    v = readings_of(&probe);
    CHECK(v.waits_known);
    CHECK_INT(v.in_server, 1600);
    CHECK_INT(v.ready, 0);
    w->ran = 60, w->waited = 90, w->ran_known = NS_PER_SEC / 2; /* of that half; 200 were seen */
    v = readings_of(&probe);
    CHECK_INT(v.ready, 360);
    CHECK_INT(v.server_wait, 360); /* whatever other threads of the server waited */
    CHECK_INT(v.in_server, 1640);
    CHECK_INT(v.waited[WAIT_LOG].time, 200);
    CHECK_STR(v.waited[WAIT_LOG].name, "WALWrite");
    CHECK(v.waited[WAIT_LOG].several && !v.waited[WAIT_IO].several);
    CHECK_INT(v.waited[WAIT_OTHER].time, 80);
    CHECK_STR(v.waited[WAIT_OTHER].name, "User sleep");
    CHECK_INT(v.waited[WAIT_LATCH].time, 0);
    w->squares[WAIT_LOG] = 25; /* is most, and chance */
    CHECK(!readings_of(&probe).waits_known);
    w->squares[WAIT_LOG] = 24;
    w->samples = 4;
    v = readings_of(&probe);
    CHECK(!v.waits_known && v.waited[WAIT_LOG].time == 0);
    CHECK_INT(v.server_wait, 360); /* takes no samples */
    w->samples = 9;
    w->known--;
    CHECK(!readings_of(&probe).waits_known);
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
    tell("nothing can be read", &s, &before);
    s = busy_interval();
    s.server.on = s.self.on = false;
    tell("nothing is read", &s, &now);
    s = busy_interval();
    s.server.d.wall_ns = s.self.d.wall_ns = 0;
    tell("read once", &s, &now);
    few.idle += 19, enough.idle += 20; /* ticks */
    s = busy_interval();
    tell("few ticks", &s, &few);
    tell("enough", &s, &enough);
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
    tell("errors", &s, &now);
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

static void tell_members(struct run *r, const char *how)
{
    struct ranks_members sum = ranks_members(r, 200);
    struct snapshot s = {.threads_running = 10};

    c.run = r;
    ranks_add_running(&c, &s);
    golden_line("%s: lost later %d, trailing %d, running %d, with ours %d, end %d or %d", how,
                (int)sum.lost_later, (int)sum.trailing, (int)sum.t.running, (int)s.threads_running,
                (int)ranks_run_end(r, 60), (int)ranks_run_end(r, 85));
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
    of[1].end.run_end = 70, of[2].end.run_end = 90, of[3].end.run_end = 80;
    tell_members(&r, "none has ended"); /* ends: 201, 300, 301 */
    of[1].ended = of[3].ended = true;
    tell_members(&r, "two have");
    plan.rank = 1;
    tell_members(&r, "only the leader knows");
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
    waits();
    machine();
    unknown();
    errors();
    busiest();
    members();
    golden_done("judge_test");
    return test_done("judge");
}
