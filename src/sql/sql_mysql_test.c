/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SQL floor against MariaDB or MySQL: the tests of every driver (sql_api_test.h), and what is
 * specific to this server: binary strings, statements that it cannot prepare, several results, lock
 * waits.
 *
 * The environment names the server: SB_TEST_MYSQL_SOCKET, SB_TEST_MYSQL_USER, SB_TEST_MYSQL_DB (a
 * database in which the user may create tables and procedures; all names begin with sb_sqltest).
 * Skipped (77) without them.
 */
#include "sql/sql_api_test.h"
#include "sql/sql_kinds_test.h"

#include <signal.h>

static char *hosts[] = {(char *)"localhost"}, *ports[] = {(char *)"3306"};

static const struct counted counted[] = {
    {"DROP TABLE IF EXISTS sb_sqltest1", CNT_OTHER},
    {"CREATE TABLE sb_sqltest1 (id INT PRIMARY KEY, d DOUBLE, s VARCHAR(2000)) ENGINE=InnoDB",
     CNT_OTHER},
    {"BEGIN", CNT_OTHER},
    {"INSERT INTO sb_sqltest1 VALUES (1,1,'a'),(2,2,'b')", CNT_WRITE},
    {"REPLACE INTO sb_sqltest1 VALUES (2,2,'c')", CNT_WRITE},
    {"UPDATE sb_sqltest1 SET s='x' WHERE id=1", CNT_WRITE},
    {"UPDATE sb_sqltest1 SET s='x' WHERE id=1", CNT_OTHER}, /* changes nothing */
    {"DELETE FROM sb_sqltest1 WHERE id=99", CNT_OTHER},
    {"INSERT IGNORE INTO sb_sqltest1 VALUES (1,1,'a')", CNT_OTHER},
    {"COMMIT", CNT_OTHER},
    {"SELECT * FROM sb_sqltest1", CNT_READ},
    {"SELECT * FROM sb_sqltest1 WHERE id=99", CNT_READ},
    {"SHOW TABLES", CNT_READ},
    {"ANALYZE TABLE sb_sqltest1", CNT_READ},
    {"SET @x=1", CNT_OTHER},
    {"SELECT nothing FROM nowhere.nothing", CNT_ERROR},
};

static const char *const values[] = {
    "1",
    "-128",
    "18446744073709551615",
    "-9223372036854775808",
    "NULL",
    "''",
    "'text'",
    "1.10",
    "123456789012345678901234567890.123456789",
    "0.1e0",
    "1e300",
    "-2.5e-10",
    "1e15",
    "DATE'2024-02-29'",
    "TIME'-838:59:59'",
    "TIMESTAMP'2024-02-29 12:34:56.789012'",
    "TIMESTAMP'2024-02-29 00:00:00'",
    "TIME'01:02:03.5'",
    "REPEAT('abc',1000)",
    "CONCAT(REPEAT('x',512),'y')",
    "REPEAT('x',512)",
    "x'00ff00'",
    "CAST(7 AS UNSIGNED)",
    "1=1",
};

static const struct dialect dialect = {
    .close_table = ") ENGINE=InnoDB",
    .counted = counted,
    .ncounted = sizeof counted / sizeof *counted,
    .values = values,
    .nvalues = sizeof values / sizeof *values,
    .duplicate = "1062",
    .duplicate_errno = 1062,
    .duplicate_state = "23000",
    .missing_errno = 1146,
    .missing_state = "42S02",
    .missing_msg = "doesn't exist",
    .missing_query = "FATAL: mysql_drv_query() returned error 1146 (Table '",
    .missing_prepare = "FATAL: mysql_stmt_prepare() failed\nFATAL: MySQL error: 1146 \"Table '",
    .missing_execute = "FATAL: mysql_stmt_execute() returned error 1146 (",
    .lost_query = "FATAL: mysql_drv_query() returned error ",
    .lost_execute = "FATAL: mysql_stmt_execute() returned error ",
    .wrong_count = "FATAL: Wrong number of parameters to mysql_stmt_bind_param",
    .my_id = "SELECT CONNECTION_ID()",
    .kill = "KILL ",
    .kill_end = "",
};

