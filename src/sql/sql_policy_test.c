/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The class of numbers and SQLSTATEs.  --on-error: its items and presets, their refusals, and what
 * each action does to a statement, its transaction and its connection, with an error that the lists
 * ignore, with one that they do not, and with a lost connection.  Without a server.
 */
#include "sql/sql_policy.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sql/test_story.h"

/* --- classes --- */

/* What servers say, and by which number and SQLSTATE: the number decides, whatever the SQLSTATE.
 */
static void test_classes(void)
{
    static const struct {
        int errnum;
        const char *state, *msg;
    } t[] = {
        {1213, "40001", "Deadlock found when trying to get lock"},
        {1205, "HY000", "Lock wait timeout exceeded"},
        {1290, "HY000", "The MariaDB server is running with the --read-only option so it cannot"},
        {1290, "HY000", "The MySQL server is running with the --super-read-only option"},
        {1290, "HY000", "The MySQL server is running with the --secure-file-priv option"},
        {1290, "HY000", NULL},
        {1792, "25006", "Cannot execute statement in a READ ONLY transaction"},
        {1180, "HY000", "Got error 0 during COMMIT"},
        {3101, "40000", "Plugin instructed the server to rollback"},
        {1317, "70100", "Query execution was interrupted"},
        {1044, "42000", "Access denied for user"},
        {1927, "70100", "Connection was killed"},
        {1064, "42000", "You have an error in your SQL syntax"},
        {1105, "HY000", "Information schema is changed, try again later"},
        {1105, "HY000", "vttablet: rpc error: code = Unavailable desc = x"},
        {1105, "HY000", "unknown error"},
        {1105, "HY000", "Write conflict, txnStartTS=1"},
        {7777, "40001", "a number that nobody knows"},
        {7777, "08S01", NULL},
        {0, "40P01", "deadlock detected"},
        {0, "55P03", "could not obtain lock"},
        {0, "40001", "could not serialize access"},
        {0, "23505", "duplicate key value"},
        {0, "23503", "foreign key"},
        {0, "25006", "cannot execute UPDATE in a read-only transaction"},
        {0, "25P02", "current transaction is aborted"},
        {0, "57014", "canceling statement due to statement timeout"},
        {0, "57P01", "terminating connection due to administrator command"},
        {0, "57P02", NULL},
        {0, "57P03", "the database system is starting up"},
        {0, "57P05", "terminating connection due to idle-session timeout"},
        {0, "53300", "sorry, too many clients already"},
        {0, "53200", "out of memory"},
        {0, "42P01", "relation \"sbtest1\" does not exist"},
        {0, "3D000", "database \"x\" does not exist"},
        {0, "28000", NULL},
        {0, "28P01", "password authentication failed"},
        {0, "42501", "permission denied"},
        {0, "08006", NULL},
        {0, "40003", NULL},
        {0, "42601", "syntax error"},
        {0, "", NULL},
        {0, NULL, NULL},
        {1290, "HY000", "--super-read-only option"},
        {1290, "HY000", "--read-only option"},
        {1105, "HY000", "unknown"},
    };

    for (size_t i = 0; i < COUNT(t); i++)
        str_printf(&story, "%d %s, %s: %s\n", t[i].errnum, t[i].state ? t[i].state : "NULL",
                   t[i].msg ? t[i].msg : "NULL",
                   error_class_name(error_class_of(t[i].errnum, t[i].state, t[i].msg)));
    golden(&story, "what servers say");
    for (int k = 0; k < ERROR_CLASSES; k++) { /* all numbers that have a class */
        const char *name = error_class_name((enum error_class)k);
        CHECK_INT(error_class_find(name), k);
        str_printf(&story, "%s:", name);
        for (int n = -1; n < 10000 && k > 0; n++)
            if ((int)error_class_of(n, NULL, NULL) == k)
                str_printf(&story, " %d", n);
        str_adds(&story, "\n");
    }
    golden(&story, "numbers");
    CHECK_INT(error_class_of(0, NULL, NULL), ERROR_OTHER);
    CHECK_INT(error_class_find("Deadlock"), ERROR_CLASSES);
    CHECK_INT(error_class_find(""), ERROR_CLASSES);
}

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

