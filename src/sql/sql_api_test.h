/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tests that every driver runs against its server: counters, texts of rows, parameters, ignored and
 * fatal errors, lost connections.  struct dialect contains what differs
 * between servers.  All table names begin with sb_sqltest.  Only the sql_*_test.c programs include
 * this.
 */
#ifndef SB_SQL_SQL_API_TEST_H
#define SB_SQL_SQL_API_TEST_H

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "sql/sql_driver.h"
#include "sql/sql_sessions.h"
#include "sql/sql_test.h"

struct counted {
    const char *text;
    enum counter counter;
};

/* How many statements the server has counted more, at most and at least (sql_sessions.h). */
struct worked {
    const char *text; /* NULL: the end of the run */
    uint64_t sent, answered;
};

struct dialect {
    const char *close_table; /* what follows the columns in CREATE TABLE: ")" and more */
    const struct counted *counted;
    size_t ncounted;
    const struct worked *worked;
    size_t nworked;
    const char *const *values; /* expressions with the same text, prepared or not */
    size_t nvalues;
    const char *duplicate; /* --*-ignore-errors: a unique violation */
    int duplicate_errno;   /* its error number */
    const char *duplicate_state;
    int missing_errno; /* a table that does not exist */
    const char *missing_state, *missing_msg;
    const char *missing_query, *missing_prepare, *missing_execute; /* the lines that begin so */
    const char *lost_query, *lost_execute;
    const char *wrong_count;
    const char *my_id;           /* selects the id of a connection on the server */
    const char *load, *load_end; /* before and after the name of a table */
    const char *done;            /* the answer to COMMIT */
    size_t done_len;
    const char *kill, *kill_end; /* the statement that ends it: what precedes and follows the id */
};

static const struct dialect dialect; /* the program's own */

static void dialect_table(sql_connection *c, const char *name, const char *columns)
{
    char text[256];

    snprintf(text, sizeof text, "%s%s", columns, dialect.close_table);
    make_table(c, name, text);
}

static void test_counting(void)
{
    for (int ps = 0; ps < 2; ps++) {
        sql_connection *c = session(ps, "all");
        dialect_table(c, "sb_sqltest1", "id INT PRIMARY KEY, d DOUBLE PRECISION, s VARCHAR(2000)");
        memset(&counters, 0, sizeof counters);
        for (size_t i = 0; i < dialect.ncounted; i++) {
            const struct counted *t = &dialect.counted[i];
            uint64_t before = counters_get(&counters, t->counter);
            if (ps && t->counter != CNT_ERROR) {
                sql_statement *s = prepare(c, t->text);
                CHECK(s != NULL);
                CHECK((sql_execute(s) != NULL) == (t->counter == CNT_READ));
                sql_statement_free(s);
            } else {
                CHECK((query(c, t->text) != NULL) == (t->counter == CNT_READ));
            }
            if (counters_get(&counters, t->counter) != before + 1)
                printf("%s:\n", t->text);
            CHECK_INT(counters_get(&counters, t->counter), before + 1);
        }
        CHECK_INT(counters_get(&counters, CNT_READ) + counters_get(&counters, CNT_WRITE) +
                      counters_get(&counters, CNT_OTHER) + counters_get(&counters, CNT_ERROR),
                  dialect.ncounted);
        end(c);
    }
}

static void test_work(void)
{
    begin(true, "all");
    sql_sessions_keep(true);
    sql_settle_ends(true);
    sql_connection *c = login();
    for (size_t i = 0; i < dialect.nworked; i++) {
        const struct worked *t = &dialect.worked[i];
        struct sql_work before = sql_sessions_work(), now;
        if (t->text)
            query(c, t->text);
        else
            sql_settle(c);
        now = sql_sessions_work();
        TEST_REPORT(now.sent == before.sent + t->sent, "%s: %d sent", t->text,
                    (int)(now.sent - before.sent));
        TEST_REPORT(now.answered == before.answered + t->answered, "%s: %d answered", t->text,
                    (int)(now.answered - before.answered));
    }
    sql_settle_ends(false);
    CHECK_STR(value_of(c, "SELECT 'still here'"), "still here");
    end(c);
}

