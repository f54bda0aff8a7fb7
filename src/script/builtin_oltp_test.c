/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * 0.4's built-in test oltp without a server: how many statements of which class an event of each
 * mode and dialect has, what is refused, and how the ids are distributed.  The texts and their
 * order are compared with a server's log (tests/t/legacy_oltp_mysql.t).
 */
#include "script/script_test.h"

#define N(a) (sizeof(a) / sizeof *(a))

/* read/write/other of one event; NULL: it is refused before a client begins, and the sentence is on
 * standard output (legacy_oltp_mysql.t) */
static const struct {
    enum generation g;
    const char *options, *want;
} counts[] = {
    {GENERATION_0_4, "", "14/5/2"},
    {GENERATION_0_4_TX, "", "14/5/2"},
    {GENERATION_0_4_DRIZZLE, "", "14/5/2"},
    {GENERATION_1_0, "", "14/5/2"},
    {GENERATION_1_1, "", "14/5/2"},
    {GENERATION_1_0, "--oltp-read-only=on", "14/0/2"},
    {GENERATION_1_0, "--oltp-read-only=on --oltp-skip-trx=on", "14/0/0"},
    {GENERATION_1_0, "--oltp-write-only=on", "0/5/2"},
    {GENERATION_1_0, "--oltp-range-selects=off", "10/5/2"},
    {GENERATION_1_0, "--oltp-simple-ranges=2 --oltp-sum-ranges=0 --oltp-order-ranges=3", "16/5/2"},
    {GENERATION_1_0, "--oltp-point-selects=1 --oltp-distinct-ranges=0", "4/5/2"},
    {GENERATION_1_0, "--oltp-index-updates=0 --oltp-non-index-updates=4", "14/7/2"},
    {GENERATION_1_0, "--oltp-delete-inserts=0", "14/2/2"},
    {GENERATION_1_0, "--oltp-delete-inserts=3", "14/11/2"},
    {GENERATION_1_0, "--oltp-test-mode=simple", "1/0/0"},
    {GENERATION_1_0, "--oltp-test-mode=nontrx", "1/0/0"},
    {GENERATION_1_0, "--oltp-test-mode=nontrx --oltp-nontrx-mode=update_key", "0/1/0"},
    {GENERATION_1_0, "--oltp-test-mode=nontrx --oltp-nontrx-mode=update_nokey", "0/1/0"},
    {GENERATION_1_0, "--oltp-test-mode=nontrx --oltp-nontrx-mode=delete", "0/1/0"},
    {GENERATION_1_0, "--oltp-test-mode=nontrx --oltp-nontrx-mode=insert", "0/1/0"},
    {GENERATION_1_0, "--oltp-test-mode=nontrx --oltp-nontrx-mode=insert --oltp-auto-inc=off",
     "0/1/0"},
    /* each new connection is one more */
    {GENERATION_1_0, "--oltp-reconnect-mode=transaction", "14/5/3"},
    {GENERATION_1_0, "--oltp-reconnect-mode=query", "14/5/18"},
    {GENERATION_1_0, "--oltp-reconnect-mode=query --oltp-test-mode=simple", "1/0/1"},
    {GENERATION_1_0, "--mysql-engine-trx=no", "14/5/2"},
    {GENERATION_1_0, "--oltp-test-mode=mixed", NULL},
    {GENERATION_1_0, "--oltp-test-mode=sp", NULL},
    {GENERATION_1_0, "--oltp-reconnect-mode=never", NULL},
    {GENERATION_1_0, "--oltp-nontrx-mode=update", NULL},
    {GENERATION_1_0, "--oltp-dist-type=pareto", NULL},
    {GENERATION_1_0, "--oltp-dist-res=100", NULL},
    {GENERATION_1_0, "--oltp-dist-pct=101", NULL},
    {GENERATION_1_0, "--oltp-dist-iter=0", NULL},
    {GENERATION_1_0, "--oltp-range-size=0", NULL},
    {GENERATION_1_0, "--oltp-point-selects=-1", NULL},
    {GENERATION_1_0, "--oltp-num-tables=33", NULL},
    {GENERATION_1_0, "--oltp-table-size=0", NULL},
    {GENERATION_1_0, "--oltp-table-name=", NULL},
    {GENERATION_1_0, "--oltp-secondary=on", NULL},
    {GENERATION_1_0, "--oltp-read-only=on --oltp-write-only=on", NULL},
    {GENERATION_1_0, "--oltp-user-delay-min=2 --oltp-user-delay-max=1", NULL},
};

