/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The thread of --server-status and its server: answers in time, late, refused, a server that
 * never answers, and connections that are lost.  Timed parts only wait for events that the test
 * itself delays.
 */
#include "session/server_status.h"

#include "base/log.h"
#include "session/test_sql.h"
#include "sql/sql.h"
#include "sql/sql_sessions.h"

#include "session/status_thread.h"

#define PATIENCE (60 * NS_PER_SEC)

static const char *const known[] = {"Threads_running", "4", "Queries", "1000"};

static sql_driver *scripted(const char *name)
{
    CHECK_STR(name, "mysql");
    return test_sql_driver(TEST_SQL_MOST);
}

static sql_driver *full(const char *name)
{
    (void)name;
    return test_sql_driver(0);
}

static sql_driver *missing(const char *name)
{
    (void)name;
    log_fatal("must not be seen");
    return NULL;
}

static struct server_status *s;
static const struct status_source *source;
static struct status_reading r;
static mono_ns until; /* patience ends */

static struct status_reading read_from(void)
{
    source->read(source->arg, &r);
    return r;
}

/* Readings until one was answered: on a busy machine an answer may come too late. */
static void read_answered(void)
{
    do
        test_sql_answer(1);
    while (!read_from().have && clock_mono() < until);
}

static void *answer_first(void *arg)
{
    while (!__atomic_load_n(&test_sql.connections, __ATOMIC_SEQ_CST))
        usleep(1000);
    test_sql_answer(1);
    return arg;
}

/* The first question of a connection finds out which counters the server has. */
static void connect_to(void)
{
    pthread_t t;

    CHECK_INT(pthread_create(&t, NULL, answer_first, NULL), 0);
    server_status_connect(s);
    pthread_join(t, NULL);
}

static void begin(sql_driver *(*driver)(const char *), dur_ns question_limit)
{
    s = server_status_new("mysql", driver, question_limit);
    source = server_status_source(s);
    until = clock_mono() + PATIENCE;
    test_sql_set(known, 2, 2);
}

/* A thread that is connected to a server with known counters. */
static void begin_connected(void)
{
    begin(scripted, PATIENCE);
    connect_to();
}

static void end(void)
{
    server_status_free(s);
    test_sql_end();
}

static void test_answers(void)
{
    mono_ns began = clock_mono();

    begin(scripted, PATIENCE);
    CHECK(source->n > 10);
    read_from();
    CHECK_INT(r.have, 0);
    CHECK_STR(r.why, "there is no connection to a server");
    connect_to();
    CHECK_INT(source->n, 2); /* of all counters in the query */
    CHECK_STR(source->name[1].name, "Queries");
    read_answered();
    CHECK_STR(test_sql.question, "SHOW GLOBAL STATUS WHERE Variable_name IN "
                                 "('Threads_running','Queries','Uptime','Questions')");
    CHECK_INT(r.have, 3);
    CHECK_NEAR(r.v[0], 4, 0);
    CHECK_NEAR(r.v[1], 998, 0); /* without the two that were asked */
    CHECK_STR(r.why, "");
    CHECK(r.at > began && r.at < clock_mono() && r.cost_ns > 0);
    server_status_connect(s); /* it is */
    CHECK_INT(test_sql.connections, 1);
    end();
}

/* The server answers a question after its reader has given up; returns when the whole answer was
 * fetched. */
static void await_late_answer(void)
{
    bool fetched = false;

    test_sql.at = 0;
    test_sql_answer(1);
    while (!fetched && clock_mono() < until) {
        usleep(1000);
        pthread_mutex_lock(&test_sql.lock);
        fetched = test_sql.at == test_sql.rows;
        pthread_mutex_unlock(&test_sql.lock);
    }
    CHECK(fetched);
}

/* An answer that comes after its interval is not used for another. */
static void test_late(void)
{
    static const char *const later[] = {"Threads_running", "5", "Queries", "2000"};

    begin_connected();
    read_from(); /* no answer: the server has got no byte for it */
    CHECK_INT(r.have, 0);
    CHECK_STR(r.why, "the server did not answer within 0.1 s");
    await_late_answer();
    test_sql_set(later, 2, 2);
    read_answered();
    CHECK(r.v[1] > 1990 && r.v[1] < 2000);
    end();
}

/* A list of sessions that takes the server too long costs nothing but itself. */
static void test_sessions_late(void)
{
    sql_sessions_keep(true);
    begin_connected();
    do /* a byte too many, on a busy machine, is for the list */
        read_answered();
    while (!strstr(r.others.why, "list its") && clock_mono() < until);
    CHECK_INT(r.have, 3);
    CHECK_STR(r.others.why, "the server did not list its sessions within 0.1 s");
    server_status_free(s);
    sql_sessions_keep(false);
    test_sql_end();
}

