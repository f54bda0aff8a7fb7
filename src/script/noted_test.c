/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which options a command looks at (--options-read), and that a script does not notice that it is
 * watched.
 */
#include "script/script_test.h"

/* The noted options, in the order of --help. */
static const char *noted(const struct opts *o, struct str *s)
{
    struct opt_view v;

    str_reset(s);
    for (size_t i = 0; opts_at(o, i, &v); i++)
        if (v.noted)
            str_printf(s, "%s%s", s->len ? " " : "", v.shown);
    return str_cstr(s);
}

/* Calls `prepare`; what it looked at, or the message of its error. */
static const char *looked_at(const char *text, const char *options, struct str *s)
{
    struct session t;

    test_notes_reads = true;
    begin(&t, text, NULL, "prepare", options);
    if (t.rc || script_call_command(t.script, "prepare", &t.e)) {
        str_reset(s);
        str_adds(s, t.e.msg);
    } else {
        noted(t.env.opts, s);
    }
    end(&t);
    test_notes_reads = false;
    return str_cstr(s);
}

#define OWN                                                                                        \
    "sysbench.cmdline.options = {one = {'', 1}, two = {'', 2}, off = {'', false}, list = "         \
    "{'', {'a', "                                                                                  \
    "'b'}}}\n"
#define ALL_LISTED                                                                                 \
    "threads num-threads debug percentile luajit-cmd thread-stack-size rand-seed mysql-host "      \
    "mysql-dry-run mysql-engine-trx events validate verbosity list off one two"

static void test_reads(void)
{
    static const struct {
        const char *what, *text, *reads;
    } cases[] = {
        {"none", OWN "function prepare() end", ""},
        {"what it calls",
         OWN "local function f() return sysbench.opt end\n"
             "function prepare() assert(f().one == 1) end",
         "one"},
        {"a flag that is off", OWN "function prepare() assert(sysbench.opt.off == false) end",
         "off"},
        {"a list", OWN "function prepare() assert(#sysbench.opt.list == 2) end", "list"},
        {"twice", OWN "function prepare() for i = 1, 3 do assert(sysbench.opt['two'] == 2) end end",
         "two"},
        {"what nobody declared", OWN "function prepare() assert(sysbench.opt.other == nil) end",
         ""},
        {"ours, which pairs() does not list",
         OWN "function prepare() assert(sysbench.opt.label == '') end", "label"},
        {"what it wrote first",
         OWN "function prepare() sysbench.opt.one = 7 assert(sysbench.opt.one == 7) end", ""},
        {"and what it removed",
         OWN "function prepare() sysbench.opt.one = nil\n"
             "assert(sysbench.opt.one == nil and sysbench.opt.two) "
             "sysbench.opt.two = nil assert(sysbench.opt.two == nil) end",
         "two"},
        {"another command",
         OWN "function prepare() end function cleanup() return "
             "sysbench.opt.one end",
         ""},
        {"the threads",
         OWN "local function p() if sysbench.tid == 1 then x = sysbench.opt.two end "
             "end sysbench.cmdline.commands = {prepare = {p, true}}",
         "two"},
        {"pairs",
         OWN "local pairs = pairs function prepare() local n, mine = 0, sysbench.opt.one\n"
             "for k, v in pairs(sysbench.opt) do n = n + 1 assert(sysbench.opt[k] == v) "
             "end assert(n == 17, n) end",
         ALL_LISTED},
        {"next",
         OWN "local t = {} function prepare() for k, v in next, sysbench.opt do t[k] = v "
             "end assert(t.one == 1 and t.off == false) end",
         ALL_LISTED},
        {"foreach",
         OWN "function prepare() local n = 0\n"
             "table.foreach(sysbench.opt, function() n = n + 1 end) assert(n == 17) end",
         ALL_LISTED},
        {"rawget", OWN "function prepare() assert(rawget(sysbench.opt, 'one') == 1) end",
         ALL_LISTED},
        {"its metatable",
         OWN
         "function prepare() local old = getmetatable(sysbench.opt).__index\n"
         "assert(old.label == '') setmetatable(sysbench.opt, {__index = function(_, k) error(k) "
         "end}) assert(sysbench.opt.one == 1 and not pcall(function() return sysbench.opt.no "
         "end)) end",
         "threads num-threads label batch debug percentile luajit-cmd thread-stack-size rand-seed "
         "mysql-host mysql-dry-run mysql-engine-trx events validate verbosity list off one two"},
        {"other tables",
         OWN "function prepare() local t = setmetatable({5}, {})\n"
             "for k, v in pairs(t) do assert(k == 1 and v == 5) end\n"
             "assert(next({}) == nil and rawget(t, 1) == 5 and getmetatable(t)\n"
             "and getmetatable('').__index == string) end",
         ""},
        {"globals", "function prepare() assert(one == '5' and verbosity == 3 and not other) end",
         "verbosity one"},
        {"a global with a default",
         "function prepare() one = one or 3 two = two or 4\n"
         "assert(one == '5' and two == 4) end",
         "one"},
        {"an environment of its own",
         "local f = setfenv(function() return one end, setmetatable({}, {__index = _G}))\n"
         "function prepare() assert(f() == '5') end",
         "one"},
        {"globals that its metatable guards",
         "setmetatable(_G, {__index = function(_, k) return nil end})\n"
         "function prepare() assert(one == '5') end",
         "threads num-threads debug percentile luajit-cmd thread-stack-size rand-seed mysql-host "
         "mysql-dry-run mysql-engine-trx events validate verbosity one"},
    };
    struct str s = STR_INIT;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool own = strncmp(cases[i].text, OWN, sizeof OWN - 1) == 0;
        looked_at(cases[i].text, own ? "--threads=2" : "--threads=2 --one=5", &s);
        TEST_REPORT(strcmp(str_cstr(&s), cases[i].reads) == 0, "%s: %s", cases[i].what,
                    str_cstr(&s));
    }
    str_free(&s);
}

/* Scripts of 0.5 find their options before their first line. */
static void test_old(void)
{
    struct str s = STR_INIT;

    test_generation = GENERATION_0_5;
    CHECK_STR(looked_at("local rows = two or 10\n"
                        "function prepare() assert(rows == 10 and one == '5') end",
                        "--one=5", &s),
              "one");
    CHECK_STR(looked_at("local rows = one or 10\n"
                        "function prepare() assert(rows == '5' and num_threads == 2) end",
                        "--num-threads=2 --one=5", &s),
              "num-threads one");
    test_generation = GENERATION_1_0;
    str_free(&s);
}

/* Another name of an option that is looked at. */
static void test_old_name(void)
{
    static const struct opt_row rows[] = {
        {.name = "size", .type = OPT_INT, .def = "1"},
        {.name = "old-size", .type = OPT_INT, .def = "1", .now = "size"},
        {.name = "more", .type = OPT_INT, .def = "1"},
    };
    struct opts *o = opts_new();
    struct str s = STR_INIT;

    opts_add(o, OPT_GROUP_GENERAL, rows, 3);
    CHECK(!opts_notes_reads(o));
    CHECK_STR(noted(o, &s), "");
    opt_note(o, "size");
    opt_note(o, "none");
    CHECK_STR(noted(o, &s), "size old-size");
    str_free(&s);
    opts_free(o);
}

TEST_MAIN(noted_test)
{
    log_set_verbosity(-1); /* what is printed comes back as a message too */
    test_reads();
    test_old();
    test_old_name();
    return test_done("noted_test");
}
