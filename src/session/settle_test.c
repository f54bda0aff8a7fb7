/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How long --settle waits for a figure, and how what came of it reads.  What is done at servers is
 * for settle_each.t.
 */
#include "session/settle.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/test.h"
#include "report/text.h"

#define S NS_PER_SEC

static void test_limit(void)
{
    static const struct {
        const char *text;
        dur_ns limit;
    } good[] = {{"", 60 * S},       {"on", 60 * S},  {"off", 0},       {"0", 0},
                {"1.5", 3 * S / 2}, {"2m", 120 * S}, {"1d", 86400 * S}};
    static const char *const bad[] = {"-1", "x", "25h", "1k", " ", "inf"};
    dur_ns limit;
    struct err e;

    for (size_t i = 0; i < COUNT(good); i++) {
        CHECK_INT(settle_limit(good[i].text, &limit, NULL), 0);
        CHECK_INT(limit, good[i].limit);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        e = (struct err){0};
        CHECK_INT(settle_limit(bad[i], &limit, &e), -1);
        CHECK(strstr(e.msg, "Invalid value for --settle: '") && strstr(e.msg, "up to a day"));
    }
}

/* A figure each second, enough at 10, still after 3 s, the limit after 8. */
static void test_look(void)
{
    static const struct {
        double v[9];
        int looks;
        const char *end;
    } rows[] = {
        {{5}, 1, "done"},
        {{10}, 1, "done"},
        {{900, 900, 900, 7}, 4, "done"}, /* low enough comes first */
        {{900, 900, 900, 900}, 4, "no longer falling"},
        {{900, 900, 800, 800, 800, 800}, 6, "no longer falling"},
        {{900, 900, 800, 800, 9}, 5, "done"},
        {{900, 950, 901, 900}, 4, "no longer falling"}, /* up and down is no fall */
        {{900, 800, 700, 600, 500, 400, 300, 200, 100}, 9, "limit"},
        {{900, 800, 700, 600, 500, 400, 300, 200, 1}, 9, "done"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settle_watch w = {.before = NAN};
        const char *end = NULL;
        int looks = 0;
        while (!end && looks < 9) {
            end = settle_look(&w, rows[i].v[looks], 10, looks * S, 3 * S, 8 * S);
            looks++;
        }
        CHECK_INT(looks, rows[i].looks);
        CHECK_STR(end, rows[i].end);
        CHECK_INT((int)w.before, (int)rows[i].v[0]);
        CHECK_INT((int)w.after, (int)rows[i].v[looks - 1]);
    }
    /* it will fall, however long that takes */
    struct settle_watch w = {.before = NAN};
    for (int i = 0; i < 8; i++)
        CHECK(settle_look(&w, 1, 0, i * S, 0, 8 * S) == NULL);
    CHECK_STR(settle_look(&w, 1, 0, 8 * S, 0, 8 * S), "limit");
}

static void test_words(void)
{
    static const struct report_settle r[] = {
        {NULL, "vacuum and analyze", "done", "tables", 1.25, 60, NAN, 3, ""},
        {NULL, "checkpoint", "not done", NULL, 0.001, 58.7, NAN, NAN, "CHECKPOINT takes it"},
        {NULL, "purge", "done", "history list", 3.14, 60, 12345, 0, ""},
        {"db2:3306", "dirty pages", "no longer falling", "pages", 1.6, 50, 812, 800, ""},
        {NULL, "analyze", "limit", "tables", 2, 2, NAN, 1, ""}};
    struct str out = STR_INIT;

    text_settled(&out, r, 0);
    CHECK_STR(str_cstr(&out), "");
    text_settled(&out, r, COUNT(r));
    CHECK_STR(str_cstr(&out),
              "Settled:\n"
              "    vacuum and analyze:                  1.2 s of at most 60: tables 3\n"
              "    checkpoint:                          not done: CHECKPOINT takes it\n"
              "    purge:                               3.1 s of at most 60: history list\n"
              "                                         12,345 -> 0\n"
              "    db2:3306, dirty pages:               1.6 s of at most 50: pages 812 -> 800,\n"
              "                                         no longer falling\n"
              "    analyze:                             2.0 s of at most 2: tables 1, limit\n\n");
    str_free(&out);
}

TEST_MAIN(settle_test)
{
    test_limit();
    test_look();
    test_words();
    return test_done("settle");
}
