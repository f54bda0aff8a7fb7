/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the questions about sessions of others name, and what their answers tell.  That servers
 * understand them is for server_status_mysql.t and server_status_pgsql.t.
 */
#include "session/other_sessions.h"

#include "base/test.h"

static sql_value text(const char *s)
{
    return (sql_value){.ptr = s, .len = s ? (uint32_t)strlen(s) : 0};
}

static void test_question(void)
{
    const struct sql_ids ours = {.id = (int64_t[]){7, 12}, .n = 2, .up = 2};
    struct str q = STR_INIT;

    /* whole seconds, none of which began before the last answer; a tick may be a little early */
    other_sessions_question(&q, true, &ours, 30, (dur_ns)(1.96 * NS_PER_SEC));
    CHECK(strstr(str_cstr(&q), "ID NOT IN (7,12)"));
    CHECK(strstr(str_cstr(&q), "ID <= 30 AND TIME < 2)"));
    str_reset(&q);
    other_sessions_question(&q, true, &ours, 30, NS_PER_SEC / 2);
    CHECK(strstr(str_cstr(&q), "TIME < 0)"));
    str_reset(&q);
    other_sessions_question(&q, false, &ours, 0, NS_PER_SEC / 2);
    CHECK(strstr(str_cstr(&q), "ALL('{7,12}'::bigint[])"));
    CHECK(strstr(str_cstr(&q), "clock_timestamp() - 0.500 * interval '1 s'"));
    str_free(&q);
}

static void test_answer(void)
{
    const sql_value row[] = {text("41"), text("99"), text("0"), text("7"), text("2"), text("1")};
    sql_value bad[6];
    union other_sessions_answer a = {0};

    CHECK(!other_sessions_take(&a, row, 5));
    memcpy(bad, row, sizeof bad);
    bad[4] = text(NULL); /* the sum over no session */
    CHECK(!other_sessions_take(&a, bad, 6));
    CHECK(other_sessions_take(&a, row, 6));
    CHECK(a.own == 41 && a.newest == 99 && a.connected == 2 && a.active == 1);

    CHECK(other_sessions_why(&a, true, 41, 7) == NULL); /* it has seen all that there are */
    CHECK(strstr(other_sessions_why(&a, true, 41, 8), "PROCESS"));
    CHECK(strstr(other_sessions_why(&a, false, 41, 0), "pg_read_all_stats"));
    CHECK(strstr(other_sessions_why(&a, true, 3, 7), "proxy"));
    a.may_see = true;
    CHECK(other_sessions_why(&a, true, 41, 8) == NULL);
    CHECK(other_sessions_why(&a, false, 41, 0) == NULL);
    CHECK(strstr(other_sessions_why(&a, false, 3, 0), "proxy"));
}

TEST_MAIN(other_sessions_test)
{
    test_question();
    test_answer();
    return test_done("other_sessions_test");
}
