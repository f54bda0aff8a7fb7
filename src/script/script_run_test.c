/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A script runs: the loop and its accounts, restarts, random numbers, histograms.
 */
#include "base/test_capture.h"
#include "script/script_test.h"

/* --- the loop --- */

static void test_loop(void)
{
    struct client c = {.events = 5};

    /* client 0 is not client 3: the assertion of thread_init */
    RUN(&c, "-1 0/0/0 t.lua:3: assertion failed!",
        "local n = 0\n"
        "function init() assert(sysbench.tid == 0) end\n"
        "function thread_init(t) assert(t == 3 and sysbench.tid == 3 and sysbench.opt.threads == "
        "4) c = 1 end\n"
        "function event(t) n = n + 1 assert(t == 3 and c == 1) end\n"
        "function thread_done(t) assert(t == 3 and n == 5) end\n"
        "function done() assert(c == nil) end\n",
        "--threads=4");
    c = (struct client){.events = 5, .id = 3};
    RUN(&c, "0 5/0/0 ",
        "local n = 0\n"
        "function thread_init(t) assert(t == 3 and sysbench.tid == 3 and sysbench.opt.threads == "
        "4) c = 1 end\n"
        "function event(t) n = n + 1 assert(t == 3 and c == 1) end\n"
        "function thread_done(t) assert(t == 3 and n == 5) end\n"
        "function done() assert(c == nil and sysbench.tid == 0) end\n",
        "--threads=4");

    c = (struct client){.events = 5};
    RUN(&c, "0 2/0/1 ",
        "local n = 0\nfunction event() n = n + 1 return n == 3 end\n"
        "function thread_done() assert(n == 3) end");

    c = (struct client){.events = 5};
    RUN(&c, "-1 1/1/0 t.lua:2: ev",
        "local n = 0\nfunction event() n = n + 1 if n == 2 then error('ev') end end\n"
        "function thread_done() error('must not be called') end");
}

/* A loop that LuaJIT's issue 829 has compiled to a crash, see api.c. */
static void test_traversal(void)
{
    struct client c = {.events = 1};

    RUN(&c, "0 1/0/0 ",
        "local T, x = {}, bit.bxor for i = 1, 40 do T[i] = i end\n"
        "local function f(a, b, c, d, e, f, g, h, i, j)\n"
        "  for k, v in pairs(T) do\n"
        "    a = x(a, v) b = bit.band(b + g, 9) c = x(c, v) d = x(d, v)\n"
        "    e = x(e, v) f = x(f, v)\n"
        "    if T[k] ~= v then g = k end\n"
        "    h = x(h, v) i = x(i, v) j = bit.band(j + g, 9)\n"
        "  end\n"
        "end\n"
        "function event()\n"
        "  for _ = 1, 300 do f(1, 1, 1, 1, 1, 1, 1, 1, 1, 1) end\n"
        "  local n = 0 for k, v in next, T do n = n + k - v + 1 end assert(n == 40)\n"
        "  assert(select('#', next({})) == 1 and next(T) == 1)\n"
        "  local say, why = pcall(pairs, 1) assert(why:find('table expected, got number'))\n"
        "  say, why = pcall(pairs) assert(why:find('expected'))\n"
        "  say, why = pcall(next) assert(why:find('table expected'))\n"
        "  ffi.cdef('struct pairs_of {int x;}')\n"
        "  ffi.metatype('struct pairs_of', {__pairs = function(o) return next, {o.x} end})\n"
        "  for k, v in pairs(ffi.new('struct pairs_of', 7)) do n = n + v end assert(n == 47)\n"
        "end\n");
}

