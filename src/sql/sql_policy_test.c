/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --on-error: its items and presets, their refusals, and what each action does to a statement, its
 * transaction and its connection, with an error that the lists ignore, with one that they do not,
 * and with a lost connection.  Without a server.
 */
#include "sql/sql_policy.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/test.h"
#include "base/test_capture.h"
#include "sql/test_driver.h"

/* --- the option --- */

static int read_items(struct sql_policy *p, const char *list, struct err *e)
{
    char *copy = mem_strdup(list), *rest = NULL, *items[16];
    size_t n = 0;
    int rc;

    for (char *item = strtok_r(copy, ",", &rest); item; item = strtok_r(NULL, ",", &rest))
        items[n++] = item;
    rc = sql_policy_read(p, items, n, e);
    free(copy);
    return rc;
}

static void test_items(void)
{
    struct sql_policy p;
    struct err e = {0};

    CHECK_INT(read_items(&p, "", &e), 0);
    for (int k = 0; k < ERROR_CLASSES; k++)
        CHECK_INT(p.action[k], ACTION_LISTED);
    CHECK_INT(read_items(&p, "duplicate:fail,other:fatal,read-only:reconnect", &e), 0);
    CHECK_INT(p.action[ERROR_DUPLICATE], ACTION_FAIL);
    CHECK_INT(p.action[ERROR_OTHER], ACTION_FATAL);
    CHECK_INT(p.action[ERROR_READ_ONLY], ACTION_RECONNECT);
    CHECK_INT(p.action[ERROR_DEADLOCK], ACTION_LISTED);
    CHECK_INT(read_items(&p, "galera,cancelled:fail", &e), 0); /* the later item holds */
    CHECK_INT(p.action[ERROR_CLUSTER], ACTION_RETRY);
    CHECK_INT(p.action[ERROR_CANCELLED], ACTION_FAIL);
    CHECK_INT(read_items(&p, "cancelled:fail,galera", &e), 0);
    CHECK_INT(p.action[ERROR_CANCELLED], ACTION_RETRY);
}

/* What each server sends in its bad moments, and what the preset makes of it. */
static void test_presets(void)
{
    static const struct {
        const char *preset;
        int errnum;
        const char *state, *msg;
        enum error_action want;
    } t[] = {
        {"galera", 1213, "40001", NULL, ACTION_RETRY},
        {"galera", 1047, "08S01", NULL, ACTION_RETRY},
        {"galera", 1180, "HY000", "Got error 0 during COMMIT", ACTION_RETRY},
        {"galera", 1317, "70100", NULL, ACTION_RETRY},
        {"galera", 1205, "HY000", NULL, ACTION_RETRY},
        {"galera", 2013, "HY000", NULL, ACTION_RECONNECT},
        {"failover", 2027, "HY000", NULL, ACTION_RECONNECT},
        {"galera", 1062, "23000", NULL, ACTION_LISTED},
        {"group-replication", 3101, "40000", NULL, ACTION_RETRY},
        {"group-replication", 3100, "HY000", NULL, ACTION_RETRY},
        {"group-replication", 1290, "HY000", "--super-read-only option", ACTION_RECONNECT},
        {"failover", 1290, "HY000", "--read-only option", ACTION_RECONNECT},
        {"failover", 1836, "HY000", NULL, ACTION_RECONNECT},
        {"failover", 0, "25006", NULL, ACTION_RECONNECT},
        {"failover", 0, "57P01", NULL, ACTION_RECONNECT},
        {"failover", 0, "08006", NULL, ACTION_RECONNECT},
        {"failover", 1053, "08S01", NULL, ACTION_RECONNECT},
        {"failover", 1213, "40001", NULL, ACTION_LISTED},
        {"aurora", 1290, "HY000", "--read-only option", ACTION_RECONNECT},
        {"aurora", 1836, "HY000", NULL, ACTION_RECONNECT},
        {"aurora", 2003, "HY000", NULL, ACTION_RECONNECT},
        {"tidb", 8002, "HY000", NULL, ACTION_RETRY},
        {"tidb", 8022, "HY000", NULL, ACTION_RETRY},
        {"tidb", 8028, "HY000", NULL, ACTION_RETRY},
        {"tidb", 9007, "HY000", NULL, ACTION_RETRY},
        {"tidb", 1105, "HY000", "Information schema is changed, try again later", ACTION_RETRY},
        {"tidb", 1105, "HY000", "unknown", ACTION_LISTED},
        {"tidb", 9003, "HY000", NULL, ACTION_RETRY},
    };

    for (size_t i = 0; i < COUNT(t); i++) {
        struct sql_policy p;
        struct err e = {0};
        int before = test_failures;
        CHECK_INT(read_items(&p, t[i].preset, &e), 0);
        CHECK_INT(p.action[error_class_of(t[i].errnum, t[i].state, t[i].msg)], t[i].want);
        if (test_failures > before)
            printf("in: %s, %d %s\n", t[i].preset, t[i].errnum, t[i].state);
    }
}

