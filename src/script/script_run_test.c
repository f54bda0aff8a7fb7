/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A script runs: the loop and its accounts, restarts, random numbers, report hooks, and the SQL
 * objects over the driver that answers everything by itself.
 */
#include "base/test_capture.h"
#include "script/script_test.h"

#include "script/room.h"
#include "sql/sql.h"

/* A session for one run; leaves rc and message. */
#define RUN(c, text, ...)                                                                          \
    do {                                                                                           \
        struct session s_;                                                                         \
        begin(&s_, text, NULL, "run", ##__VA_ARGS__, (char *)NULL);                                \
        CHECK_INT(s_.rc, 0);                                                                       \
        rc = s_.rc ? s_.rc : run(&s_, c);                                                          \
        snprintf(message, sizeof message, "%s", s_.e.msg);                                         \
        end(&s_);                                                                                  \
    } while (0)

static char message[768];

/* --- the loop --- */

static void test_loop(void)
{
    struct client c = {.events = 5};
    int rc;

    RUN(&c,
        "local n = 0\n"
        "function init() assert(sysbench.tid == 0) end\n"
        "function thread_init(t) assert(t == 3 and sysbench.tid == 3 and sysbench.opt.threads == "
        "4) c = 1 end\n"
        "function event(t) n = n + 1 assert(t == 3 and c == 1) end\n"
        "function thread_done(t) assert(t == 3 and n == 5) end\n"
        "function done() assert(c == nil) end\n",
        "--threads=4");
    CHECK_INT(rc, -1); /* client 0 is not client 3: the assertion of thread_init */
    c = (struct client){.events = 5, .id = 3};
    RUN(&c,
        "local n = 0\n"
        "function thread_init(t) assert(t == 3 and sysbench.tid == 3 and sysbench.opt.threads == "
        "4) c = 1 end\n"
        "function event(t) n = n + 1 assert(t == 3 and c == 1) end\n"
        "function thread_done(t) assert(t == 3 and n == 5) end\n"
        "function done() assert(c == nil and sysbench.tid == 0) end\n",
        "--threads=4");
    CHECK_INT(rc, 0);
    CHECK_INT(c.ended, 5);

    c = (struct client){.events = 5};
    RUN(&c, "local n = 0\nfunction event() n = n + 1 return n == 3 end\n"
            "function thread_done() assert(n == 3) end");
    CHECK_INT(rc, 0);
    CHECK_INT(c.ended, 2);
    CHECK_INT(c.cancelled, 1);

    c = (struct client){.events = 5};
    RUN(&c, "local n = 0\nfunction event() n = n + 1 if n == 2 then error('ev') end end\n"
            "function thread_done() error('must not be called') end");
    CHECK_INT(rc, -1);
    CHECK(strstr(message, "t.lua:2: ev"));
    CHECK_INT(c.ended, 1);
    CHECK_INT(c.failed, 1);

    c = (struct client){.events = 1};
    RUN(&c, "function thread_run() end");
    CHECK_INT(rc, -1);
    CHECK(strstr(message, "cannot find the event() function in "));
    RUN(&c, "function event() end function thread_done() error('td') end");
    CHECK_INT(rc, -1);
    c.next = 0;
    RUN(&c, "function event() end function done() error('dn') end");
    CHECK_INT(rc, -1);
    RUN(&c, "function event() end function init() error('in') end");
    CHECK_INT(rc, -1);
}

static void test_restart(void)
{
    struct client c = {.events = 4, .retries = 100};
    int rc;

    RUN(&c, "local n, hooked = 0, 0\n"
            "sysbench.hooks.before_restart_event = function(e)\n"
            "  assert(e.errcode == sysbench.error.RESTART_EVENT and e.n == n) hooked = hooked + 1\n"
            "end\n"
            "function event() n = n + 1 if n % 3 ~= 0 then error({errcode = 1, n = n}) end end\n"
            "function thread_done() assert(n == 12 and hooked == 8) end\n");
    CHECK_INT(rc, 0);
    CHECK_INT(c.ended, 4);
    CHECK_INT(c.begun, 4);
    CHECK_INT(c.retries, 92);

    /* a refused retry: the event has failed, its hook is not called, the loop asks for the next */
    c = (struct client){.events = 4, .retries = 1};
    RUN(&c, "hooked = 0\n"
            "sysbench.hooks.before_restart_event = function(e) hooked = hooked + 1 end\n"
            "function event() error({errcode = sysbench.error.RESTART_EVENT}) end\n"
            "function thread_done() assert(hooked == 1) end\n");
    CHECK_INT(rc, 0);
    CHECK_INT(c.failed, 4);
    CHECK_INT(c.ended, 0);

    /* the hook's own error counts as an attempt when it is restartable, and ends the client when
     * not */
    c = (struct client){.events = 1, .retries = 5};
    RUN(&c, "local n = 0\n"
            "sysbench.hooks.before_restart_event = function() n = n + 1 if n < 3 then "
            "error({errcode = 1}) end end\n"
            "local first = true\n"
            "function event() if first then first = false error({errcode = 1}) end end\n"
            "function thread_done() assert(n == 3) end");
    CHECK_INT(rc, 0);
    CHECK_INT(c.ended, 1);
    c = (struct client){.events = 1, .retries = 5};
    RUN(&c, "sysbench.hooks.before_restart_event = function() error('hook') end\n"
            "function event() error({errcode = 1}) end\n");
    CHECK_INT(rc, -1);
    CHECK(strstr(message, "hook"));
    CHECK_INT(c.failed, 1);

    /* outside an event it is an error like any other; another table too */
    c = (struct client){.events = 1, .retries = 5};
    RUN(&c, "function thread_init() error({errcode = 1}) end function event() end");
    CHECK_STR(message, "(not a string)");
    RUN(&c, "function event() error({errcode = 2}) end");
    CHECK_INT(rc, -1);
    CHECK_STR(message, "(not a string)");
}

/* Loops that scripts write themselves may forget things; the accounts must balance. */
static void test_own_loop(void)
{
    static const struct {
        const char *loop;
        int ended, failed, cancelled, rc;
    } cases[] = {
        {"while ffi.C.sb_more_events(t) do ffi.C.sb_event_start(t) event(t) ffi.C.sb_event_stop(t) "
         "end",
         3, 0, 0, 0},
        {"while ffi.C.sb_more_events(t) do ffi.C.sb_event_stop(t) end", 3, 0, 0, 0},
        {"while ffi.C.sb_more_events(t) do ffi.C.sb_event_start(t) end", 0, 0, 3, 0},
        {"while ffi.C.sb_more_events(t) do ffi.C.sb_event_start(t) ffi.C.sb_event_start(t) "
         "ffi.C.sb_event_stop(t) ffi.C.sb_event_stop(t) end",
         3, 0, 0, 0},
        {"ffi.C.sb_more_events(t) ffi.C.sb_more_events(t)", 0, 0, 1, 0},
        {"ffi.C.sb_more_events(t) ffi.C.sb_event_start(t) error('x')", 0, 1, 0, -1},
        {"ffi.C.sb_event_start(t) ffi.C.sb_event_stop(t) ffi.C.sb_event_cancel(t)", 0, 0, 0, 0},
    };
    char text[512];
    int rc;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client c = {.events = 3};
        snprintf(text, sizeof text, "function event() end function thread_run(t) %s end",
                 cases[i].loop);
        RUN(&c, text);
        CHECK_INT(rc, cases[i].rc);
        CHECK_INT(c.ended, cases[i].ended);
        CHECK_INT(c.failed, cases[i].failed);
        CHECK_INT(c.cancelled, cases[i].cancelled);
    }
}

