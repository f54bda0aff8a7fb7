/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Report hooks: the table that they get at an interval, a checkpoint and the end, and the report
 * functions that print it.
 */
#include <math.h>

#include "script/script_test.h"

#include "stats/stmt_stats.h"
#include "stats/marks.h"

static const char hooks[] =
    "local function near(a, b) return math.abs(a - b) < 1e-9 end\n"
    "sysbench.hooks.report_intermediate = function(s)\n"
    "  assert(sysbench.tid == 2 and s.threads_running == 2 and s.time_interval == 2 and "
    "s.time_total == 6)\n"
    "  assert(s.events == 100 and s.reads == 10 and s.writes == 20 and s.other == 30 and s.errors "
    "== 4)\n"
    "  assert(s.reconnects == 2 and near(s.latency_pct, 0.0025) and s.queue_length == 7 and "
    "s.concurrency == 3)\n"
    "  assert(s.latency_min == nil and s.rate.offered == 11 and s.rate.lag.p99 == nil and "
    "s.rate.lag.n == 0)\n"
    "  assert(near(s.rate.response.p99, 0.003) and near(s.rate.oldest, 1.5) and s.rate.target == "
    "0.5)\n"
    "  local t = s.rate.total\n"
    "  assert(t.offered == 33 and t.done == 30 and t.failed == 0 and t.dropped == "
    "1 and t.unfinished == 2)\n"
    "  assert(s.rate.unfinished == 2 and s.rate.withdrawn == 1 and t.withdrawn == "
    "1 and s.rate.events_most == nil)\n"
    "  assert(s.percentile == 95 and #s.percentiles == 1 and s.percentiles[1].percentile == 95)\n"
    "  assert(near(s.percentiles[1].latency, 0.0025) and "
    "near(s.rate.response.percentiles[1].latency, 0.002))\n"
    "  assert(s.rate.lag.percentiles[1].percentile == 95 and "
    "s.rate.lag.percentiles[1].latency == nil)\n"
    "  local e, i = s.errors_by_code, s.incidents\n"
    "  assert(#e == 1 and e[1].code == 1213 and e[1].sqlstate == nil and "
    "e[1].class == 'deadlock')\n"
    "  assert(e[1].count == 2 and e[1].total == 7 and e[1].text == 'no')\n"
    "  assert(#i == 1 and i[1].kind == 'cpus-changed' and i[1].text == 'CPUs online: 4 -> 3')\n"
    "  assert(near(i[1].time, 5.5))\n"
    "  for k, v in pairs(s) do assert(type(v) == 'number', k) end\n"
    "  assert(s.server.name == 'db' and near(s.server.cpu_user, 1) and near(s.server.pct_user, "
    "25))\n"
    "  assert(s.server.rss_bytes == nil and s.server.reason == 'no memory figures' and s.client == "
    "nil)\n"
    "  local lines = {} local real = print\n"
    "  print = function(t) lines[#lines + 1] = t end io.write = print\n"
    "  sysbench.report_default(s) sysbench.report_csv(s) sysbench.report_json(s) "
    "sysbench.report_json(s)\n"
    "  print, io.write = real, function() end\n"
    "  assert(lines[1] == '[ 6s ] thds: 2 tps: 50.00 qps: 30.00 (r/w/o: 5.00/10.00/15.00) lat "
    "(ms,95%): 2.50 '\n"
    "         .. 'err/s 2.00 reconn/s: 1.00')\n"
    "  assert(lines[2] == '6,2,50.00,30.00,5.00,10.00,15.00,2.50,2.00,1.00')\n"
    "  assert(lines[3] == '[\\n' and lines[5] == ',\\n' and lines[4] == lines[6])\n"
    "  assert(lines[4]:match('^  {\\n    \"time\":    6,\\n    \"threads\": 2,\\n    \"tps\": "
    "50.00,\\n'))\n"
    "end\n"
    "sysbench.hooks.report_cumulative = function(s)\n"
    "  assert(near(s.latency_min, 0.001) and near(s.latency_max, 0.004) and near(s.latency_avg, "
    "0.002))\n"
    "  assert(near(s.latency_sum, 0.2) and s.queue_length == nil and s.rate.offered == 33)\n"
    "  assert(s.rate.events_least == 10 and s.rate.events_most == 20 and "
    "s.rate.total.offered == 33)\n"
    "  if sysbench.tid == 2 then error('lost') end\n"
    "end\n"
    "function event() end\n";

static const struct error_row deadlock = {
    .code = 1213, .class = "deadlock", .text = "no", .count = 7};