static void test_rows(void)
{
    sql_row *row;
    sql_connection *c = session(true, dialect.duplicate);
    sql_result *r = query(c, "SELECT 1, NULL, 'a''b', '' UNION ALL SELECT 2, 'x', NULL, 'end'");
    CHECK_INT(r->nrows, 2);
    CHECK_INT(r->nfields, 4);
    CHECK_INT(r->counter, CNT_READ);
    CHECK(r->statement == NULL);
    row = sql_fetch_row(r);
    CHECK_INT(row->values[0].len, 1);
    CHECK(row->values[0].ptr[0] == '1');
    CHECK(row->values[1].ptr == NULL);
    CHECK_INT(row->values[2].len, 3);
    CHECK(memcmp(row->values[2].ptr, "a'b", 3) == 0);
    CHECK(row->values[3].ptr != NULL && row->values[3].len == 0);
    CHECK(sql_fetch_row(r) != NULL);
    CHECK(sql_fetch_row(r) == NULL);
    CHECK(sql_fetch_row(r) == NULL);
    CHECK_INT(sql_free_results(r), 0);
    r = query(c, "SELECT 1 FROM (SELECT 2) AS t WHERE 1=0");
    CHECK_INT(r->nrows, 0);
    end(c);
}

/* A prepared SELECT gives the same texts as a plain one. */
static void test_prepared_rows(void)
{
    sql_connection *c = session(true, dialect.duplicate);
    for (size_t i = 0; i < dialect.nvalues; i++) {
        char text[160], want[4096];
        sql_statement *s;
        sql_result *r;
        snprintf(text, sizeof text, "SELECT %s UNION ALL SELECT %s", dialect.values[i],
                 dialect.values[i]);
        snprintf(want, sizeof want, "%s", value_of(c, text));
        CHECK(strcmp(want, "(no row)") != 0);
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
        CHECK_STR(captured(), "ALERT: attempt to fetch row from an invalid result set\n");
        sql_statement_free(s);
    }
    end(c);
}

static void insert_params(sql_connection *c, sql_statement *s)
{
    int64_t i = INT64_MIN;
    double d = 0.1;
    char str[32] = "it's a \\ ?", odd[8] = "a\x7f'\"\n\\", null = 1;
    unsigned long slen = 10, olen = 6;
    sql_bind b[] = {
        {.type = SQL_TYPE_BIGINT, .buffer = &i},
        {.type = SQL_TYPE_DOUBLE, .buffer = &d},
        {.type = SQL_TYPE_VARCHAR, .buffer = str, .data_len = &slen, .max_len = sizeof str},
        {.type = SQL_TYPE_CHAR,
         .buffer = odd,
         .data_len = &olen,
         .max_len = sizeof odd,
         .is_null = &null},
    };

    CHECK_INT(sql_bind_param(s, b, 4), 0);
    CHECK(sql_execute(s) == NULL);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK_STR(value_of(c, "SELECT i FROM sb_sqltest2"), "-9223372036854775808");
    CHECK_STR(value_of(c, "SELECT d FROM sb_sqltest2"), "0.1");
    CHECK_STR(value_of(c, "SELECT s FROM sb_sqltest2"), "it's a \\ ?");
    CHECK_STR(value_of(c, "SELECT o FROM sb_sqltest2"), "(null)");
    i = 2; /* the next execute reads all of them again */
    d = -1.0 / 3;
    slen = 2;
    null = 0;
    sql_execute(s);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK(strtod(value_of(c, "SELECT d FROM sb_sqltest2 WHERE i=2"), NULL) == -1.0 / 3);
    CHECK_STR(value_of(c, "SELECT s FROM sb_sqltest2 WHERE i=2"), "it");
    CHECK_STR(value_of(c, "SELECT o FROM sb_sqltest2 WHERE i=2"), "a\x7f'\"\n\\");
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
        sql_statement *s;
        int64_t one = 1;
        double half = 0.5;
        sql_bind b[] = {{.type = SQL_TYPE_INT, .buffer = &one},
                        {.type = SQL_TYPE_INT, .buffer = &one}};
        char line[128];
        sql_connection *c = session(ps, dialect.duplicate);
        dialect_table(c, "sb_sqltest2",
                      "i BIGINT, d DOUBLE PRECISION, s VARCHAR(100), o VARCHAR(100)");
        s = prepare(c, "INSERT INTO sb_sqltest2 VALUES (?,?,?,?)");
        insert_params(c, s);
        CHECK_INT(sql_close(s), ps ? 0 : 1);
        sql_statement_free(s);
        s = prepare(c, "SELECT '?', ? + 1");
        capture();
        CHECK_INT(sql_bind_param(s, b, 2), 1);
        snprintf(line, sizeof line, "%s\n", dialect.wrong_count);
        CHECK_STR(captured(), line);
        capture();
        CHECK(sql_execute(s) == NULL); /* nothing bound yet */
        CHECK_STR(captured(), "ALERT: wrong number of parameters in prepared statement\n");
        CHECK(c->sql_state == NULL);
        CHECK_INT(sql_bind_param(s, b, 1), 0);
        CHECK_STR(first_value(sql_execute(s)), "?");
        b[0] = (sql_bind){.type = SQL_TYPE_DOUBLE, .buffer = &half}; /* another type */
        CHECK_INT(sql_bind_param(s, b, 1), 0);
        sql_row *row = sql_fetch_row(sql_execute(s));
        CHECK(row && row->values[1].len == 3 && memcmp(row->values[1].ptr, "1.5", 3) == 0);
        sql_statement_free(s);
        end(c);
    }
}

