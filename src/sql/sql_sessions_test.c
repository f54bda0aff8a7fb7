/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which connections are ours: those that are up, those that were closed lately, and no others.
 */
#include "sql/sql_sessions.h"

#include "base/test.h"

static size_t list(int server, char *out, size_t size)
{
    struct str s = STR_INIT;
    size_t up = sql_sessions_list(server, &s);

    snprintf(out, size, "%s", str_cstr(&s));
    str_free(&s);
    return up;
}

static void test_list(void)
{
    char text[100];

    CHECK(sql_session_add(1, -1) == NULL);
    sql_session_end(NULL);
    sql_sessions_keep(true);
    CHECK_INT(list(-1, text, sizeof text), 0);
    CHECK_STR(text, "");
    struct sql_session *a = sql_session_add(5, -1);
    sql_session_add(18446744073709551615u, -1);
    sql_session_add(7, 1); /* at another server */
    CHECK_INT(list(-1, text, sizeof text), 2);
    CHECK_STR(text, "18446744073709551615,5");
    sql_session_end(a); /* the server may not have noticed */
    CHECK_INT(list(-1, text, sizeof text), 1);
    CHECK_STR(text, "18446744073709551615,5");
    CHECK_INT(list(1, text, sizeof text), 1);
    CHECK_STR(text, "7");
    sql_sessions_keep(false);
    CHECK_INT(list(1, text, sizeof text), 0);
}

/* Connections that are replaced all the time do not fill the memory, nor the question. */
static void test_many(void)
{
    struct str s = STR_INIT;
    size_t commas = 0;

    sql_sessions_keep(true);
    struct sql_session *last = sql_session_add(1, -1);
    for (uint64_t id = 2; id < 5 * SQL_SESSIONS_CLOSED; id++)
        sql_session_end(sql_session_add(id, -1));
    CHECK_INT(sql_sessions_list(-1, &s), 1);
    for (const char *p = str_cstr(&s); *p; p++)
        commas += *p == ',';
    CHECK_INT(commas, SQL_SESSIONS_CLOSED);
    CHECK(strncmp(str_cstr(&s), "20479,20478,", 12) == 0);
    CHECK(strcmp(str_cstr(&s) + s.len - 2, ",1") == 0); /* however old, it is up */
    sql_session_end(last);
    sql_sessions_keep(false);
    str_free(&s);
}

TEST_MAIN(sql_sessions_test)
{
    test_list();
    test_many();
    return test_done("sql_sessions_test");
}
