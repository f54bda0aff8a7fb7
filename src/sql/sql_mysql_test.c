/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SQL floor against a real server: counting, texts of rows, prepared and emulated statements,
 * several results, errors that are ignored and errors that are not, lost connections.
 *
 * The server comes from outside: SB_TEST_MYSQL_SOCKET, SB_TEST_MYSQL_USER, SB_TEST_MYSQL_DB (a
 * database the user may create tables and procedures in; all begin with sb_sqltest).  Without them:
 * skipped (77).
 */
#include "sql/sql.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/test.h"

static char *hosts[] = {(char *)"localhost"}, *ports[] = {(char *)"3306"};
static struct sql_options options;
static struct counters counters;
static int fds_told, tries_left;

static void connected(void *arg, int fd)
{
    (void)arg;
    CHECK(fd >= 0);
    fds_told++;
}

static bool keep_trying(void *arg)
{
    (void)arg;
    return tries_left-- > 0;
}

static const struct sql_host host = {
    .counters = &counters, .keep_trying = keep_trying, .connected = connected};

/* --- what the tests are written in --- */

static void begin(bool ps, const char *ignore)
{
    static char item[16], *list[] = {item};
    struct err e;

    snprintf(item, sizeof item, "%s", ignore);
    options.ps_server = ps;
    options.mysql.ignore_errors = list;
    options.mysql.nignore = 1;
    CHECK_INT(sql_setup(&options, &e), 0);
    memset(&counters, 0, sizeof counters);
    tries_left = 1000;
}

static sql_connection *login(void)
{
    sql_connection *c = sql_connect(sql_driver_get(NULL), &host);

    CHECK(c != NULL);
    if (!c)
        exit(test_done("sql_mysql"));
    return c;
}

static void end(sql_connection *c)
{
    sql_connection_free(c);
    sql_teardown();
}

static sql_result *query(sql_connection *c, const char *text)
{
    return sql_query(c, text, strlen(text));
}

static sql_statement *prepare(sql_connection *c, const char *text)
{
    return sql_prepare(c, text, strlen(text));
}

static void fine(sql_connection *c, const char *text)
{
    query(c, text);
    CHECK_INT(c->error, DB_ERROR_NONE);
    if (c->error)
        printf("%s: %s\n", text, c->sql_errmsg);
}

static const char *first_value(sql_result *r)
{
    static char text[4096];
    sql_row *row = r ? sql_fetch_row(r) : NULL;

    if (!row)
        return "(no row)";
    if (!row->values[0].ptr)
        return "(null)";
    snprintf(text, sizeof text, "%.*s", (int)row->values[0].len, row->values[0].ptr);
    return text;
}

static const char *value_of(sql_connection *c, const char *text)
{
    return first_value(query(c, text));
}

#define CHECK_COUNT(kind, want) CHECK_INT(counters_get(&counters, kind), want)

/* What a piece of the test printed: stdout goes to a file meanwhile. */
static int kept_stdout;
static FILE *captured;

static void capture(void)
{
    fflush(stdout);
    kept_stdout = dup(STDOUT_FILENO);
    captured = tmpfile();
    dup2(fileno(captured), STDOUT_FILENO);
}

