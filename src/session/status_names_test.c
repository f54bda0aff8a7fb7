/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The exact queries, and the values read from answers.
 */
#include "session/status_names.h"

#include "base/test_golden.h"

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
    status_names_free(&s);
    CHECK(status_names_init(&s, "pgsql") && !s.rows);
    CHECK(s.name[index_of(&s, "numbackends")].gauge);
    CHECK(!s.name[index_of(&s, "deadlocks")].gauge);
    status_names_free(&s);
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
    status_names_free(&s);
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
    status_names_free(&s);
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
    status_names_free(&s);
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
    status_names_free(&s);
}

/* What options add: names, kinds and how each is asked for, or the complaint. */
static void added(const char *option)
{
    static const char *const kind[] = {"growth", "level", "per second", "per transaction"};
    struct status_names s;
    struct err e = {0};

    status_names_init(&s, *option == 'p' ? "pgsql" : "mysql");
    const char *text = option + 2;
    int rc =
        *text == '+' ? status_names_add(&s, text + 1, &e) : status_names_add_query(&s, text, &e);
    if (rc)
        golden_line("%s", e.msg);
    for (size_t i = s.own; i < s.n; i++) {
        bool more = true;
        for (; more; more = status_names_turn(&s, i)) {
            bool sql = status_names_query(&s, i) != NULL;
            golden_line("%s, %s: %s%s", s.name[i].name, kind[s.name[i].gauge],
                        sql ? "" : "variable ", s.ask[i].way);
        }
    }
    status_names_free(&s);
}

/* They stay, behind those that the server has, and a way that answered is not left. */
static void test_added_kept(void)
{
    struct status_names s;
    struct status_reading r = {0};
    struct status_more more = {0};
    const sql_value row[] = {text("innodb_CHECKPOINT_age"), text("12")};
    struct str q = STR_INIT;
    struct err e = {0};

    status_names_init(&s, "mysql");
    CHECK_INT(status_names_add(&s, "checkpoint_age,+nosuch", &e), 0);
    CHECK_INT(status_names_add_query(&s, "one=SELECT(1)", &e), 0);
    status_names_keep(&s, 1u << 2);
    CHECK_INT(s.n, 4);
    status_names_question(&s, &q);
    CHECK_STR(str_cstr(&q), "SHOW GLOBAL STATUS WHERE Variable_name IN "
                            "('Queries','Innodb_checkpoint_age','nosuch','Uptime','Questions')");
    status_names_take(&s, &r, row, 2, &more);
    CHECK_INT(r.have, 1 << 1);
    CHECK_NEAR(r.v[1], 12, 0);
    s.ask[1].answered = true;
    CHECK(!status_names_turn(&s, 1) && !status_names_query(&s, 1));
    while (s.n < STATUS_MAX) {
        char query[40];
        snprintf(query, sizeof query, "q%zu=SELECT 1", s.n);
        CHECK_INT(status_names_add_query(&s, query, &e), 0);
    }
    CHECK_INT(status_names_add(&s, "late", &e), -1);
    CHECK_STR(e.msg, "Invalid value for --server-status: '+late' (there are too many figures)");
    status_names_free(&s);
    str_free(&q);
}

TEST_MAIN(status_names_test)
{
    golden_each("m +checkpoint_age,Threads_cached,Threads_created,Com_select:/tx,nosuch:gauge|"
                "m +DIRTY_PAGES:/s|m one=SELECT 1|m rows:/tx=SELECT a = 'b=c'|"
                "m +|m +a,|m +a,,b|m +a b|m +1a|m +a:x|m +Queries|m +Queries:/s|m +a,A|m +waits|"
                "m a=|m a=b|m =SELECT 1|m a.b=SELECT 1|m a:/h=SELECT 1|m Queries=SELECT 1|"
                "p +checkpoints,sessions,pg_stat_wal.wal_sync:/s,io_reads|p +xact_commit:/tx|"
                "p replication:/s=SELECT 1",
                added);
    golden_done("status_names_test");
    test_added_kept();
    test_init();
    test_question();
    test_rows();
    test_columns();
    return test_done("status_names_test");
}