/* Bytes that are not text. */
static void test_binary(void)
{
    for (int ps = 0; ps < 2; ps++) {
        sql_connection *c;
        sql_statement *s;
        sql_row *row;
        char bin[8] = "a\0'\"\n\\";
        unsigned long len = 6;
        sql_bind b = {.type = SQL_TYPE_CHAR, .buffer = bin, .data_len = &len, .max_len = 8};
        begin(ps, "1213");
        c = login();
        s = prepare(c, "SELECT CAST(? AS BINARY)");
        sql_bind_param(s, &b, 1);
        row = sql_fetch_row(sql_execute(s));
        CHECK_INT(row ? row->values[0].len : 0, 6);
        CHECK(row && memcmp(row->values[0].ptr, bin, 6) == 0);
        row = sql_fetch_row(query(c, "SELECT 'a\\0b'"));
        CHECK_INT(row ? row->values[0].len : 0, 3);
        CHECK(row && memcmp(row->values[0].ptr, "a\0b", 3) == 0);
        sql_statement_free(s);
        end(c);
    }
}

/* --mysql-ssl=required refuses a server without TLS. */
static void test_tls_required(void)
{
    enum sql_ssl_mode before = options.mysql.ssl;
    sql_connection *c;
    sql_row *row;
    sql_result *r;
    bool plain;

    begin(true, "1213");
    c = login();
    r = query(c, "SHOW VARIABLES LIKE 'have_ssl'");
    row = r ? sql_fetch_row(r) : NULL;
    plain = row && row->values[1].len == 8 && memcmp(row->values[1].ptr, "DISABLED", 8) == 0;
    end(c);
    if (!plain)
        return;
    options.mysql.ssl = SQL_SSL_REQUIRED;
    begin(true, "1213");
    capture();
    CHECK(sql_connect(sql_driver_get(NULL), &host) == NULL);
    CHECK(has(captured(), "SSL is required, but the server does not support it"));
    sql_teardown();
    options.mysql.ssl = before;
}

/* What a server cannot prepare is emulated. */
static void test_unpreparable(void)
{
    sql_connection *c;
    sql_statement *s;

    begin(true, "1213");
    c = login();
    log_set_verbosity(LOG_INFO);
    capture();
    s = prepare(c, "PREPARE sb_sqltest FROM 'SELECT 42'");
    CHECK(
        has(captured(), "Failed to prepare query \"PREPARE sb_sqltest FROM 'SELECT 42'\" (1295: "));
    log_set_verbosity(LOG_NOTICE);
    CHECK(s != NULL);
    sql_execute(s);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK_STR(value_of(c, "EXECUTE sb_sqltest"), "42");
    CHECK_INT(sql_close(s), 1);
    sql_statement_free(s);
    end(c);
}

/* After a lock wait timeout the server keeps the rest of the transaction open. */
static void test_lock_wait(void)
{
    sql_connection *c, *other;

    begin(true, "1205");
    c = login();
    other = login();
    dialect_table(c, "sb_sqltest4", "id INT PRIMARY KEY");
    fine(c, "INSERT INTO sb_sqltest4 VALUES (1)");
    fine(other, "BEGIN");
    fine(other, "UPDATE sb_sqltest4 SET id=10 WHERE id=1");
    fine(c, "SET innodb_lock_wait_timeout=1");
    fine(c, "BEGIN");
    fine(c, "INSERT INTO sb_sqltest4 VALUES (3)");
    query(c, "UPDATE sb_sqltest4 SET id=11 WHERE id=1");
    CHECK_INT(c->sql_errno, 1205);
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    fine(c, "BEGIN"); /* would commit what was left open */
    fine(other, "ROLLBACK");
    CHECK_STR(value_of(other, "SELECT COUNT(*) FROM sb_sqltest4"), "1");
    sql_connection_free(other);
    end(c);
}

static void test_multi(void)
{
    sql_connection *c;

    begin(true, "1062");
    c = login();
    dialect_table(c, "sb_sqltest5", "id INT PRIMARY KEY");
    memset(&counters, 0, sizeof counters);
    CHECK_STR(value_of(c, "SELECT 1; INSERT INTO sb_sqltest5 VALUES (1),(2); SELECT 'three'"), "1");
    CHECK(sql_more_results(c));
    CHECK(sql_next_result(c) == NULL);
    CHECK_COUNT(CNT_WRITE, 1);
    CHECK(sql_more_results(c));
    CHECK_STR(first_value(sql_next_result(c)), "three");
    CHECK(!sql_more_results(c));
    CHECK(sql_next_result(c) == NULL);
    CHECK_COUNT(CNT_READ, 2);

    /* unread results are dropped, uncounted; no "commands out of sync" */
    query(c, "SELECT 1; SELECT 2; SELECT 3");
    CHECK_STR(value_of(c, "SELECT 4"), "4");
    query(c, "SELECT 1; SELECT 2");
    sql_statement_free(prepare(c, "SELECT 5"));
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK_COUNT(CNT_READ, 5);

    /* an ignorable error in the rest is counted, a fatal one fails the next call */
    query(c, "SELECT 1; INSERT INTO sb_sqltest5 VALUES (1); SELECT 2");
    CHECK_STR(value_of(c, "SELECT 6"), "6");
    CHECK_COUNT(CNT_ERROR, 1);
    query(c, "SELECT 1; SELECT x FROM sb_sqltest_none");
    capture();
    CHECK(query(c, "SELECT 7") == NULL);
    CHECK(has(captured(), "FATAL: mysql_next_result() returned error 1146 ("));
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_STR(value_of(c, "SELECT 7"), "7");
    end(c);
}

