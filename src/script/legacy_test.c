/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The scripts of 0.5: which names lead to them, that they come after every file, and what of the
 * API follows the generation.
 */
#include "script/api.h"
#include "script/legacy.h"

#include "base/test_golden.h"
#include "script/host.h"
#include "script/script_test.h"

/* --- names --- */

static void name(const char *name)
{
    const struct internal_lua *old = legacy_script(name), *bundled = bundled_text(name);

    golden_line("'%s': %s, %s", name, old ? old->name : "-", bundled ? bundled->name : "-");
}

/* Of 0.5, and the scripts of 1.0 where they are not; a name that both had is decided by the
 * directory. */
static void test_names(void)
{
    golden_each("/usr/share/doc/sysbench/tests/db/oltp.lua|tests/db/oltp|oltp.lua|./common.lua|"
                "x/bulk_insert.lua|oltp|bulk_insert|x/random.lua|x/random|x/builtin_oltp.lua|"
                "x/builtin_oltp_main|x/oltp_read_only.lua|x/oltp.luac|x/||x/sysbench.sql.lua|"
                "a-name-so-long-that-the-key-of-a-text-that-is-built-in-would-not-hold-it.lua|"
                "/usr/share/sysbench/oltp_read_only.lua|/usr/share/sysbench/bulk_insert.lua|"
                "/usr/share/doc/sysbench/tests/db/bulk_insert.lua|sysbench/bulk_insert.lua|"
                "oltp_read_only.lua|x/oltp_read_only|x/oltp_common.lua|/usr/share/sysbench/",
                name);
    golden_done("legacy_test");
    CHECK(legacy_file("/nowhere/common.lua") != NULL);
    CHECK(legacy_file("/nowhere/oltp.lua") == NULL);
    CHECK(legacy_module("common") != NULL);
    CHECK(legacy_module("oltp_legacy.random") == NULL);
    CHECK(own_module("sysbench-tx.legacy_random") == api_text("sysbench-tx/legacy_random.lua"));
    CHECK(own_module("sysbench-tx.none") == NULL);
    CHECK(own_module("oltp_tables") == NULL);
    CHECK(legacy_module("oltp_legacy.common") == legacy_module("common"));
    CHECK(legacy_module("oltp") == NULL);
    CHECK(legacy_module("oltp_legacy") == NULL);
}

/* --- what is run --- */

/* A file of the directory comes before the built-in one, and so does a module. */
static void test_files_first(void)
{
    struct session s;
    char directory[64] = "/tmp/legacy_test.XXXXXX", own[96], missing[96];
    FILE *f;

    CHECK(mkdtemp(directory) != NULL);
    snprintf(own, sizeof own, "%s/common.lua", directory);
    snprintf(missing, sizeof missing, "%s/oltp.lua", directory);
    begin(&s, NULL, missing, "run", "");
    CHECK_INT(s.rc, 0);
    CHECK(vm_has_global(s.script->main, "create_insert"));
    end(&s);
    f = fopen(own, "w");
    fputs("function mine() end", f);
    fclose(f);
    begin(&s, NULL, missing, "run", "");
    CHECK_INT(s.rc, 0);
    CHECK(vm_has_global(s.script->main, "mine"));
    CHECK(!vm_has_global(s.script->main, "create_insert"));
    end(&s);
    begin(&s, NULL, own, "run", "");
    CHECK(vm_has_global(s.script->main, "mine"));
    end(&s);
    unlink(own);
    rmdir(directory);
}

static void test_users_script(void)
{
    expect_ok("pathtest = string.match(test, '(.*/)')\n"
              "dofile(pathtest .. 'common.lua')\n" CHECK_COMMAND(
                  "assert(create_insert and prepare and cleanup and set_vars) "
                  "create_insert = nil assert(not pcall(dofile, pathtest .. 'oltp.lua')) "
                  "require('common') assert(create_insert)"));
    expect_ok(
        "local ok, why = pcall(dofile, '/nowhere/x.lua')\n"
        "assert(not ok and why:find('cannot open /nowhere/x.lua', 1, true), why)\n"
        "ok, why = pcall(require, 'commons')\n"
        "assert(not ok and why:find(\"module 'commons' not found\", 1, true), why)\n" CHECK_COMMAND(
            ""));
}

