/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Commands of scripts: which there are, what becomes of each, suggestions, help, and the random
 * streams of parallel ones.
 */
#include "base/test_capture.h"
#include "script/script_test.h"

#include "base/near.h"

static void test_commands(void)
{
    static const char text[] =
        "sysbench.cmdline.commands = {\n"
        "  yes = {function() return 'x' end}, none = {function() end}, no = {function() return "
        "false end},\n"
        "  err = {function() error('xx') end}, empty = {nil}, flat = 5, cleanup = {function() done "
        "= true end},\n"
        "  half = {function() if sysbench.tid == 1 then error('one of two') end end, true},\n"
        "  all = {function() assert(sysbench.opt.threads == 2) end, "
        "sysbench.cmdline.PARALLEL_COMMAND}}\n"
        "function prepare() assert(not done) error('classic') end\n"
        "function cleanup() error('the table has precedence') end\n";
    static const struct {
        const char *command;
        enum script_command_kind kind;
        int rc;
        const char *message; /* a part of it */
    } cases[] = {
        {"yes", SCRIPT_COMMAND_CALL, 0, ""},
        {"none", SCRIPT_COMMAND_CALL, 0, ""},
        {"no", SCRIPT_COMMAND_CALL, -1, "command 'no' failed"},
        {"err", SCRIPT_COMMAND_CALL, -1, "t.lua:3: xx"},
        {"half", SCRIPT_COMMAND_CALL, -1, "command 'half' failed in 1 of 2 threads"},
        {"all", SCRIPT_COMMAND_CALL, 0, ""},
        {"prepare", SCRIPT_COMMAND_CALL, -1, "classic"},
        {"cleanup", SCRIPT_COMMAND_CALL, 0, ""},
        {"run", SCRIPT_COMMAND_RUN, 0, ""},
        {"help", SCRIPT_COMMAND_MISSING, 0, "'t.lua' test does not implement the 'help' command."},
        {"empty", SCRIPT_COMMAND_MISSING, 0,
         "Unknown command: empty (its entry in sysbench.cmdline.commands has no function"},
        {"flat", SCRIPT_COMMAND_MISSING, 0,
         "Unknown command: flat (its entry in sysbench.cmdline.commands has no function"},
        {"other", SCRIPT_COMMAND_UNKNOWN, 0, "Unknown command: other"},
    };
    struct session s;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *command = cases[i].command;
        begin(&s, text, NULL, command, "--threads=2");
        CHECK_INT(s.rc, 0);
        CHECK_INT(script_command_kind(s.script, command, &s.e), cases[i].kind);
        if (cases[i].kind == SCRIPT_COMMAND_CALL)
            CHECK_INT(script_call_command(s.script, command, &s.e), cases[i].rc);
        TEST_REPORT(strstr(s.e.msg, cases[i].message), "%s: got %s", command, s.e.msg);
        CHECK(*cases[i].message || !*s.e.msg);
        end(&s);
    }
}

/* Suggestions are the script's own commands, in the order of their names. */
static void test_near_commands(void)
{
    struct near near;
    struct session s;
    struct err e = {0};

    begin(&s,
          "sysbench.cmdline.commands = {loading = {print}, load = {print}, loud = "
          "{print}, [1] = {print}}",
          NULL, "lood", "");
    near_begin(&near, "lood");
    script_near_commands(s.script, &near);
    err_set(&e, ERR_USAGE, "no");
    near_suggest(&near, &e);
    CHECK_STR(e.msg, "no; did you mean load or loud?");
    end(&s);
    begin(&s, "", NULL, "lood", "");
    near_begin(&near, "lood");
    script_near_commands(s.script, &near);
    CHECK_INT(near.names, 0);
    end(&s);
}

/* A help of the script's options for a script that has none of its own. */
static void test_help(void)
{
    struct session s;

    begin(&s, "sysbench.cmdline.options = {rows = {'How many', 10}}", NULL, "help", "");
    CHECK_INT(script_command_kind(s.script, "help", &s.e), SCRIPT_COMMAND_CALL);
    capture();
    CHECK_INT(script_call_command(s.script, "help", &s.e), 0);
    CHECK_STR(captured(), "t.lua options:\n  --rows=N How many [10]\n\n");
    end(&s);
}

/* Same seed, same data, whichever thread is first: streams are drawn before the threads start. */
static void test_parallel_streams(void)
{
    static const char text[] =
        "sysbench.cmdline.commands = {check = {function()\n"
        "  local want = {[0] = 0, 0, 0}\n"
        "  local f = assert(io.open(sysbench.cmdline.script_path .. '.' .. sysbench.tid, 'w'))\n"
        "  f:write(sysbench.rand.uniform(1, 1000000)) f:close()\n"
        "end, true}}\n";
    char first[3][16], again[16], file[128];

    for (int round = 0; round < 4; round++) {
        struct session s;
        begin(&s, text, NULL, "check", "--threads=3");
        CHECK_INT(script_call_command(s.script, "check", &s.e), 0);
        for (int i = 0; i < 3; i++) {
            char *into = round ? again : first[i];
            FILE *f;
            snprintf(file, sizeof file, "%s.%d", s.path, i);
            f = fopen(file, "r");
            CHECK(f && fgets(into, 16, f));
            CHECK_STR(into, first[i]);
            fclose(f);
            unlink(file);
        }
        end(&s);
    }
    CHECK(strcmp(first[0], first[1]) && strcmp(first[1], first[2]));
}

TEST_MAIN(lua_commands_test)
{
    log_set_verbosity(-1); /* what is printed comes back as a message too */
    test_commands();
    test_near_commands();
    test_help();
    test_parallel_streams();
    return test_done("lua_commands_test");
}