/* All numbers that have a class. */
static void test_numbers(void)
{
    static const struct {
        const char *class, *numbers;
    } want[] = {
        {"deadlock", " 1213 1614 3058"},
        {"lock-wait", " 1205 1613 3572"},
        {"serialization", " 1020 8002 8005 8022 8027 8028 9007"},
        {"duplicate", " 1022 1062 1169 1586"},
        {"read-only", " 1792 1836"},
        {"cluster", " 1047 1180 3098 3100 3101 9001 9002 9004 9005"},
        {"cancelled", " 1028 1317 1969 3024"},
        {"shutdown", " 1053 3032 3168"},
        {"overload", " 1040 1041 1135 1203 1226 1637 9003"},
        {"statement-limit", " 1461"},
        {"missing", " 1049 1051 1054 1146 1305"},
        {"access",
         " 1044 1045 1129 1130 1142 1143 1227 1251 1370 1698 1820 1862 2059 2061 3118 4151"},
        {"tls", " 2026 3159"},
        {"connection", " 1042 1043 1152 1158 1159 1160 1161 1184 1927 2002 2003 2004 2005 "
                       "2006 2008 2009 2011 2012 2013 2014 2027 2055 3169 4031"},
    };

    for (size_t i = 0; i < COUNT(want); i++) {
        enum error_class class = error_class_find(want[i].class);
        char got[400] = "";
        size_t len = 0;
        for (int n = -1; n < 10000; n++)
            if (error_class_of(n, NULL, NULL) == class)
                len += (size_t)snprintf(got + len, sizeof got - len, " %d", n);
        CHECK_STR(got, want[i].numbers);
    }
    CHECK_INT(error_class_of(0, NULL, NULL), ERROR_OTHER);
    CHECK_INT(error_class_find("none"), ERROR_CLASSES);
}

static void test_refused(void)
{
    static const struct {
        const char *item, *complaint;
    } t[] = {
        {"deadlock:retr",
         "Invalid value for --on-error: 'deadlock:retr' (actions: retry, reconnect, fail, "
         "fatal); did you mean retry?"},
        {"deadlock:",
         "Invalid value for --on-error: 'deadlock:' (actions: retry, reconnect, fail, fatal)"},
        {"galerra",
         "Invalid value for --on-error: 'galerra' (CLASS:ACTION, or one of: galera, "
         "group-replication, failover, aurora, tidb; classes: connection, overload, deadlock, "
         "lock-wait, serialization, duplicate, read-only, cluster, cancelled, shutdown, "
         "statement-limit, missing, access, tls, other); did you mean galera?"},
        {"deadlok:retry",
         "Invalid value for --on-error: 'deadlok:retry' (CLASS:ACTION, or one of: galera, "
         "group-replication, failover, aurora, tidb; classes: connection, overload, deadlock, "
         "lock-wait, serialization, duplicate, read-only, cluster, cancelled, shutdown, "
         "statement-limit, missing, access, tls, other); did you mean deadlock?"},
    };
    struct sql_policy p;
    struct err e;

    for (size_t i = 0; i < COUNT(t); i++) {
        e = (struct err){0};
        CHECK_INT(read_items(&p, t[i].item, &e), -1);
        CHECK_STR(e.msg, t[i].complaint);
        CHECK_INT(e.kind, ERR_USAGE);
    }
    CHECK_INT(read_items(&p, "deadlock", &e), -1); /* a class without an action */
    CHECK_INT(read_items(&p, ":retry", &e), -1);
    CHECK_INT(read_items(&p, "a-class-whose-name-is-longer-than-any-other:retry", &e), -1);
}