/* --- the API --- */

static void test_random(void)
{
    expect_ok(CHECK_COMMAND(
        "for _, f in ipairs({sb_rand, sb_rand_uniform, sb_rand_gaussian, sb_rand_special}) do "
        "  for _ = 1, 100 do local n = f('1', '20') assert(type(n) == 'number' and n "
        ">= 1 and n <= 20) end "
        "end "
        "assert(sb_rand_pareto == nil) "
        "local n = sb_rnd() assert(n >= 0 and n == math.floor(n)) "
        "assert(sb_rand_str('##-@'):find('^%d%d%-%l$'))"));
    /* the sequence of 0.5; from 2^20 numbers on, stock's permutation */
    expect_ok(
        CHECK_COMMAND("assert(sb_rand_uniq(1, 1000) == 648) "
                      "assert(sb_rand_uniq('1', '1000') == 295) "
                      "local seen = {} "
                      "for _ = 1, 1000 do local n = sb_rand_uniq(1001, 2000) "
                      "  assert(n > 1000 and n <= 2000 and not seen[n]) seen[n] = true end "
                      "assert(sb_rand_uniq(7, 7) == 7) assert(sb_rand_uniq(7, 6) == 7) "
                      "assert(sb_rand_uniq(1, 4294967295) == 2672933100) "
                      "assert(sb_rand_uniq() == 2916245674) "
                      "local n = sb_rand_uniq(1000000001, 1100000000) "
                      "assert(n > 1000000000 and n <= 1100000000) "
                      "for _ = 1, 1000 do local n = sb_rand(-5, 5) " /* compiled or not */
                      "assert(n >= 0 and n <= 5 or n >= 4294967291 and n <= 4294967295) end "
                      "assert(sb_rand_uniq(-5e6, -1) < 0 and sb_rand_uniq(5e9, 6e9) >= 5e9)"));
}

/* Limits that are no numbers: every call returns, and with a number. */
static void test_odd_limits(void)
{
    expect_ok(CHECK_COMMAND("local nan, inf = 0 / 0, math.huge "
                            "assert(sb_rand_uniq(nan, 5) == 0 and sb_rand_uniq(nan, 1e9) == 0 and "
                            "sb_rand_uniq(-inf, 5) == 0) "
                            "assert(sb_rand_uniq(5, nan) == 5 and sb_rand_uniq(nan, nan) == 0 and "
                            "sb_rand_uniq(7, -inf) == 7) "
                            "local n = sb_rand_uniq(3, inf) assert(n >= 3 and n < inf) "
                            "n = sb_rand_uniq(-2^63, 2^63) assert(n >= -2^63 and n <= 2^63) "
                            "local odd = {nan, inf, -inf, 0, 7, 1e300, -1e300} "
                            "for name, f in pairs({sb_rand, sb_rand_uniform, sb_rand_gaussian, "
                            "sb_rand_special, sb_rand_uniq, "
                            "                      sysbench.rand.default, sysbench.rand.uniform, "
                            "sysbench.rand.gaussian, "
                            "                      sysbench.rand.special, sysbench.rand.pareto, "
                            "sysbench.rand.zipfian}) do "
                            "  for _, a in ipairs(odd) do for _, b in ipairs(odd) do "
                            "    local n = f(a, b) assert(n == n, name) "
                            "  end end "
                            "end"));
}

/* What an event that raises the number 1 comes to, and the numbers themselves. */
static void check_generation(enum generation g, int ended, const char *names)
{
    struct client c = {.events = 2, .retries = 9};
    struct session s;
    char text[512];
    int rc;

    snprintf(text, sizeof text,
             "assert(%s)\n"
             "assert(sysbench.db.DB_ERROR_FAILED == DB_ERROR_FAILED)\n"
             "n = 0 function event() n = n + 1 if n == 1 then error(1, 0) end end",
             names);
    test_generation = g;
    begin(&s, text, NULL, "run", "");
    CHECK_STR(s.e.msg, "");
    rc = s.rc ? s.rc : run(&s, &c);
    CHECK_INT(rc, ended ? 0 : -1);
    CHECK_INT(c.ended, ended);
    end(&s);
    test_generation = GENERATION_1_0;
}

