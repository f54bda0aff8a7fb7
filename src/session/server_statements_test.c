/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lists of statements, as servers answer, become what a run took and a sentence about it.  That
 * servers understand the questions is for server_statements_each.t.
 */
#include "session/server_statements.h"

#include <math.h>

#include "base/mem.h"
#include "base/test.h"

static sql_value text(const char *s)
{
    return (sql_value){.ptr = s, .len = s ? (uint32_t)strlen(s) : 0};
}

static struct server_statements before, after;
static struct status_statements out;
static bool used; /* both lists */

/* key, of several, text, calls, s, rows, examined, no index, tables, on disk, hits, reads, blocks,
 * WAL; "-" is NULL */
static void take(struct server_statements *t, const char *row)
{
    char copy[600], *rest = copy, *word;
    sql_value column[14];
    size_t n = 0;

    if (used) {
        server_statements_free(&before);
        server_statements_free(&after);
    }
    used = false;
    snprintf(copy, sizeof copy, "%s", row);
    while ((word = strsep(&rest, "|")) != NULL && n < COUNT(column))
        column[n++] = text(strcmp(word, "-") == 0 ? NULL : word);
    CHECK_INT(n, COUNT(column));
    CHECK(server_statements_take(t, column, n));
    CHECK(!server_statements_take(t, column, n - 1));
}

static const struct status_statements *diff(bool mysql)
{
    before.at = NS_PER_SEC, after.at = 3 * NS_PER_SEC;
    server_statements_diff(&before, &after, mysql, &out);
    used = true;
    return &out;
}

#define SELECTS "SELECT c FROM t WHERE customer = ?"

static void test_mysql(void)
{
    take(&before, "b|0|-|10|1|50|100|0|0|0|-|-|-|-");
    take(&before, "a|0|-|5|2|50|0|0|0|0|-|-|-|-");
    take(&after, "a|0|UPDATE u|7|2.5|52|4|0|0|0|-|-|-|-");
    take(&after, "c|0|-|7|100|52|4|0|0|0|-|-|-|-");
    take(&after, "b|0|" SELECTS "|110|10|550|738400|100|2|1|-|-|-|-");
    take(&after, "d|1|(all prepared)|1|0.5|0|0|0|0|0|-|-|-|-");
    diff(true);
    CHECK(!out.why);
    CHECK_INT(out.known, 2 * NS_PER_SEC);
    CHECK_INT(out.n, 3);
    CHECK_INT(out.statements, 3);
    CHECK_INT(out.calls, 103);
    CHECK(out.time_s == 10);
    CHECK_STR(out.of[0].text, "SELECT c FROM t WHERE customer = ?");
    CHECK_INT((int)out.of[0].no_index, 100);
    CHECK(isnan(out.of[0].wal));
    CHECK(out.of[2].several || out.of[1].several);
    CHECK_STR(out.says, "90% of the server's statement time is in SELECT c FROM t WHERE customer = "
                        "?: it examines 7,383 rows to return 5 rows");
}

/* What one statement took: its share of the time, and so on; and the sentence about it. */
static void test_sentence(void)
{
    static const struct {
        const char *row, *says;
    } t[] = {
        {"x|0|UPDATE t|10|1|0|1234567|0|0|0|-|-|-|-", "it examines 123,457 rows to change 0 rows"},
        {"x|0|SELECT t|10|1|5|1000|0|0|0|-|-|-|-", "it examines 100 rows to return 0.5 rows"},
        {"x|0|SELECT t|10|1|5|999|0|0|0|-|-|-|-", ""},    /* examined: less than 100 a call */
        {"x|0|SELECT t|10|1|100|9990|0|0|0|-|-|-|-", ""}, /* less than 100 a row */
        {"x|0|SELECT t|10|0.4|5|9999|0|0|0|-|-|-|-", ""}, /* of 0.9 s */
        {"x|1|(all)|10|1|5|9999|0|0|0|-|-|-|-", ""},
        {"x|0|SELECT t|10|1|10|-|-|-|-|30000|2000|0|0", "it reads 3,200 buffers to return 1 row"},
        {"x|0|DELETE t|10|1|30|-|-|-|-|30000|2000|0|0", "it reads 3,200 buffers to change 3 rows"},
    };

    for (size_t i = 0; i < COUNT(t); i++) {
        take(&after, t[i].row);
        take(&after, "y|0|SELECT 1|1|0.5|1|0|0|0|0|0|0|0|0");
        const char *says = diff(false)->says, *it = strstr(says, "it ");
        CHECK_STR(*says ? it : "", t[i].says);
    }
}

static void test_missing(void)
{
    static const char was[] = "a|0|-|10|1|0|-|-|-|-|0|0|0|0";

    take(&before, was);
    CHECK(strstr(diff(true)->why, "were reset")); /* it is gone */
    take(&before, was);
    take(&after, "a|0|x|9|1|0|-|-|-|-|0|0|0|0");
    CHECK(strstr(diff(false)->why, "raise pg_stat_statements.max"));
    take(&before, was);
    take(&after, "b|0|x|11|1|0|-|-|-|-|0|0|0|0");
    CHECK(strstr(diff(false)->why, "raise pg_stat_statements.max"));
    take(&before, was);
    take(&after, was);
    CHECK(strstr(diff(false)->why, "track may be none"));
}

TEST_MAIN(server_statements_test)
{
    test_mysql();
    test_sentence();
    test_missing();
    server_statements_free(&before);
    server_statements_free(&after);
    return test_done("server_statements_test");
}
