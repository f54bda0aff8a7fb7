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

/* Connections that are replaced all the time do not fill the memory, nor the question; what the
 * server counted of those that are gone counts on, and of those that are forgotten not. */
static void test_many(void)
{
    struct str s = STR_INIT;
    size_t commas = 0;

    sql_sessions_keep(true);
    struct sql_session *up = sql_session_add(1, -1);
    up->sent = 3;
    up->answered = 2;
    for (uint64_t id = 2; id < 5 * SQL_SESSIONS_CLOSED; id++) {
        struct sql_session *gone = sql_session_add(id, -1);
        gone->sent = 2;
        gone->answered = 1;
        sql_session_end(gone);
    }
    CHECK_INT(sql_sessions_list(-1, &s), 1);
    for (const char *p = str_cstr(&s); *p; p++)
        commas += *p == ',';
    CHECK_INT(commas, SQL_SESSIONS_CLOSED);
    CHECK(strncmp(str_cstr(&s), "20479,20478,", 12) == 0);
    CHECK(strcmp(str_cstr(&s) + s.len - 2, ",1") == 0); /* however old, it is up */
    str_free(&s);
    struct sql_work w = sql_sessions_work();
    CHECK_INT(w.sent, 3 + 2 * (5 * SQL_SESSIONS_CLOSED - 2));
    CHECK_INT(w.answered, 2 + 5 * SQL_SESSIONS_CLOSED - 2);
    CHECK(!w.several);
    sql_session_add(1, 0);
    CHECK(sql_sessions_work().several);
    sql_sessions_keep(false);
    w = sql_sessions_work();
    CHECK(w.sent == 0 && w.answered == 0 && !w.several);
}

TEST_MAIN(sql_sessions_test)
{
    test_list();
    test_many();
    return test_done("sql_sessions_test");
}