/* --- what an action does --- */

#define RECONNECTED "query UPDATE t; disconnect; reconnect"

static const struct {
    enum error_action action; /* of the error's class */
    enum sql_outcome listed;  /* what the lists make of it */
    bool lost;
    const char *calls;
    sql_error_t error;
    enum error_action told; /* to after_error(); ACTION_FATAL: not called */
} cases[] = {
    {ACTION_LISTED, SQL_IGNORABLE, false, "query UPDATE t; rollback", DB_ERROR_IGNORABLE,
     ACTION_RETRY},
    {ACTION_LISTED, SQL_FATAL, false, "query UPDATE t", DB_ERROR_FATAL, ACTION_FATAL},
    {ACTION_LISTED, SQL_LOST, true, RECONNECTED, DB_ERROR_IGNORABLE, ACTION_RECONNECT},
    {ACTION_RETRY, SQL_FATAL, false, "query UPDATE t; rollback", DB_ERROR_IGNORABLE, ACTION_RETRY},
    {ACTION_RETRY, SQL_FATAL, true, RECONNECTED, DB_ERROR_IGNORABLE, ACTION_RETRY},
    {ACTION_RECONNECT, SQL_FATAL, false, RECONNECTED, DB_ERROR_IGNORABLE, ACTION_RECONNECT},
    {ACTION_RECONNECT, SQL_IGNORABLE, false, RECONNECTED, DB_ERROR_IGNORABLE, ACTION_RECONNECT},
    {ACTION_RECONNECT, SQL_FATAL, true, RECONNECTED, DB_ERROR_IGNORABLE, ACTION_RECONNECT},
    {ACTION_FAIL, SQL_FATAL, false, "query UPDATE t; rollback", DB_ERROR_IGNORABLE, ACTION_FAIL},
    {ACTION_FAIL, SQL_IGNORABLE, false, "query UPDATE t; rollback", DB_ERROR_IGNORABLE,
     ACTION_FAIL},
    {ACTION_FAIL, SQL_LOST, true, RECONNECTED, DB_ERROR_IGNORABLE, ACTION_FAIL},
    {ACTION_FATAL, SQL_IGNORABLE, false, "query UPDATE t", DB_ERROR_FATAL, ACTION_FATAL},
    {ACTION_FATAL, SQL_LOST, true, "query UPDATE t", DB_ERROR_FATAL, ACTION_FATAL},
};

static sql_connection *session_with(const char *list)
{
    struct err e = {0};

    test_begin();
    sql_teardown();
    CHECK_INT(read_items(&test_world.options.policy, list, &e), 0);
    CHECK_INT(sql_setup(&test_world.options, &e), 0);
    return test_connect();
}

