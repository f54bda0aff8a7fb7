/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See test_driver.h.  The handle of a connection and of a statement is a record of its own, so that
 * a memory checker sees what the floor forgets to release.
 */
#include "sql/test_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAX_ANSWERS 256

static struct test_answer answers[MAX_ANSWERS];
static size_t nanswers;
static struct str calls, loaded;

/* Of the present result. */
struct test_conn {
    const char *const *values;
    unsigned nfields, rows_left;
    size_t at;
};

struct test_stmt {
    char text[64];
};

static const struct sql_ops test_ops, test_dry_ops;

/* --- the table and the list of calls --- */

void test_answers(const struct test_answer *a, size_t n)
{
    if (nanswers + n > MAX_ANSWERS)
        abort();
    memcpy(answers + nanswers, a, n * sizeof *a);
    nanswers += n;
}

static bool find_answer(enum test_call call, bool always, struct test_answer *out)
{
    for (size_t i = 0; i < nanswers; i++) {
        if (answers[i].call != call || answers[i].always != always)
            continue;
        *out = answers[i];
        if (!always)
            memmove(answers + i, answers + i + 1, (--nanswers - i) * sizeof *answers);
        return true;
    }
    return false;
}

static struct test_answer next_answer(enum test_call call)
{
    struct test_answer a = {.call = call};

    if (!find_answer(call, false, &a))
        find_answer(call, true, &a);
    test_world.now += a.takes;
    return a;
}

size_t test_answers_left(void)
{
    size_t n = 0;

    for (size_t i = 0; i < nanswers; i++)
        n += !answers[i].always;
    return n;
}

/* The first 60 bytes of a text, and its length, are enough to recognize it. */
static void note(const char *call, const char *text, size_t len)
{
    bool whole = strnlen(text, len) == len; /* no NUL within */

    str_printf(&calls, "%s%s%s%s%.*s", calls.len ? "; " : "", call, len ? " " : "",
               whole ? "" : "(length!) ", (int)(len < 60 ? len : 60), text);
    if (len > 60)
        str_printf(&calls, "... (%zu bytes)", len);
}

void test_note(const char *call)
{
    note(call, "", 0);
}

void test_forget(void)
{
    nanswers = 0;
    str_free(&calls);
    str_free(&loaded);
}

const struct str *test_loaded(void)
{
    return &loaded;
}

const char *test_calls(void)
{
    static char text[16384];

    test_world.nastray += test_world.in_statement;
    snprintf(text, sizeof text, "%s", str_cstr(&calls));
    str_reset(&calls);
    return text;
}

/* --- connections --- */

static enum sql_outcome fail(struct sql_conn *c, const struct test_answer *a)
{
    if (a->outcome == SQL_DONE)
        return SQL_DONE;
    sql_fail(c, a->errnum, a->state, a->msg);
    if (a->rolled_back || a->outcome == SQL_LOST)
        test_world.transaction = false;
    if (a->outcome == SQL_BUSY)
        return SQL_BUSY;
    return sql_decide(c, a->outcome, a->outcome == SQL_LOST || a->lost);
}

static enum sql_outcome test_open_conn(struct sql_conn *c, bool again)
{
    struct test_answer a = next_answer(TEST_CONNECT);

    test_note(again ? "reconnect" : "connect");
    test_world.nastray += c->host->in_statement && !*c->host->in_statement;
    if (a.outcome != SQL_DONE)
        return fail(c, &a);
    c->handle = mem_alloc(sizeof(struct test_conn));
    test_world.connections++;
    test_world.fd++;
    return SQL_DONE;
}

static void test_explain(struct sql_conn *c)
{
    (void)c;
    test_note("explain");
}

static void test_close_conn(struct sql_conn *c)
{
    test_note("disconnect");
    test_world.connections--;
    test_world.transaction = false;
    free(c->handle);
    c->handle = NULL;
}

static int test_socket(struct sql_conn *c)
{
    (void)c;
    return test_world.fd;
}

/* --- statements --- */

static enum sql_outcome answer(struct sql_conn *c, const struct test_answer *a)
{
    struct test_conn *tc = c->handle;

    if (a->outcome != SQL_DONE)
        return fail(c, a);
    *tc = (struct test_conn){.values = a->values, .nfields = a->nfields, .rows_left = a->nrows};
    c->res.counter = a->nfields ? CNT_READ : a->affected ? CNT_WRITE : CNT_OTHER;
    c->res.nfields = a->nfields;
    c->res.nrows = a->nfields ? a->nrows : a->affected;
    c->res.ptr = a->nfields ? tc : NULL;
    c->more = a->more;
    return SQL_DONE;
}

static enum sql_outcome run(struct sql_conn *c, enum test_call call, const char *text)
{
    struct test_answer a = next_answer(call);

    if (a.outcome == SQL_DONE && strcmp(text, "BEGIN") == 0)
        test_world.transaction = true;
    if (a.outcome == SQL_DONE && (strcmp(text, "COMMIT") == 0 || strcmp(text, "ROLLBACK") == 0))
        test_world.transaction = false;
    return answer(c, &a);
}

static enum sql_outcome test_text_query(struct sql_conn *c, const char *text, size_t len)
{
    note("query", text, len);
    return run(c, TEST_QUERY, text);
}

static enum sql_outcome test_next(struct sql_conn *c)
{
    struct test_answer a = next_answer(TEST_NEXT);

    test_note("next");
    return answer(c, &a);
}