static const char *printed(void)
{
    static char text[4096];
    ssize_t n;

    fflush(stdout);
    dup2(kept_stdout, STDOUT_FILENO);
    close(kept_stdout);
    n = pread(fileno(captured), text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    fclose(captured);
    return text;
}

static bool has(const char *text, const char *part)
{
    if (strstr(text, part))
        return true;
    printf("not found: %s\nin: %s\n", part, text);
    return false;
}

/* --- tests --- */

static void test_counting(void)
{
    static const struct {
        const char *text;
        enum counter counted;
    } t[] = {
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

    for (int ps = 0; ps < 2; ps++) {
        sql_connection *c;
        begin(ps, "all");
        c = login();
        for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
            uint64_t before = counters_get(&counters, t[i].counted);
            if (ps && t[i].counted != CNT_ERROR) {
                sql_statement *s = prepare(c, t[i].text);
                CHECK(s != NULL);
                CHECK((sql_execute(s) != NULL) == (t[i].counted == CNT_READ));
                sql_statement_free(s);
            } else {
                CHECK((query(c, t[i].text) != NULL) == (t[i].counted == CNT_READ));
            }
            CHECK_INT(counters_get(&counters, t[i].counted), before + 1);
        }
        CHECK_INT(counters_get(&counters, CNT_READ) + counters_get(&counters, CNT_WRITE) +
                      counters_get(&counters, CNT_OTHER) + counters_get(&counters, CNT_ERROR),
                  sizeof t / sizeof *t);
        end(c);
    }
}

static void test_rows(void)
{
    sql_connection *c;
    sql_result *r;
    sql_row *row;

    begin(true, "1213");
    c = login();
    r = query(c, "SELECT 1, NULL, 'a\\0b', '' UNION ALL SELECT 2, 'x', NULL, 'end'");
    CHECK_INT(r->nrows, 2);
    CHECK_INT(r->nfields, 4);
    CHECK_INT(r->counter, CNT_READ);
    CHECK(r->statement == NULL);
    row = sql_fetch_row(r);
    CHECK_INT(row->values[0].len, 1);
    CHECK(row->values[0].ptr[0] == '1');
    CHECK(row->values[1].ptr == NULL);
    CHECK_INT(row->values[2].len, 3);
    CHECK(memcmp(row->values[2].ptr, "a\0b", 3) == 0);
    CHECK(row->values[3].ptr != NULL && row->values[3].len == 0);
    CHECK(sql_fetch_row(r) != NULL);
    CHECK(sql_fetch_row(r) == NULL);
    CHECK(sql_fetch_row(r) == NULL);
    CHECK_INT(sql_free_results(r), 0);
    capture();
    CHECK_INT(sql_free_results(r), 1);
    CHECK(sql_fetch_row(r) == NULL);
    CHECK(sql_fetch_row(NULL) == NULL);
    r = query(c, "SELECT 1 FROM DUAL WHERE 1=0");
    CHECK_INT(r->nrows, 0);
    CHECK(sql_fetch_row(r) == NULL);
    CHECK_STR(printed(), "ALERT: attempt to free an invalid result set\n"
                         "ALERT: attempt to fetch row from an invalid result set\n"
                         "ALERT: attempt to fetch row from an invalid result set\n"
                         "ALERT: attempt to fetch row from an empty result set\n");
    end(c);
}

/* A prepared SELECT gives the same texts as a plain one. */
static void test_prepared_rows(void)
{
    static const char *const t[] = {
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
    sql_connection *c;

    begin(true, "1213");
    c = login();
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char text[128], want[4096];
        sql_statement *s;
        sql_result *r;
        snprintf(text, sizeof text, "SELECT %s UNION ALL SELECT %s", t[i], t[i]);
        snprintf(want, sizeof want, "%s", value_of(c, text));
        s = prepare(c, text);
        r = sql_execute(s);
        CHECK_INT(r->nrows, 2);
        CHECK_INT(r->nfields, 1);
        CHECK(r->statement == s);
        CHECK_STR(first_value(r), want);
        CHECK_STR(first_value(r), want); /* the second row, with buffers that have grown */
        CHECK(sql_fetch_row(r) == NULL);
        r = sql_execute(s); /* and the whole once more */
        CHECK_STR(first_value(r), want);
        CHECK_INT(sql_close(s), 0);
        capture();
        CHECK(sql_fetch_row(r) == NULL);
        CHECK_STR(printed(), "ALERT: attempt to fetch row from an invalid result set\n");
        sql_statement_free(s);
    }
    end(c);
}

static const char *const params_table =
    "CREATE OR REPLACE TABLE sb_sqltest2 (i BIGINT, d DOUBLE, s VARCHAR(100), b VARBINARY(100))";

static void insert_params(sql_connection *c, sql_statement *s)
{
    int64_t i = INT64_MIN;
    double d = 0.1;
    char str[32] = "it's a \\ ?", bin[8] = "a\0'\"\n\\", null = 1;
    unsigned long slen = 10, blen = 6;
    sql_bind b[] = {
        {.type = SQL_TYPE_BIGINT, .buffer = &i},
        {.type = SQL_TYPE_DOUBLE, .buffer = &d},
        {.type = SQL_TYPE_VARCHAR, .buffer = str, .data_len = &slen, .max_len = sizeof str},
        {.type = SQL_TYPE_CHAR,
         .buffer = bin,
         .data_len = &blen,
         .max_len = sizeof bin,
         .is_null = &null},
    };

    CHECK_INT(sql_bind_param(s, b, 4), 0);
    CHECK(sql_execute(s) == NULL);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK_STR(
        value_of(c, "SELECT COUNT(*) FROM sb_sqltest2 WHERE i=-9223372036854775808 AND d=0.1e0 AND "
                    "s='it''s a \\\\ ?' AND b IS NULL"),
        "1");
    i = 2; /* all read anew at the next execute */
    d = -1.0 / 3;
    slen = 2;
    null = 0;
    sql_execute(s);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK_STR(value_of(c, "SELECT COUNT(*) FROM sb_sqltest2 WHERE i=2 AND d=-1e0/3 AND s='it' AND "
                          "b=x'610027220A5C'"),
              "1");
    b[2].data_len = NULL; /* up to the NUL */
    CHECK_INT(sql_bind_param(s, b, 4), 0);
    snprintf(str, sizeof str, "until NUL");
    i = 3;
    sql_execute(s);
    CHECK_STR(value_of(c, "SELECT s FROM sb_sqltest2 WHERE i=3"), "until NUL");
}

static void test_params(void)
{
    for (int ps = 0; ps < 2; ps++) {
        sql_connection *c;
        sql_statement *s;
        int64_t one = 1;
        sql_bind b[] = {{.type = SQL_TYPE_INT, .buffer = &one},
                        {.type = SQL_TYPE_INT, .buffer = &one}};
        begin(ps, "1213");
        c = login();
        fine(c, params_table);
        s = prepare(c, "INSERT INTO sb_sqltest2 VALUES (?,?,?,?)");
        insert_params(c, s);
        CHECK_INT(sql_close(s), ps ? 0 : 1);
        sql_statement_free(s);
        s = prepare(c, "SELECT '?', ? + 1");
        capture();
        CHECK_INT(sql_bind_param(s, b, 2), 1);
        CHECK_STR(printed(), "FATAL: Wrong number of parameters to mysql_stmt_bind_param\n");
        capture();
        CHECK(sql_execute(s) == NULL); /* nothing bound yet */
        CHECK_STR(printed(), "ALERT: wrong number of parameters in prepared statement\n");
        CHECK(c->sql_state == NULL);
        CHECK_INT(sql_bind_param(s, b, 1), 0);
        CHECK_STR(first_value(sql_execute(s)), "?");
        sql_statement_free(s);
        end(c);
    }
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
        has(printed(), "Failed to prepare query \"PREPARE sb_sqltest FROM 'SELECT 42'\" (1295: "));
    log_set_verbosity(LOG_NOTICE);
    CHECK(s != NULL);
    sql_execute(s);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK_STR(value_of(c, "EXECUTE sb_sqltest"), "42");
    CHECK_INT(sql_close(s), 1);
    sql_statement_free(s);
    end(c);
}

