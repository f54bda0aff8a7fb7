/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lists of statements, as servers answer, become what a run and its parts took and a sentence about
 * it.  That servers understand the questions is for server_statements_each.t.
 */
#include "session/server_statements.h"

#include <math.h>

#include "base/mem.h"
#include "base/test.h"

static sql_value text(const char *s)
{
    return (sql_value){.ptr = s, .len = s ? (uint32_t)strlen(s) : 0};
}

static struct statement_lists lists;
static struct status_statements out;

/* In the next list, which is one between (without what is as in the first) or a complete one: key,
 * of several, text, calls, s, rows, examined, no index, tables, on disk, hits, reads, blocks, WAL;
 * "-" is NULL */
enum list { ALL, BETWEEN };
static void take(enum list which, const char *row)
{
    struct server_statements *t = &lists.of[lists.n];
    const struct server_statements *first = which == BETWEEN ? lists.of : NULL;
    char copy[600], *rest = copy, *word;
    sql_value column[14];
    size_t n = 0;

    snprintf(copy, sizeof copy, "%s", row);
    while ((word = strsep(&rest, "|")) != NULL && n < COUNT(column))
        column[n++] = text(strcmp(word, "-") == 0 ? NULL : word);
    CHECK_INT(n, COUNT(column));
    CHECK(server_statements_take(t, first, column, n));
    CHECK(!server_statements_take(t, first, column, n - 1));
}

static void listed(int second)
{
    lists.of[lists.n++].at = second * NS_PER_SEC;
}

static const struct status_statements *diff(size_t from, size_t to, bool mysql)
{
    server_statements_diff(&lists, from, to, mysql, &out);
    return &out;
}

/* One answer, and another one. */
static const struct status_statements *one(const char *was, const char *is, const char *beside,
                                           bool mysql)
{
    server_statements_free(&lists);
    if (was)
        take(ALL, was);
    listed(1);
    if (is)
        take(ALL, is);
    if (beside)
        take(ALL, beside);
    listed(2);
    return diff(0, 1, mysql);
}

#define SELECTS "SELECT c FROM t WHERE customer = ?"

/* The index goes away after the first part; nothing is done in the last one. */
static void test_parts(void)
{
    static const size_t part[][2] = {{0, 1}, {1, 2}, {0, 3}};
    struct status_statements of[3];

    take(ALL, "a|0|-|5|2|50|0|0|0|0|-|-|-|-");
    take(ALL, "b|0|-|10|1|50|100|0|0|0|-|-|-|-");
    take(ALL, "e|0|-|3|1|0|0|0|0|0|-|-|-|-");
    listed(1);
    take(BETWEEN, "a|0|-|6|2.25|51|2|0|0|0|-|-|-|-");
    take(BETWEEN, "b|0|-|60|1.5|300|350|0|0|0|-|-|-|-");
    take(BETWEEN, "c|0|-|3|40|52|4|0|0|0|-|-|-|-");
    take(BETWEEN, "e|0|-|3|1|0|0|0|0|0|-|-|-|-");
    CHECK_INT(lists.of[1].n, 3); /* nobody executed e */
    listed(2);
    for (int k = 0; k < 2; k++) {
        take(k ? ALL : BETWEEN, "a|0|UPDATE u|7|2.5|52|4|0|0|0|-|-|-|-");
        take(k ? ALL : BETWEEN, "b|0|" SELECTS "|110|10|550|738400|100|2|1|-|-|-|-");
        take(k ? ALL : BETWEEN, "c|0|-|7|100|52|4|0|0|0|-|-|-|-");
        take(k ? ALL : BETWEEN, "d|1|(all prepared)|1|0.5|0|0|0|0|0|-|-|-|-");
        take(k ? ALL : BETWEEN, "e|0|DO ?|3|1|0|0|0|0|0|-|-|-|-");
        listed(4 + k);
    }
    for (int k = 0; k < 3; k++) {
        CHECK(!diff(part[k][0], part[k][1], true)->why);
        of[k] = out;
    }
    CHECK_INT(of[2].known, 4 * NS_PER_SEC);
    CHECK_INT(of[2].n, 3);
    CHECK_INT(of[2].statements, 3);
    CHECK_INT(of[2].calls, 103);
    CHECK(of[2].time_s == 10);
    CHECK_STR(of[2].of[0].text, SELECTS);
    CHECK_INT((int)of[2].of[0].no_index, 100);
    CHECK(isnan(of[2].of[0].wal));
    CHECK(of[2].of[2].several || of[2].of[1].several);
    CHECK_STR(of[2].says, "90% of the server's statement time is in " SELECTS
                          ": it examines 7,383 rows to return 5 rows");

    CHECK_INT(of[0].known, NS_PER_SEC);
    CHECK_INT(of[0].n, 2);
    CHECK_STR(of[0].of[0].text, SELECTS); /* from the last list */
    CHECK_INT((int)of[0].of[0].examined, 250);
    CHECK_STR(of[0].says, "");
    CHECK_STR(of[1].says, "91% of the server's statement time is in " SELECTS
                          ": it examines 14,761 rows to return 5 rows");
    CHECK_INT(of[0].calls + of[1].calls, of[2].calls);
    CHECK(of[0].time_s + of[1].time_s == of[2].time_s);
    CHECK_STR(diff(2, 3, true)->why, "the server counted no statement in it");

    lists.of[1].row[0].calls = 8; /* it was reset in the second part */
    CHECK(strstr(diff(1, 2, true)->why, "were reset"));
    CHECK(!diff(0, 1, true)->why);
    *(char *)lists.of[3].row[4].key = 'z'; /* what nobody executed is gone */
    CHECK(strstr(diff(0, 1, true)->why, "were reset"));
    lists.of[1].row[0].calls = 6;
    *(char *)lists.of[2].row[0].key = 'z'; /* as is what was, from one part to another */
    CHECK(strstr(diff(1, 2, true)->why, "were reset"));
}