static void test_refused(void)
{
    begin(scripted, PATIENCE);
    test_sql.refuse = 1227;
    connect_to();
    CHECK(source->n > 10); /* which ones it has could not be found out */
    do {
        test_sql_answer(1);
        read_from();
    } while (strstr(r.why, "0.1 s") && clock_mono() < until);
    CHECK_INT(r.have, 0);
    CHECK_STR(r.why, "the server refused the query: Access denied");
    test_sql.refuse = 0;
    end();
}

/* The end of the run wakes a thread that waits for its server. */
static void test_hanging(void)
{
    begin_connected();
    CHECK_STR(read_from().why, "the server did not answer within 0.1 s");
    server_status_free(s); /* returns */
    test_sql_end();
}

/* Readings, each of which makes a request, until one is without figures for that reason. */
static void read_until_missing(const char *why)
{
    while (!strstr(read_from().why, why) && clock_mono() < until)
        ;
    CHECK_INT(r.have, 0);
    CHECK(strstr(r.why, why) != NULL);
}

/* The same until the k-th connection has answered. */
static void read_answered_on(size_t k)
{
    do
        if (__atomic_load_n(&test_sql.connections, __ATOMIC_SEQ_CST) > k)
            test_sql_answer_on(k, 2); /* one for a request whose reader gave up */
    while (!read_from().have && clock_mono() < until);
}

/* A server that stops says so on a connection that is still up: the next request has a new one. */
static void test_shutdown(void)
{
    begin_connected();
    test_sql.refuse = 1053;
    do
        test_sql_answer(1);
    while (strstr(read_from().why, "0.1 s") && clock_mono() < until);
    test_sql.refuse = 0;
    read_answered_on(1);
    CHECK_INT(r.have, 3);
    CHECK_INT(test_sql.connections, 2);
    end();
}

/* A lost connection is replaced by the next request that can make one, for the same counters. */
static void test_reconnect(void)
{
    static const char *const later[] = {"Threads_running", "7", "Queries", "3000"};

    begin_connected();
    read_answered();
    CHECK_INT(r.have, 3);
    test_sql.accept = 1; /* no more than there was */
    shutdown(test_sql.server[0], SHUT_RDWR);
    read_until_missing("the connection that watches the server was lost");
    CHECK_INT(test_sql.connections, 1);
    CHECK(!test_sql.open[0]);
    test_sql_set(later, 2, 2);
    test_sql.accept = TEST_SQL_MOST;
    read_answered_on(1);
    CHECK_INT(r.have, 3);
    CHECK(r.v[1] > 2900 && r.v[1] < 3000);
    CHECK_STR(r.why, "");
    CHECK_INT(source->n, 2);
    CHECK_INT(test_sql.connections, 2);
    end();
}

/* The next connection: our own questions stay out of what was counted, and the ids of sessions, the
 * highest of which was 500, may begin anew. */
static void test_restarted(void)
{
    /* the last row is the answer about sessions: of 7, the id of the connection */
    static const char *const rows[] = {"Queries", "1000", "0", "0", "0", "0",
                                       "7",       "500",  "1", "1", "0", "0"};
    char question[sizeof test_sql.question] = "";

    sql_sessions_keep(true);
    begin(scripted, PATIENCE);
    test_sql_set(rows, 6, 2);
    connect_to();
    do { /* the counters, the list, and two questions for lock waits */
        test_sql_answer(4);
        read_from();
    } while (r.v[0] > 996 && clock_mono() < until);
    CHECK(r.v[0] < 997);
    test_sql.accept = 1;
    shutdown(test_sql.server[0], SHUT_RDWR);
    read_until_missing("watches the server was lost");
    CHECK(r.v[0] < 997);
    test_sql.question[0] = '\0';
    test_sql.accept = TEST_SQL_MOST;
    while (__atomic_load_n(&test_sql.connections, __ATOMIC_SEQ_CST) < 2 && clock_mono() < until)
        read_from();
    test_sql_answer_on(1, 2);
    while (!strstr(question, "CONNECTION_ID()") && clock_mono() < until) {
        usleep(1000);
        pthread_mutex_lock(&test_sql.lock);
        memcpy(question, test_sql.question, sizeof question);
        pthread_mutex_unlock(&test_sql.lock);
    }
    CHECK(strstr(question, "ID <= 0 AND"));
    server_status_free(s);
    sql_sessions_keep(false);
    test_sql_end();
}

/* Lost while the server thinks: the reader that waits is told, and the run's end joins the thread
 * of a connection that is gone. */
static void test_lost_at_end(void)
{
    begin_connected();
    test_sql.accept = 1;
    shutdown(test_sql.server[0], SHUT_RDWR);
    read_until_missing("watches the server was lost");
    end();
}

/* A server that has never answered a question, as its old host does after it has moved: the next
 * request makes a new connection. */