static void test_errors(void)
{
    sql_connection *c;
    sql_statement *s;

    begin(true, "1062");
    c = login();
    capture();
    CHECK(query(c, "SELECT x FROM sb_sqltest_none") == NULL);
    CHECK(has(printed(), "FATAL: mysql_drv_query() returned error 1146 (Table '"));
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_INT(c->sql_errno, 1146);
    CHECK_STR(c->sql_state, "42S02");
    CHECK(has(c->sql_errmsg, "doesn't exist"));
    CHECK_COUNT(CNT_ERROR, 1);
    capture();
    CHECK(prepare(c, "SELECT x FROM sb_sqltest_none") == NULL);
    CHECK(has(printed(), "FATAL: mysql_stmt_prepare() failed\nFATAL: MySQL error: 1146 \"Table '"));
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK(c->sql_state == NULL);
    CHECK_COUNT(CNT_ERROR, 1); /* a failed prepare is no failed statement */
    fine(c, "DO 1");
    CHECK_INT(c->sql_errno, 0);
    CHECK(c->sql_state == NULL && c->sql_errmsg == NULL);

    fine(c, "CREATE OR REPLACE TABLE sb_sqltest3 (id INT PRIMARY KEY) ENGINE=InnoDB");
    fine(c, "INSERT INTO sb_sqltest3 VALUES (1)");
    s = prepare(c, "INSERT INTO sb_sqltest3 VALUES (1)");
    sql_execute(s); /* on the list: silent, restartable */
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    CHECK_INT(c->sql_errno, 1062);
    CHECK_COUNT(CNT_ERROR, 2);
    fine(c, "DROP TABLE sb_sqltest3");
    capture();
    sql_execute(s);
    CHECK(has(printed(), "FATAL: mysql_stmt_execute() returned error 1146 ("));
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_COUNT(CNT_ERROR, 3);
    sql_statement_free(s);
    end(c);
}

