/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whom a chain of waiting sessions leads to.  That servers understand the questions is for
 * server_locks_each.t.
 */
#include "session/lock_waits.h"

#include "base/test.h"

static sql_value text(const char *s)
{
    return (sql_value){.ptr = s, .len = s ? (uint32_t)strlen(s) : 0};
}

static void add(struct lock_waits *w, const char *id, const char *ours, const char *blocker,
                const char *blocker_ours, const char *row)
{
    const sql_value column[] = {text(id), text(ours), text(blocker), text(blocker_ours), text(row)};

    CHECK(lock_waits_take(w, column, 5));
}

static void check_seen(struct lock_waits *w, unsigned waiting, unsigned rows, unsigned behind,
                       int64_t blocker)
{
    struct lock_waits_seen seen = lock_waits_seen(w);

    CHECK_INT(seen.waiting, waiting);
    CHECK_INT(seen.rows, rows);
    CHECK_INT(seen.behind, behind);
    CHECK_INT(seen.blocker, blocker);
    w->n = 0;
}

static void test_seen(void)
{
    struct lock_waits w = {0};

    check_seen(&w, 0, 0, 0, -1);
    add(&w, "9", "1", "4", "1", "1"); /* ours behind ours, which runs */
    check_seen(&w, 1, 1, 0, -1);
    add(&w, "9", "1", "4", "1", "1"); /* and which waits for another's */
    add(&w, "4", "1", "77", "0", "0");
    check_seen(&w, 2, 1, 2, 77);
    add(&w, "9", "1", "77", "0", "1"); /* another's, which waits for ours, and for no other */
    add(&w, "77", "0", "4", "1", "1");
    check_seen(&w, 1, 1, 0, -1);
    add(&w, "4", "1", "9", "1", "1"); /* a deadlock */
    add(&w, "9", "1", "4", "1", "1");
    check_seen(&w, 2, 2, 0, -1);
    add(&w, "4", "1", NULL, "0", "0"); /* a metadata lock */
    check_seen(&w, 1, 0, 0, -1);
    add(&w, "4", "1", "0", "0", "1"); /* a prepared transaction */
    check_seen(&w, 1, 1, 1, 0);
    for (int i = 0; i < 40; i++) { /* more than there was room for; the one that blocks most */
        char id[8];
        snprintf(id, sizeof id, "%d", 100 - i);
        add(&w, id, "1", i % 3 ? "7" : "8", "0", "1");
    }
    check_seen(&w, 40, 40, 40, 7);
    lock_waits_free(&w);
}

static void test_bad(void)
{
    const sql_value bad[] = {text("1"), text("1"), text("x"), text("0"), text("0")};
    struct lock_waits w = {0};

    CHECK(!lock_waits_take(&w, bad, 5));
    CHECK(!lock_waits_take(&w, bad, 2));
    CHECK_INT(w.n, 0);
}

static void test_who(void)
{
    const sql_value idle[] = {text("psql"), text("idle in transaction"), text("12")};
    const sql_value hidden[] = {text("a\n\x1b[1m long name that goes on and on"), text(NULL),
                                text("3")};
    char who[112];

    lock_waits_who(who, sizeof who, false, 1234, idle, 3);
    CHECK_STR(who, "pid 1234, psql, idle in transaction for 12 s");
    lock_waits_who(who, sizeof who, true, 1234, NULL, 0);
    CHECK_STR(who, "id 1234");
    lock_waits_who(who, sizeof who, false, 0, NULL, 0);
    CHECK_STR(who, "a prepared transaction");
    lock_waits_who(who, sizeof who, true, 7, hidden, 3);
    CHECK_STR(who, "id 7, a??[1m long name that goes on an");
}

/* Old and new MySQL, and MariaDB, refuse for different reasons. */
static void test_refused(void)
{
    static const struct {
        int innodb, performance; /* codes of the errors */
        const char *want;
    } t[] = {
        {1227, 1142, "seeing lock waits takes the PROCESS privilege"},
        {1227, 1146, "seeing lock waits takes the PROCESS privilege"},
        {1109, 1227, "seeing lock waits takes the PROCESS privilege"},
        {1109, 1142,
         "seeing lock waits takes SELECT on performance_schema and the PROCESS privilege"},
        {1109, 1146, "the server has no table of lock waits"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const char *first = lock_waits_refused(LOCKS_INNODB, t[i].innodb, NULL);
        CHECK_STR(lock_waits_refused(LOCKS_PERFORMANCE, t[i].performance, first), t[i].want);
    }
    CHECK(strstr(lock_waits_refused(LOCKS_PGSQL, 0, NULL), "PostgreSQL 9.6"));
}

TEST_MAIN(lock_waits_test)
{
    test_seen();
    test_bad();
    test_who();
    test_refused();
    return test_done("lock_waits_test");
}