/* What one statement took: its share of the time, and so on; and the sentence about it. */
static void test_sentence(void)
{
    static const struct {
        const char *row, *says;
    } t[] = {
        {"x|0|UPDATE t|10|1|0|1234567|0|0|0|-|-|-|-", "it examines 123,457 rows to change 0 rows"},
        {"x|0|SELECT t|10|1|5|1000|0|0|0|-|-|-|-", "it examines 100 rows to return about 1 row"},
        {"x|0|SELECT t|10|1|5|999|0|0|0|-|-|-|-", ""},    /* examined: less than 100 a call */
        {"x|0|SELECT t|10|1|100|9990|0|0|0|-|-|-|-", ""}, /* less than 100 a row */
        {"x|0|SELECT t|10|0.4|5|9999|0|0|0|-|-|-|-", ""}, /* of 0.9 s */
        {"x|1|(all)|10|1|5|9999|0|0|0|-|-|-|-", ""},
        {"x|0|SELECT t|10|1|2|1000|0|0|0|-|-|-|-", "it examines 100 rows to return 0.2 rows"},
        {"x|0|create index|10|1|5|9999|0|0|0|-|-|-|-", ""},
        {"x|0|SELECT t|10|10.1|5|9999|0|0|0|-|-|-|-", ""}, /* within 1 s: began before it */
        {"x|0|SELECT t|5|1|5|99999|0|0|0|-|-|-|-", "it examines 20,000 rows to return 1 row"},
        {"x|0|SELECT t|4|1|4|99999|0|0|0|-|-|-|-", ""}, /* of 404 calls */
        {"x|0|SELECT t|10|1|10|-|-|-|-|30000|2000|0|0", "it reads 3,200 buffers to return 1 row"},
        {"x|0|DELETE t|10|1|30|-|-|-|-|30000|2000|0|0", "it reads 3,200 buffers to change 3 rows"},
    };

    for (size_t i = 0; i < COUNT(t); i++) {
        const char *says =
            one(NULL, t[i].row, "y|0|SELECT 1|400|0.5|1|0|0|0|0|0|0|0|0", false)->says;
        const char *it = strstr(says, "it ");
        CHECK_STR(*says ? it : "", t[i].says);
    }
}

static void test_missing(void)
{
    static const char was[] = "a|0|-|10|1|0|-|-|-|-|0|0|0|0";

    CHECK(strstr(one(was, NULL, NULL, true)->why, "were reset")); /* it is gone */
    CHECK(strstr(one(was, "a|0|x|9|1|0|-|-|-|-|0|0|0|0", NULL, false)->why,
                 "raise pg_stat_statements.max"));
    CHECK(strstr(one(was, "b|0|x|11|1|0|-|-|-|-|0|0|0|0", NULL, false)->why,
                 "raise pg_stat_statements.max"));
    CHECK(strstr(one(was, was, NULL, false)->why, "track may be none"));
}

TEST_MAIN(server_statements_test)
{
    test_parts();
    test_sentence();
    test_missing();
    server_statements_free(&lists);
    return test_done("server_statements_test");
}
