/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The exact queries, and the values read from answers.
 */
#include "session/status_names.h"

#include "base/test.h"

static sql_value text(const char *s)
{
    return (sql_value){.ptr = s, .len = s ? (uint32_t)strlen(s) : 0};
}

static size_t index_of(const struct status_names *s, const char *name)
{
    size_t i = 0;

    while (i < s->n && strcmp(s->name[i].name, name) != 0)
        i++;
    return i;
}

static void test_init(void)
{
    struct status_names s;

    CHECK(!status_names_init(&s, "drizzle"));
    CHECK(!status_names_init(&s, ""));
    CHECK(status_names_init(&s, "mysql") && s.rows);
    CHECK(s.name[index_of(&s, "Threads_running")].gauge);
    CHECK(!s.name[index_of(&s, "Queries")].gauge);
    CHECK(status_names_init(&s, "pgsql") && !s.rows);
    CHECK(s.name[index_of(&s, "numbackends")].gauge);
    CHECK(!s.name[index_of(&s, "deadlocks")].gauge);
}

#define UP "extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())"

static void test_question(void)
{
    struct status_names s;
    struct str q = STR_INIT;

    status_names_init(&s, "mysql");
    status_names_keep(&s, 1u << 2 | 1u << 0);
    status_names_question(&s, &q);
    CHECK_STR(str_cstr(&q), "SHOW GLOBAL STATUS WHERE Variable_name IN "
                            "('Threads_running','Queries','Uptime','Questions')");
    str_reset(&q);
    status_names_init(&s, "pgsql");
    status_names_keep(&s, 1u << 0 | 1u << 1 | 1u << 13);
    status_names_question(&s, &q);
    CHECK_STR(str_cstr(&q), "SELECT (SELECT count(*) FROM pg_stat_activity WHERE state = 'active' "
                            "AND datname = current_database()),numbackends,deadlocks," UP " FROM "
                            "pg_stat_database WHERE datname = current_database()");
    /* columns stay where their names are, whichever are left */
    str_reset(&q);
    status_names_keep(&s, 1u << 1);
    status_names_question(&s, &q);
    CHECK_STR(str_cstr(&q), "SELECT numbackends," UP " FROM pg_stat_database WHERE datname = "
                            "current_database()");
    str_free(&q);
}

static void test_rows(void)
{
    struct status_names s;
    struct status_reading r = {0};
    struct status_more more = {0};
    const sql_value row[][2] = {
        {text("threads_RUNNING"), text("7")}, {text("Queries"), text("18446744073709551615")},
        {text("Rows_read"), text(NULL)},      {text("Handler_write"), text("")},
        {text("Handler_update"), text("ON")}, {text("Handler_delete"), text("12x")},
        {text("Uptime"), text("5")},          {text(NULL), text("5")},
        {text("Questions"), text("9")},
    };

    status_names_init(&s, "mysql");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        status_names_take(&s, &r, row[i], 2, &more);
    status_names_take(&s, &r, row[0], 1, &more); /* no value */
    CHECK_NEAR(more.up, 5, 0);
    CHECK_NEAR(more.counted, 9, 0);
    CHECK_INT(r.have, 1 << index_of(&s, "Threads_running") | 1 << index_of(&s, "Queries"));
    CHECK_NEAR(r.v[index_of(&s, "Threads_running")], 7, 0);
    CHECK_NEAR(r.v[index_of(&s, "Queries")], 18446744073709551615.0, 0);
    status_names_keep(&s, r.have);
    CHECK_INT(s.n, 2);
    CHECK_STR(s.name[0].name, "Threads_running");
    CHECK_STR(s.name[1].name, "Queries");
}

static void test_columns(void)
{
    struct status_names s;
    struct status_reading r = {0};
    const sql_value row[] = {text("3"), text(NULL), text("-1.5e3"), text("0")};
    struct status_more more = {0};

    status_names_init(&s, "pgsql");
    status_names_take(&s, &r, row, 4,
                      &more); /* the server's answer has fewer columns than the query */
    CHECK_INT(r.have, 1 << 0 | 1 << 2 | 1 << 3);
    CHECK_NEAR(r.v[0], 3, 0);
    CHECK_NEAR(r.v[2], -1500, 0);
    CHECK_NEAR(r.v[3], 0, 0);
    status_names_keep(&s, 1 << 0 | 1 << 2 | 1 << 3);
    status_names_take(&s, &r, row, 4, &more); /* behind the counters: for how long it has run */
    CHECK_NEAR(more.up, 0, 0);
}

TEST_MAIN(status_names_test)
{
    test_init();
    test_question();
    test_rows();
    test_columns();
    return test_done("status_names_test");
}