/* An ignored error inside a transaction undoes all of it: a restart must not commit half. */
static void test_rollback(void)
{
    sql_connection *c, *other;
    sql_statement *ins;
    uint64_t others;

    begin(true, "all");
    c = login();
    other = login();
    fine(c, "CREATE OR REPLACE TABLE sb_sqltest4 (id INT PRIMARY KEY) ENGINE=InnoDB");
    fine(c, "INSERT INTO sb_sqltest4 VALUES (1)");
    ins = prepare(c, "INSERT INTO sb_sqltest4 VALUES (1)");
    for (int i = 0; i < 2; i++) {
        sql_statement *b = prepare(c, "BEGIN");
        sql_execute(b);
        fine(c, "INSERT INTO sb_sqltest4 VALUES (2)");
        others = counters_get(&counters, CNT_OTHER);
        if (i == 0)
            query(c, "INSERT INTO sb_sqltest4 VALUES (1)");
        else
            sql_execute(ins);
        CHECK_INT(c->error, DB_ERROR_IGNORABLE);
        CHECK_INT(c->sql_errno, 1062);
        CHECK_COUNT(CNT_OTHER, others); /* the ROLLBACK is ours, not the script's */
        fine(c, "BEGIN");
        fine(c, "COMMIT");
        CHECK_STR(value_of(other, "SELECT COUNT(*) FROM sb_sqltest4"), "1");
        sql_statement_free(b);
    }
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
    sql_connection_free(c);
    sql_statement_free(ins); /* after its connection */
    sql_teardown();
}

