/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A scripted driver, which tests the SQL floor without a server: a test lists the answers to the
 * next calls in a table, and afterwards compares the calls that were made.
 *
 *     c = test_session(true);
 *     ANSWERS({TEST_QUERY, SQL_LOST, .errnum = 2013}, {TEST_CONNECT, SQL_BUSY});
 *     test_query(c, "SELECT 1");
 *     CHECK_STR(test_calls(), "query SELECT 1; disconnect; reconnect; pause; reconnect");
 *     test_end(c);
 *
 * The next call of its kind uses up an answer; a call without an answer succeeds at once and has no
 * rows.  The clock is the test's (test_world.now): answers and pauses advance it.  The texts BEGIN,
 * COMMIT and ROLLBACK begin and end transactions.
 *
 * test_driver.c replaces sql_drivers.c in the programs that are linked with it.  One thread.
 */
#ifndef SB_SQL_TEST_DRIVER_H
#define SB_SQL_TEST_DRIVER_H

#include "sql/sql.h"
#include "sql/sql_driver.h"

enum test_call {
    TEST_CONNECT,
    TEST_QUERY,
    TEST_NEXT,
    TEST_PREPARE,
    TEST_BIND, /* anything but SQL_DONE fails */
    TEST_EXECUTE,
    TEST_ROLLBACK, /* likewise */
    TEST_LOAD,     /* takes `affected` rows; 0: all that are sent */
    TEST_CALLS
};

struct test_answer {
    enum test_call call;
    enum sql_outcome outcome;
    int errnum; /* of a failure, with state and message */
    const char *state, *msg;
    dur_ns takes; /* advances the clock */
    bool always;  /* not used up; comes after the answers that are */

    const char *const *values; /* nfields * nrows texts, row by row; NULL is SQL NULL */
    unsigned nfields, nrows;
    unsigned affected; /* without fields: rows changed */
    bool more;         /* another result follows */
    bool emulate;      /* prepare: the server cannot */
    bool rolled_back;  /* the failure ended the transaction, as a deadlock does */
    bool lost;         /* the connection, although the outcome is not SQL_LOST */
};

/* The client and the server that the driver and the host simulate. */
struct test_world {
    struct sql_options options; /* for sql_setup, which test_begin calls */
    size_t ndrivers;            /* of the two drivers "scripted" and "spare" */
    bool dry;                   /* they open as dry runs */
    bool bad_options, cannot_open;
    unsigned opened, closed; /* drivers */

    struct sql_host host;
    _Atomic bool in_statement; /* what the host is told */
    unsigned nastray; /* attempts to connect that it was not told of, and what seems to go on */
    struct counters counters;
    mono_ns now, run_ends;                    /* until then the host keeps trying; it ends pauses */
    bool may_connect;                         /* the host's answer to connecting() */
    unsigned nconnecting, nended, nconnected; /* calls: attempts begun, ended; connections up */
    int fd, ended_fd, connected_fd;           /* the server's, and what those calls were told */
    unsigned nreconnected;                    /* lost connections that are up again */
    dur_ns took, away;                        /* the last of them */
    unsigned nerrors;                         /* failures that the host was told of */
    struct sql_error error;                   /* the last one */
    unsigned ncommits_lost;                   /* COMMITs of unknown outcome */
    unsigned nafter_error;                    /* those that did not end the run */
    enum error_action after_error;            /* of the last one */
    bool holds;                               /* likewise */
    dur_ns pauses[64];                        /* requested waits */
    unsigned npauses;                         /* may exceed the array */
    bool transaction;                         /* one is open */
    unsigned connections;                     /* that are open */
    unsigned statements;                      /* that are prepared */
};

extern struct test_world test_world;

/* A new world, with the clock at one second and a run that ends an hour later; options.ps_server is
 * on, the driver is "scripted".  sql_setup has been called. */
void test_begin(void);
/* The same again, with options that the test has changed. */
void test_set_up(void);
/* Frees the connection (NULL is allowed) and tears down; checks that all answers were taken and
 * that nothing is left open on the server: false after a line that says what. */
bool test_end(sql_connection *c);

/* The same, with or without server-side statements, and connected. */
sql_connection *test_session(bool ps_server);

/* Of an answer: a failure. */
#define FAILS(what, number, code, text)                                                            \
    .outcome = (what), .errnum = (number), .state = (code), .msg = (text)

/* Appends n answers to the table. */
void test_answers(const struct test_answer *a, size_t n);
#define ANSWERS(...)                                                                               \
    test_answers((struct test_answer[]){__VA_ARGS__},                                              \
                 sizeof(struct test_answer[]){__VA_ARGS__} / sizeof(struct test_answer))

#define CHECK_COUNT(counter, want) CHECK_INT(counters_get(&test_world.counters, counter), want)

/* The calls since the last time, "; " between them.  Valid until the next call. */
const char *test_calls(void);

/* What was sent to the last load, until test_end(). */
const struct str *test_loaded(void);

/* Between test_driver.c and test_host.c: adds a call to the list; empties list and table; answers
 * that were not used up. */
void test_note(const char *call);
void test_forget(void);
size_t test_answers_left(void);

sql_connection *test_connect(void); /* checks nothing; forgets the calls */
sql_result *test_query(sql_connection *c, const char *text);
sql_statement *test_prepare(sql_connection *c, const char *text);

#endif