static void test_actions(void)
{
    static const char *const names[] = {[ACTION_RETRY] = "retry",
                                        [ACTION_RECONNECT] = "reconnect",
                                        [ACTION_FAIL] = "fail",
                                        [ACTION_FATAL] = "fatal"};

    for (size_t i = 0; i < COUNT(cases); i++) {
        char list[32] = "";
        sql_connection *c;
        int before = test_failures;

        if (cases[i].action != ACTION_LISTED)
            snprintf(list, sizeof list, "cancelled:%s", names[cases[i].action]);
        c = session_with(list);
        test_query(c, "BEGIN");
        test_calls();
        ANSWERS({TEST_QUERY, cases[i].listed, .errnum = 1317, .state = "70100",
                 .msg = "interrupted", .lost = cases[i].lost});
        CHECK(test_query(c, "UPDATE t") == NULL);
        CHECK_STR(test_calls(), cases[i].calls);
        CHECK_INT(c->error, cases[i].error);
        CHECK_INT(test_world.error.class, ERROR_CANCELLED);
        CHECK_INT(test_world.nafter_error, cases[i].told != ACTION_FATAL);
        CHECK_INT(test_world.error.action, cases[i].told);
        if (cases[i].told != ACTION_FATAL)
            CHECK_INT(test_world.after_error, cases[i].told);
        CHECK(test_end(c));
        if (test_failures > before)
            printf("in: case %zu\n", i);
    }
}

/* An action on one class leaves the others to the lists. */
static void test_other_classes(void)
{
    sql_connection *c = session_with("cancelled:fail");

    ANSWERS({TEST_QUERY, SQL_FATAL, .errnum = 1146, .state = "42S02", .msg = "no table"});
    test_query(c, "SELECT 1");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK(test_end(c));
}

/* A prepare by the script: stock ends the run for any error but a loss, --on-error does not. */
static void test_prepare_statement(void)
{
    struct test_answer refused = {TEST_PREPARE, SQL_IGNORABLE, .errnum = 1205, .state = "HY000",
                                  .msg = "Lock wait timeout"};
    sql_connection *c = session_with("");

    test_answers(&refused, 1);
    CHECK(test_prepare(c, "A") == NULL);
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK(test_end(c));
    c = session_with("lock-wait:retry");
    test_answers(&refused, 1);
    CHECK(test_prepare(c, "A") == NULL);
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    CHECK_INT(c->sql_errno, 1205);
    CHECK(test_end(c));
}

/* While reconnecting, an error of a class that is fatal ends the attempts. */
static void test_reconnect_refused(void)
{
    sql_connection *c = session_with("connection:reconnect,access:fatal");
    struct err e = {0};

    ANSWERS({TEST_QUERY, SQL_FATAL, .errnum = 2013, .msg = "Lost", .lost = true},
            {TEST_CONNECT, SQL_FATAL, .errnum = 2003, .msg = "refused"},
            {TEST_CONNECT, SQL_FATAL, .errnum = 1045, .state = "28000", .msg = "denied"});
    test_query(c, "SELECT 1");
    CHECK_STR(test_calls(), "query SELECT 1; disconnect; reconnect; pause; reconnect; explain");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK_INT(c->sql_errno, 1045);
    CHECK_INT(sql_check_recovered(&e), 0); /* the fatal error says it all */
    CHECK(test_end(c));
}

/* A read-only server is left for the next one of the list. */
static void test_elsewhere(void)
{
    sql_connection *c = session_with("read-only:reconnect");
    struct sql_conn *own = (struct sql_conn *)c;

    own->endpoint = own->loss.home = 4;
    ANSWERS({TEST_QUERY, SQL_FATAL, .errnum = 1836, .msg = "read-only"});
    test_query(c, "UPDATE t");
    CHECK_INT(own->endpoint, 5);
    ANSWERS({TEST_QUERY, SQL_LOST, .errnum = 2013, .msg = "Lost"});
    test_query(c, "UPDATE t");
    CHECK_INT(own->endpoint, 5);
    CHECK(test_end(c));
}

