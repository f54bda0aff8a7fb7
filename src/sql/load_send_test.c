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
static unsigned vain, attempts;

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
    return ++attempts < 3;
}

static struct str reports; /* of rows that were made */

static void sent(void *arg, unsigned n)
{
    (void)arg;
    str_printf(&reports, "%u ", n);
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

/* The answers to the statements in their order: "." fine, and letters of errors; before them "C"
 * (COPY) or "L" (LOAD DATA), "n": a host that does not load, "p": of PostgreSQL. */
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
        {'-', {TEST_LOAD, .affected = 1499}},               /* one was left out */
        {'r', {TEST_LOAD, SQL_BUSY, .errnum = 3948}},       /* refused */
        {'D', {TEST_LOAD, SQL_IGNORABLE, .errnum = 1213, .rolled_back = true}},
    };
    static const char *const text[] = {
        [LOAD_BY_COPY] = "load COPY sbtest1 (id, k, c, pad) FROM STDIN",
        [LOAD_BY_INSERT] = "query INSERT INTO sbtest1(id, k, c, pad) VALUES (1, ",
        [LOAD_BY_LOAD] = "load LOAD DATA LOCAL INFILE 'rows of sysbench' INTO TABLE sbtest1"};
    struct load_piece p = {LOAD_ROWS, 1, 1, 1500, {{1, 7}}};
    struct load_way way = {.method = *answers == 'C'   ? LOAD_BY_COPY
                                     : *answers == 'L' ? LOAD_BY_LOAD
                                                       : LOAD_BY_INSERT,
                           .packet = 200000,
                           .sent = sent,
                           .again = again};
    const struct str *all = whole_text(), *loaded;
    uint64_t taken = 0;

    test_begin();
    if (strchr(answers, 'W'))
        test_world.options.policy.action[ERROR_LOCK_WAIT] = ACTION_FAIL;
    test_set_up();
    test_world.host.loads = !strchr(answers, 'n');
    sql_connection *c = test_connect();
    if (strchr(answers, 'p'))
        ((sql_driver *)(uintptr_t)c->driver)->sname = "pgsql";
    for (const char *at = answers; *at; at++)
        for (size_t i = 0; i < COUNT(t); i++)
            if (t[i].letter == *at)
                test_answers(&t[i].answer, 1);
    vain = attempts = 0;
    str_reset(&reports);
    int rc = load_send(c, &rows, &p, &way, &taken);
    golden_line("'%s': %s: %d, %d taken, %u in vain with %u rows, reported %s, error %d", answers,
                words(), rc, (int)taken, attempts, vain, str_cstr(&reports), c->sql_errno);
    CHECK(strstr(said, text[way.method]) || (!strstr(said, "INSERT") && !strstr(said, "load")));
    CHECK(strstr(said, "DELETE FROM sbtest1 WHERE id BETWEEN 1 AND 1500;") ||
          !strstr(said, "DELETE"));
    CHECK(!strstr(said, "length"));
    loaded = test_loaded();
    CHECK(!loaded->len || (loaded->len == all->len && !memcmp(loaded->s, all->s, all->len)));
    CHECK_INT(loaded->len > 0, strstr(said, "load") && !strchr(answers, 'r'));
    CHECK(test_end(c));
}

TEST_MAIN(load_send_test)
{
    struct dist_spec spec = DIST_SPEC_DEFAULT;
    struct err e;

    dist_setup(&dist, &spec, &e);
    load_rows_init(&rows, &dist, 1500);
    /* The last of "...ll" is the one of the piece whose outcome nobody knows; in "...l..u" the
     * server did it after our DELETE.  Rows that the first attempt finds are somebody else's: they
     * stay, even where the list of ignored errors has the error, as --pgsql-ignore-errors does by
     * default. */
    golden_each("|..d|p..d|...ll|...l..u|.u|.U|.f|www|.W|C|C-|L|L-|Lr|LD|Ln", show);
    str_free(&reports);
    golden_done("load_send_test");
    return test_done("load_send_test");
}
