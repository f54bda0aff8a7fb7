/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SQL floor against PostgreSQL: the tests of every driver (sql_api_test.h), and what is
 * specific to this server: transactions that an error aborts, texts of several statements, COPY,
 * statements that are prepared when their parameters are bound.
 *
 * The environment names the server: SB_TEST_PGSQL_HOST (the directory of its socket),
 * SB_TEST_PGSQL_PORT, SB_TEST_PGSQL_USER, SB_TEST_PGSQL_DB (in which the user may create tables;
 * all names begin with sb_sqltest).  Skipped (77) without them.
 */
#include "sql/sql_api_test.h"
#include "sql/sql_kinds_test.h"

static const struct counted counted[] = {
    {"DROP TABLE IF EXISTS sb_sqltest1", CNT_OTHER},
    {"CREATE TABLE sb_sqltest1 (id INT PRIMARY KEY, d FLOAT8, s VARCHAR(2000))", CNT_OTHER},
    {"BEGIN", CNT_OTHER},
    {"INSERT INTO sb_sqltest1 VALUES (1,1,'a'),(2,2,'b')", CNT_WRITE},
    {"UPDATE sb_sqltest1 SET s='x' WHERE id=1", CNT_WRITE},
    {"UPDATE sb_sqltest1 SET s='x' WHERE id=1", CNT_WRITE}, /* matched is enough */
    {"UPDATE sb_sqltest1 SET s='x' WHERE id=99", CNT_OTHER},
    {"DELETE FROM sb_sqltest1 WHERE id=99", CNT_OTHER},
    {"INSERT INTO sb_sqltest1 VALUES (1,1,'a') ON CONFLICT DO NOTHING", CNT_OTHER},
    {"INSERT INTO sb_sqltest1 VALUES (3,3,'c') RETURNING id", CNT_READ},
    {"COMMIT", CNT_OTHER},
    {"SELECT * FROM sb_sqltest1", CNT_READ},
    {"SELECT * FROM sb_sqltest1 WHERE id=99", CNT_READ},
    {"SHOW server_version", CNT_READ},
    {"EXPLAIN SELECT 1", CNT_READ},
    {"ANALYZE sb_sqltest1", CNT_OTHER},
    {"SET application_name='sb_sqltest'", CNT_OTHER},
    {"SELECT nothing FROM sb_sqltest1", CNT_ERROR},
};

static const struct worked worked[] = {
    {"SELECT 1", 1, 0},
    {"BEGIN", 0, 0},
    {"SELECT 1", 0, 0},
    {"COMMIT AND CHAIN", 1, 0},
    {"ROLLBACK", 1, 0},
    {"SELECT 1; SELECT 2", 2, 0},
    {"COPY sb_sqltest1 FROM STDIN", 2, 0},
    {"DO $$ BEGIN END $$", SQL_SENT_MANY + 1, 0},
    {NULL, 1, 6},
    {NULL, 1, 1},
};

static const char *const values[] = {
    "1",
    "-128",
    "18446744073709551615",
    "(-9223372036854775808)::int8",
    "NULL",
    "''",
    "'text'",
    "1.10",
    "123456789012345678901234567890.123456789",
    "0.1::float8",
    "1e300::float8",
    "'NaN'::float8",
    "(-1.0/3)::float4",
    "DATE'2024-02-29'",
    "TIMESTAMP'2024-02-29 12:34:56.789012'",
    "TIMESTAMPTZ'2024-02-29 12:34:56+00'",
    "INTERVAL'1 year 2 days'",
    "REPEAT('abc',1000)",
    "'\\x00ff00'::bytea",
    "ARRAY[1,2,NULL]",
    "'{\"a\":1}'::jsonb",
    "1=1",
};

static const struct dialect dialect = {
    .close_table = ")",
    .counted = counted,
    .ncounted = sizeof counted / sizeof *counted,
    .worked = worked,
    .nworked = sizeof worked / sizeof *worked,
    .values = values,
    .nvalues = sizeof values / sizeof *values,
    .duplicate = "23505",
    .duplicate_state = "23505",
    .missing_state = "42P01",
    .missing_msg = "relation \"sb_sqltest_none\" does not exist",
    .missing_query = "FATAL: PQexec() failed: 7 relation \"sb_sqltest_none\" does not exist\n"
                     "FATAL: failed query was: SELECT x FROM sb_sqltest_none\n",
    .missing_prepare =
        "FATAL: PQprepare() failed: ERROR:  relation \"sb_sqltest_none\" does not exist\n",
    .missing_execute =
        "FATAL: PQexecPrepared() failed: 7 relation \"sb_sqltest3\" does not exist\n",
    .lost_query = "FATAL: PQexec() failed: 7 ",
    .lost_execute = "FATAL: PQexecPrepared() failed: 7 ",
    .wrong_count = "ALERT: wrong number of parameters in prepared statement",
    .my_id = "SELECT pg_backend_pid()",
    .load = "COPY ",
    .load_end = " FROM STDIN",
    .done = "C\0\0\0\013COMMIT\0Z\0\0\0\5I",
    .done_len = 18,
    .kill = "SELECT pg_terminate_backend(",
    .kill_end = ")",
};