static const struct snapshot_error error[] = {{.row = &deadlock}, {.row = &deadlock, .count = 2}};
static const struct snapshot_incident incident[] = {
    {.kind = INCIDENT_STOPPED}, {.kind = INCIDENT_CPUS, .at = -NS_PER_SEC / 2, .was = 4, .is = 3}};

static struct snapshot sample_snapshot(void)
{
    struct snapshot s = {
        .threads_running = 2,
        .elapsed_ns = 6 * NS_PER_SEC,
        .interval_ns = 2 * NS_PER_SEC,
        .events = 100,
        .reads = 10,
        .writes = 20,
        .other = 30,
        .errors = 4,
        .reconnects = 2,
        .percentiles = 1,
        .percentile = {95},
        .latency_pct_ms = {2.5},
        .latency_min_ms = 1,
        .latency_avg_ms = 2,
        .latency_max_ms = 4,
        .latency_sum_ms = 200,
        .queue_length = 7,
        .concurrency = 3,
        .has_rate = true,
        .ncpu = 2,
    };
    struct snapshot_series none = {
        .p50 = -1, .p95 = -1, .p99 = -1, .max = -1, .mean = NAN, .pct = {-1}};

    s.rate = (struct snapshot_rate){.target = 0.5,
                                    .offered = 11,
                                    .total_offered = 33,
                                    .total_done = 30,
                                    .total_dropped = 1,
                                    .unfinished = 2,
                                    .in_flight = 1,
                                    .withdrawn = 1,
                                    .events_least = 10,
                                    .events_most = 20,
                                    .oldest_ns = 3 * NS_PER_SEC / 2,
                                    .lag = none,
                                    .service = none};
    s.rate.response =
        (struct snapshot_series){.n = 1, .p99 = 3 * NS_PER_MS, .mean = 1e6, .pct = {2 * NS_PER_MS}};
    s.by_code = error;
    s.nby_code = 2;
    s.incident = incident;
    s.incidents = 2;
    s.incidents_told = 1;
    s.server.on = true;
    s.server.describe = "db";
    s.server.d = (struct sample_delta){.wall_ns = 2 * NS_PER_SEC,
                                       .processes = 1,
                                       .have = SAMPLE_CPU,
                                       .cpu_ns = NS_PER_SEC,
                                       .user_ns = NS_PER_SEC,
                                       .reason = "no memory figures"};
    return s;
}

static void test_hooks(void)
{
    struct snapshot snap = sample_snapshot();
    struct script_reporter *r = NULL;
    struct workload *w;
    struct session s;

    begin(&s, hooks, NULL, "run", "--threads=2", (char *)NULL);
    CHECK_STR(s.e.msg, "");
    CHECK(script_has_hook(s.script, SCRIPT_HOOK_INTERMEDIATE));
    CHECK(script_has_hook(s.script, SCRIPT_HOOK_CUMULATIVE));
    w = script_workload(s.script, 0);
    CHECK_INT(script_reporter_open(s.script, &s.env.rng, &r, &s.e), 0);
    CHECK_INT(script_report(s.script, r, SCRIPT_HOOK_INTERMEDIATE, &snap), 0);
    snap.kind = SNAPSHOT_FINAL;
    CHECK_INT(script_report(s.script, NULL, SCRIPT_HOOK_CUMULATIVE, &snap), 0);
    CHECK_INT(w->ops->done(w, &s.e), 0);
    CHECK_INT(script_report(s.script, r, SCRIPT_HOOK_CUMULATIVE, &snap), -1);
    CHECK_INT(w->ops->done(w, &s.e), -1); /* a lost report shows in the exit status */
    script_reporter_close(r);
    end(&s);

    begin(&s, "function init() sysbench.hooks.report_cumulative = print end", NULL, "run",
          (char *)NULL);
    CHECK(!script_has_hook(s.script, SCRIPT_HOOK_INTERMEDIATE));
    CHECK(!script_has_hook(s.script, SCRIPT_HOOK_CUMULATIVE));
    end(&s);
}

/* At a checkpoint counts and percentiles are those of the period; only the end of the run shows
 * the run. */
static void test_checkpoint_hook(void)
{
    struct snapshot snap = sample_snapshot();
    struct session s;

    snap.kind = SNAPSHOT_CHECKPOINT;
    begin(&s,
          "sysbench.hooks.report_cumulative = function(s)\n"
          "  assert(s.rate.offered == 11 and s.rate.total.offered == 33 and "
          "s.rate.events_most == 20)\n"
          "end\n"
          "function event() end\n",
          NULL, "run", (char *)NULL);
    CHECK_INT(script_report(s.script, NULL, SCRIPT_HOOK_CUMULATIVE, &snap), 0);
    end(&s);
}

