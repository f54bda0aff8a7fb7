/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For the unit tests of this directory: a driver whose server is a socket pair and a table of rows.
 * The test writes a byte for each question that the server is to answer; a question waits for its
 * byte, and the connection is lost when the socket is shut down.  Any thread may use it, unlike
 * sql/test_driver.h.  Only *_test.c files include this.
 */
#ifndef SB_SESSION_TEST_SQL_H
#define SB_SESSION_TEST_SQL_H

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/test.h"
#include "sql/sql_driver.h"

#define TEST_SQL_MOST 16

static struct {
    pthread_mutex_t lock;
    const char *const *value; /* of the answer, row by row */
    size_t columns, rows, at; /* at: of the row to fetch */
    unsigned refuse;          /* the next question, with that code; 0: answer it */
    _Atomic size_t accept;    /* connections; further ones are refused */
    size_t connections;       /* that were made */
    _Atomic size_t attempts;  /* to connect */
    _Atomic size_t refused;   /* of them */
    /* connecting, disconnecting wait for as long as it is set */
    _Atomic bool hold_connect, hold_disconnect;
    _Atomic bool open[TEST_SQL_MOST];
    int client[TEST_SQL_MOST], server[TEST_SQL_MOST]; /* the two ends */
    char question[4096];                              /* the last one */
} test_sql = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline void test_sql_wait(_Atomic bool *hold)
{
    while (*hold)
        usleep(1000);
}

static inline enum sql_outcome test_sql_connect(struct sql_conn *c, bool again)
{
    size_t i = test_sql.connections;
    int fd[2];

    (void)again;
    test_sql.attempts++;
    test_sql_wait(&test_sql.hold_connect);
    if (i == test_sql.accept || socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) {
        sql_fail(c, 1040, "08004", "Too many connections");
        test_sql.refused++;
        return SQL_FATAL;
    }
    test_sql.client[i] = fd[0];
    test_sql.server[i] = fd[1];
    test_sql.open[i] = true;
    __atomic_add_fetch(&test_sql.connections, 1, __ATOMIC_SEQ_CST);
    c->handle = &test_sql.client[i];
    return SQL_DONE;
}

static inline void test_sql_explain(struct sql_conn *c)
{
    (void)c;
}

static inline int test_sql_socket(struct sql_conn *c)
{
    return *(int *)c->handle;
}

static inline uint64_t test_sql_session(struct sql_conn *c)
{
    return 7 + (uint64_t)((int *)c->handle - test_sql.client);
}

static inline void test_sql_disconnect(struct sql_conn *c)
{
    size_t i = (size_t)((int *)c->handle - test_sql.client);

    test_sql_wait(&test_sql.hold_disconnect);
    close(test_sql.client[i]);
    test_sql.open[i] = false;
    c->handle = NULL;
}

static inline enum sql_outcome test_sql_query(struct sql_conn *c, const char *text, size_t len)
{
    struct pollfd p = {.fd = test_sql_socket(c), .events = POLLIN};
    enum sql_outcome v = SQL_DONE;
    char byte;

    if (poll(&p, 1, -1) != 1 || read(test_sql_socket(c), &byte, 1) != 1) {
        sql_fail(c, 2013, NULL, "Lost connection to server");
        return sql_decide(c, SQL_LOST, true);
    }
    pthread_mutex_lock(&test_sql.lock);
    snprintf(test_sql.question, sizeof test_sql.question, "%.*s", (int)len, text);
    if (test_sql.refuse) {
        sql_fail(c, test_sql.refuse, NULL, "Access denied");
        v = SQL_FATAL;
    }
    c->res = (sql_result){.counter = CNT_READ,
                          .nfields = (uint32_t)test_sql.columns,
                          .nrows = (uint32_t)test_sql.rows};
    c->more = false;
    test_sql.at = 0;
    pthread_mutex_unlock(&test_sql.lock);
    return v;
}

static inline bool test_sql_fetch(struct sql_conn *c, enum sql_outcome *outcome)
{
    bool is_row;

    (void)outcome;
    pthread_mutex_lock(&test_sql.lock);
    sql_row_reserve(c, test_sql.columns);
    is_row = test_sql.at < test_sql.rows;
    for (size_t i = 0; is_row && i < test_sql.columns; i++) {
        const char *v = test_sql.value[test_sql.at * test_sql.columns + i];
        c->values[i] = (sql_value){.ptr = v, .len = v ? (uint32_t)strlen(v) : 0};
    }
    test_sql.at += is_row;
    pthread_mutex_unlock(&test_sql.lock);
    return is_row;
}

static inline void test_sql_set(const char *const *value, size_t columns, size_t rows)
{
    pthread_mutex_lock(&test_sql.lock);
    test_sql.value = value;
    test_sql.columns = columns;
    test_sql.rows = rows;
    pthread_mutex_unlock(&test_sql.lock);
}

/* The server answers n further questions of its k-th connection. */
static inline void test_sql_answer_on(size_t k, size_t n)
{
    while (n-- > 0)
        CHECK_INT(write(test_sql.server[k], "x", 1), 1);
}

/* The same of its first connection. */
static inline void test_sql_answer(size_t n)
{
    test_sql_answer_on(0, n);
}

/* The server's ends of all connections. */
static inline void test_sql_end(void)
{
    for (size_t i = 0; i < test_sql.connections; i++) {
        CHECK(!test_sql.open[i]);
        close(test_sql.server[i]);
    }
    test_sql.connections = 0;
}

static inline void test_sql_free(struct sql_conn *c)
{
    (void)c;
}

static struct sql_ops test_sql_ops;

static inline void test_sql_make_ops(void)
{
    test_sql_ops = sql_ops_null;
    test_sql_ops.dry = false;
    test_sql_ops.connect = test_sql_connect;
    test_sql_ops.print_connect_error = test_sql_explain;
    test_sql_ops.socket = test_sql_socket;
    test_sql_ops.session = test_sql_session;
    test_sql_ops.disconnect = test_sql_disconnect;
    test_sql_ops.query = test_sql_query;
    test_sql_ops.fetch = test_sql_fetch;
    test_sql_ops.free_result = test_sql_free;
}

/* A driver to connect with; the server accepts so many connections.  Any thread: one that was left
 * while it connects may still look at it. */
static inline sql_driver *test_sql_driver(size_t accept)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const struct sql_options none;
    static struct sql_driver_slot slot = {
        .pub = {"mysql", "of a test"}, .ops = &test_sql_ops, .options = &none, .ready = true};

    pthread_once(&once, test_sql_make_ops);
    test_sql.accept = accept;
    return &slot.pub;
}

#endif
