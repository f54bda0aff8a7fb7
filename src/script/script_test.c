/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a script finds, declarations of options that are refused, print(), and the place where a
 * client stalls.  How a script is found and loaded, its options and --luajit-cmd: lua_script.t and
 * lua_luajit_cmd.t.
 */
#include <signal.h>

#include "base/test_capture.h"
#include "script/script_test.h"

#include "script/host.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

static void test_environment(void)
{
    expect_ok("tid, opt = sysbench.tid, sysbench.opt\n" CHECK_COMMAND(
        "assert(tid == 0 and opt == nil)"
        "assert(sysbench.version == '1.0.20' and sysbench.tx_version == '" PACKAGE_VERSION "')"
        "assert(sysbench.version_string == 'sysbench 1.0.20')"
        "assert(sysbench.cmdline.command == 'check' and sysbench.cmdline.argv[0] == 'sysbench')"
        "assert(sysbench.cmdline.script_path == sysbench.cmdline.argv[1])"
        "assert(sysbench.error.RESTART_EVENT == 1 and next(sysbench.hooks) == nil)"
        "assert(ffi == require('ffi') and type(thread_run) == 'function')"
        "assert(package.path:find('./?.lua;./?/init.lua;./src/lua/?.lua;', 1, true) == 1)"));
    /* no state of our own scripts loads what compares declarations: it would be half of its memory
     */
    expect_ok(CHECK_COMMAND("local i, name, value = 0 assert(sysbench.sql.driver) repeat i = i + 1 "
                            "name, value = require('debug').getupvalue(ffi.cdef, i) "
                            "assert(name ~= 'without_ours' or value == nil) until not name "
                            "assert(i > 1)"));
    /* other people's scripts declare what they call */
    expect_ok(CHECK_COMMAND(
        "ffi.cdef[[void sb_counter_inc(int thread_id, int type); bool sb_more_events(int);"
        "uint32_t sb_rand_uniform(uint32_t, uint32_t); void sb_event_start(int thread_id);]]"
        "ffi.C.sb_counter_inc(0, 1) assert(ffi.C.sb_counter_val(0, 1) == 1ULL)"
        "assert(ffi.C.sb_counter_val(7, 1) == 0ULL and not ffi.C.sb_more_events(0))"));
}

static void test_bad_declarations(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"sysbench.cmdline.options = 5", "wrong type for sysbench.cmdline.options: number"},
        {"sysbench.cmdline.options = {a = 5}", "wrong table structure in sysbench.cmdline.options"},
        {"sysbench.cmdline.options = {'a'}", "wrong table structure in sysbench.cmdline.options"},
        {"sysbench.cmdline.options = {a = {}}", "nil description for option a"},
        {"sysbench.cmdline.options = {a = {'d', print}}", "wrong type for option a"},
        {"sysbench.cmdline.options = {a = {'d', 1, 99}}", "wrong type for option a"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refusal(cases[i].text, cases[i].message);
}

/* Option-less scripts of the 0.5 generation: anything goes, and arrives in globals. */
static void test_legacy_globals(void)
{
    struct session s;

    begin(&s,
          "function threads() end\n"
          "assert(thread_id == 0 and test == sysbench.cmdline.script_path and oltp_table_size == "
          "nil)\n"
          "function prepare()\n"
          "  assert(oltp_table_size == '55' and sysbench.opt.oltp_table_size == '55' and "
          "percentile == 95)\n"
          "  assert(type(threads) == 'function' and sb_rand_uniq(2672933100, 2672933100) == "
          "2672933100)\n"
          "end\n",
          NULL, "prepare", "--oltp-table-size=55");
    CHECK_STR(s.e.msg, "");
    CHECK_INT(script_call_command(s.script, "prepare", &s.e), 0);
    CHECK_STR(s.e.msg, "");
    end(&s);
}

/* --- what a script does --- */

/* print() as in Lua, each call one write; what is not a string in the end is an error. */
static void test_print(void)
{
    capture();
    expect_ok(CHECK_COMMAND("print() print(1, nil, 'x') print('a\\0b')\n"
                            "local ok, why = pcall(function()\n"
                            "  tostring = function() return {} end print(1) end)\n"
                            "assert(not ok and why:find(\"'tostring' must return a string\"))"));
    CHECK(strcmp(captured(), "\n1\tnil\tx\na") == 0);
}

/* Where is the client that stalls?  The question comes in a signal; the hook that finds out removes
 * itself, and a script's own hook stays. */
static void stalled(int sig)
{
    (void)sig;
    script_client_stalled();
}

static void test_stall(void)
{
    struct client c = {.events = 2};
    struct session s;

    signal(SIGUSR1, stalled);
    begin(&s,
          "ffi.cdef('int raise(int sig);')\n"
          "local debug = require('debug')\n"
          "function event()\n"
          "  assert(debug.gethook() == nil)\n"
          "  ffi.C.raise(10) local found = debug.gethook() assert(found == nil)\n"
          "  debug.sethook(print, '', 1000000) ffi.C.raise(10)\n"
          "  assert(debug.gethook() == print) debug.sethook()\n"
          "end",
          NULL, "run", "");
    CHECK_INT(run(&s, &c), 0);
    CHECK_STR(s.e.msg, "");
    CHECK_INT(c.ended, 2);
    end(&s);
    script_client_stalled(); /* nobody runs */
    signal(SIGUSR1, SIG_DFL);
}

TEST_MAIN(script_test)
{
    log_set_verbosity(-1); /* what is printed comes back as a message too */
    test_environment();
    test_bad_declarations();
    test_legacy_globals();
    test_print();
    test_stall();
    return test_done("script_test");
}
