/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Server, load generator, counters, system calls and machine as text: columns that stay in their
 * places when a figure is missing, what a block says of missing ones, warnings; phases side by
 * side.
 */
#include "report/text_blocks.h"

#include <math.h>
#include <string.h>

#include "base/test_golden.h"
#include "report/test_fixture.h"

static struct str out;

/* Both lengths, after the interval line. */
static void both(const struct snapshot *s, const char *title)
{
    text_interval_additions(&out, s, 0, NULL);
    str_adds(&out, "\n");
    text_processes(&out, s, TEXT_BRIEF);
    text_processes(&out, s, TEXT_FULL);
    golden(&out, "%s", title);
}

static void brief(const struct snapshot *s, const char *title)
{
    text_processes(&out, s, TEXT_BRIEF);
    golden(&out, "%s", title);
}

/* --- processes --- */

static void processes(void)
{
    struct snapshot s = fixture_second(1);

    s.server.describe = "mariadbd (pid 7)";
    s.self.describe = "sysbench";
    both(&s, "whole");
    s.sampled_more = -(int64_t)s.events;
    both(&s, "read too late");
    s.sampled_more = 0;
    s.events = 0;
    both(&s, "no transaction");
    s.events = 1000;
    s.server.d.lower = SAMPLE_SWITCHES | SAMPLE_CPU | SAMPLE_THREADS;
    s.server.d.processes = 22;
    s.server.has_before = true;
    sample_set_reason(&s.server.d, "a process has ended");
    both(&s, "lower bounds, a tree of processes");
    s.server.d.have = 0;
    s.server.d.lower = 0;
    sample_set_reason(&s.server.d, "mariadbd (pid 7) has ended");
    s.self.on = false;
    both(&s, "ended");
    s = fixture_second(1);
    s.server.d.wall_ns = s.self.d.wall_ns = 0;
    s.server.describe = s.self.describe = "of no time";
    both(&s, "no time");
    s.has_own = true, s.own = 500;
    s.server.on = false;
    both(&s, "the leader of several, without a server");
}

static void warnings(void)
{
    static const struct {
        int64_t cpu_ms, wait_ms, throttled_ms;
        const char *limit, *title;
        bool server;
    } t[] = {{1000, 1000, 0, NULL, "as much waiting", true},
             {1000, 1001, 0, NULL, "more waiting", true},
             {7500, 0, 0, "it used them", "a limit", true},
             {7000, 2000, 0, NULL, "without a server", false},
             {1000, 0, 20, NULL, "a quota", false}};

    for (size_t i = 0; i < COUNT(t); i++) {
        struct snapshot s = fixture_second(1);
        s.server.on = t[i].server;
        s.server.describe = s.self.describe = "p";
        s.self_limit = t[i].limit;
        s.self.d.cpu_ns = t[i].cpu_ms * NS_PER_MS;
        s.self.d.runq_wait_ns = t[i].wait_ms * NS_PER_MS;
        s.self.d.throttled_ns = t[i].throttled_ms * NS_PER_MS;
        s.self.d.throttled_periods = (uint64_t)t[i].throttled_ms;
        s.self.d.have |= SAMPLE_THROTTLE;
        brief(&s, t[i].title);
    }
}

/* --- what others did at the server --- */

/* Sessions that are not ours: in the line, in the server's block, or without one beside its
 * counters; the sentence says for how long there were any. */
