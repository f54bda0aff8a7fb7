/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The bundled workloads that are mixes: which of the global functions they call, in which order, to
 * prepare and in an event; and that a script which wraps or replaces those functions gets its own.
 */
#include "script/script_test.h"

/* Wraps every global function of the workload; thread_done compares what was called. */
#define WATCHED                                                                                    \
    "local short = {prepare_point_selects = 'p', prepare_simple_ranges = 's', "                    \
    "prepare_sum_ranges = 'S',\n"                                                                  \
    "  prepare_order_ranges = 'o', prepare_distinct_ranges = 'd', prepare_index_updates "          \
    "= 'i',\n"                                                                                     \
    "  prepare_non_index_updates = 'n', prepare_delete_inserts = 'x', prepare_begin = "            \
    "'b',\n"                                                                                       \
    "  prepare_commit = 'c', begin = 'B', commit = 'C', execute_point_selects = 'P',\n"            \
    "  execute_simple_ranges = '1', execute_sum_ranges = '2', execute_order_ranges = "             \
    "'3',\n"                                                                                       \
    "  execute_distinct_ranges = '4', execute_index_updates = 'I', "                               \
    "execute_non_index_updates = 'N',\n"                                                           \
    "  execute_delete_inserts = 'X', check_reconnect = '.'}\n"                                     \
    "local called = ''\n"                                                                          \
    "for name, letter in pairs(short) do\n"                                                        \
    "  local original = assert(_G[name], name)\n"                                                  \
    "  _G[name] = function(...) called = called .. letter return original(...) end\n"              \
    "end\n"                                                                                        \
    "local done = thread_done\n"                                                                   \
    "function thread_done() done() assert(called == wanted, called) end\n"

static void test_order(void)
{
    static const struct {
        const char *workload, *option, *wanted;
        int other; /* statements of one event, as counted */
    } cases[] = {
        {"oltp_read_only", "--threads=1", "pbcsSodBP1234C.", 16},
        {"oltp_read_only", "--skip_trx=on", "psSodP1234.", 14},
        {"oltp_read_only", "--range_selects=off", "pbcBPC.", 12},
        {"oltp_read_write", "--threads=1", "bcpsSodinxBP1234INXC.", 20},
        {"oltp_read_write", "--skip_trx=on", "psSodinxP1234INX.", 18},
        {"oltp_read_write", "--range_selects=off", "bcpinxBPINXC.", 16},
        {"oltp_read_write", "--delete_inserts=2", "bcpsSodinxBP1234INXC.", 22},
        {"oltp_write_only", "--threads=1", "bcinxBINXC.", 6},
        {"oltp_point_select", "--point_selects=7", "pP.", 1},
        {"oltp_update_index", "--index_updates=3", "iI.", 3},
        {"oltp_update_non_index", "--threads=1", "nN.", 1},
        {"oltp_delete", "--tables=3", ".", 1},
    };
    char text[2560];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client c = {.events = 1};

        snprintf(text, sizeof text,
                 "require('%s')\nlocal wanted, statements = '%s', %d\n" WATCHED
                 "local event_of_mix = event\n"
                 "function event() event_of_mix()\n"
                 "  assert(ffi.C.sb_counter_val(0, 0) == statements) end\n",
                 cases[i].workload, cases[i].wanted, cases[i].other);
        const char *how = ran(&c, (const char *[]){text, cases[i].option});
        TEST_REPORT(strcmp(how, "0 1/0/0 ") == 0, "%s %s: %s", cases[i].workload, cases[i].option,
                    how);
    }
}

/* What is replaced after require() is what runs. */
static void test_replaced(void)
{
    struct client c = {.events = 3};

    RUN(&c, "0 3/0/0 ",
        "require('oltp_read_write')\n"
        "local n = 0\n"
        "function prepare_statements() prepare_begin() prepare_commit() end\n"
        "for _, name in ipairs({'point_selects', 'simple_ranges', 'sum_ranges', 'order_ranges',\n"
        "    'distinct_ranges', 'index_updates', 'non_index_updates', 'delete_inserts'}) do\n"
        "  _G['execute_' .. name] = function() n = n + 1 end\n"
        "end\n"
        "local done = thread_done\n"
        "function thread_done() done() assert(n == 24)\n"
        "  assert(ffi.C.sb_counter_val(0, 0) == 6) end\n");
}

/* --skip-trx is read before BEGIN and again before COMMIT. */
static void test_skip_trx_changes(void)
{
    struct client c = {.events = 3};

    RUN(&c, "0 3/0/0 ",
        "require('oltp_read_only')\n"
        "local n, called = 0, ''\n"
        "local point_selects, done = execute_point_selects, thread_done\n"
        "local begin_of_mix, commit_of_mix = begin, commit\n"
        "function begin() called = called .. 'B' .. n begin_of_mix() end\n"
        "function commit() called = called .. 'C' .. n commit_of_mix() end\n"
        "function execute_point_selects() n = n + 1 point_selects()\n"
        "  sysbench.opt.skip_trx = n == 2 end\n"
        "function thread_done() done() assert(called == 'B0C1B1C3', called) end\n");
}

/* Beside another oltp_common.lua, which lacks a function: the message names it. */
static void test_incomplete(void)
{
    struct client c = {.events = 1};

    CHECK(strstr(
        ran(&c, (const char *[2]){"require('oltp_read_write')\nprepare_index_updates = nil\n"}),
        "global 'prepare_index_updates'"));
    CHECK_INT(c.ended, 0);
}

static void test_refused(void)
{
    static const struct {
        const char *mix, *why;
    } cases[] = {
        {"{'transaction', 'point_select'}", "t.lua:1: no such part of a mix: point_select"},
        {"{'deletes', 'deletes', 'deletes', 'deletes', 'deletes', 'deletes', 'deletes'}",
         "too many parts in a mix"},
    };
    char text[256];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "require('sysbench-tx.oltp_mix')(%s)", cases[i].mix);
        expect_refusal(text, cases[i].why);
    }
}

TEST_MAIN(oltp_mix_test)
{
    log_set_verbosity(-1);
    test_refused();
    if (test_dry_run()) {
        for (test_shared = 0; test_shared <= 1; test_shared++) {
            test_order();
            test_replaced();
            test_skip_trx_changes();
            test_incomplete();
        }
        sql_teardown();
    }
    return test_done("oltp_mix_test");
}
