/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options that a script declares through C (sb_lua_set_test_args): their values, help, validators,
 * what is refused, and that a second call replaces the first.
 */
#include "base/test_capture.h"
#include "script/script_test.h"

/* declare{{name, text, default, type, validator}, ...}: what sb_lua_set_test_args() returns. */
#define DECLARE                                                                                    \
    "local kept = {}\n"                                                                            \
    "local function text(s) if s then kept[#kept + 1] = s end return s end\n"                      \
    "function declare(rows)\n"                                                                     \
    "  local args = ffi.new('sb_arg_t[?]', math.max(#rows, 1))\n"                                  \
    "  for i, r in ipairs(rows) do\n"                                                              \
    "    local a = args[i - 1]\n"                                                                  \
    "    a.name, a.desc, a.value, a.type = text(r[1]), text(r[2]), text(r[3]), r[4]\n"             \
    "    if r[5] then a.validate = ffi.cast('sb_opt_validate_t *', r[5]) kept[#kept + 1] "         \
    "= r[5] end\n"                                                                                 \
    "  end\n"                                                                                      \
    "  return ffi.C.sb_lua_set_test_args(args, #rows)\n"                                           \
    "end\n"                                                                                        \
    "local A = sysbench.cmdline\n"

static const char three[] = DECLARE
    "assert(declare({{'replaced', 'gone', '1', A.ARG_INT}}) == 0)\n"
    "assert(declare({\n"
    "  {'rows', 'How many rows', '10', A.ARG_INT, function(name, value)\n"
    "    assert(ffi.string(name) == 'rows') return tonumber(ffi.string(value)) < 100 end},\n"
    "  {'label', 'A label', nil, A.ARG_STRING},\n"
    "  {'quick', 'Be quick', 'on', A.ARG_BOOL}}) == 0)\n"
    "function event() end\n";

static void test_values(void)
{
    char text[2048];
    struct session s;

    snprintf(text, sizeof text, "%s%s", three,
             CHECK_COMMAND("local o = sysbench.opt\n"
                           "assert(o.rows == 42 and o.label == 'x' and o.quick == true)\n"
                           "assert(o.replaced == nil)"));
    begin(&s, text, NULL, "check", "--rows=42 --label=x");
    CHECK_STR(s.e.msg, "");
    CHECK_INT(s.rc, 0);
    CHECK_INT(script_call_command(s.script, "check", &s.e), 0);
    end(&s);
}

static void test_validator(void)
{
    struct session s;

    begin(&s, three, NULL, "run", "--rows=100");
    CHECK_INT(s.rc, -1);
    CHECK(strstr(s.e.msg, "rows") && strstr(s.e.msg, "100"));
    end(&s);
    begin(&s, three, NULL, "run", "--replaced=1");
    CHECK_INT(s.rc, -1);
    CHECK(strstr(s.e.msg, "replaced") != NULL);
    end(&s);
}

static void test_help(void)
{
    struct session s;
    const char *help;

    begin(&s, three, NULL, "help", "");
    CHECK_INT(s.rc, 0);
    capture();
    CHECK_INT(script_call_command(s.script, "help", &s.e), 0);
    help = captured();
    CHECK(strstr(help, "t.lua options:\n") == help);
    CHECK(strstr(help, "  --rows=N         How many rows [10]\n") != NULL);
    CHECK(strstr(help, "  --label=STRING   A label\n") != NULL);
    CHECK(!strstr(help, "replaced"));
    end(&s);
}

/* Nothing changes when one of them is refused. */
static void test_refused(void)
{
    static const struct {
        const char *row, *why;
    } cases[] = {
        {"{nil, 'text', '1', A.ARG_INT}", "option 2 of 2 has no name"},
        {"{'', 'text', '1', A.ARG_INT}", "option 2 of 2 has no name"},
        {"{'n', nil, '1', A.ARG_INT}", "option 2 of 2 has no description"},
        {"{'n', 'text', '1', 0}", "option 2 of 2 has no known type"},
        {"{'n', 'text', '1', 8}", "option 2 of 2 has no known type"},
    };
    char text[2048];
    struct session s;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text,
                 DECLARE "assert(declare({{'first', 'It stays', '1', A.ARG_INT}}) == 0)\n"
                         "assert(declare({{'other', 'text', '1', A.ARG_INT}, %s}) == 1)\n"
                         "assert(ffi.C.sb_lua_set_test_args(nil, 1) == 1)\n%s",
                 cases[i].row,
                 CHECK_COMMAND("assert(sysbench.opt.first == 1 and sysbench.opt.other == nil)"));
        capture();
        begin(&s, text, NULL, "check", "");
        CHECK(strstr(captured(), cases[i].why) != NULL);
        CHECK_INT(s.rc, 0);
        CHECK_INT(script_call_command(s.script, "check", &s.e), 0);
        end(&s);
    }
}

/* None at all is an answer too, and print_test_options() shows whatever is declared. */
static void test_none(void)
{
    struct session s;

    capture();
    begin(&s, DECLARE "assert(declare({}) == 0) ffi.C.sb_print_test_options()", NULL, "run", "");
    CHECK_STR(captured(), "\n");
    CHECK_INT(s.rc, 0);
    end(&s);
    capture();
    begin(&s,
          DECLARE "declare({{'rows', 'How many', '1', A.ARG_INT}}) ffi.C.sb_print_test_options()",
          NULL, "run", "");
    CHECK(strstr(captured(), "--rows=N How many [1]") != NULL);
    end(&s);
}

TEST_MAIN(test_args_test)
{
    test_values();
    test_validator();
    test_help();
    test_refused();
    test_none();
    return test_done("test_args_test");
}
