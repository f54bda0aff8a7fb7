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
#include "base/test_golden.h"
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

static const struct worked worked[] = {
    {"SELECT 1", 1, 1},
    {"SELECT x FROM sb_sqltest_none", 1, 1},
    {"SELECT 1; SELECT 2", 2, 1},
    {"DO 1", 1, 1},
    {NULL, 0, 0},
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
    .worked = worked,
    .nworked = sizeof worked / sizeof *worked,
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
    .load = "LOAD DATA LOCAL INFILE 'rows' INTO TABLE ",
    .load_end = "",
    .done = "\7\0\0\1\0\0\0\2\0\0",
    .done_len = 11,
    .kill = "KILL ",
    .kill_end = "",
};

/* Bytes that are not text. */
static void test_binary(void)
{
    for (int ps = 0; ps < 2; ps++) {
        sql_row *row;
        char bin[8] = "a\0'\"\n\\";
        unsigned long len = 6;
        sql_bind b = {.type = SQL_TYPE_CHAR, .buffer = bin, .data_len = &len, .max_len = 8};
        sql_connection *c = session(ps, "1213");
        sql_statement *s = prepare(c, "SELECT CAST(? AS BINARY)");
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

/* A file that the statement names, and one that is not there. */
static void test_file(void)
{
    char path[] = "/tmp/sb_sqltest_XXXXXX", text[128];
    int fd = mkstemp(path);

    CHECK_INT(write(fd, "1\n2\n", 4), 4);
    close(fd);
    options.mysql.local_infile = true;
    sql_connection *c = session(true, "1213");
    dialect_table(c, "sb_sqltest5", "id INT PRIMARY KEY");
    snprintf(text, sizeof text, "LOAD DATA LOCAL INFILE '%s' INTO TABLE sb_sqltest5", path);
    fine(c, text);
    CHECK_STR(value_of(c, "SELECT SUM(id) FROM sb_sqltest5"), "3");
    unlink(path);
    capture();
    CHECK(query(c, text) == NULL);
    CHECK(has(captured(), "not found (Errcode: 2)"));
    end(c);
    options.mysql.local_infile = false;
}

/* What a server cannot prepare is emulated. */
static void test_unpreparable(void)
{
    sql_connection *c = session(true, "1213");
    log_set_verbosity(LOG_INFO);
    capture();
    sql_statement *s = prepare(c, "PREPARE sb_sqltest FROM 'SELECT 42'");
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
    sql_connection *c = session(true, "1205");
    sql_connection *other = login();
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
    sql_connection *c = session(true, "1062");
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

    /* an error in the rest is counted and fails the next call */
    query(c, "SELECT 1; INSERT INTO sb_sqltest5 VALUES (1); SELECT 2");
    CHECK(query(c, "SELECT 6") == NULL);
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
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
        sql_connection *c = session(ps, "1213");
        fine(c, "DROP PROCEDURE IF EXISTS sb_sqltest_p");
        fine(c, "CREATE PROCEDURE sb_sqltest_p(n INT) BEGIN SELECT n; SELECT n+1, 'b'; END");
        sql_statement *s = prepare(c, "CALL sb_sqltest_p(?)");
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

/* --- both ways to execute a prepared statement: sysbench's own and the library's --- */

/* All rows of the statement with each, as text. */
static void check_same(const char *prelude, const char *text, const sql_bind *params, size_t n)
{
    struct str got[2] = {STR_INIT, STR_INIT};

    for (int library = 0; library < 2; library++) {
        options.mysql.library = library;
        sql_connection *c = session(true, "1213");
        if (prelude)
            fine(c, prelude);
        sql_statement *s = prepare(c, text);
        CHECK_INT(s ? sql_bind_param(s, params, n) : 1, 0);
        for (int round = 0; s && round < 3; round++) { /* the types go with the first alone */
            sql_result *r = sql_execute(s);
            str_printf(&got[library], "%u columns, %u rows, errno %d\n", r ? r->nfields : 0,
                       r ? r->nrows : 0, c->sql_errno);
            for (sql_row *row; r && (row = sql_fetch_row(r));) {
                for (uint32_t i = 0; i < r->nfields; i++) {
                    sql_value v = row->values[i];
                    str_printf(&got[library], "%s%u:", v.ptr ? "" : "NULL ", v.len);
                    str_add(&got[library], v.ptr ? v.ptr : "", v.ptr ? v.len : 0);
                    str_add(&got[library], "\n", 1);
                }
            }
        }
        if (s)
            sql_statement_free(s);
        end(c);
    }
    for (size_t i = 0; i < got[0].len && i < got[1].len; i++) {
        if (got[0].s[i] == got[1].s[i])
            continue;
        size_t from = i > 60 ? i - 60 : 0;
        printf("%s: byte %zu: here ...%.80s, the library ...%.80s\n", text, i, got[0].s + from,
               got[1].s + from);
        break;
    }
    CHECK_INT(got[0].len, got[1].len);
    CHECK(got[0].len == got[1].len &&
          memcmp(str_cstr(&got[0]), str_cstr(&got[1]), got[0].len) == 0);
    str_free(&got[0]);
    str_free(&got[1]);
    options.mysql.library = false;
}

/* Every type of column, with the ends of its range. */
static void test_types(void)
{
    sql_connection *c = session(true, "1213");
    fine(c, "DROP TABLE IF EXISTS sb_sqltest6");
    fine(c, "CREATE TABLE sb_sqltest6 (id INT AUTO_INCREMENT PRIMARY KEY, a "
            "TINYINT, b TINYINT UNSIGNED ZEROFILL, "
            "c SMALLINT, d SMALLINT UNSIGNED, e MEDIUMINT, f MEDIUMINT UNSIGNED ZEROFILL, "
            "g INT, h INT(7) UNSIGNED ZEROFILL, i BIGINT, j BIGINT UNSIGNED, k YEAR, l BIT(9), "
            "m FLOAT, n DOUBLE, o FLOAT(7,3), p DOUBLE(12,4), q DECIMAL(20,5), r DATE, s TIME, "
            "t TIME(3), u DATETIME, v DATETIME(6), w TIMESTAMP(2) NULL, x ENUM('y','n'), "
            "y SET('p','q'), z VARBINARY(9), aa TEXT, ab CHAR(5))");
    fine(c, "SET sql_mode=''");
    fine(c, "INSERT INTO sb_sqltest6 VALUES (0,-128,7,-32768,65535,-8388608,42,-2147483648,5,"
            "-9223372036854775808,18446744073709551615,1999,b'100000001',1.5,-2.5e-10,1234.5,"
            "-99.12345,12345.678,'2024-02-29','-838:59:59','12:00:00.25','2024-02-29 12:34:56',"
            "'2024-02-29 12:34:56.789','2024-02-29 12:34:56.78','n','p,q',x'00ff00','text','ab')");
    fine(c, "INSERT INTO sb_sqltest6 (m,n,r,s,u,k) VALUES (0,0,'0000-00-00','00:00:00',"
            "'0000-00-00 00:00:00',0),(1e10,1e22,NULL,'23:59:59.9',NULL,2155),(-3.4e38,1.7e308,"
            "NULL,NULL,NULL,NULL),(1e-30,5e-324,NULL,NULL,NULL,NULL),(123456.7,0.1,NULL,NULL,"
            "NULL,NULL),(1234567.8,123456789012345678,NULL,NULL,NULL,NULL),(16777216,1e15,NULL,"
            "NULL,NULL,NULL),(1e6,1e14,NULL,NULL,NULL,NULL),(0.0001,1e-5,NULL,NULL,NULL,NULL)");
    end(c);
    check_same("SET sql_mode=''", "SELECT * FROM sb_sqltest6", NULL, 0);
    check_same(NULL, "SELECT aa, ab FROM sb_sqltest6 WHERE id=99", NULL, 0);
    check_same(NULL,
               "SELECT REPEAT('x', IF(seq % 100, 9, 70000)), REPEAT('y', seq) FROM seq_1_to_400",
               NULL, 0);
    check_same(
        NULL,
        "SELECT seq / 3e0, seq * 1e13 / 7e0, POW(10, CAST(seq AS SIGNED) - 20) * 1.1e0, "
        "CAST(seq * 12.34567 AS FLOAT), CAST(POW(10, CAST(seq AS SIGNED) - 20) * 1.7 AS FLOAT) "
        "FROM seq_1_to_60",
        NULL, 0);
    check_same(NULL,
               "SELECT EXP(seq - 700e0), -EXP(700e0 - seq), RAND(seq), RAND(seq) * 1e17 "
               "FROM seq_0_to_1400",
               NULL, 0);
}

/* Every kind of parameter, with lengths around those where their encoding changes. */
static void test_parameters(void)
{
    static const unsigned long sizes[] = {0, 1, 250, 251, 252, 65535, 65536, 200000};
    int64_t whole[] = {0, -1, INT64_MIN, INT64_MAX};
    double real[] = {0, -1.5, 1e300, 5e-324};
    char null = 1, *text = mem_array(200001, 1);
    unsigned long len;

    memset(text, 'x', 200000);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sql_bind b[] = {
            {.type = SQL_TYPE_BIGINT, .buffer = &whole[i % 4]},
            {.type = SQL_TYPE_DOUBLE, .buffer = &real[i % 4]},
            {.type = SQL_TYPE_VARCHAR, .buffer = text, .data_len = &len, .max_len = 200000},
            {.type = SQL_TYPE_INT, .buffer = &whole[0], .is_null = &null},
            {.type = SQL_TYPE_NONE},
            {.type = SQL_TYPE_CHAR, .buffer = text, .max_len = 3},
            {.type = SQL_TYPE_DATE, .buffer = (void *)(uintptr_t) "2024-02-29", .max_len = 20},
            {.type = SQL_TYPE_INT, .buffer = NULL},
            {.type = SQL_TYPE_TINYINT, .buffer = &whole[1]},
        };
        len = sizes[i];
        check_same(NULL, "SELECT ?, ?, ?, ?, ?, ?, CAST(? AS DATE), ?, ? + 1", b,
                   sizeof b / sizeof *b);
    }
    free(text);
}

/* What the server counts does not depend on who executes. */
static void test_server_counts(void)
{
    static const char *const names[] = {"Com_stmt_prepare", "Com_stmt_execute", "Com_stmt_close",
                                        "Com_select", "Com_insert"};
    int64_t got[2][5], id = 7;
    sql_bind b = {.type = SQL_TYPE_BIGINT, .buffer = &id};
    char text[200];

    for (int library = 0; library < 2; library++) {
        options.mysql.library = library;
        sql_connection *c = session(true, "1213");
        dialect_table(c, "sb_sqltest7", "id INT PRIMARY KEY");
        sql_statement *insert = prepare(c, "INSERT INTO sb_sqltest7 VALUES (?)"),
                      *count = prepare(c, "SELECT id FROM sb_sqltest7 WHERE id >= ?");
        sql_bind_param(insert, &b, 1);
        sql_bind_param(count, &b, 1);
        sql_execute(insert);
        for (int i = 0; i < 5; i++)
            sql_execute(count);
        sql_close(insert);
        sql_close(count);
        for (int i = 0; i < 5; i++) {
            snprintf(text, sizeof text,
                     "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE "
                     "VARIABLE_NAME='%s'",
                     names[i]);
            got[library][i] = atoll(value_of(c, text));
        }
        sql_statement_free(insert);
        sql_statement_free(count);
        end(c);
    }
    options.mysql.library = false;
    for (int i = 0; i < 5; i++)
        CHECK_INT(got[0][i], got[1][i]);
    CHECK_INT(got[0][0], 2);
    CHECK_INT(got[0][1], 6);
    CHECK_INT(got[0][2], 2);
}

/* What the server has said to a prepared statement holds for the plain query after it. */
static void test_status(void)
{
    sql_connection *c, *other;
    int64_t n = 5;
    sql_bind b = {.type = SQL_TYPE_INT, .buffer = &n};
    char text[] = "a\\b";
    sql_bind quoted = {.type = SQL_TYPE_VARCHAR, .buffer = text, .max_len = sizeof text};

    c = session(true, "all");
    other = login();
    dialect_table(c, "sb_sqltest8", "id INT PRIMARY KEY");
    sql_statement *s = prepare(c, "BEGIN");
    sql_execute(s);
    fine(c, "INSERT INTO sb_sqltest8 VALUES (1)");
    sql_statement_free(s);
    fine(c, "COMMIT");
    s = prepare(c, "BEGIN");
    sql_execute(s);
    query(c, "INSERT INTO sb_sqltest8 VALUES (1)");
    CHECK_INT(c->sql_errno, 1062); /* rolls back */
    sql_execute(s);
    sql_statement_free(s);
    s = prepare(c, "INSERT INTO sb_sqltest8 VALUES (2)");
    sql_execute(s);
    query(c, "INSERT INTO sb_sqltest8 VALUES (1)");
    CHECK_INT(c->sql_errno, 1062);
    fine(c, "BEGIN"); /* would commit what was left open */
    CHECK_STR(value_of(other, "SELECT COUNT(*) FROM sb_sqltest8"), "1");
    sql_statement_free(s);

    /* results that nobody reads, and a transaction that is given up */
    fine(c, "ROLLBACK");
    fine(c, "DROP PROCEDURE IF EXISTS sb_sqltest_p");
    fine(c, "CREATE PROCEDURE sb_sqltest_p(n INT) BEGIN SELECT n; SELECT n+1; SELECT x FROM "
            "sb_sqltest_none; END");
    s = prepare(c, "CALL sb_sqltest_p(?)");
    CHECK_INT(sql_bind_param(s, &b, 1), 0);
    fine(c, "BEGIN");
    CHECK_STR(first_value(sql_execute(s)), "5");
    sql_rollback(c);
    CHECK_STR(value_of(c, "SELECT 6"), "6");
    CHECK_STR(first_value(sql_execute(s)), "5");
    CHECK_STR(first_value(sql_next_result(c)), "6");
    CHECK(query(c, "SELECT 7") == NULL);
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    sql_statement_free(s);
    sql_connection_free(other);
    end(c);
    c = session(true, "1062");
    s = prepare(c, "CALL sb_sqltest_p(?)");
    CHECK_INT(sql_bind_param(s, &b, 1), 0);
    sql_execute(s);
    capture();
    CHECK(query(c, "SELECT 7") == NULL);
    CHECK(has(captured(), "FATAL: mysql_stmt_next_result() returned error 1146 ("));
    fine(c, "DROP PROCEDURE sb_sqltest_p");
    sql_statement_free(s);

    /* how strings are quoted */
    s = prepare(c, "SET sql_mode = 'NO_BACKSLASH_ESCAPES'");
    sql_execute(s);
    sql_set_transaction_mode(c, DB_NO_PREPARE);
    sql_statement *e = prepare(c, "SELECT ?, 'a\\', '?'");
    CHECK_INT(sql_bind_param(e, &quoted, 1), 0);
    CHECK_STR(first_value(sql_execute(e)), text);
    sql_statement_free(e);
    sql_statement_free(s);
    end(c);
}

/* What the server has said before it left is the answer to the next statement. */
static void test_last_words(void)
{
    static const char killed[] = "\x0d\0\0\1\xff\x87\7#70100kill";
    sql_connection *c = session(true, "1213");
    int fd[2];

    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    CHECK_INT(dup2(fd[0], last_fd), last_fd);
    CHECK_INT(send(fd[1], killed, sizeof killed - 1, 0), sizeof killed - 1);
    capture();
    query(c, "DO 1");
    CHECK(has(captured(), "FATAL: mysql_drv_query() returned error 1927 (kill)"));
    close(fd[0]);
    close(fd[1]);
    end(c);
}

/* A connection that ends with unread results still says that its statement and it have ended. */
static void test_end_with_results(void)
{
    static const char closed[] =
        "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE "
        "VARIABLE_NAME='Com_stmt_close'";

    begin(true, "1213");
    sql_connection *other = login();
    fine(other, "DROP PROCEDURE IF EXISTS sb_sqltest_p");
    fine(other, "CREATE PROCEDURE sb_sqltest_p() BEGIN SELECT 1; SELECT REPEAT('x', 200000) FROM "
                "seq_1_to_20; END");
    int64_t before = atoll(value_of(other, closed)), now = before;
    for (int i = 0; i < 10; i++) {
        sql_connection *c = login();
        sql_statement *s = prepare(c, "CALL sb_sqltest_p()");
        CHECK_STR(first_value(sql_execute(s)), "1");
        sql_connection_free(c);
        sql_statement_free(s);
    }
    for (int i = 0; i < 6000 && now < before + 10; i++) {
        fine(other, "DO SLEEP(0.01)");
        now = atoll(value_of(other, closed));
    }
    CHECK(now >= before + 10);
    fine(other, "DROP PROCEDURE sb_sqltest_p");
    end(other);
}

/* The server hangs up in the middle of a statement that is too large for it. */
static void test_too_large(void)
{
    sql_connection *c = session(true, "1213");
    size_t n = (size_t)atoll(value_of(c, "SELECT @@max_allowed_packet")) + (1 << 20);
    char *text = mem_array(n, 1);
    sql_bind b = {.type = SQL_TYPE_CHAR, .buffer = text, .data_len = &n, .max_len = n};

    memset(text, 'x', n);
    sql_statement *s = prepare(c, "SELECT LENGTH(?)");
    CHECK_INT(sql_bind_param(s, &b, 1), 0);
    capture();
    CHECK(sql_execute(s) == NULL);
    CHECK(has(captured(), "FATAL: mysql_stmt_execute() returned error 2006 ("));
    free(text);
    sql_statement_free(s);
    end(c);
}

/* --mysql-debug: the calls of the library. */
static void test_trace(void)
{
    int64_t n = 5;
    sql_bind b = {.type = SQL_TYPE_INT, .buffer = &n};
    struct str trace = STR_INIT;

    options.mysql.debug = true;
    log_set_verbosity(LOG_DEBUG);
    capture();
    sql_connection *c = session(true, "all");
    CHECK(has(captured(), "DEBUG: mysql_init("));
    capture();
    sql_statement *s = prepare(c, "SELECT ? + 1");
    sql_bind_param(s, &b, 1);
    CHECK_STR(first_value(sql_execute(s)), "6");
    sql_statement_free(s);
    query(c, "SELECT 1; SELECT 2");
    CHECK_STR(first_value(sql_next_result(c)), "2");
    query(c, "BEGIN");
    s = prepare(c, "INSERT INTO sb_sqltest8 VALUES (NULL)");
    CHECK(sql_execute(s) == NULL);
    CHECK(query(c, "") == NULL);
    sql_statement_free(s);
    end(c);
    for (const char *at = captured(), *p; *at; at = p + strspn(p, "x0123456789abcdef")) {
        p = strstr(at, "0x"); /* without addresses */
        p = p ? p : at + strlen(at);
        str_add(&trace, at, (size_t)(p - at));
    }
    log_set_verbosity(LOG_NOTICE);
    options.mysql.debug = false;
    golden(&trace, "trace");
    str_free(&trace);
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
    for (int library = 0; library < 2; library++) {
        options.mysql.library = library;
        test_api();
        test_kinds();
        test_binary();
        test_unpreparable();
        test_file();
        test_lock_wait();
        test_multi();
        test_call();
        test_status();
        test_last_words();
        test_too_large();
        test_end_with_results();
    }
    options.mysql.library = false;
    test_types();
    test_parameters();
    test_server_counts();
    /* most of what the library touches is noted, and of our own way the little that there is */
    test_noted((const size_t[]){3, 15}, (const size_t[]){3, 15});
    options.mysql.library = true;
    test_noted((const size_t[]){20, 60}, (const size_t[]){14, 40});
    options.mysql.library = false;
    test_trace();
    clean_up();
    golden_done("sql_mysql_test");
    return test_done("sql_mysql");
}
