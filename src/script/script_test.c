/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A script is found and loaded, its options reach it, print() works, and the place where a client
 * stalls is asked for.
 */
#include <signal.h>

#include "base/test_capture.h"
#include "script/script_test.h"

#include "script/host.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* --- loading --- */

static void test_load(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"x = = 3", ":1: unexpected symbol near '='"},
        {"\n error('boom')", ":2: boom"},
        {"error({})", "(not a string)"},
        {"require('nosuch.module')", ":1: module 'nosuch.module' not found:"},
    };
    struct session s;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(&s, cases[i].text, NULL, "run", (char *)NULL);
        CHECK_INT(s.rc, -1);
        CHECK_INT(s.e.kind, ERR_REPORTED);
        TEST_REPORT(strstr(s.e.msg, cases[i].message), "%s: got %s", cases[i].text, s.e.msg);
        end(&s);
    }
    begin(&s, "#!/usr/bin/env sysbench\nassert(select('#', ...) == 0 and arg == nil)", NULL, NULL,
          (char *)NULL);
    CHECK_INT(s.rc, 0);
    end(&s);

    begin(&s, NULL, "no/such/script", "run", (char *)NULL);
    CHECK_INT(s.rc, SCRIPT_NOT_FOUND);
    CHECK_STR(s.e.msg,
              "Cannot find benchmark 'no/such/script': no such built-in test, file or module");
    end(&s);
    begin(&s, NULL, "/tmp", "run", (char *)NULL);
    CHECK_STR(s.e.msg, "Cannot find benchmark '/tmp': no such built-in test, file or module");
    end(&s);
}

/* LUA_PATH replaces the default, ";;" stands for it; a module gets its name. */
static void test_module(void)
{
    struct session s;
    char path[160];

    begin(&s, "name = ...\n" CHECK_COMMAND("assert(name == 't')"), NULL, NULL, (char *)NULL);
    CHECK_INT(s.rc, 0);
    script_close(s.script);
    snprintf(path, sizeof path, "%s/?.lua;;", s.dir);
    setenv("LUA_PATH", path, 1);
    s.env.testname = "t";
    s.env.command = "check";
    CHECK_INT(script_open(&s.script, &s.env, &s.e), 0);
    CHECK_INT(script_options(s.script, &s.e), 0);
    CHECK_INT(script_call_command(s.script, "check", &s.e), 0);
    script_close(s.script);

    setenv("LUA_PATH", "/nowhere/?.lua", 1);
    s.script = NULL;
    CHECK_INT(script_open(&s.script, &s.env, &s.e), SCRIPT_NOT_FOUND);
    CHECK_STR(s.e.msg, "Cannot find benchmark 't': no such built-in test, file or module");
    unsetenv("LUA_PATH");
    end(&s);
}

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

/* --luajit-cmd is obeyed before the script's first line; what LuaJIT does not know is one
 * sentence. */
static void test_luajit_cmd(void)
{
    static const char *const bad[] = {"nosuch",  "nosuch=1,2", "=",      "util",
                                      "version", "v.x",        "off,on", "../v"};
    static const struct {
        const char *arg, *text;
    } good[] = {
        {"--luajit-cmd=off", "assert(not jit.status()) function event() end"},
        {"--luajit-cmd=on", "assert(jit.status()) function event() end"},
        {"--luajit-cmd=flush", "assert(jit.status()) function event() end"},
        {"--luajit-cmd=",
         "assert(jit.status() and not package.path:find('luajit', 1, true)) function event() end"},
    };
    struct session s;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        begin(&s, good[i].text, NULL, "run", good[i].arg, (char *)NULL);
        CHECK_STR(s.e.msg, "");
        end(&s);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char arg[64], want[128];
        snprintf(arg, sizeof arg, "--luajit-cmd=%s", bad[i]);
        snprintf(want, sizeof want, "unknown luaJIT command or jit.* modules not installed: %s",
                 arg);
        begin(&s, "error('the script ran')", NULL, "run", arg, (char *)NULL);
        CHECK_INT(s.rc, -1);
        CHECK_INT(s.e.kind, ERR_USAGE);
        CHECK_STR(s.e.msg, want);
        end(&s);
    }
    begin(&s, "error('the script ran')", NULL, "run", "--luajit-cmd=attach", (char *)NULL);
    CHECK_INT(s.rc, -1); /* it exists and wants an argument: LuaJIT's own words, and ours */
    CHECK(strstr(s.e.msg, "bad argument #1") && strstr(s.e.msg, ": --luajit-cmd=attach"));
    end(&s);
}

/* --- options --- */