static void others(void)
{
    static const struct {
        bool server;
        double before; /* % of one CPU */
        struct status_others others;
        const char *title;
    } t[] = {
        {true, 0, {.known = 10, .active = 10, .busy = 10}, "one"},
        {true, 0, {.known = 10, .active = 9, .busy = 3}, "three for a time"},
        {false, 0, {.known = 10, .active = 10, .busy = 10}, "no server is watched"},
        {false, 0, {.known = 10, .active = 30, .busy = 10}, "three, no server is watched"},
        {true, 0, {.why = "hidden"}, "hidden"},
        /* 10 % of one CPU are a quarter of what the run took, or not */
        {true, 15, {.why = "hidden"}, "hidden, busy before"},
        {true, 14.9, {.why = "hidden"}, "hidden, hardly busy before"},
        {true, 15, {.known = 10}, "nobody, and busy before"},
        {true,
         0,
         {.known = 10, .active = 10, .busy = 10, .counted = 1000, .least = 50, .most = 50},
         "statements"},
        {true,
         0,
         {.known = 10,
          .active = 10,
          .busy = 10,
          .counted = 1000,
          .least = 50,
          .most = 51,
          .background = true},
         "transactions, at least"},
        {true, 0, {.known = 10, .active = 10, .busy = 10, .no_work = "late"}, "work not known"},
        {true,
         0,
         {.known = 10, .counted = 9, .least = 1, .no_work = "x"},
         "came and went, not told"},
        {true, 0, {.known = 10, .counted = 1000, .least = 50, .most = 51}, "came and went"},
        {false, 0, {.known = 10, .counted = 1000, .least = 50, .most = 50}, "the same, no server"},
        {true, 0, {.known = 10, .counted = 1000, .least = 9, .most = 9}, "a monitor's"},
    };
    struct fixture *f = fixture(SNAPSHOT_INTERVAL, 1);

    for (size_t i = 0; i < COUNT(t); i++) {
        struct snapshot s = fixture_second(1);
        s.probe = &f->probe;
        f->probe = (struct probe_delta){.how = "", .statuses = 1, .has_waits = true};
        f->probe.status_name = &(struct status_name){"Threads_running", true};
        s.server.on = t[i].server;
        s.server.describe = s.self.describe = "p";
        s.server.has_before = true;
        s.server.before_pct = t[i].before;
        f->probe.status = (struct status_delta){.have = 1,
                                                .others = t[i].others,
                                                .waits.known = t[i].others.known * NS_PER_SEC,
                                                .waits.why = t[i].others.why};
        for (dur_ns *v = &f->probe.status.others.known; v <= &f->probe.status.others.busy; v++)
            *v *= NS_PER_SEC;
        brief(&s, t[i].title);
        text_interval_additions(&out, &s, 0, NULL);
        golden(&out, "%s, line", t[i].title);
    }
}

/* As a whole, in part, and nothing of others. */
static void locks(void)
{
    struct fixture *f = fixture(SNAPSHOT_INTERVAL, 1);
    struct status_delta *v = &f->probe.status;

    f->probe.events = 0;
    f->probe.has_host = f->probe.has_syscalls = false;
    v->wall_ns = 10 * NS_PER_SEC;
    v->waits.known = 5 * NS_PER_SEC;
    v->waits.blockers = 0;
    v->waits.behind = 0;
    v->waits.who[0] = '\0';
    v->have = 5;
    brief(&f->s, "locks for a time, and not of others; counters that did not come");
    v->lower = true;
    strcpy(v->why, "the server was restarted");
    v->have = 15;
    v->v[3] = 841760112312;
    brief(&f->s, "counters of two lives, one as wide as a line");
    v->have = 5;
    f->s.server.on = false;
    f->s.events = 0;
    brief(&f->s, "counters of two lives");
}

/* --- counters, system calls and the machine --- */

static void counters(void)
{
    struct fixture *f = fixture(SNAPSHOT_INTERVAL, 100);
    struct probe_delta *p = &f->probe;
    struct snapshot s = {.events = 100, .probe = p, .ncpu = 8};

    p->statuses = 0;
    p->has_waits = false;
    p->perf.f[1] = (struct perf_figure){.why = "tracepoints need root"};
    p->perf.f[2].lower = true;
    p->perf.d.ipc = p->perf.d.branch_miss_pct = NAN;
    p->host.have = HOST_ALL & ~HOST_FREQUENCY;
    p->host.disk_read = p->host.watts[1] = p->host.battery_watts = NAN;
    p->host.free = p->host.cache = 123456789;
    p->syscalls.kinds = 3;
    both(&s, "counters with gaps");
    s.events = 0;
    p->governor = "n/a";
    p->system = true;
    p->host.have &= ~HOST_POWER;
    p->host.cpus = 0;
    both(&s, "nothing to divide by");
    p->syscalls = (struct syscalls_delta){.why = "it needs root"};
    p->host.wall_ns = 0;
    p->host.have = 0;
    p->how = "";
    brief(&s, "no system calls, no machine");
    s.probe = NULL;
    both(&s, "nothing asked");
}