static bool test_fetch(struct sql_conn *c, enum sql_outcome *outcome)
{
    struct test_conn *tc = c->handle;

    (void)outcome;
    test_note("fetch");
    if (tc->rows_left == 0)
        return false;
    sql_row_reserve(c, tc->nfields);
    for (unsigned i = 0; i < tc->nfields; i++, tc->at++) {
        const char *v = tc->values[tc->at];
        c->values[i] = (sql_value){.len = v ? (uint32_t)strlen(v) : 0, .ptr = v};
    }
    tc->rows_left--;
    return true;
}

static void test_free(struct sql_conn *c)
{
    test_note("free");
    c->res.ptr = NULL;
}

static bool test_transaction_open(struct sql_conn *c)
{
    (void)c;
    return test_world.transaction;
}

static bool test_rollback(struct sql_conn *c)
{
    struct test_answer a = next_answer(TEST_ROLLBACK);

    (void)c;
    test_note("rollback");
    test_world.transaction = false;
    return a.outcome == SQL_DONE;
}

/* A refusal comes before the rows, any other failure behind them. */
static enum sql_outcome test_load(struct sql_conn *c, const char *text, size_t len,
                                  struct sql_feed *feed)
{
    struct test_answer a = next_answer(TEST_LOAD);
    size_t n = 1, room = 1;
    unsigned rows = 0;

    note("load", text, len);
    str_reset(&loaded);
    feed->begun = a.outcome != SQL_BUSY;
    for (; feed->begun && n > 0; room = room % 5000 + 37) { /* of all sizes */
        str_room(&loaded, room);
        n = feed->read(feed->arg, loaded.s + loaded.len, room);
        loaded.len += n;
    }
    for (size_t i = 0; i < loaded.len; i++)
        rows += loaded.s[i] == '\n';
    a.affected = a.affected ? a.affected : rows;
    return answer(c, &a);
}

static unsigned test_lex(struct sql_conn *c)
{
    (void)c;
    return SQL_LEX_MYSQL;
}

static void test_quote(void *conn, struct str *out, const char *bytes, size_t n)
{
    (void)conn;
    str_printf(out, "'%.*s'", (int)n, bytes);
}

static size_t placeholders(const struct sql_stmt *s)
{
    struct sql_template t;
    size_t n;

    sql_template_init(&t, s->query, s->query_len, SQL_LEX_MYSQL);
    n = t.nplaceholders;
    sql_template_fini(&t);
    return n;
}

static enum sql_outcome test_prepare_stmt(struct sql_stmt *s, bool first)
{
    struct test_answer a = next_answer(TEST_PREPARE);
    struct test_stmt *ts;

    note(first ? "prepare" : "prepare again", s->query, s->query_len);
    if (a.outcome != SQL_DONE)
        return fail(s->conn, &a);
    if (a.emulate) {
        s->emulated = true;
        return SQL_DONE;
    }
    ts = mem_alloc(sizeof *ts);
    snprintf(ts->text, sizeof ts->text, "%s", s->query);
    s->handle = ts;
    s->nplaceholders = placeholders(s);
    test_world.statements++;
    return SQL_DONE;
}

static int test_bind(struct sql_stmt *s)
{
    struct test_answer a = next_answer(TEST_BIND);

    note("bind", s->query, s->query_len);
    return fail(s->conn, &a) == SQL_DONE ? 0 : -1;
}

static enum sql_outcome test_execute(struct sql_stmt *s)
{
    const struct test_stmt *ts = s->handle;

    note("execute", ts->text, strlen(ts->text));
    return run(s->conn, TEST_EXECUTE, ts->text);
}

static void test_close(struct sql_stmt *s)
{
    struct test_stmt *ts = s->handle;

    note("close", ts->text, strlen(ts->text));
    free(ts);
    s->handle = NULL;
    test_world.statements--;
}

#define OPS                                                                                        \
    .connect = test_open_conn, .print_connect_error = test_explain, .disconnect = test_close_conn, \
    .socket = test_socket, .query = test_text_query, .next = test_next, .fetch = test_fetch,       \
    .free_result = test_free, .transaction_open = test_transaction_open,                           \
    .rollback = test_rollback, .lex = test_lex, .quote = test_quote, .prepare = test_prepare_stmt, \
    .bind = test_bind, .execute = test_execute, .close = test_close, .load = test_load,            \
    .hasty_select = "SELECT hastily", .wrong_count = {LOG_ALERT, "wrong count"}

static const struct sql_ops test_ops = {OPS};
static const struct sql_ops test_dry_ops = {.dry = true, OPS};

/* --- the drivers --- */

static const char *test_library(void)
{
    return "libscripted 1.0";
}

static int test_check(const struct sql_options *o, struct err *e)
{
    (void)o;
    return test_world.bad_options ? err_set(e, ERR_USAGE, "bad options") : 0;
}

static int test_open(const struct sql_options *o, const struct sql_ops **ops, void **cfg)
{
    (void)o;
    if (test_world.cannot_open)
        return -1;
    test_world.opened++;
    *ops = test_world.dry ? &test_dry_ops : &test_ops;
    *cfg = &test_world;
    return 0;
}

static void test_shut(void *cfg)
{
    (void)cfg;
    test_world.closed++;
}

static const struct sql_driver_class drivers[] = {
    {.names = {.sname = "scripted", .lname = "scripted driver"},
     .library = test_library,
     .check = test_check,
     .open = test_open,
     .close = test_shut,
     .entry = &test_world},
    {.names = {.sname = "spare", .lname = "spare driver"},
     .options = OPT_GROUP_PGSQL,
     .library = test_library,
     .check = test_check,
     .open = test_open,
     .close = test_shut,
     .entry = &answers},
};

const struct sql_driver_class *sql_class_at(size_t i)
{
    return i < test_world.ndrivers ? &drivers[i] : NULL;
}