/* What was lost with load hosts: of the period, and of the run.  With one host there is no such
 * figure. */
static void test_lost(void)
{
    struct snapshot snap = sample_snapshot();
    struct session s;

    begin(&s,
          "local n = 0\n"
          "sysbench.hooks.report_cumulative = function(s)\n"
          "  n = n + 1\n"
          "  local want = ({{nil, nil}, {2, 3}, {3, 3}})[n]\n"
          "  assert(s.rate.lost == want[1] and s.rate.total.lost == want[2])\n"
          "end\n"
          "function event() end\n",
          NULL, "run", (char *)NULL);
    snap.kind = SNAPSHOT_CHECKPOINT;
    CHECK_INT(script_report(s.script, NULL, SCRIPT_HOOK_CUMULATIVE, &snap), 0);
    snap.rate.shared = true;
    snap.rate.lost = 2;
    snap.rate.total_lost = 3;
    CHECK_INT(script_report(s.script, NULL, SCRIPT_HOOK_CUMULATIVE, &snap), 0);
    snap.kind = SNAPSHOT_FINAL;
    CHECK_INT(script_report(s.script, NULL, SCRIPT_HOOK_CUMULATIVE, &snap), 0);
    end(&s);
}

/* Several percentiles: stock's columns stay where they are. */
static void test_percentile_list(void)
{
    static const char text[] =
        "sysbench.hooks.report_intermediate = function(s)\n"
        "  assert(sysbench.opt.percentile == 50 and s.percentile == 50 and #s.percentiles == 3)\n"
        "  assert(s.percentiles[3].percentile == 99.9 and "
        "math.abs(s.percentiles[3].latency - 0.5) < 1e-9)\n"
        "  local lines, real, write = {}, print, io.write\n"
        "  print = function(t) lines[#lines + 1] = t end io.write = print\n"
        "  sysbench.report_default(s) sysbench.report_csv(s) sysbench.report_json(s)\n"
        "  for k in pairs(s) do assert(k ~= 'percentile' and k ~= 'percentiles') end\n"
        "  setmetatable(s, nil) sysbench.report_csv(s) sysbench.report_default(s)\n"
        "  print, io.write = real, function() end\n"
        "  assert(lines[1]:find('lat (ms,50%,95%,99.9%): 1.00/2.50/500.00 err/s 2.00', 1, true))\n"
        "  assert(lines[2] == '6,2,50.00,30.00,5.00,10.00,15.00,1.00,2.00,1.00,2.50,500.00')\n"
        "  assert(lines[4]:find('    \"latency\": 1.00,\\n    \"percentiles\": {\\n    "
        "  \"50\": 1.00,\\n      \"95\": '\n"
        "    .. '2.50,\\n      \"99.9\": 500.00\\n    },\\n    \"errors\": 2.00,', 1, true))\n"
        "  assert(lines[5] == '6,2,50.00,30.00,5.00,10.00,15.00,1.00,2.00,1.00')\n"
        "  assert(lines[6]:find('lat (ms,50%): 1.00 err/s', 1, true))\n"
        "end\n"
        "function event() end\n";
    struct snapshot snap = sample_snapshot();
    struct session s;

    snap.percentiles = 3;
    memcpy(snap.percentile, (const double[]){50, 95, 99.9}, 3 * sizeof(double));
    memcpy(snap.latency_pct_ms, (const double[]){1, 2.5, 500}, 3 * sizeof(double));
    begin(&s, text, NULL, "run", "--percentile=50,95,99.9", (char *)NULL);
    CHECK_INT(script_report(s.script, NULL, SCRIPT_HOOK_INTERMEDIATE, &snap), 0);
    end(&s);

    snap.percentiles = 0;
    begin(&s,
          "sysbench.hooks.report_intermediate = function(s)\n"
          "  assert(s.percentile == 0 and s.latency_pct == 0 and #s.percentiles == 0)\n"
          "end\n"
          "function event() end\n",
          NULL, "run", "--percentile=0", (char *)NULL);
    CHECK_INT(script_report(s.script, NULL, SCRIPT_HOOK_INTERMEDIATE, &snap), 0);
    end(&s);
}