static void test_silent(void)
{
    size_t attempts = test_sql.attempts;

    begin(scripted, NS_PER_MS);
    server_status_connect(s); /* its first question has no answer */
    while (test_sql.attempts < attempts + 3 && clock_mono() < until)
        CHECK_INT(read_from().have, 0);
    CHECK(test_sql.attempts >= attempts + 3);
    end();
}

/* A thread that does not come to its end, whatever it does, is left alone. */
static void test_left_while_it_closes(void)
{
    begin_connected();
    test_sql.hold_disconnect = true;
    server_status_free(s); /* returns */
    CHECK(test_sql.open[0]);
    test_sql.hold_disconnect = false;
    while (test_sql.open[0] && clock_mono() < until)
        usleep(1000);
    test_sql_end();
}

/* So is one that connects; nobody waits for it. */
static void test_left_while_it_connects(void)
{
    size_t attempts, refused = test_sql.refused;

    begin_connected();
    attempts = test_sql.attempts;
    test_sql.hold_connect = true;
    test_sql.accept = 1;
    shutdown(test_sql.server[0], SHUT_RDWR);
    while (test_sql.attempts == attempts && clock_mono() < until)
        CHECK_INT(read_from().have, 0);
    server_status_free(s); /* returns */
    test_sql.hold_connect = false;
    while (test_sql.refused == refused && clock_mono() < until)
        usleep(1000);
    test_sql_end();
}

/* The thread asks the server for the n-th one, or has until the test's patience ends. */
static void make_list(unsigned n)
{
    unsigned told = 0;

    source->list(source->arg);
    test_sql_answer(1);
    while (told < n && clock_mono() < until) {
        usleep(1000);
        pthread_mutex_lock(&s->lock);
        told = s->told;
        pthread_mutex_unlock(&s->lock);
    }
    CHECK_INT(told, n);
}

/* Lists of statements: when measuring begins, at a mark, and at the end.  One that is late, or has
 * no answer, says nothing of what it is between. */
static void test_lists(void)
{
    static const char *const list[] = {"k", "0", "DO 1", "7", "1", "0", "0",
                                       "0", "0", "0",    "0", "0", "0", "0"};
    struct status_statements out;

    begin(scripted, PATIENCE);
    server_status_want(s, &(struct server_status_wants){.counters = true, .no_waits = "no"});
    connect_to();
    test_sql_set(list, 14, 1);
    make_list(1);
    CHECK(strstr(test_sql.question, "INTERVAL 2000000000 SECOND"));
    const mono_ns mark = clock_mono(), never = MONO_NEVER;
    test_sql.refuse = 1142;
    for (unsigned n = 2; n < 100; n++) /* most of them are not made */
        make_list(n);
    CHECK(s->lists.n >= 20 && s->lists.n < 20 + PATIENCE / NS_PER_SEC);
    test_sql.refuse = 0;
    CHECK(!strstr(test_sql.question, "INTERVAL 2000000000 SECOND")); /* what changed since */
    test_sql_answer(1);
    const struct status_span run = {{0, never}, {never, never}}, late = {{0, never}, {1, never}},
                             part = {{0, mark}, {never, never}};
    source->statements(source->arg, &run, &out);
    CHECK(strstr(out.why, "the server counted no statement"));
    source->statements(source->arg, &late, &out);
    CHECK_STR(out.why, "the server did not list its statements in time");
    source->statements(source->arg, &part, &out);
    CHECK(strstr(out.why, "it takes GRANT SELECT"));
    source->list(source->arg); /* too late */
    end();
}

static void check_unconnected(sql_driver *(*driver)(const char *name), const char *words)
{
    char why[160];

    snprintf(why, sizeof why, "no connection for --server-status could be made%s", words);
    begin(driver, PATIENCE);
    server_status_connect(s);
    CHECK_STR(read_from().why, why);
    CHECK_STR(read_from().waits.why, why);
    server_status_free(s);
}

TEST_MAIN(server_status_test)
{
    CHECK(server_status_new("drizzle", sql_driver_get, 1) == NULL);
    CHECK(server_status_new("", sql_driver_get, 1) == NULL);
    server_status_free(NULL);
    server_status_free(server_status_new("pgsql", sql_driver_get, 1)); /* never connected */
    test_answers();
    test_late();
    test_sessions_late();
    test_refused();
    test_shutdown();
    test_hanging();
    test_reconnect();
    test_restarted();
    test_lost_at_end();
    test_silent();
    test_lists();
    CHECK(sql_teardown());
    test_leaves_memory = true; /* what a thread that is left alone holds is not freed */
    test_left_while_it_closes();
    CHECK(!sql_teardown()); /* what that thread uses stays */
    test_left_while_it_connects();
    check_unconnected(full, " (max_connections): Too many connections (08004)");
    check_unconnected(missing, "");
    return test_done("server_status_test");
}