/* A connection that is lost with a COMMIT leaves open whether it was done. */
static void test_commit_lost(void)
{
    struct test_answer lost = {TEST_QUERY, SQL_LOST, .errnum = 2013, .msg = "Lost"};
    sql_connection *c = session_with("deadlock:reconnect");
    sql_statement *s;

    test_answers(&lost, 1);
    test_query(c, "UPDATE t");
    CHECK_INT(test_world.ncommits_lost, 0);
    test_answers(&lost, 1);
    test_query(c, "COMMIT");
    CHECK_INT(test_world.ncommits_lost, 1);
    s = test_prepare(c, "commit");
    lost.call = TEST_EXECUTE;
    test_answers(&lost, 1);
    sql_execute(s);
    CHECK_INT(test_world.ncommits_lost, 2);
    /* an answer came; it is the connection that is replaced */
    ANSWERS({TEST_QUERY, SQL_IGNORABLE, .errnum = 1213, .msg = "Deadlock"});
    test_query(c, "COMMIT");
    CHECK_INT(test_world.ncommits_lost, 2);
    sql_statement_free(s);
    CHECK(test_end(c));
}

/* A script that ends its transactions itself: it goes on with one that met an error, and so may
 * hold locks; with one that fails it does not. */
static void test_kept_transaction(void)
{
    static const struct {
        const char *policy, *calls;
        bool holds;
    } t[] = {{"", "query BEGIN; query UPDATE t", true},
             {"lock-wait:fail", "query BEGIN; query UPDATE t; rollback", false}};

    for (size_t i = 0; i < COUNT(t); i++) {
        sql_connection *c = session_with(t[i].policy);
        sql_set_transaction_mode(c, DB_KEEP_TRANSACTION);
        test_query(c, "BEGIN");
        ANSWERS({TEST_QUERY, SQL_IGNORABLE, .errnum = 1205, .msg = "Lock wait timeout"});
        test_query(c, "UPDATE t");
        CHECK_STR(test_calls(), t[i].calls);
        CHECK_INT(test_world.holds, t[i].holds);
        sql_abandon(c); /* --trx-retries is used up */
        CHECK_STR(test_calls(), t[i].holds ? "rollback" : "");
        sql_set_transaction_mode(c, 0);
        test_query(c, "BEGIN");
        sql_abandon(c);
        CHECK_STR(test_calls(), "query BEGIN");
        CHECK(test_end(c));
    }
}

/* When the run is over, a connection that works is not replaced, and not called lost. */
static void test_no_reconnect_at_the_end(void)
{
    sql_connection *c = session_with("read-only:reconnect");
    struct err e = {0};

    test_query(c, "BEGIN");
    test_calls();
    test_world.run_ends = test_world.now;
    ANSWERS({TEST_QUERY, SQL_FATAL, .errnum = 1836, .msg = "read-only"});
    test_query(c, "UPDATE t");
    CHECK_STR(test_calls(), "query UPDATE t; rollback");
    CHECK_INT(c->error, DB_ERROR_IGNORABLE);
    capture();
    CHECK_INT(sql_check_recovered(&e), 0);
    CHECK_STR(captured(), "");
    CHECK(test_end(c));
}

/* The next use of a connection that stayed lost: a fatal error is told. */
static void test_refused_later(void)
{
    sql_connection *c = session_with("connection:reconnect,access:fatal");

    test_world.run_ends = test_world.now;
    ANSWERS({TEST_QUERY, SQL_FATAL, .errnum = 2013, .msg = "Lost", .lost = true});
    test_query(c, "SELECT 1");
    test_world.run_ends += NS_PER_SEC;
    test_calls();
    ANSWERS({TEST_CONNECT, SQL_FATAL, .errnum = 1045, .state = "28000", .msg = "denied"});
    test_query(c, "SELECT 1");
    CHECK_STR(test_calls(), "reconnect; explain");
    CHECK_INT(c->error, DB_ERROR_FATAL);
    CHECK(test_end(c));
}

TEST_MAIN(sql_policy_test)
{
    test_kept_transaction();
    test_no_reconnect_at_the_end();
    test_refused_later();
    test_commit_lost();
    test_items();
    test_presets();
    test_numbers();
    test_refused();
    test_actions();
    test_other_classes();
    test_prepare_statement();
    test_reconnect_refused();
    test_elsewhere();
    return test_done("sql_policy");
}