/* Longer than any buffer of a library: what goes in comes out. */
static void test_long_values(void)
{
    enum { N = 100000 };
    static char text[N];
    unsigned long len = N;
    sql_bind b = {.type = SQL_TYPE_VARCHAR, .buffer = text, .data_len = &len, .max_len = N};

    for (int i = 0; i < N; i++)
        text[i] = "ab'\\\n?"[i % 6];
    for (int ps = 0; ps < 2; ps++) {
        sql_row *row;
        sql_connection *c = session(ps, dialect.duplicate);
        sql_statement *s = prepare(c, "SELECT ?");
        for (int i = 0; i < 3; i++) {
            len = N - (unsigned long)i * 10;
            b.data_len = i < 2 ? &len : NULL; /* up to the end of the buffer */
            b.max_len = i < 2 ? N : len;
            CHECK_INT(sql_bind_param(s, &b, 1), 0);
            row = sql_fetch_row(sql_execute(s));
            CHECK(row != NULL);
            CHECK_INT(row ? row->values[0].len : 0, len);
            CHECK(row && memcmp(row->values[0].ptr, text, len) == 0);
        }
        sql_statement_free(s);
        end(c);
    }
}

static void test_errors(void)
{
    sql_connection *c = session(true, dialect.duplicate);
    capture();
    CHECK(sql_peek(c, "SELECT x FROM sb_sqltest_none", 29) == NULL);
    CHECK_STR(captured(), "");
    CHECK_INT(c->error, DB_ERROR_NONE);
    capture();
    CHECK(query(c, "SELECT x FROM sb_sqltest_none") == NULL);
    CHECK(has(captured(), dialect.missing_query));
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_INT(c->sql_errno, dialect.missing_errno);
    CHECK_STR(c->sql_state, dialect.missing_state);
    CHECK(has(c->sql_errmsg, dialect.missing_msg));
    CHECK_COUNT(CNT_ERROR, 1);
    capture();
    CHECK(prepare(c, "SELECT x FROM sb_sqltest_none") == NULL);
    CHECK(has(captured(), dialect.missing_prepare));
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK(c->sql_state == NULL);
    CHECK_COUNT(CNT_ERROR, 1); /* a failed prepare is no failed statement */
    fine(c, "COMMIT");
    CHECK_INT(c->sql_errno, 0);
    CHECK(c->sql_state == NULL && c->sql_errmsg == NULL);

    dialect_table(c, "sb_sqltest3", "id INT PRIMARY KEY");
    fine(c, "INSERT INTO sb_sqltest3 VALUES (1)");
    sql_statement *s = prepare(c, "INSERT INTO sb_sqltest3 VALUES (1)");
    capture();
    sql_execute(s); /* on the list: silent, restartable */
    CHECK_STR(captured(), "");
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    CHECK_INT(c->sql_errno, dialect.duplicate_errno);
    CHECK_STR(c->sql_state, dialect.duplicate_state);
    CHECK_COUNT(CNT_ERROR, 2);
    fine(c, "DROP TABLE sb_sqltest3");
    capture();
    sql_execute(s);
    CHECK(has(captured(), dialect.missing_execute));
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_COUNT(CNT_ERROR, 3);
    sql_statement_free(s);
    end(c);
}

