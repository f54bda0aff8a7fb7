/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The packet rule of bulk inserts (a statement and its NUL within 524288 bytes), over a driver that
 * keeps the lengths: one below, onto and one above the limit.  And dry runs, over the null driver.
 */
#include "sql/sql.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/test.h"
#include "sql/sql_driver.h"

struct sent {
    int n;
    size_t len[8];
    char first[64]; /* beginning of the last one */
};

static enum sql_outcome take(struct sql_conn *c, const char *text, size_t len)
{
    struct sent *s = c->cfg;

    if (s->n < 8)
        s->len[s->n] = len;
    snprintf(s->first, sizeof s->first, "%.*s", (int)(len < 60 ? len : 60), text);
    s->n++;
    return SQL_DONE;
}

static struct counters no_counters;
static const struct sql_host no_host = {.counters = &no_counters};
static const struct sql_ops taking = {.query = take};
static struct sql_driver_slot slot;

static struct sql_conn over(struct sent *s)
{
    return (struct sql_conn){.pub.driver = &slot.pub,
                             .ops = &taking,
                             .host = &no_host,
                             .cfg = s,
                             .limits = &slot.limits,
                             .state = SQL_STATE_UP,
                             .server = -1};
}

static char *row_of(size_t len)
{
    char *row = malloc(len + 1);

    memset(row, 'x', len);
    row[len] = '\0';
    return row;
}

/* "P" + first + "," + second must stay below 524288. */
static void test_limit(size_t second, int statements, size_t first_len)
{
    struct sent s = {0};
    struct sql_conn b = over(&s);
    char *r1 = row_of(1000), *r2 = row_of(second);

    CHECK_INT(sql_bulk_init(&b.pub, "P", 1), 0);
    CHECK_INT(sql_bulk_next(&b.pub, r1, 1000), 0);
    CHECK_INT(sql_bulk_next(&b.pub, r2, second), 0);
    CHECK_INT(sql_bulk_done(&b.pub), 0);
    CHECK_INT(s.n, statements);
    CHECK_INT(s.len[0], first_len);
    if (statements == 2) {
        CHECK_INT(s.len[1], 1 + second);
        CHECK(s.first[0] == 'P' && s.first[1] == 'x'); /* begins with the prefix again, no comma */
    }
    free(r1);
    free(r2);
}

static void test_too_long(void)
{
    struct sent s = {0};
    struct sql_conn b = over(&s);
    char *row = row_of(SQL_BULK_PACKET + 1);

    CHECK_INT(sql_bulk_init(&b.pub, row, SQL_BULK_PACKET), -1);
    CHECK_INT(sql_bulk_init(&b.pub, "P", 1), 0);
    CHECK_INT(sql_bulk_next(&b.pub, row, SQL_BULK_PACKET + 1), -1);
    CHECK_INT(sql_bulk_next(&b.pub, row, SQL_BULK_PACKET - 1),
              -1); /* with the prefix and NUL: 1 over */
    CHECK_INT(sql_bulk_next(&b.pub, row, SQL_BULK_PACKET - 2), 0);
    CHECK_INT(sql_bulk_done(&b.pub), 0);
    CHECK_INT(s.n, 1);
    CHECK_INT(s.len[0], SQL_BULK_PACKET - 1);
    free(row);
}

static char *hosts[] = {(char *)"localhost"}, *ports[] = {(char *)"3306"};

/* Dry run: every call succeeds, every statement is "other", nothing has rows. */
static void test_dry_run(void)
{
    struct sql_options o = {.driver = "", .ps_server = false};
    struct counters counters = {0};
    struct sql_host host = {.counters = &counters};
    struct err e;
    sql_connection *c;
    sql_statement *s;

    o.mysql = (struct sql_login_mysql){
        .hosts = hosts, .nhosts = 1, .ports = ports, .nports = 1, .user = "u", .dry_run = true};
    CHECK_INT(sql_setup(&o, &e), 0);
    CHECK(!sql_in_use());
    CHECK(sql_driver_get("nonsense") == NULL);
    c = sql_connect(sql_driver_get("mysql"), &host);
    CHECK_STR(c->driver->sname, "mysql");
    CHECK(sql_in_use());
    CHECK(sql_query(c, "SELECT 1", 8) == NULL);
    CHECK_INT(c->error, DB_ERROR_NONE);
    s = sql_prepare(c, "SELECT ?", 8);
    CHECK(s != NULL);
    CHECK_INT(sql_bind_param(s, NULL, 0), 0);
    CHECK(sql_execute(s) == NULL);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK(!sql_more_results(c));
    CHECK_INT(sql_reconnect(c), 0);
    CHECK(sql_execute(s) == NULL);
    sql_rollback(c);
    CHECK_INT(sql_ops_null.lex((struct sql_conn *)c), 0);
    CHECK_INT(sql_close(s), 0);
    CHECK(sql_execute(s) == NULL);
    CHECK_INT(c->error, DB_ERROR_FATAL); /* misuse stays misuse */
    CHECK(c->sql_state == NULL);
    CHECK_INT(counters_get(&counters, CNT_OTHER), 3);
    CHECK_INT(counters_get(&counters, CNT_RECONNECT), 1);
    CHECK_INT(counters_get(&counters, CNT_READ), 0);
    sql_connection_free(c); /* before its statement: any order is allowed */
    sql_statement_free(s);
    sql_teardown();
}

static void test_bad_options(void)
{
    static const struct {
        const char *port, *ignore;
        const char *complaint; /* NULL: fine */
    } t[] = {
        {"3306", "1213", NULL},
        {"0", "all", NULL},
        {"3306", "0", NULL},
        {"65536", "1213", "'65536' is not a port number"},
        {"33o6", "1213", "'33o6' is not a port number"},
        {"-1", "1213", "'-1' is not a port number"},
        {"", "1213", "'' is not a port number"},
        {"3306", "1213x", "--mysql-ignore-errors: '1213x'"},
        {"3306", "ALL", "--mysql-ignore-errors: 'ALL'"},
        {"3306", " 1213", "--mysql-ignore-errors: ' 1213'"},
        {"3306", "99999999999999999999", "--mysql-ignore-errors: '99999999999999999999'"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *port = (char *)(uintptr_t)t[i].port, *ignore = (char *)(uintptr_t)t[i].ignore;
        struct sql_options o = {.driver = ""};
        struct err e = {0};
        o.mysql = (struct sql_login_mysql){.hosts = hosts,
                                           .nhosts = 1,
                                           .ports = &port,
                                           .nports = 1,
                                           .ignore_errors = &ignore,
                                           .nignore = 1,
                                           .dry_run = true};
        CHECK_INT(sql_setup(&o, &e), t[i].complaint ? -1 : 0);
        CHECK(!t[i].complaint || strstr(e.msg, t[i].complaint) != NULL);
        if (!t[i].complaint)
            sql_teardown();
    }
}

TEST_MAIN(sql_bulk_test)
{
    log_set_verbosity(-1); /* the messages are as documented; only the results are checked here */
    test_limit(SQL_BULK_PACKET - 1003, 1, SQL_BULK_PACKET - 1);
    test_limit(SQL_BULK_PACKET - 1002, 2, 1001);
    test_too_long();
    if (sql_class_at(0) &&
        strcmp(sql_class_at(0)->names.sname, "mysql") == 0) { /* it can be dry-run */
        test_dry_run();
        test_bad_options();
    }
    return test_done("sql_bulk");
}