/* --- phases --- */

static void phases(struct fixture *f, const struct report_info *info, const char *title)
{
    text_phases(&out, &f->s, info, 80);
    golden(&out, "phases: %s", title);
}

static void all_phases(void)
{
    static const struct perf_spec event[] = {{.name = "cycles:u"}};
    struct probe_delta probe[2] = {{.events = 1,
                                    .event = event,
                                    .derived = PERF_IPC | PERF_BRANCH,
                                    .has_host = true,
                                    .statements.why = "not asked for"},
                                   {.events = 1,
                                    .event = event,
                                    .derived = PERF_IPC | PERF_BRANCH,
                                    .has_host = true,
                                    .statements.why = "not asked for"}};
    /* one that worked, one that did not, one that the end of the run stopped */
    const struct report_action did[] = {
        {.state = ACTION_ENDED},
        {.state = ACTION_ENDED, .exit_status = 1},
        {.state = ACTION_ENDED, .exit_status = -1, .signal = 15, .stopped = true}};
    const struct report_info info = {.action = did, .actions = 3};
    struct fixture *f = fixture(SNAPSHOT_FINAL, 1);
    struct snapshot *a = &f->part[0], *b = &f->part[2];
    struct snapshot_phase many[7];

    a->has_latency = b->has_latency = a->has_rate = b->has_rate = false;
    a->percentiles = b->percentiles = 1;
    a->percentile[0] = b->percentile[0] = 95;
    a->latency_pct_ms[0] = 2.5;
    b->server.d.lower = SAMPLE_SWITCHES;
    phases(f, &info, "without our latencies; a command failed");

    /* with counters; the second phase had no transaction and no counter */
    f = fixture(SNAPSHOT_FINAL, 1);
    b->events = 0;
    b->latency = (struct snapshot_series){.p50 = -1, .p95 = -1, .p99 = -1, .pct = {-1}};
    b->rate.service = b->rate.lag = b->latency;
    b->server.d.have = 0;
    probe[0].perf.f[0] = (struct perf_figure){.have = true, .count = 12000, .ratio = 1};
    probe[0].perf.d.ipc = 1.25;
    probe[1].perf.d.ipc = probe[0].perf.d.branch_miss_pct = probe[1].perf.d.branch_miss_pct = NAN;
    probe[0].host = probe[1].host = (struct host_delta){.wall_ns = 10 * NS_PER_SEC,
                                                        .have = HOST_STAT | HOST_POWER,
                                                        .in = 5000,
                                                        .cs = 30000,
                                                        .watts = {20, NAN}};
    probe[1].host.have = HOST_STAT;
    a->probe = &probe[0];
    b->probe = &probe[1];
    phases(f, &(struct report_info){0}, "figures that one lacks");

    f = fixture(SNAPSHOT_FINAL, 1);
    for (int i = 0; i < 7; i++)
        many[i] = f->phase[i > 0];
    f->s.phases = many;
    f->s.nphases = 7;
    f->s.phases_lost = 3;
    phases(f, &(struct report_info){0}, "many");
}

/* As many decimals as the size of a figure needs. */
static void sizes(void)
{
    static const int64_t cpu_ns[] = {10000000000, 9999900000, 1000000000, 999990000, 100000000,
                                     99999000,    100000,     99999,      0};

    for (size_t i = 0; i < COUNT(cpu_ns); i++) {
        struct fixture *f = fixture(SNAPSHOT_FINAL, 1);
        struct str all = STR_INIT;
        f->s.nphases = 1;
        f->part[0].server.d.cpu_ns = cpu_ns[i];
        text_phases(&all, &f->s, &(struct report_info){0}, 80);
        const char *line = strstr(str_cstr(&all), "    server CPU per transaction, us: ");
        str_printf(&out, "%.*s\n", (int)strcspn(line, "\n"), line);
        str_free(&all);
    }
    golden(&out, "phases: sizes");
}

TEST_MAIN(text_figures_test)
{
    processes();
    warnings();
    others();
    locks();
    counters();
    all_phases();
    sizes();
    str_free(&out);
    golden_done("text_figures");
    return test_done("text_figures");
}