/* An aborted transaction rejects everything, including a prepare, until it is ended. */
static void test_aborted(void)
{
    sql_connection *c = session(true, "23505");
    fine(c, "BEGIN");
    capture();
    query(c, "SELECT 1/0");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_STR(c->sql_state, "22012");
    query(c, "SELECT 1");
    CHECK_STR(c->sql_state, "25P02");
    CHECK(prepare(c, "SELECT 1") == NULL);
    CHECK(has(captured(), "FATAL: PQprepare() failed: ERROR:  current transaction is aborted"));
    fine(c, "ROLLBACK");
    sql_statement *s = prepare(c, "SELECT 1");
    CHECK_STR(first_value(sql_execute(s)), "1");
    sql_statement_free(s);
    end(c);
}

/* As in stock: one call returns the result of the last statement, or the error of any. */
static void test_several_statements(void)
{
    sql_connection *c = session(true, "23505");
    dialect_table(c, "sb_sqltest5", "id INT PRIMARY KEY");
    memset(&counters, 0, sizeof counters);
    sql_result *r = query(c, "SELECT 1; INSERT INTO sb_sqltest5 VALUES (1),(2); SELECT 'three', 3");
    CHECK_INT(r ? r->nfields : 0, 2);
    CHECK_STR(first_value(r), "three");
    CHECK(!sql_more_results(c));
    CHECK(sql_next_result(c) == NULL);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK_COUNT(CNT_READ, 1);
    CHECK_COUNT(CNT_WRITE, 0);
    query(c, "SELECT 1; INSERT INTO sb_sqltest5 VALUES (2); SELECT 3");
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    CHECK_STR(c->sql_state, "23505");
    capture();
    query(c, "BEGIN; SELECT 1; SELECT x FROM sb_sqltest_none; COMMIT");
    CHECK(has(captured(), "FATAL: failed query was: BEGIN; SELECT 1; SELECT x FROM"));
    CHECK_STR(c->sql_state, "42P01");
    fine(c, "ROLLBACK");
    CHECK_STR(value_of(c, "SELECT COUNT(*) FROM sb_sqltest5"), "2");
    fine(c, "INSERT INTO sb_sqltest5 SELECT * FROM generate_series(11, 30)");
    CHECK_INT(((struct sql_conn *)c)->res.nrows, 20);
    end(c);
}

/* Where a backslash is one in a text, and where it escapes what follows. */
static void test_backslashes(void)
{
    for (int server = 0; server < 2; server++) {
        sql_connection *c = session(server, "23505");
        sql_statement *s = prepare(c, "SELECT 'a\\', 'b ?'");
        sql_result *r = sql_execute(s);
        CHECK_INT(r ? r->nfields : 0, 2);
        CHECK_STR(first_value(r), "a\\");
        sql_statement_free(s);
        fine(c, "SET escape_string_warning = off");
        fine(c, "SET standard_conforming_strings = off");
        s = prepare(c, "SELECT 'a\\', ?'");
        CHECK_STR(first_value(sql_execute(s)), "a', ?");
        sql_statement_free(s);
        end(c);
    }
}

static void test_odd_statements(void)
{
    sql_connection *c = session(true, "23505");
    dialect_table(c, "sb_sqltest5", "id INT PRIMARY KEY");
    capture();
    query(c, "COPY sb_sqltest5 FROM STDIN");
    CHECK_STR(c->sql_state, "0A000");
    query(c, "COPY (SELECT * FROM generate_series(1,100000)) TO STDOUT");
    CHECK_STR(c->sql_state, "0A000");
    query(c, "");
    CHECK_STR(c->sql_state, "42601");
    CHECK(sql_query(c, "SELECT 1\0, 2", 12) == NULL);
    CHECK_STR(c->sql_state, "22021");
    const char *said = captured();
    CHECK(has(said, "a statement cannot contain a NUL byte\nFATAL: failed query was: SELECT 1\n"));
    CHECK(has(said, "FATAL: PQexec() failed: 4 COPY FROM STDIN and COPY TO STDOUT are not "
                    "supported\nFATAL: failed query was: COPY sb_sqltest5 FROM STDIN\n"));
    CHECK_COUNT(CNT_ERROR, 4);
    CHECK(query(c, "SELECT") == NULL); /* rows without columns */
    CHECK_INT(c->error, DB_ERROR_NONE);
    fine(c, "DO $$ BEGIN RAISE WARNING 'heard by nobody'; END $$");
    sql_statement *s = prepare(c, "SELECT '?' || $$ ?$$ || ?::text /* ? */ -- ?");
    CHECK(s != NULL);
    int64_t n = -7;
    sql_bind b = {.type = SQL_TYPE_INT, .buffer = &n};
    CHECK_INT(sql_bind_param(s, &b, 1), 0);
    CHECK_STR(first_value(sql_execute(s)), "? ?-7");
    sql_statement_free(s);
    end(c);
}