/* The default loop with an empty event compiles into one trace, without a single abort. */
static void test_one_trace(void)
{
    struct client c = {.events = 100000};
    int rc;

    RUN(&c, "local stops, aborts = 0, 0\n"
            "if jit.status() then jit.attach(function(what)\n"
            "  if what == 'stop' then stops = stops + 1 elseif what == 'abort' then aborts = "
            "aborts + 1 end\n"
            "end, 'trace') end\n"
            "function event() end\n"
            "function thread_done() jit.off()\n"
            "  assert(not jit.status() and (stops == 1 and aborts == 0 or stops == 0 and not "
            "jit.opt),\n"
            "         stops .. ' traces, ' .. aborts .. ' aborts') end\n");
    CHECK_STR(message, "");
    CHECK_INT(rc, 0);
    CHECK_INT(c.ended, 100000);
}

/* --- random numbers, histogram --- */

static void test_rand(void)
{
    /* the main state's first draws are the same in every process (base/rng.h) */
    expect_ok(CHECK_COMMAND("assert(sysbench.rand.uniform(1, 1000000) == 811644)"));
    expect_ok(CHECK_COMMAND("assert(sysbench.rand.unique() == 2672933100 and "
                            "sysbench.rand.unique(1, 2) == 2916245674)"));
    expect_ok(CHECK_COMMAND("local r = sysbench.rand\n"
                            "for _, f in ipairs{'default', 'uniform', 'gaussian', "
                            "'special', 'pareto', 'zipfian'} do\n"
                            "  for _ = 1, 1000 do local x = r[f](10, 20) assert(x >= 10 "
                            "and x <= 20 and x % 1 == 0, f) end\n"
                            "  assert(not pcall(r[f], 1, 'x') and not pcall(r[f], 1))\n"
                            "end\n"
                            "local above = 0\n"
                            "for _ = 1, 1000 do\n"
                            "  local x = r.uniform(1, 1099511627776) assert(x >= 1 and x "
                            "<= 1099511627776 and x % 1 == 0)\n"
                            "  if x > 4294967295 then above = above + 1 end\n"
                            "end\n"
                            "assert(above > 950, above)\n"
                            "local u = r.uniform_double() assert(u >= 0 and u < 1)\n"
                            "assert(type(r.uniform_uint64()) == 'cdata')"));
    expect_ok(CHECK_COMMAND(
        "local r = sysbench.rand\n"
        "local s = r.string('#@-\\0x' .. ('#'):rep(300))\n"
        "assert(#s == 305 and s:match('^%d%l%-%z' .. 'x' .. ('%d'):rep(30)))\n"
        "for _ = 1, 1000 do\n"
        "  local v = r.varstring(3, 5) assert(#v >= 3 and #v <= 5 and not v:find('[^0-z]'))\n"
        "end\n"
        "assert(#r.varstring(700, 700) == 700 and r.string('') == '')\n"
        "assert(not pcall(r.varstring, 5, 3) and not pcall(r.varstring, 0, 0))"));
}