static void test_restart(void)
{
    struct client c = {.events = 4, .retries = 100};

    RUN(&c, "0 4/0/0 ",
        "local n, hooked = 0, 0\n"
        "sysbench.hooks.before_restart_event = function(e)\n"
        "  assert(e.errcode == sysbench.error.RESTART_EVENT and e.n == n) hooked = hooked + 1\n"
        "end\n"
        "function event() n = n + 1 if n % 3 ~= 0 then error({errcode = 1, n = n}) end end\n"
        "function thread_done() assert(n == 12 and hooked == 8) end\n");
    CHECK_INT(c.begun, 4);
    CHECK_INT(c.retries, 92);

    /* a refused retry: the event has failed, its hook is not called, the loop asks for the next */
    c = (struct client){.events = 4, .retries = 1};
    RUN(&c, "0 0/4/0 ",
        "hooked = 0\n"
        "sysbench.hooks.before_restart_event = function(e) hooked = hooked + 1 end\n"
        "function event() error({errcode = sysbench.error.RESTART_EVENT}) end\n"
        "function thread_done() assert(hooked == 1) end\n");

    /* the hook's own error counts as an attempt when it is restartable, and ends the client when
     * not */
    c = (struct client){.events = 1, .retries = 5};
    RUN(&c, "0 1/0/0 ",
        "local n = 0\n"
        "sysbench.hooks.before_restart_event = function() n = n + 1 if n < 3 then "
        "error({errcode = 1}) end end\n"
        "local first = true\n"
        "function event() if first then first = false error({errcode = 1}) end end\n"
        "function thread_done() assert(n == 3) end");
    c = (struct client){.events = 1, .retries = 5};
    RUN(&c, "-1 0/1/0 t.lua:1: hook",
        "sysbench.hooks.before_restart_event = function() error('hook') end\n"
        "function event() error({errcode = 1}) end\n");

    /* outside an event it is an error like any other; another table too */
    c = (struct client){.events = 1, .retries = 5};
    RUN(&c, "-1 0/0/0 (not a string)",
        "function thread_init() error({errcode = 1}) end function event() end");
    RUN(&c, "-1 0/1/0 (not a string)", "function event() error({errcode = 2}) end");
    /* an SQL error that is ignored says what it is, also one that has no number */
    RUN(&c, "-1 0/1/0 SQL error, errno = 1146, state = '42S02': no table",
        "function thread_init() error({errcode = 1, sql_errno = 1146, sql_state = '42S02', "
        "sql_errmsg = 'no table'}) end function event() end");
    RUN(&c, "-1 0/1/0 SQL error, errno = 0, state = '': ",
        "function thread_init() error({errcode = 1, sql_errno = 0, sql_state = '', "
        "sql_errmsg = ''}) end function event() end");
    RUN(&c, "-1 0/1/0 (not a string)",
        "function thread_init() error({errcode = 1, sql_state = '42S02'}) end "
        "function event() end");
}

static void test_weighted(void)
{
    static const struct {
        const char *list, *why;
    } wrong[] = {
        {"{{7, print}, {'ten', print}}",
         "t.lua:1: weight 2 is 'ten': a number from 0 on is needed"},
        {"{{-1, print}}", "t.lua:1: weight 1 is '-1': "},
        {"{{1e308, print}, {1e308, print}}", "t.lua:1: weight 2 is '1e+308': "},
        {"{{7, print}, missing, {3, print}}", "t.lua:1: weight 2 is 'nil': "},
        {"{print}", "t.lua:1: weight 1 is 'function: "},
        {"{{0/0, print}}", "t.lua:1: weight 1 is '"},
        {"{{7, print}, {3}}", "t.lua:1: weight 2 has no function"},
        {"{{0, print}}", "t.lua:1: all weights are 0"},
    };
    struct client c = {.events = 1000};
    char text[96];

    RUN(&c, "0 899/0/1 ",
        "local n, sum = {0, 0, 0}, 0\n"
        "local function kind(i) return function(t)\n"
        "  assert(t == 0) n[i], sum = n[i] + 1, sum + 1 return sum == 900 end end\n"
        "event = require('sysbench-tx.weighted'){{'7', kind(1)}, {0, kind(2)}, {3, kind(3)}}\n"
        "function thread_done() assert(n[1] > 580 and n[1] < 680 and n[2] == 0, n[1]) end\n");

    /* the second attempt is of the first one's kind; what follows a failed event need not be */
    c = (struct client){.events = 100, .retries = 50};
    RUN(&c, "0 50/50/0 ",
        "local said = ''\n"
        "local function kind(letter) return function(t)\n"
        "  said = said .. letter\n"
        "  if not ffi.C.sb_event_again(t) then error({errcode = 1}) end end end\n"
        "event = require('sysbench-tx.weighted'){{1, kind('a')}, {1, kind('b')}}\n"
        "function thread_done()\n"
        "  local twice, once = said:sub(1, 100), said:sub(101)\n"
        "  for pair in twice:gmatch('..') do assert(pair == 'aa' or pair == 'bb', said) end\n"
        "  assert(twice:find('ab') and once:find('ab') and #once == 50, said)\n"
        "  assert(not ffi.C.sb_event_again(0)) end\n");

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "require('sysbench-tx.weighted')(%s)", wrong[i].list);
        expect_refusal(text, wrong[i].why);
    }
}