static void test_counts(void)
{
    char text[256], got[64];

    for (size_t i = 0; i < N(counts); i++) {
        const char *want = counts[i].want;
        struct session s;
        struct client c = {.events = 1};

        test_generation = counts[i].g;
        snprintf(text, sizeof text, "--oltp-connect-delay=0 %s", counts[i].options);
        begin(&s, NULL, "oltp", "run", text);
        CHECK_STR(s.e.msg, "");
        CHECK_INT(s.rc, 0);
        CHECK(!s.rc && !run(&s, &c) == !!want);
        CHECK_INT(c.begun, !!want);
        snprintf(got, sizeof got, "%u/%u/%u", (unsigned)counters_get(&test_counted, CNT_READ),
                 (unsigned)counters_get(&test_counted, CNT_WRITE),
                 (unsigned)counters_get(&test_counted, CNT_OTHER));
        TEST_REPORT(!want || strcmp(got, want) == 0, "%s %s: got %s, not %s",
                    generation_facts(counts[i].g)->name, text, got, want);
        end(&s);
    }
}

/* 200,000 ids of a distribution: the smallest, the largest, their mean, how many are in the middle
 * hundredth, as the script of the test sees them. */
#define DRAW                                                                                       \
    "local function draw(kind, size, iter, pct, res)\n"                                            \
    "  sysbench.opt.oltp_dist_iter, sysbench.opt.oltp_dist_pct = iter, pct\n"                      \
    "  sysbench.opt.oltp_dist_res = res\n"                                                         \
    "  local id = sysbench.builtin_oltp_parts.ids[kind](size)\n"                                   \
    "  local low, high, sum, hot = math.huge, 0, 0, 0\n"                                           \
    "  local first = math.floor(size / 2) - math.floor(size * pct / 200)\n"                        \
    "  local n = math.max(1, math.floor(size * pct / 100))\n"                                      \
    "  for _ = 1, 200000 do\n"                                                                     \
    "    local i = id()\n"                                                                         \
    "    assert(i == math.floor(i) and i >= 1 and i <= size, i)\n"                                 \
    "    low, high, sum = math.min(low, i), math.max(high, i), sum + i\n"                          \
    "    hot = hot + (i >= first and i < first + n and 1 or 0)\n"                                  \
    "  end\n"                                                                                      \
    "  return low, high, sum / 200000, hot / 200000\n"                                             \
    "end\n"                                                                                        \
    "local function within(low, high, n) assert(n >= low and n <= high, n) end\n"

static void test_distributions(void)
{
    test_builtin_oltp = false;
    /* uniform: both ends, the mean, a hundredth in the middle hundredth */
    expect_ok(DRAW CHECK_COMMAND("local low, high, mean, hot = draw('uniform', 10000, 12, 1, 75)"
                                 " within(1, 3, low) within(9998, 10000, high)"
                                 " within(4970, 5030, mean) within(0.009, 0.011, hot)"));
    /* gaussian: the mean of 12 draws has the deviation N / 12, so both ends are out of reach */
    expect_ok(DRAW CHECK_COMMAND(
        "local low, high, mean, hot = draw('gaussian', 10000, 12, 1, 75)"
        " within(500, 2200, low) within(7800, 9500, high)"
        " within(4990, 5010, mean) within(0.042, 0.054, hot)"
        " local one = select(4, draw('gaussian', 10000, 1, 1, 75)) within(0.009, 0.011, one)"));
    /* special: three of four in the middle hundredth, and of the others what gaussian puts there */
    expect_ok(DRAW CHECK_COMMAND(
        "local _, _, mean, hot = draw('special', 10000, 12, 1, 75)"
        " within(4985, 5015, mean) within(0.757, 0.767, hot)"
        /* floor(100 / (100 - 70)) = 3: two of three */
        " hot = select(4, draw('special', 10000, 12, 1, 70)) within(0.677, 0.689, hot)"
        " hot = select(4, draw('special', 10000, 12, 1, 90)) within(0.900, 0.909, hot)"
        " hot = select(4, draw('special', 10000, 12, 1, 0)) within(0.042, 0.054, hot)"));
    /* small tables: nothing outside of them */
    expect_ok(DRAW CHECK_COMMAND("for size = 1, 12 do for _, pct in ipairs{0, 1, 50, 100} do"
                                 " draw('special', size, 12, pct, 75) end end"));
    test_builtin_oltp = true;
}

TEST_MAIN(builtin_oltp_test)
{
    log_set_verbosity(-1);
    if (!test_dry_run())
        return test_done("builtin_oltp_test");
    test_builtin_oltp = true;
    for (test_shared = 0; test_shared <= 1; test_shared++)
        test_counts();
    test_shared = 0;
    test_generation = GENERATION_1_0;
    test_distributions();
    sql_teardown();
    return test_done("builtin_oltp_test");
}