static sql_bind int_bind(int64_t *n)
{
    return (sql_bind){.type = SQL_TYPE_BIGINT, .buffer = n};
}

static int prepared_on_server(sql_connection *c)
{
    return atoi(value_of(c, "SELECT COUNT(*) FROM pg_prepared_statements"));
}

/* Prepared when the types are known, and again when they change; both can fail. */
static void test_bind(void)
{
    int64_t n = 300;
    double d = 0.1;
    char day[] = "2024-02-29, that is";
    unsigned long len = 10;
    sql_bind i = int_bind(&n), f = {.type = SQL_TYPE_FLOAT, .buffer = &d};
    sql_bind t = {.type = SQL_TYPE_DATE, .buffer = day, .data_len = &len, .max_len = sizeof day};
    sql_connection *c = session(true, "23505");
    sql_statement *s = prepare(c, "SELECT pg_typeof(?)::text");
    CHECK_INT(sql_bind_param(s, &i, 1), 0);
    CHECK_STR(first_value(sql_execute(s)), "bigint");
    CHECK_INT(sql_bind_param(s, &i, 1), 0); /* the same types: nothing new */
    CHECK_INT(prepared_on_server(c), 1);
    CHECK_INT(sql_bind_param(s, &f, 1), 0);
    CHECK_STR(first_value(sql_execute(s)), "double precision");
    CHECK_INT(sql_bind_param(s, &i, 1), 0);
    CHECK_STR(first_value(sql_execute(s)), "bigint");
    sql_statement_free(s);
    s = prepare(c, "SELECT DATE'2024-02-28' + 1 = ?");
    CHECK_INT(sql_bind_param(s, &t, 1), 0);
    CHECK_STR(first_value(sql_execute(s)), "t");
    sql_statement_free(s);

    capture();
    s = prepare(c, "SELECT x FROM sb_sqltest_none WHERE x=?");
    CHECK_STR(captured(), "");
    CHECK(s != NULL);
    capture();
    CHECK_INT(sql_bind_param(s, &i, 1), 1);
    CHECK(has(captured(), "FATAL: PQprepare() failed: ERROR:  relation \"sb_sqltest_none\""));
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_STR(c->sql_state, "42P01");
    capture();
    CHECK(sql_execute(s) == NULL);
    CHECK(has(captured(), "FATAL: PQprepare() failed: ERROR:  relation \"sb_sqltest_none\""));
    CHECK_STR(c->sql_state, "42P01");
    sql_statement_free(s);
    end(c);
}

/* Statements that a script closes do not accumulate on the server. */
static void test_names(void)
{
    sql_statement *s[3];
    sql_connection *c = session(true, "23505");
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 3; i++)
            s[i] = prepare(c, i == 0 ? "SELECT 'a'" : i == 1 ? "SELECT 'b'" : "SELECT 'c'");
        CHECK_INT(prepared_on_server(c), 3);
        CHECK_STR(first_value(sql_execute(s[0])), "a");
        CHECK_STR(first_value(sql_execute(s[2])), "c");
        CHECK_STR(first_value(sql_execute(s[1])), "b");
        for (int i = 0; i < 3; i++)
            sql_statement_free(s[i]);
    }
    /* outside of a transaction it is executed as text, within one the script is to begin anew */
    for (int within = 0; within < 2; within++) {
        s[0] = prepare(c, "SELECT 'f'");
        if (within)
            fine(c, "BEGIN");
        fine(c, "DEALLOCATE ALL");
        CHECK_STR(first_value(sql_execute(s[0])), within ? "(no row)" : "f");
        CHECK_INT(c->error, within ? DB_ERROR_IGNORABLE : DB_ERROR_NONE);
        CHECK_STR(first_value(sql_execute(s[0])), "f");
        sql_statement_free(s[0]);
        sql_connection_free(c);
        c = login();
    }
    fine(c, "DEALLOCATE ALL"); /* by the script: names that no longer exist do no harm */
    s[0] = prepare(c, "SELECT 'd'");
    CHECK_STR(first_value(sql_execute(s[0])), "d");
    sql_statement_free(s[0]);
    CHECK_INT(sql_reconnect(c), 0);
    s[0] = prepare(c, "SELECT 'e'");
    CHECK_INT(prepared_on_server(c), 1);
    CHECK_STR(first_value(sql_execute(s[0])), "e");
    sql_statement_free(s[0]);
    end(c);
}