/* A list as "deadlock:retry, ...", or why it is none. */
static void show_items(const char *list)
{
    static const char *const actions[] = {"listed", "retry", "reconnect", "fail", "fatal"};
    struct sql_policy p;
    struct err e = {0};

    if (read_items(&p, list, &e)) {
        CHECK_INT(e.kind, ERR_USAGE);
        str_printf(&story, "%s\n", e.msg);
        return;
    }
    str_printf(&story, "%s:\n   ", list);
    for (int k = 0; k < ERROR_CLASSES; k++)
        if (p.action[k] != ACTION_LISTED)
            str_printf(&story, " %s:%s", error_class_name((enum error_class)k),
                       actions[p.action[k]]);
    str_adds(&story, "\n");
}

static void test_items(void)
{
    golden_each("|duplicate:fail,other:fatal,read-only:reconnect|galera,cancelled:fail|"
                "cancelled:fail,galera|galera|group-replication|failover|aurora|tidb",
                show_items);
    golden(&story, "items"); /* the later one holds */
    golden_each("deadlock:retr|deadlock:|galerra|deadlok:retry|deadlock|:retry|"
                "a-class-whose-name-is-longer-than-any-other:retry",
                show_items);
    golden(&story, "no items");
}

/* --- what an action does --- */

static sql_connection *session_with(const char *list)
{
    struct err e = {0};

    test_begin();
    CHECK_INT(read_items(&test_world.options.policy, list, &e), 0);
    test_set_up();
    return test_connect();
}

/* With what the lists make of the error. */
static void test_actions(void)
{
    static const struct {
        const char *policy;
        enum sql_outcome listed;
        bool lost, other; /* class: it is left to the lists */
    } t[] = {
        {"", SQL_IGNORABLE, false, false},
        {"", SQL_FATAL, false, false},
        {"", SQL_LOST, true, false},
        {"cancelled:retry", SQL_FATAL, false, false},
        {"cancelled:retry", SQL_FATAL, true, false},
        {"cancelled:reconnect", SQL_FATAL, false, false},
        {"cancelled:reconnect", SQL_IGNORABLE, false, false},
        {"cancelled:reconnect", SQL_FATAL, true, false},
        {"cancelled:fail", SQL_FATAL, false, false},
        {"cancelled:fail", SQL_IGNORABLE, false, false},
        {"cancelled:fail", SQL_LOST, true, false},
        {"cancelled:fatal", SQL_IGNORABLE, false, false},
        {"cancelled:fatal", SQL_LOST, true, false},
        {"cancelled:fail", SQL_FATAL, false, true},
    };
    static const char *const listed[] = {
        [SQL_IGNORABLE] = "ignored", [SQL_LOST] = "ignored", [SQL_FATAL] = "not on the list"};

    for (size_t i = 0; i < COUNT(t); i++) {
        sql_connection *c = session_with(t[i].policy);
        ask(c, "BEGIN");
        ANSWERS({TEST_QUERY, FAILS(t[i].listed, t[i].other ? 1146 : 1317, "70100", "interrupted"),
                 .lost = t[i].lost});
        CHECK(ask(c, "UPDATE t") == NULL);
        scene(c, "%s, %s%s", *t[i].policy ? t[i].policy : "no policy", listed[t[i].listed],
              t[i].lost    ? ", lost"
              : t[i].other ? ", another class"
                           : "");
    }
}

/* A prepare by the script: stock ends the run for any error but a loss, --on-error does not; with
 * numbers, and of a server that has none. */
static void test_prepare_statement(void)
{
    static const char *const policies[] = {"", "lock-wait:retry,serialization:fail"};

    for (size_t i = 0; i < 2 * COUNT(policies); i++) {
        sql_connection *c = session_with(policies[i / 2]);
        if (i % 2)
            ANSWERS({TEST_PREPARE, FAILS(SQL_IGNORABLE, 0, "40001", "conflict with recovery")});
        else
            ANSWERS({TEST_PREPARE, FAILS(SQL_IGNORABLE, 1205, "HY000", "Lock wait timeout")});
        CHECK(test_prepare(c, "A") == NULL);
        tell(c);
        scene(c, "a prepare fails, policy \"%s\"", policies[i / 2]);
    }
}

