/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which connections are ours: those that are up, those that were closed lately, and no others.
 */
#include "sql/sql_sessions.h"

#include <stdlib.h>

#include "base/test.h"
#include "cluster/codec.h"

static size_t list(int server, char *out, size_t size)
{
    struct sql_ids ids = {0};
    size_t used = 0;

    *out = '\0';
    sql_sessions_list(server, &ids);
    for (size_t i = 0; i < ids.n; i++)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%lld", i ? "," : "", (long long)ids.id[i]);
    free(ids.id);
    return ids.up;
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
    sql_session_add(INT64_MAX, -1);
    sql_session_add(7, 1); /* at another server */
    CHECK_INT(list(-1, text, sizeof text), 2);
    CHECK_STR(text, "5,9223372036854775807");
    sql_session_end(a); /* the server may not have noticed */
    CHECK_INT(list(-1, text, sizeof text), 1);
    CHECK_STR(text, "5,9223372036854775807");
    CHECK_INT(list(1, text, sizeof text), 1);
    CHECK_STR(text, "7");
    sql_sessions_keep(false);
    CHECK_INT(list(1, text, sizeof text), 0);
}

/* Connections that are replaced all the time do not fill the memory, nor the question; what the
 * server counted of those that are gone counts on, and of those that are forgotten not. */
static void test_many(void)
{
    struct sql_ids ids = {0};

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
    sql_sessions_list(-1, &ids);
    CHECK_INT(ids.up, 1);
    CHECK_INT(ids.n, SQL_SESSIONS_CLOSED + 1);
    CHECK_INT(ids.id[ids.n - 1], 20479);
    CHECK_INT(ids.id[0], 1); /* however old, it is up */
    free(ids.id);
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

static bool changing(void)
{
    struct sql_ids ids = {0};

    sql_sessions_list(-1, &ids);
    free(ids.id);
    return ids.changing;
}

/* The first word of a rank is of all that it has, a later one that there were new ones: until now
 * they were not known. */
static void test_ranks(void)
{
    struct str first = STR_INIT, none = STR_INIT, more = STR_INIT;
    uint64_t told = 0;
    char text[100];

    sql_sessions_keep(true);
    struct sql_session *gone = sql_session_add(5, -1);
    sql_session_add(6, -1);
    sql_sessions_put(&first, &told);
    sql_sessions_put(&none, &told);
    sql_session_end(gone);
    sql_session_add(9, -1);
    sql_sessions_put(&more, &told);
    sql_sessions_keep(false); /* the leader's */
    sql_sessions_keep(true);
    sql_session_add(7, 0);
    struct get in = get_of(first.s, first.len);
    sql_sessions_get(2, &in);
    CHECK(get_end(&in) && !changing());
    in = get_of(none.s, none.len);
    sql_sessions_get(2, &in);
    CHECK(get_end(&in) && !changing());
    CHECK_INT(list(0, text, sizeof text), 3);
    CHECK_STR(text, "5,6,7");
    in = get_of(more.s, more.len);
    sql_sessions_get(2, &in);
    CHECK(get_end(&in) && changing());
    CHECK_INT(list(0, text, sizeof text), 3);
    CHECK_STR(text, "6,7,9");
    sql_sessions_get(2, NULL); /* it is lost */
    CHECK_INT(list(0, text, sizeof text), 1);
    CHECK_STR(text, "7");
    in = get_of(more.s, more.len - 1);
    sql_sessions_get(3, &in);
    CHECK(in.bad);
    sql_sessions_keep(false);
    str_free(&first);
    str_free(&none);
    str_free(&more);
}

TEST_MAIN(sql_sessions_test)
{
    test_list();
    test_many();
    test_ranks();
    return test_done("sql_sessions_test");
}