static void test_multi(void)
{
    sql_connection *c;

    begin(true, "1062");
    c = login();
    fine(c, "CREATE OR REPLACE TABLE sb_sqltest5 (id INT PRIMARY KEY) ENGINE=InnoDB");
    CHECK_STR(value_of(c, "SELECT 1; INSERT INTO sb_sqltest5 VALUES (1),(2); SELECT 'three'"), "1");
    CHECK(sql_more_results(c));
    CHECK(sql_next_result(c) == NULL);
    CHECK_COUNT(CNT_WRITE, 1);
    CHECK(sql_more_results(c));
    CHECK_STR(first_value(sql_next_result(c)), "three");
    CHECK(!sql_more_results(c));
    CHECK(sql_next_result(c) == NULL);
    CHECK_COUNT(CNT_READ, 2);

    /* not asked for: read away, uncounted, no "commands out of sync" */
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
    CHECK(has(printed(), "FATAL: mysql_next_result() returned error 1146 ("));
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
                continue; /* the rest is nobody's */
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

static void test_bulk(void)
{
    sql_connection *c;
    char row[64];

    begin(true, "1062");
    c = login();
    fine(c, "CREATE OR REPLACE TABLE sb_sqltest6 (id INT PRIMARY KEY, s CHAR(30)) ENGINE=InnoDB");
    CHECK_INT(sql_bulk_init(c, "INSERT INTO sb_sqltest6 VALUES", 30), 0);
    for (int i = 0; i < 20000; i++) {
        int n = snprintf(row, sizeof row, "(%d,'%028d')", i, i);
        CHECK_INT(sql_bulk_next(c, row, (size_t)n), 0);
    }
    CHECK_INT(sql_bulk_done(c), 0);
    CHECK_COUNT(CNT_WRITE, 2);
    CHECK_STR(value_of(c, "SELECT COUNT(*) FROM sb_sqltest6"), "20000");
    CHECK_INT(sql_bulk_init(c, "INSERT INTO sb_sqltest6 VALUES", 30), 0);
    CHECK_INT(sql_bulk_next(c, "(1,'')", 6), 0);
    CHECK_INT(sql_bulk_done(c), -1); /* duplicate: an error even though it is on the list */
    CHECK_COUNT(CNT_ERROR, 1);
    end(c);
}

static void kill_connection(sql_connection *victim, sql_connection *killer)
{
    char text[64];

    snprintf(text, sizeof text, "KILL %s", value_of(victim, "SELECT CONNECTION_ID()"));
    fine(killer, text);
    usleep(50000); /* the server closes the socket on its own time */
}

static void test_lost(void)
{
    sql_connection *c, *killer;
    sql_statement *s;
    int64_t n = 1;
    sql_bind b = {.type = SQL_TYPE_INT, .buffer = &n};

    begin(true, "all");
    c = login();
    killer = login();
    s = prepare(c, "SELECT ? * 10");
    sql_bind_param(s, &b, 1);
    CHECK_STR(first_value(sql_execute(s)), "10");
    for (int i = 0; i < 4; i++) {
        kill_connection(c, killer);
        fds_told = 0;
        if (i % 2)
            query(c, "SELECT 1");
        else
            sql_execute(s);
        CHECK_INT(c->error, DB_ERROR_IGNORABLE);
        CHECK(c->sql_errno != 0 && c->sql_state != NULL && c->sql_errmsg != NULL);
        CHECK_INT(fds_told, 1);
        CHECK_COUNT(CNT_RECONNECT, i + 1);
        CHECK_COUNT(CNT_ERROR, 0);
        n = i + 2;
        CHECK_STR(first_value(sql_execute(s)), i == 0   ? "20"
                                               : i == 1 ? "30"
                                               : i == 2 ? "40"
                                                        : "50");
    }
    kill_connection(c, killer); /* found by a prepare */
    CHECK(prepare(c, "SELECT 1") == NULL);
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    CHECK_COUNT(CNT_RECONNECT, 5);
    CHECK_STR(value_of(c, "SELECT 'back'"), "back");

    kill_connection(c, killer); /* found when the run is over */
    tries_left = 0;
    sql_execute(s);
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_COUNT(CNT_ERROR, 1);
    sql_execute(s);
    CHECK_INT(c->error, DB_ERROR_FATAL);
    tries_left = 1000; /* and it comes back when there is reason to */
    CHECK_STR(first_value(sql_execute(s)), "50");
    CHECK_COUNT(CNT_RECONNECT, 6);
    sql_statement_free(s);
    sql_connection_free(killer);
    end(c);
}

static void test_lost_not_ignored(void)
{
    sql_connection *c, *killer;
    sql_statement *s;

    begin(true, "1213");
    c = login();
    killer = login();
    s = prepare(c, "SELECT 1");
    kill_connection(c, killer);
    capture();
    CHECK(sql_execute(s) == NULL);
    CHECK(has(printed(), "FATAL: mysql_stmt_execute() returned error "));
    CHECK_INT(c->error, DB_ERROR_FATAL);
    capture();
    query(c, "SELECT 1"); /* still dead, still alive to tell */
    CHECK(has(printed(), "FATAL: mysql_drv_query() returned error "));
    CHECK_INT(sql_reconnect(c), 0);
    CHECK_COUNT(CNT_RECONNECT, 1);
    CHECK_STR(first_value(sql_execute(s)), "1");
    sql_statement_free(s);
    sql_connection_free(killer);
    end(c);
}

static void test_misuse(void)
{
    sql_connection *c;
    sql_statement *s;

    begin(true, "all");
    c = login();
    s = prepare(c, "SELECT 1");
    CHECK_INT(sql_disconnect(c), 0);
    capture();
    CHECK_INT(sql_disconnect(c), 0);
    CHECK_STR(printed(), "ALERT: attempt to close an already closed connection\n");
    capture();
    CHECK(query(c, "SELECT 1") == NULL);
    CHECK(sql_execute(s) == NULL);
    CHECK(prepare(c, "SELECT 1") == NULL);
    CHECK_STR(printed(), "ALERT: attempt to use an already closed connection\n"
                         "ALERT: attempt to use an already closed connection\n"
                         "ALERT: attempt to use an already closed connection\n");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_INT(c->sql_errno, 0);
    CHECK(c->sql_state == NULL && c->sql_errmsg == NULL);
    CHECK(!sql_more_results(c));
    CHECK_COUNT(CNT_ERROR, 0);
    CHECK_INT(sql_close(s), 0);
    sql_statement_free(s);
    end(c);
}

static void test_connect_failure(void)
{
    static char *bad[] = {(char *)"/nonexistent/sb.sock"};
    char **good = options.mysql.sockets;

    options.mysql.sockets = bad;
    begin(true, "all");
    capture();
    CHECK(sql_connect(sql_driver_get("mysql"), &host) == NULL);
    const char *text = printed();
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
    text = printed();
    CHECK(has(text,
              "FATAL: unable to connect to MySQL server on host '127.0.0.1', port 1, aborting...\n"
              "FATAL: error 200"));
    sql_teardown();
    options.mysql.sockets = good;
    options.mysql.nsockets = 1;
}

static void clean_up(void)
{
    sql_connection *c;

    begin(true, "all");
    c = login();
    fine(c, "DROP TABLE IF EXISTS "
            "sb_sqltest1,sb_sqltest2,sb_sqltest3,sb_sqltest4,sb_sqltest5,sb_sqltest6");
    end(c);
}

int main(void)
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
    test_counting();
    test_rows();
    test_prepared_rows();
    test_params();
    test_unpreparable();
    test_errors();
    test_rollback();
    test_multi();
    test_call();
    test_bulk();
    test_lost();
    test_lost_not_ignored();
    test_misuse();
    test_connect_failure();
    clean_up();
    return test_done("sql_mysql");
}
