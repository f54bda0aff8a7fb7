/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the words of servers mean, and whom a chain of waiting sessions leads to.  That servers
 * understand the questions is for server_locks_each.t and server_waits_each.t.
 */
#include "session/wait_ring.h"

#include "base/test.h"

static sql_value text(const char *s)
{
    return (sql_value){.ptr = s, .len = s ? (uint32_t)strlen(s) : 0};
}

static void take(struct server_waits *w, enum wait_dialect d, const char *id, const char *first,
                 const char *second, const char *blocker)
{
    const sql_value column[] = {text(id), text("4711"), text(first), text(second), text(blocker)};

    CHECK(server_waits_take(w, d, column, 5));
}

static void test_words(void)
{
    static const struct {
        enum wait_dialect d;
        const char *first, *second, *class, *name;
        bool untold;
    } t[] = {
        {WAITS_PGSQL, NULL, NULL, "cpu", "cpu", false},
        {WAITS_PGSQL, "Lock", "transactionid", "row_lock", "row lock", false},
        {WAITS_PGSQL, "Lock", "tuple", "row_lock", "row lock", false},
        {WAITS_PGSQL, "Lock", "relation", "lock", "relation lock", false},
        {WAITS_PGSQL, "Lock", "extend", "io", "extend lock", false},
        {WAITS_PGSQL, "IO", "WALSync", "log", "WALSync", false},
        {WAITS_PGSQL, "IO", "DataFileRead", "io", "DataFileRead", false},
        {WAITS_PGSQL, "LWLock", "WALWrite", "log", "WALWrite", false},
        {WAITS_PGSQL, "LWLock", "BufferContent", "latch", "BufferContent", false},
        {WAITS_PGSQL, "IPC", "SyncRep", "log", "SyncRep", false},
        {WAITS_PGSQL, "IPC", "BufferIO", "io", "BufferIO", false},
        {WAITS_PGSQL, "IPC", "BtreePage", "other", "BtreePage", false},
        {WAITS_PGSQL, "Client", "ClientWrite", "client", "ClientWrite", false},
        {WAITS_PGSQL, "Timeout", "PgSleep", "other", "PgSleep", false},
        {WAITS_MARIADB, "Commit", NULL, "log", "commit", false},
        {WAITS_MARIADB, "Updating status", NULL, "log", "commit", false},
        {WAITS_MARIADB, "committing", NULL, "other", "committing", true},
        {WAITS_MARIADB, "Waiting for table metadata lock", NULL, "lock", "table metadata lock",
         false},
        {WAITS_MARIADB, "Waiting for prior transaction to commit", NULL, "log",
         "prior transaction to commit", false},
        {WAITS_MARIADB, "User sleep", NULL, "other", "User sleep", false},
        {WAITS_MARIADB, "Sending data", NULL, "other", "Sending data", true},
        {WAITS_MYSQL5, "", NULL, "other", "executing", true},
        {WAITS_PERFORMANCE, "executing", "wait/io/file/innodb/innodb_data_file", "io",
         "innodb/innodb_data_file", false},
        {WAITS_PERFORMANCE, "x", "wait/io/file/innodb/innodb_log_file", "log", "innodb_log_file",
         false},
        {WAITS_PERFORMANCE, "x", "wait/io/table/sql/handler", "cpu", "cpu", false},
        {WAITS_PERFORMANCE, "x", "wait/synch/mutex/innodb/trx_mutex", "latch", "trx_mutex", false},
        {WAITS_PERFORMANCE, "x", "wait/synch/cond/sql/MDL_context::COND_wait_status", "lock",
         "metadata lock", false},
        {WAITS_PERFORMANCE, "User sleep", "wait/synch/cond/sql/Item_func_sleep::cond", "other",
         "User sleep", false},
        {WAITS_PERFORMANCE, "Waiting for table metadata lock", "wait/lock/metadata/sql/mdl", "lock",
         "table metadata lock", false},
        {WAITS_PERFORMANCE, "Waiting for handler commit", "wait/io/file/innodb/innodb_log_file",
         "log", "innodb_log_file", false},
    };
    const struct sql_ids none = {0};
    struct server_waits w = {0};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        take(&w, t[i].d, "9", t[i].first, t[i].second, NULL);
        server_waits_see(&w, &none);
        CHECK_STR(wait_class_name(w.session->class), t[i].class);
        CHECK_STR(w.session->name, t[i].name);
        CHECK_INT(w.session->told, !t[i].untold);
        CHECK(!w.session->ours);
        server_waits_clear(&w);
    }
    server_waits_free(&w);
}