/* All that can be asked for, in one report. */
static void test_everything(void)
{
    static const char text[] =
        "local function near(a, b) return math.abs(a - b) < 1e-9 end\n"
        "sysbench.hooks.report_cumulative = function(s)\n"
        "  local p = s.server\n"
        "  assert(p.voluntary_switches == 6 and p.involuntary_switches == 4 and "
        "near(p.switches_per_transaction, 0.1))\n"
        "  assert(p.minor_faults == 7 and p.major_faults == 8 and p.rss_bytes == 9 and "
        "p.threads == 10)\n"
        "  assert(p.read_bytes == 11 and p.write_bytes == 12 and near(p.run_queue_wait, 0.5))\n"
        "  assert(p.at_least.switches == true and p.at_least.cpu == nil)\n"
        "  assert(#s.marks == 1 and near(s.marks[1].time, 1.25) and s.marks[1].text == 'deploy')\n"
        "  assert(s.marks[1].source == 'fifo')\n"
        "  local k = s.statements[1]\n"
        "  assert(#s.statements == 2 and k.kind == 'point_selects' and k.class == "
        "'prepared' and k.count == 4)\n"
        "  assert(k.errors == 1 and k.rows == 3 and near(k.sum, 2) and near(k.mean, "
        "0.5) and near(k.min, 0.1))\n"
        "  assert(near(k.p50, 0.2) and near(k.p95, 0.3) and near(k.p99, 0.4) and "
        "near(k.max, 0.5))\n"
        "  assert(near(k.share, 20) and s.statements[2].share == nil)\n"
        "  local e = s.server_events\n"
        "  assert(e.cycles == 123 and e.absent == nil and e.ipc == 1.5 and "
        "e.branch_miss_pct == nil)\n"
        "  assert(s.server_status.Com_select == 17 and s.server_status.Com_insert == nil)\n"
        "  assert(s.host.r == 1 and s.host.interrupts == 2 and s.host.psi_io == 3 and "
        "s.host.swpd == nil)\n"
        "  seen = true\n"
        "end\n"
        "function event() end\n" CHECK_COMMAND("assert(seen)");
    static const struct mark mark = {
        .at = 11 * NS_PER_SEC + NS_PER_SEC / 4, .source = MARK_FIFO, .text = "deploy"};
    static const struct stmt_figures statements[] = {{.class = STMT_CLASS_PREPARED,
                                                      .name = "point_selects",
                                                      .named = true,
                                                      .count = 4,
                                                      .errors = 1,
                                                      .rows = 3,
                                                      .sum_ns = 2 * NS_PER_SEC,
                                                      .min = 100 * NS_PER_MS,
                                                      .p50 = 200 * NS_PER_MS,
                                                      .p95 = 300 * NS_PER_MS,
                                                      .p99 = 400 * NS_PER_MS,
                                                      .max = 500 * NS_PER_MS},
                                                     {.class = STMT_CLASS_CONNECT, .count = 1}};
    static const struct perf_spec event[] = {{.name = "cycles"}, {.name = "absent"}};
    static const struct status_name status[] = {{.name = "Com_select"}, {.name = "Com_insert"}};
    struct probe_delta probe = {
        .events = 2,
        .event = event,
        .perf = {.f = {{.have = true, .count = 123}}, .d = {1.5, NAN, NAN, NAN}},
        .statuses = 2,
        .status_name = status,
        .status = {.have = 1, .v = {17}},
        .has_host = true,
        .host = {.have = HOST_STAT | HOST_PRESSURE,
                 .wall_ns = NS_PER_SEC,
                 .running = 1,
                 .in = 2,
                 .stalled_pct = {[HOST_PSI_IO] = 3}},
    };
    struct snapshot snap = sample_snapshot();
    struct session s;

    snap.kind = SNAPSHOT_FINAL;
    snap.at = 16 * NS_PER_SEC;
    snap.server.d = (struct sample_delta){.have = SAMPLE_ALL,
                                          .lower = SAMPLE_SWITCHES,
                                          .wall_ns = 2 * NS_PER_SEC,
                                          .vol_switches = 6,
                                          .invol_switches = 4,
                                          .minor_faults = 7,
                                          .major_faults = 8,
                                          .rss_bytes = 9,
                                          .threads = 10,
                                          .read_bytes = 11,
                                          .write_bytes = 12,
                                          .runq_wait_ns = NS_PER_SEC / 2};
    snap.marks = &mark;
    snap.nmarks = 1;
    snap.statements = statements;
    snap.nstatements = 2;
    snap.transactions_s = 10;
    snap.probe = &probe;
    begin(&s, text, NULL, "check", (char *)NULL);
    CHECK_INT(s.rc, 0);
    CHECK_INT(script_report(s.script, NULL, SCRIPT_HOOK_CUMULATIVE, &snap), 0);
    CHECK_STR(s.e.msg, "");
    CHECK_INT(script_call_command(s.script, "check", &s.e), 0);
    end(&s);
}

TEST_MAIN(lua_hooks_test)
{
    log_set_verbosity(-1);
    test_hooks();
    test_checkpoint_hook();
    test_lost();
    test_percentile_list();
    test_everything();
    return test_done("lua_hooks_test");
}