static void test_call(void)
{
    for (int ps = 0; ps < 2; ps++) {
        sql_connection *c;
        sql_statement *s;
        begin(ps, "1213");
        c = login();
        fine(c, "DROP PROCEDURE IF EXISTS sb_sqltest_p");
        fine(c, "CREATE PROCEDURE sb_sqltest_p(n INT) BEGIN SELECT n; SELECT n+1, 'b'; END");
        s = prepare(c, "CALL sb_sqltest_p(?)");
        int64_t n = 5;
        sql_bind b = {.type = SQL_TYPE_INT, .buffer = &n};
        CHECK_INT(sql_bind_param(s, &b, 1), 0);
        for (int i = 0; i < 3; i++) {
            sql_result *r = sql_execute(s);
            CHECK_STR(first_value(r), "5");
            if (i == 1)
                continue; /* the rest is not read */
            CHECK(sql_more_results(c));
            r = sql_next_result(c);
            CHECK_INT(r ? r->nfields : 0, 2);
            CHECK_STR(first_value(r), "6");
            CHECK(sql_more_results(c)); /* the status of CALL itself */
            CHECK(sql_next_result(c) == NULL);
            CHECK_INT(c->error, DB_ERROR_NONE);
            CHECK(!sql_more_results(c));
        }
        sql_execute(s);
        sql_close(s); /* with results pending */
        CHECK_STR(value_of(c, "SELECT 8"), "8");
        fine(c, "DROP PROCEDURE sb_sqltest_p");
        sql_statement_free(s);
        end(c);
    }
}

static void test_connect_failure(void)
{
    static char *bad[] = {(char *)"/nonexistent/sb.sock"};
    char **good = options.mysql.sockets;

    options.mysql.sockets = bad;
    begin(true, "all");
    capture();
    CHECK(sql_connect(sql_driver_get("mysql"), &host) == NULL);
    const char *text = captured();
    CHECK(has(
        text,
        "FATAL: unable to connect to MySQL server on socket '/nonexistent/sb.sock', aborting...\n"
        "FATAL: error 2002: "));
    sql_teardown();
    options.mysql.sockets = NULL;
    options.mysql.nsockets = 0;
    hosts[0] = (char *)"127.0.0.1";
    ports[0] = (char *)"1";
    begin(true, "all");
    capture();
    CHECK(sql_connect(sql_driver_get("mysql"), &host) == NULL);
    text = captured();
    CHECK(has(text,
              "FATAL: unable to connect to MySQL server on host '127.0.0.1', port 1, aborting...\n"
              "FATAL: error 200"));
    sql_teardown();
    options.mysql.sockets = good;
    options.mysql.nsockets = 1;
}

TEST_MAIN(sql_mysql_test)
{
    static char *sockets[1];
    const char *user = getenv("SB_TEST_MYSQL_USER"), *db = getenv("SB_TEST_MYSQL_DB");

    sockets[0] = getenv("SB_TEST_MYSQL_SOCKET");
    if (!sockets[0] || !user || !db) {
        printf("sql_mysql: skipped: SB_TEST_MYSQL_SOCKET, SB_TEST_MYSQL_USER and SB_TEST_MYSQL_DB "
               "are not set\n");
        return 77;
    }
    signal(SIGPIPE, SIG_IGN);
    options.driver = "mysql";
    options.mysql = (struct sql_login_mysql){.hosts = hosts,
                                             .nhosts = 1,
                                             .ports = ports,
                                             .nports = 1,
                                             .sockets = sockets,
                                             .nsockets = 1,
                                             .user = user,
                                             .password = "",
                                             .db = db};
    test_api();
    test_tls_required();
    test_kinds();
    test_binary();
    test_unpreparable();
    test_lock_wait();
    test_multi();
    test_call();
    test_connect_failure();
    clean_up();
    return test_done("sql_mysql");
}