/* An ignored error inside a transaction undoes all of it: a restart must not commit half. */
static void test_rollback(void)
{
    uint64_t others;
    sql_connection *c = session(true, "all");
    sql_connection *other = login();
    dialect_table(c, "sb_sqltest4", "id INT PRIMARY KEY");
    fine(c, "INSERT INTO sb_sqltest4 VALUES (1)");
    sql_statement *ins = prepare(c, "INSERT INTO sb_sqltest4 VALUES (1)");
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
        CHECK_INT(c->sql_errno, dialect.duplicate_errno);
        CHECK_COUNT(CNT_OTHER, others); /* the ROLLBACK is ours, not the script's */
        fine(c, "BEGIN");
        fine(c, "COMMIT");
        CHECK_STR(value_of(other, "SELECT COUNT(*) FROM sb_sqltest4"), "1");
        sql_statement_free(b);
    }
    sql_connection_free(other);
    sql_connection_free(c);
    sql_statement_free(ins); /* after its connection */
    sql_teardown();
}

static size_t feed_text(void *arg, char *out, size_t room)
{
    const char **rest = arg;
    size_t n = strlen(*rest) < room ? strlen(*rest) : room;

    memcpy(out, *rest, n);
    *rest += n;
    return n;
}

/* Rows of our own: taken, and counted; refused before the first one, which is no failure. */
static void test_load(void)
{
    struct sql_host loading = host;
    struct sql_feed feed = {.read = feed_text};
    const char *text = "1\ta\n2\tb\n3\tc\n", *all = text;
    char query_text[128];
    uint64_t rows = 77;

    loading.loads = true;
    options.mysql.local_infile = true;
    for (int other = 0; other < 2; other++) { /* a host that does not load, one that does */
        begin(true, dialect.duplicate);
        sql_connection *c = sql_connect(sql_driver_get(NULL), other ? &loading : &host);
        CHECK(c != NULL);
        dialect_table(c, "sb_sqltest5", "id INT PRIMARY KEY, s CHAR(1)");
        snprintf(query_text, sizeof query_text, "%ssb_sqltest5%s", dialect.load, dialect.load_end);
        text = all;
        feed.arg = &text;
        CHECK_INT(sql_load(c, query_text, strlen(query_text), &feed, &rows), !other);
        CHECK_INT(rows, other ? 3 : 77);
        CHECK(!other || (feed.begun && !*text));
        CHECK_STR(value_of(c, "SELECT COUNT(*) FROM sb_sqltest5"), other ? "3" : "0");
        CHECK_STR(value_of(c, "SELECT COUNT(*) FROM sb_sqltest5 WHERE id=3 AND s='c'"),
                  other ? "1" : "0");
        if (other) {
            snprintf(query_text, sizeof query_text, "%ssb_sqltest_none%s", dialect.load,
                     dialect.load_end);
            text = all;
            capture();
            CHECK_INT(sql_load(c, query_text, strlen(query_text), &feed, &rows), 1);
            CHECK_STR(captured(), "");
            CHECK(!feed.begun && text == all);
            CHECK_INT(c->error, DB_ERROR_NONE);
            CHECK_STR(value_of(c, "SELECT 'goes on'"), "goes on");
        }
        end(c);
    }
    options.mysql.local_infile = false;
}