static void test_generations(void)
{
    for (test_shared = 0; test_shared < 2; test_shared++) {
        check_generation(GENERATION_1_0, 0,
                         "DB_ERROR_NONE == 0 and DB_ERROR_RESTART_TRANSACTION == 1 and "
                         "DB_ERROR_FAILED == 2 and DB_ERROR_DEADLOCK == nil");
        check_generation(GENERATION_0_5, 2,
                         "DB_ERROR_NONE == 0 and DB_ERROR_RESTART_TRANSACTION == 1 and "
                         "DB_ERROR_FAILED == 3 and DB_ERROR_DEADLOCK == nil and "
                         "sb_rnd() < 0x3fffffff");
    }
    test_shared = 0;
}

/* With --compat=0.5 thread_init() finds itself connected, without it and without one it does not.
 */
static void test_connected_early(void)
{
    static const struct {
        enum generation generation;
        const char *text;
        bool connected;
    } cases[] = {
        {GENERATION_1_0, "function thread_init() seen = connected end", false},
        {GENERATION_0_5, "function thread_init() seen = connected end", true},
        {GENERATION_0_5, "", false},
        {GENERATION_0_5,
         "sysbench.cmdline.options = {} function thread_init() seen = connected end", false},
    };
    char text[512];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client c = {.events = 1};
        snprintf(text, sizeof text,
                 "function db_connect() connected = true end\n%s\n"
                 "function event() assert(seen == %s) end",
                 cases[i].text, cases[i].connected ? "true" : "nil");
        test_generation = cases[i].generation;
        RUN(&c, "0 1/0/0 ", text);
    }
    test_generation = GENERATION_1_0;
}

/* In 0.5 globals are there before the script and are the script's to change; in 1.0 after its top
 * level. An option that neither had leaves the script's variable of that name alone. */
static void test_globals(void)
{
    static const char late[] =
        "assert(oltp_size == nil and threads == nil)\n"
        "label, percentile, num_threads = 'mine', 7, 0\n"
        "function prepare() assert(label == 'mine' and percentile == 95 and batch == nil) "
        "assert(oltp_size == '55' and threads == 3 and num_threads == 3) end";
    static const char early[] =
        "assert(oltp_size == '55' and threads == 3 and num_threads == 3 and percentile == 95)\n"
        "assert(mysql_table_engine == 'myisam' and flag == '' and test and debug.traceback)\n"
        "label, percentile, oltp_size = 'mine', 7, tonumber(oltp_size) + 1\n"
        "function prepare() assert(label == 'mine' and percentile == 7 and oltp_size == 56) "
        "assert(threads == 3 and mysql_table_engine == 'myisam' and debug.traceback) end";
    struct session s;

    for (int old = 0; old < 2; old++) {
        test_generation = old ? GENERATION_0_5 : GENERATION_1_0;
        begin(&s, old ? early : late, NULL, "prepare",
              "--threads=3 --oltp-size=55 --flag --mysql_table-engine=myisam");
        CHECK_STR(s.e.msg, "");
        CHECK_INT(s.rc ? s.rc : script_call_command(s.script, "prepare", &s.e), 0);
        CHECK_STR(s.e.msg, "");
        end(&s);
    }
    test_generation = GENERATION_1_0;
}

static void test_shared_state(void)
{
    struct client c = {.events = 1};

    test_shared = 1;
    RUN(&c, "0 1/0/0 ",
        "dofile(string.match(test, '(.*/)') .. 'common.lua') require('common') "
        "require('sysbench-tx.legacy_random')\n"
        "function event() assert(create_insert) assert(not pcall(dofile, '/nowhere/x.lua')) "
        "assert(sb_rand('1', '1') == 1 and sb_rand_uniq('1', '1') == 1) end");
    test_shared = 0;
}

TEST_MAIN(legacy_test)
{
    test_names();
    test_files_first();
    test_users_script();
    test_random();
    test_odd_limits();
    test_generations();
    test_connected_early();
    test_globals();
    test_shared_state();
    return test_done("legacy_test");
}
