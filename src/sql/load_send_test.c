/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A piece of a table that meets an error is sent again where --on-error or the lists want that, and
 * then begins with removing what an attempt may have left; else it is not.  Without a server.
 */
#include "sql/load.h"

#include <string.h>

#include "base/mem.h"
#include "base/test_golden.h"
#include "sql/test_driver.h"

static struct dist_params dist;
static struct load_rows rows;
static unsigned vain, attempts, most;
static enum load_method method;
static uint64_t taken;

static const char *said; /* the calls of the last words() */

/* "BEGIN; INSERT; COMMIT" of the calls, and what they were but queries. */
static const char *words(void)
{
    static char out[1024];
    size_t n = 0;

    said = test_calls();
    for (const char *at = said; at && *at; at += strspn(at, "; ")) {
        size_t len;
        if (strncmp(at, "query ", 6) == 0)
            at += 6;
        len = strcspn(at, " ;");
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%.*s", n ? "; " : "", (int)len, at);
        at += strcspn(at, ";");
    }
    out[n] = '\0';
    return out;
}

static bool again(void *arg, uint64_t sent)
{
    (void)arg;
    vain += (unsigned)sent;
    return ++attempts < most;
}

static struct str reports; /* of rows that were made */

static void sent(void *arg, unsigned n)
{
    (void)arg;
    str_printf(&reports, "%u ", n);
}

static int send(sql_connection *c, unsigned attempts_at_most)
{
    struct load_piece p = {LOAD_ROWS, 1, 1, 1500, {{1, 7}}};
    struct load_way way = {.method = method, .packet = 200000, .sent = sent, .again = again};

    taken = vain = attempts = 0;
    str_reset(&reports);
    most = attempts_at_most;
    return load_send(c, &rows, &p, &way, &taken);
}

/* The answers to the statements in their order: "." fine, and letters of errors. */
static void show(const char *answers)
{
    static const struct {
        char letter;
        struct test_answer answer;
    } t[] = {
        {'.', {.call = TEST_QUERY}},
        {'d', {TEST_QUERY, SQL_IGNORABLE, .errnum = 1213, .rolled_back = true}}, /* deadlock */
        {'l', {TEST_QUERY, SQL_LOST, .errnum = 2013}},                           /* lost */
        {'u', {TEST_QUERY, SQL_FATAL, .errnum = 1062}},                          /* unique */
        {'U', {TEST_QUERY, SQL_IGNORABLE, .errnum = 1062}},
        {'f', {TEST_QUERY, SQL_FATAL, .errnum = 1114}},     /* full */
        {'w', {TEST_QUERY, SQL_IGNORABLE, .errnum = 1205}}, /* lock wait */
        {'W', {TEST_QUERY, SQL_FATAL, .errnum = 1205}},     /* --on-error=lock-wait:fail */
    };
    sql_connection *c;
    int rc;

    test_begin();
    if (strchr(answers, 'W'))
        test_world.options.policy.action[ERROR_LOCK_WAIT] = ACTION_FAIL;
    test_set_up();
    c = test_connect();
    for (const char *at = answers; *at; at++)
        for (size_t i = 0; i < COUNT(t); i++)
            if (t[i].letter == *at)
                test_answers(&t[i].answer, 1);
    rc = send(c, 3);
    golden_line("'%s': %s: %d, %u in vain with %u rows, reported %s, error %d", answers, words(),
                rc, attempts, vain, str_cstr(&reports), c->sql_errno);
    CHECK(strstr(said, "INSERT INTO sbtest1(id, k, c, pad) VALUES (1, ") ||
          !strstr(said, "INSERT"));
    CHECK(strstr(said, "DELETE FROM sbtest1 WHERE id BETWEEN 1 AND 1500;") ||
          !strstr(said, "DELETE"));
    CHECK(!strstr(said, "length"));
    CHECK(test_end(c));
}

/* The last of "...ll" is the one of the piece whose outcome nobody knows; in "...l..u" the server
 * did it after our DELETE.  Rows that the first attempt finds are somebody else's: they stay, even
 * where the list of ignored errors has the error, as --pgsql-ignore-errors does by default. */
static void test_inserts(void)
{
    golden_each("|..d|...ll|...l..u|.u|.U|.f|www|.W", show);
}

/* The rows of the piece. */
static const struct str *whole_text(void)
{
    static struct str text = STR_INIT;
    struct load_maker m;

    str_reset(&text);
    load_maker_init(&m, &rows, &(struct rng){{1, 7}});
    for (uint64_t id = 1; id <= 1500; id++) {
        str_room(&text, LOAD_ROW_MAX);
        text.len += load_row(&m, id, LOAD_TABS, text.s + text.len);
    }
    return &text;
}

/* Rows that the server reads itself, in a transaction where it may leave some out. */
static void test_loads(bool copy, unsigned takes, int rc, const char *want)
{
    sql_connection *c = test_session(true);
    const struct str *all = whole_text();

    method = copy ? LOAD_BY_COPY : LOAD_BY_LOAD;
    test_world.host.loads = true;
    if (takes)
        ANSWERS({TEST_LOAD, .affected = takes});
    CHECK_INT(send(c, 9), rc);
    CHECK_STR(words(), want);
    CHECK(strstr(said, copy ? "load COPY sbtest1 (id, k, c, pad) FROM STDIN"
                            : "load LOAD DATA LOCAL INFILE 'rows of sysbench' INTO TABLE sbtest1"));
    CHECK_INT(test_loaded()->len, all->len);
    CHECK(memcmp(test_loaded()->s, all->s, all->len) == 0);
    CHECK_INT(taken, takes ? takes : 1500);
    CHECK_INT(attempts, 0);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK(test_end(c));
    method = LOAD_BY_INSERT;
}

/* It is refused, fails and is sent again, or the host's connections do not load. */
static void test_loads_not(void)
{
    sql_connection *c = test_session(true);

    method = LOAD_BY_LOAD;
    test_world.host.loads = true;
    ANSWERS({TEST_LOAD, SQL_BUSY, .errnum = 3948, .msg = "disabled"});
    CHECK_INT(send(c, 9), 1);
    CHECK_STR(words(), "BEGIN; load");
    CHECK_INT(test_loaded()->len, 0);
    CHECK(test_end(c));
    c = test_session(true);
    test_world.host.loads = true;
    ANSWERS({TEST_LOAD, SQL_IGNORABLE, .errnum = 1213, .msg = "Deadlock", .rolled_back = true});
    CHECK_INT(send(c, 9), 0);
    CHECK_STR(words(), "BEGIN; load; DELETE; BEGIN; load; COMMIT");
    CHECK_INT(vain, 1500);
    CHECK_INT(taken, 1500);
    CHECK(test_end(c));
    c = test_session(true);
    CHECK_INT(send(c, 9), 1);
    CHECK_STR(words(), "BEGIN");
    CHECK(test_end(c));
    method = LOAD_BY_INSERT;
}

TEST_MAIN(load_send_test)
{
    struct dist_spec spec = DIST_SPEC_DEFAULT;
    struct err e;

    dist_setup(&dist, &spec, &e);
    load_rows_init(&rows, &dist, 1500);
    test_inserts();
    test_loads(false, 0, 0, "BEGIN; load; COMMIT");
    test_loads(false, 1499, -1, "BEGIN; load; ROLLBACK");
    test_loads(true, 0, 0, "load");
    test_loads(true, 1499, -1, "load");
    test_loads_not();
    str_free(&reports);
    golden_done("load_send_test");
    return test_done("load_send_test");
}