/* Waits until the server has closed its side. */
static void wait_for_end(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};

    CHECK_INT(poll(&p, 1, 60000), 1);
}

static void kill_connection(sql_connection *victim, sql_connection *killer)
{
    char text[128];

    snprintf(text, sizeof text, "%s%s%s", dialect.kill, value_of(victim, dialect.my_id),
             dialect.kill_end);
    fine(killer, text);
    wait_for_end(((struct sql_conn *)victim)->ops->socket((struct sql_conn *)victim));
}

static void test_lost(void)
{
    int64_t n = 1;
    sql_bind b = {.type = SQL_TYPE_INT, .buffer = &n};
    struct err e = {0};
    sql_connection *c = session(true, "all");
    sql_connection *killer = login();
    sql_statement *s = prepare(c, "SELECT ? * 10");
    sql_bind_param(s, &b, 1);
    CHECK_STR(first_value(sql_execute(s)), "10");
    for (int i = 0; i < 4; i++) {
        char want[16];
        kill_connection(c, killer);
        fds_seen = 0;
        if (i % 2)
            query(c, "SELECT 1");
        else
            sql_execute(s);
        CHECK_INT(c->error, DB_ERROR_IGNORABLE);
        CHECK(c->sql_state != NULL && c->sql_state[0] && c->sql_errmsg != NULL);
        CHECK_INT(fds_seen, 1);
        CHECK_COUNT(CNT_RECONNECT, i + 1);
        CHECK_COUNT(CNT_ERROR, 0);
        n = i + 2;
        snprintf(want, sizeof want, "%d", (i + 2) * 10);
        CHECK_STR(first_value(sql_execute(s)), want);
    }
    kill_connection(c, killer); /* found by a prepare */
    CHECK(prepare(c, "SELECT 1") == NULL);
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    CHECK_COUNT(CNT_RECONNECT, 5);
    CHECK_STR(value_of(c, "SELECT 'back'"), "back");

    kill_connection(c, killer); /* found after the end of the run */
    tries_left = 0;
    CHECK_INT(sql_check_recovered(&e), 0);
    sql_execute(s);
    CHECK_INT(c->error, DB_ERROR_IGNORABLE); /* not reported for each client, but for all: */
    CHECK_COUNT(CNT_ERROR, 1);
    CHECK_INT(sql_check_recovered(&e), 0); /* nothing was tried */
    sql_execute(s);
    CHECK_INT(c->error, DB_ERROR_FATAL);
    tries_left = 1000; /* and it reconnects when it may */
    CHECK_STR(first_value(sql_execute(s)), "50");
    CHECK_COUNT(CNT_RECONNECT, 6);
    sql_statement_free(s);
    sql_connection_free(killer);
    end(c);
}

static void test_lost_not_ignored(void)
{
    sql_connection *c = session(true, dialect.duplicate);
    sql_connection *killer = login();
    sql_statement *s = prepare(c, "SELECT 1");
    kill_connection(c, killer);
    capture();
    CHECK(sql_execute(s) == NULL);
    CHECK(has(captured(), dialect.lost_execute));
    CHECK_INT(c->error, DB_ERROR_FATAL);
    capture();
    query(c, "SELECT 1"); /* still lost */
    CHECK(has(captured(), dialect.lost_query));
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_INT(sql_reconnect(c), 0);
    CHECK_COUNT(CNT_RECONNECT, 1);
    CHECK_STR(first_value(sql_execute(s)), "1");
    sql_statement_free(s);
    sql_connection_free(killer);
    end(c);
}