/* Loops that scripts write themselves may forget things; the accounts must balance. */
static void test_own_loop(void)
{
    static const struct {
        const char *loop, *want;
    } cases[] = {
        {"while ffi.C.sb_more_events(t) do ffi.C.sb_event_start(t) event(t) ffi.C.sb_event_stop(t) "
         "end",
         "0 3/0/0 "},
        {"while ffi.C.sb_more_events(t) do ffi.C.sb_event_stop(t) end", "0 3/0/0 "},
        {"while ffi.C.sb_more_events(t) do ffi.C.sb_event_start(t) end", "0 0/0/3 "},
        {"while ffi.C.sb_more_events(t) do ffi.C.sb_event_start(t) ffi.C.sb_event_start(t) "
         "ffi.C.sb_event_stop(t) ffi.C.sb_event_stop(t) end",
         "0 3/0/0 "},
        {"ffi.C.sb_more_events(t) ffi.C.sb_more_events(t)", "0 0/0/1 "},
        {"ffi.C.sb_more_events(t) ffi.C.sb_event_start(t) error('x')", "-1 0/1/0 t.lua:1: x"},
        {"ffi.C.sb_event_start(t) ffi.C.sb_event_stop(t) ffi.C.sb_event_cancel(t)", "0 0/0/0 "},
    };
    char text[512];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client c = {.events = 3};
        snprintf(text, sizeof text, "function event() end function thread_run(t) %s end",
                 cases[i].loop);
        RUN(&c, cases[i].want, text);
    }
}

/* The default loop with an empty event compiles into one trace, without a single abort. */
static void test_one_trace(void)
{
    struct client c = {.events = 100000};

    RUN(&c, "0 100000/0/0 ",
        "local stops, aborts, why = 0, 0\n"
        "if jit.status() then jit.attach(function(what, _, _, _, code)\n"
        "  if what == 'stop' then stops = stops + 1\n"
        "  elseif what == 'abort' then aborts, why = aborts + 1, code end\n"
        "end, 'trace') end\n"
        "function event() end\n"
        "function thread_done() jit.off()\n"
        "  assert(not jit.status() and (stops == 1 and aborts == 0 or stops == 0 and not "
        "jit.opt),\n"
        "         stops .. ' traces, ' .. aborts .. ' aborts, error ' .. tostring(why)) end\n");
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

TEST_MAIN(script_run_test)
{
    log_set_verbosity(-1);
    for (test_shared = 0; test_shared <= 1; test_shared++) {
        test_loop();
        test_traversal();
        test_restart();
        test_weighted();
        test_own_loop();
        test_rand();
        test_histogram();
    }
    test_shared = 0;
    test_one_trace();
    return test_done("script_run_test");
}