/* From Lua and as C functions: the same rows, and nothing while nothing was counted. */
static void test_histogram(void)
{
    static const char rows[] = "       value  ------------- distribution ------------- count\n"
                               "       1.000 |**************************************** 2\n"
                               "       2.001 |********************                     1\n"
                               "       4.997 |********************                     1\n"
                               "      10.000 |**************************************** 2\n";

    capture();
    expect_ok(
        CHECK_COMMAND("local h = sysbench.histogram.new(1000, 1, 10) h:print()\n"
                      "for _, v in ipairs{1, 2, 0, 10, 100, 5.001} do h:update(v) end\n"
                      "h:print()\n"
                      "assert(tostring(h) == '<sysbench.histogram>')\n"
                      "for _, bad in ipairs{{1, 1, 10}, {-1, 1, 10}, {10, 0, 10},\n"
                      "                     {10, 5, 5}, {10, 1, 0 / 0}, {10, 1, math.huge}} do\n"
                      "  local ok, why = pcall(sysbench.histogram.new, unpack(bad))\n"
                      "  assert(not ok and\n"
                      "         why:find('size must exceed 1 and 0 < min < max', 1, true))\n"
                      "end"));
    CHECK_STR(captured(), rows);
    capture();
    expect_ok(CHECK_COMMAND("local C = ffi.C\n"
                            "local h = C.sb_histogram_new(1000, 1, 10) C.sb_histogram_print(h)\n"
                            "for _, v in ipairs{1, 2, -3, 10, math.huge, 5.001} do\n"
                            "  C.sb_histogram_update(h, v)\n"
                            "end\n"
                            "C.sb_histogram_print(h) C.sb_histogram_delete(h)\n"
                            "assert(C.sb_histogram_new(1, 1, 10) == nil)\n"
                            "C.sb_histogram_update(nil, 1) C.sb_histogram_print(nil)\n"
                            "C.sb_histogram_delete(nil)"));
    CHECK_STR(captured(), rows);
}