/* Where the server says no more than that it executes, and where it does. */
static void test_threads(void)
{
    static const struct {
        const char *state;
        enum thread_does does;
        const char *class, *name;
        enum thread_file file;
    } t[] = {
        {"Sending data", THREAD_RUNS, "cpu", "cpu", FILE_OF_DATA},
        {"Sending data", THREAD_LISTENS, "cpu", "cpu", FILE_OF_DATA},
        {"Sending data", THREAD_READS, "io", "file read", FILE_OF_DATA},
        {"Sending data", THREAD_USES_DISK, "io", "file I/O", FILE_OF_DATA},
        {"Sorting", THREAD_WRITES, "io", "temporary file write", FILE_TEMPORARY},
        {"Updating", THREAD_SYNCS, "log", "log sync", FILE_OF_LOG},
        {"Sending data", THREAD_WRITES, "client", "network write", FILE_SOCKET},
        {"Sending data", THREAD_READS, "cpu", "cpu", FILE_SOCKET}, /* TLS */
        {"Updating", THREAD_SLEEPS, "latch", "latch in Updating", FILE_OF_DATA},
        {"Updating status", THREAD_SLEEPS, "log", "commit", FILE_OF_DATA},
        {"Updating status", THREAD_RUNS, "cpu", "cpu", FILE_OF_DATA},
        {"Updating status", THREAD_LISTENS, "cpu", "cpu", FILE_OF_DATA},
        {"Writing to net", THREAD_LISTENS, "cpu", "cpu", FILE_OF_DATA},
        {"Writing to net", THREAD_WRITES, "client", "Writing to net", FILE_SOCKET},
        {"Updating", THREAD_UNKNOWN, "other", "Updating", FILE_OF_DATA},
        {"Commit", THREAD_SLEEPS, "log", "commit", FILE_OF_DATA},
        {"Commit", THREAD_RUNS, "cpu", "cpu", FILE_OF_DATA},
        {"User sleep", THREAD_RUNS, "cpu", "cpu", FILE_OF_DATA}, /* it is over */
        {"User sleep", THREAD_LISTENS, "other", "User sleep", FILE_OF_DATA},
        {"Waiting for table flush", THREAD_RUNS, "lock", "table flush", FILE_OF_DATA},
    };
    struct server_waits w = {0};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        take(&w, WAITS_MARIADB, "9", t[i].state, NULL, NULL);
        CHECK_INT(w.session->thread, 4711);
        CHECK_INT(server_waits_ask_thread(w.session), false); /* not ours */
        w.session->ours = true;
        if (server_waits_ask_thread(w.session))
            server_waits_thread(w.session, t[i].does, t[i].file);
        CHECK_STR(wait_class_name(w.session->class), t[i].class);
        CHECK_STR(w.session->name, t[i].name);
        server_waits_clear(&w);
    }
    take(&w, WAITS_PGSQL, "4711", "LWLock", "WALWrite", NULL); /* a latch, or its client */
    server_waits_thread(w.session, THREAD_LISTENS, FILE_OF_DATA);
    CHECK_STR(wait_class_name(w.session->class), "log");
    server_waits_free(&w);
}

static const int64_t our_ids[] = {4, 9};

/* `blockers` as PostgreSQL lists them; InnoDB has a row for each. */
static void check_seen(struct server_waits *w, unsigned locks, unsigned behind, int64_t blocker)
{
    const struct sql_ids ours = {.id = (int64_t *)our_ids, .n = 2, .up = 2};

    CHECK_INT(server_waits_see(w, &ours), blocker);
    CHECK_INT(w->blockers, behind);
    for (size_t i = 0; i < w->sessions; i++) {
        const struct session_wait *s = &w->session[i];
        locks -= s->ours && (s->class == WAIT_ROW || s->class == WAIT_LOCK);
    }
    CHECK_INT(locks, 0);
    server_waits_clear(w);
}