static const char options[] =
    "local A = sysbench.cmdline\n"
    "A.options = {num = {'n', 3}, flag = {'f', true}, ['dash-ed'] = {'d', 'x'}, list = {'l', {'a', "
    "'b'}},\n"
    "  none = {'no default'}, int = {'i', 10, A.ARG_INT}, size = {'s', '16K', A.ARG_SIZE},\n"
    "  text = {'t', {'x', 'y'}, A.ARG_LIST}, threads = {'like a general one', 7},\n"
    "  even = {'e', 2, A.ARG_INT, function(n, v) return tonumber(ffi.string(v)) % 2 == 0 end},\n"
    "  any = {'a', 1, A.ARG_INT}}\n"
    "local function is(name, want)\n"
    "  local got = sysbench.opt[name]\n"
    "  if type(got) == 'table' then got = table.concat(got, '|') end\n"
    "  if got ~= want then error(name .. ' is ' .. tostring(got), 0) end\n"
    "end\n"
    "A.commands = {default = {function()\n"
    "  is('num', 3) is('flag', true) is('dash_ed', 'x') is('list', 'a|b') is('none', '') is('int', "
    "10)\n"
    "  is('size', 16384) is('text', 'x|y') is('threads', 7) is('even', 2) is('debug', false)\n"
    "  is('thread_stack_size', 65536) is('mysql_host', 'localhost')\n"
    "end}, given = {function()\n"
    "  is('num', 1.5) is('flag', false) is('dash_ed', '') is('list', 'x|y|z') is('none', 'q') "
    "is('int', -2)\n"
    "  is('size', 2097152) is('threads', 1) is('even', 4) is('any', 3) is('mysql_host', 'a|b')\n"
    "end}}\n";

static void call_with_options(const char *command, const char *const *args, const char *want_error)
{
    struct session s;

    begin(&s, options, NULL, command, args[0], args[1], args[2], args[3], args[4], args[5], args[6],
          args[7], args[8], args[9], args[10], (char *)NULL);
    if (s.rc == 0)
        s.rc = script_call_command(s.script, command, &s.e);
    CHECK_STR(s.e.msg, want_error);
    CHECK_INT(s.rc, *want_error ? -1 : 0);
    CHECK_INT(s.e.kind, *want_error ? ERR_SYNTAX : ERR_NONE);
    end(&s);
}

static void test_options(void)
{
    static const char *const given[11] = {
        "--num=1.5", "--flag=off", "--dash-ed=",       "--list=x,y,,z", "--none=q", "--int=-2",
        "--size=2M", "--even=4",   "--mysql-host=a,b", "--threads=1",   "--any=3"};
    static const struct {
        const char *arg, *message;
    } bad[] = {
        {"--num=10T",
         "Invalid value for the 'num' option: '10T' (a number, such as 0.5, 10k or 1M, is needed)"},
        {"--num=abc",
         "Invalid value for the 'num' option: 'abc' (a number, such as 0.5, 10k or 1M, is needed)"},
        {"--int=1.5", "Invalid value for the 'int' option: '1.5' (a whole number, such as 500, 10k "
                      "or 1M, is needed)"},
        {"--flag=yes", "invalid option: --flag=yes (allowed: on, off)"},
        {"--even=3", "invalid option: --even=3"},
        {"--nosuch=1",
         "invalid option: --nosuch=1; see 'sysbench --help' and 'sysbench TEST --help'"},
    };
    static const char *const nothing[11] = {0};

    call_with_options("default", nothing, "");
    call_with_options("given", given, "");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *args[11] = {bad[i].arg};
        call_with_options("default", args, bad[i].message);
    }
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
    struct session s;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(&s, cases[i].text, NULL, "run", (char *)NULL);
        CHECK_INT(s.rc, -1);
        CHECK_INT(s.e.kind, ERR_REPORTED);
        TEST_REPORT(strstr(s.e.msg, cases[i].message), "%s: got %s", cases[i].text, s.e.msg);
        end(&s);
    }
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
          NULL, "prepare", "--oltp-table-size=55", (char *)NULL);
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

/* On standard input: run whole at the start, errors name the line. */
static void test_stdin(void)
{
    static const char *const text[] = {"assert(sysbench.cmdline.script_path == nil)",
                                       "\nerror('top')"};
    int saved = dup(STDIN_FILENO);

    for (int i = 0; i < 2; i++) {
        struct session s;
        int fd[2];

        CHECK_INT(pipe(fd), 0);
        CHECK(write(fd[1], text[i], strlen(text[i])) > 0);
        close(fd[1]);
        dup2(fd[0], STDIN_FILENO);
        clearerr(stdin);
        begin(&s, NULL, "-", NULL, (char *)NULL);
        CHECK_INT(s.rc, i ? -1 : 0);
        CHECK_STR(s.e.msg, i ? "stdin:2: top" : "");
        end(&s);
        close(fd[0]);
    }
    dup2(saved, STDIN_FILENO);
    close(saved);
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
          NULL, "run", (char *)NULL);
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
    test_load();
    test_module();
    test_environment();
    test_luajit_cmd();
    test_options();
    test_bad_declarations();
    test_legacy_globals();
    test_print();
    test_stdin();
    test_stall();
    return test_done("script_test");
}