/* --- reports --- */

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
    "  assert(t.offered == 33 and t.done == 30 and t.failed == 0 and t.dropped == 1 and t.unfinished == 2)\n"
    "  assert(s.rate.unfinished == 2 and s.rate.withdrawn == 1 and t.withdrawn == 1 and s.rate.events_most == nil)\n"
    "  assert(s.percentile == 95 and #s.percentiles == 1 and s.percentiles[1].percentile == 95)\n"
    "  assert(near(s.percentiles[1].latency, 0.0025) and near(s.rate.response.percentiles[1].latency, 0.002))\n"
    "  assert(s.rate.lag.percentiles[1].percentile == 95 and s.rate.lag.percentiles[1].latency == nil)\n"
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
    "  assert(s.rate.events_least == 10 and s.rate.events_most == 20 and s.rate.total.offered == 33)\n"
    "  if sysbench.tid == 2 then error('lost') end\n"
    "end\n"
    "function event() end\n";

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

/* At a checkpoint counts and percentiles are those of the period; only the end of the run shows the
 * run. */
static void test_checkpoint_hook(void)
{
    struct snapshot snap = sample_snapshot();
    struct session s;

    snap.kind = SNAPSHOT_CHECKPOINT;
    begin(
        &s,
        "sysbench.hooks.report_cumulative = function(s)\n"
        "  assert(s.rate.offered == 11 and s.rate.total.offered == 33 and s.rate.events_most == 20)\n"
        "end\n"
        "function event() end\n",
        NULL, "run", (char *)NULL);
    CHECK_INT(script_report(s.script, NULL, SCRIPT_HOOK_CUMULATIVE, &snap), 0);
    end(&s);
}