/* An answer beyond --max-result-size. */
static void test_long_answer(void)
{
    options.max_result_size = 100000;
    for (int ps = 0; ps < 2; ps++) {
        sql_connection *c = session(true, dialect.duplicate);
        sql_statement *s = prepare(c, "SELECT REPEAT('x', 1000000)");
        capture();
        CHECK((ps ? sql_execute(s) : query(c, "SELECT REPEAT('x', 1000000)")) == NULL);
        CHECK(has(captured(), "an answer of more than 100000 bytes (--max-result-size)"));
        sql_statement_free(s);
        end(c);
    }
    options.max_result_size = 0;
}

static void *answer_twice(void *fd)
{
    struct pollfd p = {.fd = *(int *)fd, .events = POLLIN};
    char text[200];

    CHECK_INT(poll(&p, 1, 60000), 1);
    CHECK(recv(p.fd, text, sizeof text, 0) > 0);
    memcpy(text, dialect.done, dialect.done_len);
    memcpy(text + dialect.done_len, dialect.done, dialect.done_len);
    CHECK(send(p.fd, text, 2 * dialect.done_len, 0) > 0);
    return NULL;
}

/* Of a server that says more than it was asked, the next statement believes nothing. */
static void test_astray(void)
{
    for (int ps = 0; ps < 2; ps++) {
        sql_connection *c = session(true, "all");
        sql_statement *s = prepare(c, "COMMIT");
        pthread_t server;
        int fd[2];
        CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
        CHECK_INT(dup2(fd[0], last_fd), last_fd);
        pthread_create(&server, NULL, answer_twice, &fd[1]);
        if (ps)
            sql_execute(s);
        else
            query(c, "COMMIT");
        CHECK_INT(c->error, DB_ERROR_NONE);
        pthread_join(server, NULL);
        query(c, "COMMIT");
        CHECK_INT(c->error, DB_ERROR_IGNORABLE);
        CHECK(has(c->sql_errmsg, "the server has sent what no statement asked for"));
        close(fd[0]);
        close(fd[1]);
        sql_statement_free(s);
        end(c);
    }
}

/* The memory that a statement touches is noted for the client's next turn: so many cache lines of
 * the connection and of the statement, from the first number to the second. */
static void test_noted(const size_t conn[2], const size_t stmt[2])
{
    struct prefetch noted = {0};
    int64_t id = 7;
    sql_bind b = {.type = SQL_TYPE_BIGINT, .buffer = &id};
    sql_connection *c = session(true, "all");
    sql_statement *s = prepare(c, "SELECT ?");
    sql_bind_param(s, &b, 1);
    prefetch_here = &noted;
    sql_execute(s);
    prefetch_here = NULL;
    size_t lines[2] = {0};
    for (size_t k = 0; k < 2; k++) {
        const struct prefetch_list *l =
            &noted.part[k ? PREFETCH_OF_STATEMENT : PREFETCH_OF_CONNECTION];
        for (size_t i = 0; i < l->n; i++)
            lines[k] += 1 + (l->range[i] & (CACHE_LINE - 1));
    }
    TEST_REPORT(lines[0] >= conn[0] && lines[0] <= conn[1], "connection: %zu lines", lines[0]);
    TEST_REPORT(lines[1] >= stmt[0] && lines[1] <= stmt[1], "statement: %zu lines", lines[1]);
    for (int i = 0; i < PREFETCH_PARTS; i++)
        CHECK(noted.part[i].n < PREFETCH_RANGES); /* none is left out */
    sql_statement_free(s);
    end(c);
}

/* All tests, from simple to complex. */
static void test_api(void)
{
    test_counting();
    test_work();
    test_rows();
    test_prepared_rows();
    test_params();
    test_long_values();
    test_errors();
    test_rollback();
    test_load();
    test_lost();
    test_lost_not_ignored();
    test_long_answer();
    test_astray();
}

static void clean_up(void)
{
    sql_connection *c = session(true, "all");
    for (int i = 1; i <= 8; i++) {
        char text[64];
        snprintf(text, sizeof text, "DROP TABLE IF EXISTS sb_sqltest%d", i);
        fine(c, text);
    }
    end(c);
}

#endif