static void waits(struct server_waits *w, const char *id, const char *blockers)
{
    take(w, WAITS_PGSQL, id, "Lock", "transactionid", blockers);
}

static void test_seen(void)
{
    struct server_waits w = {0};
    struct ring_sample is = {0};

    check_seen(&w, 0, 0, -1);
    waits(&w, "9", "{4}"); /* ours behind ours, which runs */
    check_seen(&w, 1, 0, -1);
    waits(&w, "9", "{4}"); /* and which commits */
    take(&w, WAITS_PGSQL, "4", "IO", "WALSync", NULL);
    waits(&w, "3", "{9}");
    waits(&w, "8", "{9}");
    server_waits_see(&w, &(struct sql_ids){.id = (int64_t[]){3, 4, 8, 9}, .n = 4});
    ring_list(&is, &w);
    CHECK_INT(is.of.root[WAIT_LOG], 3);
    server_waits_clear(&w);
    waits(&w, "9", "{4}"); /* and which has no statement */
    server_waits_see(&w, &(struct sql_ids){.id = (int64_t *)our_ids, .n = 2});
    ring_list(&is, &w);
    CHECK(is.of.root[WAIT_ROW] == 1 && is.of.root[WAIT_LOG] == 3);
    server_waits_clear(&w);
    waits(&w, "9", "{4}"); /* and which waits for another's */
    waits(&w, "4", "{77}");
    check_seen(&w, 2, 2, 77);
    waits(&w, "9", "{4,77}"); /* for both: that of others */
    check_seen(&w, 1, 1, 77);
    waits(&w, "9", "{77}"); /* another's, which waits for ours, and for no other */
    waits(&w, "77", "{4}");
    check_seen(&w, 1, 0, -1);
    waits(&w, "4", "{9}"); /* a deadlock */
    waits(&w, "9", "{4}");
    check_seen(&w, 2, 0, -1);
    waits(&w, "4", "{9}"); /* and who waits for one of these */
    waits(&w, "9", "{4}");
    waits(&w, "3", "{9}");
    server_waits_see(&w, &(struct sql_ids){.id = (int64_t[]){3, 4, 9}, .n = 3});
    ring_list(&is, &w);
    CHECK_INT(is.of.root[WAIT_CLASSES], 3);
    server_waits_clear(&w);
    waits(&w, "4", "{0}"); /* a prepared transaction */
    check_seen(&w, 1, 1, 0);
    waits(&w, "5", "{77}"); /* of others */
    check_seen(&w, 0, 0, -1);
    take(&w, WAITS_MARIADB, "4", "User lock", NULL, NULL); /* nobody knows whose, nor for 9 */
    take(&w, WAITS_MARIADB, "9", "Updating", NULL, NULL);
    take(&w, WAITS_MARIADB, "9", NULL, NULL, "4");
    server_waits_see(&w, &(struct sql_ids){.id = (int64_t *)our_ids, .n = 2});
    ring_list(&is, &w);
    CHECK(is.of.untold == 2 && is.of.root[WAIT_LOCK] == 1);
    server_waits_clear(&w);
    take(&w, WAITS_MARIADB, "4", "Waiting for table metadata lock", NULL, NULL);
    check_seen(&w, 1, 0, -1);
    take(&w, WAITS_MARIADB, "4", "Updating", NULL, NULL); /* InnoDB's tell of rows */
    take(&w, WAITS_MARIADB, "9", "Sending data", NULL, NULL);
    take(&w, WAITS_MARIADB, "4", NULL, NULL, "8");
    take(&w, WAITS_MARIADB, "9", NULL, NULL, "8");
    take(&w, WAITS_MARIADB, "9", NULL, NULL, "4");
    check_seen(&w, 2, 2, 8);
    take(&w, WAITS_MARIADB, "4", "Update", NULL, NULL); /* for AUTO_INCREMENT */
    take(&w, WAITS_MARIADB, "4", "1", NULL, "9");
    server_waits_see(&w, &(struct sql_ids){.id = (int64_t *)our_ids, .n = 2, .up = 2});
    CHECK_STR(w.session->name, "InnoDB table lock");
    CHECK_STR(wait_class_name(w.session->class), "lock");
    server_waits_clear(&w);
    take(&w, WAITS_PERFORMANCE, "4", "executing", "wait/io/table/sql/handler", NULL);
    take(&w, WAITS_PERFORMANCE, "4", "executing", "wait/io/file/innodb/innodb_data_file", NULL);
    take(&w, WAITS_PERFORMANCE, "5", "waiting for handler commit", NULL, NULL);
    take(&w, WAITS_PERFORMANCE, "9", "Waiting for semi-sync ACK from replica", NULL, NULL);
    CHECK_INT(w.sessions, 3); /* the second event is in the first */
    CHECK_STR(w.session[0].name, "innodb/innodb_data_file");
    check_seen(&w, 0, 0, -1);
    CHECK_STR(w.session[1].name, "semi-sync ACK from replica"); /* all that commit await it */
    take(&w, WAITS_PERFORMANCE, "4", "starting", NULL, NULL);
    take(&w, WAITS_PERFORMANCE, "4", "2", NULL, "77");
    check_seen(&w, 1, 1, 77);
    CHECK_STR(w.session->name, "metadata lock");
    for (int i = 0; i < 40; i++) { /* more than there was room for */
        char id[8];
        snprintf(id, sizeof id, "%d", 100 - i);
        waits(&w, id, i % 3 ? "{7}" : "{8}");
    }
    waits(&w, "9", "{90}");
    check_seen(&w, 1, 1, 7);
    server_waits_free(&w);
}