/* Several percentiles: stock's columns stay where they are. */
static void test_percentile_list(void)
{
    static const char text[] =
        "sysbench.hooks.report_intermediate = function(s)\n"
        "  assert(sysbench.opt.percentile == 50 and s.percentile == 50 and #s.percentiles == 3)\n"
        "  assert(s.percentiles[3].percentile == 99.9 and math.abs(s.percentiles[3].latency - 0.5) < 1e-9)\n"
        "  local lines, real, write = {}, print, io.write\n"
        "  print = function(t) lines[#lines + 1] = t end io.write = print\n"
        "  sysbench.report_default(s) sysbench.report_csv(s) sysbench.report_json(s)\n"
        "  for k in pairs(s) do assert(k ~= 'percentile' and k ~= 'percentiles') end\n"
        "  setmetatable(s, nil) sysbench.report_csv(s) sysbench.report_default(s)\n"
        "  print, io.write = real, function() end\n"
        "  assert(lines[1]:find('lat (ms,50%,95%,99.9%): 1.00/2.50/500.00 err/s 2.00', 1, true))\n"
        "  assert(lines[2] == '6,2,50.00,30.00,5.00,10.00,15.00,1.00,2.00,1.00,2.50,500.00')\n"
        "  assert(lines[4]:find('    \"latency\": 1.00,\\n    \"percentiles\": {\\n      \"50\": 1.00,\\n      \"95\": '\n"
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

/* --- SQL objects, with the driver that answers everything by itself --- */

static void test_sql_objects(void)
{
    static char *hosts[] = {(char *)(uintptr_t) "localhost"},
                *ports[] = {(char *)(uintptr_t) "3306"};
    struct sql_options o = {.driver = "mysql",
                            .mysql = {.hosts = hosts,
                                      .nhosts = 1,
                                      .ports = ports,
                                      .nports = 1,
                                      .user = "u",
                                      .password = "",
                                      .db = "d",
                                      .dry_run = true}};
    struct client c = {.events = 100};
    struct err e = {0};
    int rc;

    if (!sql_driver_at(0) || strcmp(sql_driver_at(0)->sname, "mysql") != 0) {
        printf(
            "script_test: no driver that can be dry-run was built, SQL objects are not tested\n");
        return;
    }
    CHECK_INT(sql_setup(&o, &e), 0);
    CHECK_STR(e.msg, "");
    RUN(&c,
        "function thread_init()\n"
        "  drv = sysbench.sql.driver() con = drv:connect() st = con:prepare('SELECT ?, ?, ?')\n"
        "  local T = sysbench.sql.type\n"
        "  i, d, s = st:bind_create(T.INT), st:bind_create(T.FLOAT), st:bind_create(T.CHAR, 5)\n"
        "  assert(i.type == T.BIGINT and d.type == T.DOUBLE and s.type == T.VARCHAR and s.max_len "
        "== 5)\n"
        "  assert(st:bind_param(i, d, s) == 0 and st:bind_param() == nil)\n"
        "  assert(tostring(drv) == '<sql_driver>' and tostring(con) == '<sql_connection>')\n"
        "  assert(tostring(st) == '<sql_statement>' and tostring(i) == '<sql_param>')\n"
        "  assert(drv:name() == 'mysql' and st.connection == con and con.sql_errno == 0)\n"
        "  assert(not pcall(st.bind_create, st, T.DATE) and not pcall(st.bind_create, st, "
        "T.CHAR))\n"
        "  assert(not pcall(i.set_rand_str, i, '#') and not pcall(i.set, i, 'x'))\n"
        "end\n"
        "function event()\n"
        "  i:set(7) d:set(1.5) s:set('too long')\n"
        "  assert(i.buffer[0] == 7LL and d.buffer[0] == 1.5 and ffi.string(s.buffer, 5) == 'too "
        "l')\n"
        "  assert(s.data_len[0] == 5ULL and i.is_null[0] == 0)\n"
        "  i:set(nil) s:set_rand_str('##') assert(i.is_null[0] == 1 and s.data_len[0] == 2ULL)\n"
        "  assert(ffi.string(s.buffer, 2):match('^%d%d$'))\n"
        "  assert(st:execute() == nil and con:query('BEGIN') == nil and con:query_row('X') == "
        "nil)\n"
        "  local temporary = drv:connect():prepare('X') temporary:execute()\n"
        "  collectgarbage()\n"
        "end\n"
        "function thread_done()\n"
        "  assert(ffi.C.sb_counter_val(sysbench.tid, 0) == 400ULL)\n"
        "  assert(st:close() and con:disconnect() == true)\n"
        "  local ok, err = pcall(con.query, con, 'X') assert(not ok and err:find('SQL API "
        "error'))\n"
        "  ok, err = pcall(sysbench.sql.driver, 'nosuch')\n"
        "  assert(not ok and err:find('failed to initialize the DB driver'))\n"
        "end\n");
    CHECK_STR(message, "");
    CHECK_INT(rc, 0);
    CHECK_INT(c.ended, 100);
    sql_teardown();
}

/* --- several clients in one Lua state --- */

#define TOGETHER 3

/* They come and go in this order; what each finds is what it would find alone. */
static void test_together(void)
{
    static const char text[] =
        "sysbench.cmdline.options = {list = {'A list', {'a', 'b'}}}\n"
        "mine, n = sysbench.tid, 0\n"
        "string.own = function() return mine end\n"
        "function thread_init(t) assert(t == mine and opened == nil) opened = t\n"
        "  table.insert(sysbench.opt.list, t) assert(#sysbench.opt.list == 3) sysbench.opt.list[4] = opened end\n"
        "function event(t)\n"
        "  n = n + 1\n"
        "  assert(t == mine and opened == t and ('x'):own() == t and sysbench.opt.list[3] == t and _G.n == n)\n"
        "  if t == 1 and n == 2 then error('one fails') end\n"
        "end\n"
        "function thread_done(t) assert(n == (t == 1 and 2 or 4) and opened == t) end\n";
    struct client c[TOGETHER] = {
        {.id = 0, .events = 4}, {.id = 1, .events = 4}, {.id = 2, .events = 4}};
    void *state[TOGETHER] = {NULL};
    struct workload *w;
    struct session s;

    begin(&s, text, NULL, "run", "--threads=3", (char *)NULL);
    CHECK_INT(s.rc, 0);
    w = script_workload(s.script, 1);
    CHECK_INT(w->ops->init(w, &s.e), 0);
    for (int i = 0; i < TOGETHER; i++) {
        c[i].counters = mem_array_aligned(1, sizeof *c[i].counters);
        rng_seed(&c[i].rng, &s.seeder);
        CHECK_INT(w->ops->client_open(w, &c[i], &state[i], &s.e), 0);
    }
    CHECK_STR(s.e.msg, "");
    for (int i = TOGETHER - 1; i >= 0; i--)
        CHECK_INT(w->ops->client_run(w, &c[i], state[i], &s.e), i == 1 ? -1 : 0);
    CHECK(strstr(s.e.msg, "one fails") != NULL);
    for (int i = 0; i < TOGETHER; i++) {
        CHECK_INT(c[i].ended, i == 1 ? 1 : 4);
        CHECK_INT(c[i].failed, i == 1);
        CHECK_INT(w->ops->client_close(w, &c[i], state[i], i == 1, &s.e), 0);
        w->ops->client_free(w, &c[i], state[i]);
    }
    CHECK_INT(w->ops->done(w, &s.e), 0);
    for (int i = 0; i < TOGETHER; i++)
        free(c[i].counters);
    end(&s);
}

static void test_room(void)
{
    const size_t kib = 1024;
    struct err e = {0};

    CHECK_INT(room_check(true, 200 * kib, 1000000, 0, &e), 0);
    CHECK_INT(room_check(false, 200 * kib, 5242, 0, &e), 0);
    CHECK_INT(room_check(false, 200 * kib, 5243, 0, &e), -1);
    CHECK_STR(
        e.msg,
        "--threads=5243: this LuaJIT is not a GC64 build, its objects have 1024 MiB, and some 5242 Lua states "
        "of 200 KiB fit: with --workers=1 --lua-state=worker, some 26209 clients");
    CHECK_INT(room_check(false, 200 * kib, 26000, 2, &e), 0);
    CHECK_INT(room_check(false, 200 * kib, 30000, 2, &e), -1);
    CHECK_STR(
        e.msg,
        "--threads=30000: this LuaJIT is not a GC64 build, its objects have 1024 MiB, and some 26204 clients "
        "fit");
}

int main(void)
{
    log_set_verbosity(-1);
    for (test_shared = 0; test_shared <= 1; test_shared++) {
        test_loop();
        test_restart();
        test_own_loop();
        test_rand();
        test_histogram();
        test_sql_objects();
    }
    test_shared = 0;
    test_together();
    test_room();
    test_one_trace();
    test_hooks();
    test_checkpoint_hook();
    test_percentile_list();
    return test_done("script_run_test");
}