/* Two transactions that conflict: the server rejects one of them. */
static void test_serialization(void)
{
    sql_connection *c = session(true, "40001");
    sql_connection *other = login();
    dialect_table(c, "sb_sqltest4", "id INT PRIMARY KEY, n INT");
    fine(c, "INSERT INTO sb_sqltest4 VALUES (1, 1)");
    fine(c, "BEGIN ISOLATION LEVEL REPEATABLE READ");
    CHECK_STR(value_of(c, "SELECT n FROM sb_sqltest4"), "1");
    fine(other, "UPDATE sb_sqltest4 SET n=2");
    query(c, "UPDATE sb_sqltest4 SET n=3");
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    CHECK_STR(c->sql_state, "40001");
    CHECK_STR(value_of(c, "SELECT n FROM sb_sqltest4"), "2"); /* not "transaction is aborted" */
    sql_connection_free(other);
    end(c);
}

/* Ignoring by name or SQLSTATE, and a connection that is lost while parameters are bound. */
static void test_lost_by_name(void)
{
    static const char *const lists[] = {"connection", "57p01"};

    for (size_t i = 0; i < 2; i++) {
        int64_t n = 1;
        sql_bind b = int_bind(&n);
        sql_connection *c = session(true, lists[i]);
        sql_connection *killer = login();
        sql_statement *s = prepare(c, "SELECT ? + 1");
        kill_connection(c, killer);
        capture();
        CHECK_INT(sql_bind_param(s, &b, 1), 0);
        sql_execute(s); /* finds the loss */
        CHECK_STR(captured(), "");
        CHECK_INT(c->error, i == 0 ? DB_ERROR_IGNORABLE : c->error);
        CHECK_STR(first_value(sql_execute(s)), "2");
        kill_connection(c, killer);
        sql_execute(s);
        CHECK_INT(c->error, DB_ERROR_IGNORABLE);
        CHECK_STR(c->sql_state, "57P01");
        CHECK(has(c->sql_errmsg, "terminating connection due to administrator command"));
        CHECK_STR(first_value(sql_execute(s)), "2");
        capture();
        CHECK(query(c, "SELECT x FROM sb_sqltest_none") == NULL); /* nothing else is ignored */
        CHECK(has(captured(), "FATAL: PQexec() failed: 7 relation"));
        sql_statement_free(s);
        sql_connection_free(killer);
        end(c);
    }
}

/* The connection is dead, and the last message on it is not about the statement, as after a crash
 * of the server. */
static void test_lost_behind_notice(void)
{
    for (int ps = 0; ps < 2; ps++) {
        int fd;
        sql_connection *c = session(ps, "connection");
        fd = last_fd;
        sql_connection *other = login();
        sql_statement *s = prepare(c, "SELECT 'x'");
        fine(c, "LISTEN sb_sqltest");
        fine(other, "NOTIFY sb_sqltest");
        CHECK_INT(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 60000), 1);
        CHECK_INT(shutdown(fd, SHUT_WR), 0);
        wait_for_end(fd);
        sql_execute(s);
        CHECK_INT(c->error, DB_ERROR_IGNORABLE);
        CHECK_STR(c->sql_state, "08006");
        CHECK_STR(first_value(sql_execute(s)), "x");
        CHECK_COUNT(CNT_RECONNECT, 1);
        sql_statement_free(s);
        sql_connection_free(other);
        end(c);
    }
}

TEST_MAIN(sql_pgsql_test)
{
    const char *at = getenv("SB_TEST_PGSQL_HOST"), *port = getenv("SB_TEST_PGSQL_PORT");
    const char *user = getenv("SB_TEST_PGSQL_USER"), *db = getenv("SB_TEST_PGSQL_DB");

    if (!at || !port || !user || !db) {
        printf("sql_pgsql: skipped: SB_TEST_PGSQL_HOST, SB_TEST_PGSQL_PORT, SB_TEST_PGSQL_USER and "
               "SB_TEST_PGSQL_DB are not set\n");
        return 77;
    }
    options.driver = "pgsql";
    options.pgsql = (struct sql_login_pgsql){
        .host = at, .port = port, .user = user, .password = "", .sslmode = "", .db = db};
    test_api();
    test_kinds();
    test_aborted();
    test_several_statements();
    test_backslashes();
    test_odd_statements();
    test_bind();
    test_names();
    test_serialization();
    test_lost_by_name();
    test_lost_behind_notice();
    test_noted((const size_t[]){22, 40}, (const size_t[]){5, 20}); /* most of what libpq touches */
    clean_up();
    return test_done("sql_pgsql");
}