static void test_bad(void)
{
    const sql_value bad[] = {text("x"), text("1"), text("x"), text("0"), text(NULL)};
    struct server_waits w = {0};

    CHECK(!server_waits_take(&w, WAITS_PGSQL, bad, 5));
    CHECK(!server_waits_take(&w, WAITS_PGSQL, bad, 2));
    CHECK_INT(w.sessions, 0);
}

static void test_who(void)
{
    const sql_value idle[] = {text("psql, idle in transaction for 12 s")};
    const sql_value hidden[] = {text("a\n\x1b[1m name")};
    char who[112];

    server_waits_who(who, sizeof who, false, 1234, idle, 1);
    CHECK_STR(who, "pid 1234, psql, idle in transaction for 12 s");
    server_waits_who(who, sizeof who, true, 1234, NULL, 0);
    CHECK_STR(who, "id 1234");
    server_waits_who(who, sizeof who, false, 0, NULL, 0);
    CHECK_STR(who, "a prepared transaction");
    server_waits_who(who, sizeof who, true, 7, hidden, 1);
    CHECK_STR(who, "id 7, a??[1m name");
}

/* Old and new MySQL, and MariaDB, refuse for different reasons. */
static void test_refused(void)
{
    static const char process[] = "seeing what sessions wait for takes the PROCESS privilege";
    static const struct {
        int mariadb, mysql5, performance; /* codes of the errors */
        const char *want;
    } t[] = {
        {1227, 1227, 1142, process},
        {1054, 1227, 1146, process},
        {1054, 1109, 1227, process},
        {1054, 1109, 1142,
         "seeing what sessions wait for takes SELECT on performance_schema and the PROCESS "
         "privilege"},
        {1054, 1109, 1146, "the server has no table of what sessions wait for"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const char *why = server_waits_refused(WAITS_MARIADB, t[i].mariadb, NULL);
        why = server_waits_refused(WAITS_MYSQL5, t[i].mysql5, why);
        CHECK_STR(server_waits_refused(WAITS_PERFORMANCE, t[i].performance, why), t[i].want);
    }
    CHECK(strstr(server_waits_refused(WAITS_PGSQL, 0, NULL), "PostgreSQL 9.6"));
}

TEST_MAIN(server_waits_test)
{
    test_words();
    test_threads();
    test_seen();
    test_bad();
    test_who();
    test_refused();
    return test_done("server_waits_test");
}