static const struct test_answer lost = {TEST_QUERY, FAILS(SQL_LOST, 2013, "HY000", "Lost")};
static const struct test_answer read_only = {TEST_QUERY,
                                             FAILS(SQL_FATAL, 1836, "HY000", "read-only")};
static const struct test_answer denied = {TEST_CONNECT, FAILS(SQL_FATAL, 1045, "28000", "denied")};

/* While reconnecting, an error of a class that is fatal ends the attempts, and says it all; so it
 * is for the next use of a connection that stayed lost. */
static void test_reconnect_refused(void)
{
    struct err e = {0};

    for (int later = 0; later < 2; later++) {
        sql_connection *c = session_with("connection:reconnect,access:fatal");
        if (later)
            test_world.run_ends = test_world.now;
        else
            ANSWERS({TEST_CONNECT, FAILS(SQL_FATAL, 2003, "HY000", "refused")});
        ANSWERS({TEST_QUERY, FAILS(SQL_FATAL, 2013, "HY000", "Lost"), .lost = true}, denied);
        ask(c, "SELECT 1");
        if (later) {
            test_world.run_ends += NS_PER_SEC;
            ask(c, "SELECT 1");
        } else {
            CHECK_INT(sql_check_recovered(&e), 0);
        }
        scene(c, "refused while reconnecting, %s", later ? "later" : "at once");
    }
}

/* A read-only server is left for the next one of the list. */
static void test_elsewhere(void)
{
    sql_connection *c = session_with("read-only:reconnect");
    struct sql_conn *own = (struct sql_conn *)c;

    own->endpoint = own->loss.home = 4;
    for (int i = 0; i < 2; i++) {
        test_answers(i ? &lost : &read_only, 1);
        ask(c, "UPDATE t");
        CHECK_INT(own->endpoint, 5);
    }
    scene(c, "a read-only server");
}

/* A connection that is lost with a COMMIT leaves open whether it was done; an answer does not, and
 * it is the connection that is replaced. */
static void test_commit_lost(void)
{
    sql_connection *c = session_with("deadlock:reconnect");
    sql_statement *s;

    ANSWERS(lost, lost);
    ask(c, "UPDATE t");
    ask(c, "COMMIT");
    s = test_prepare(c, "commit");
    ANSWERS({TEST_EXECUTE, FAILS(SQL_LOST, 2013, "HY000", "Lost")},
            {TEST_QUERY, FAILS(SQL_IGNORABLE, 1213, "40001", "Deadlock")});
    execute(s);
    ask(c, "COMMIT");
    sql_statement_free(s);
    scene(c, "a COMMIT is lost");
}

/* A script that ends its transactions itself: it goes on with one that met an error, and so may
 * hold locks; with one that fails it does not. */
static void test_kept_transaction(void)
{
    static const char *const policies[] = {"", "lock-wait:fail"};

    for (size_t i = 0; i < COUNT(policies); i++) {
        sql_connection *c = session_with(policies[i]);
        sql_set_transaction_mode(c, DB_KEEP_TRANSACTION);
        ask(c, "BEGIN");
        ANSWERS({TEST_QUERY, FAILS(SQL_IGNORABLE, 1205, "HY000", "Lock wait timeout")});
        ask(c, "UPDATE t");
        sql_abandon(c); /* --trx-retries is used up */
        tell(NULL);
        sql_set_transaction_mode(c, 0);
        ask(c, "BEGIN");
        sql_abandon(c);
        tell(NULL);
        scene(c, "a transaction that is kept, policy \"%s\"", policies[i]);
    }
}

/* When the run is over, a connection that works is not replaced, and not called lost. */
static void test_no_reconnect_at_the_end(void)
{
    sql_connection *c = session_with("read-only:reconnect");
    struct err e = {0};

    ask(c, "BEGIN");
    test_world.run_ends = test_world.now;
    test_answers(&read_only, 1);
    ask(c, "UPDATE t");
    capture();
    CHECK_INT(sql_check_recovered(&e), 0);
    say_captured();
    scene(c, "the run is over");
}

TEST_MAIN(sql_policy_test)
{
    test_classes();
    test_items();
    test_actions();
    test_prepare_statement();
    test_reconnect_refused();
    test_elsewhere();
    test_commit_lost();
    test_kept_transaction();
    test_no_reconnect_at_the_end();
    golden_done("sql_policy_test");
    return test_done("sql_policy");
}
