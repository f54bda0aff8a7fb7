/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A test of the SQL floor as a story, which a golden file has (base/test_golden.h): for each call
 * of a script a line with the calls of the driver that it led to, and below it what is new since
 * the last one: the error that the script sees, what was counted, what the host was told.
 *
 *     c = test_session(true);
 *     ANSWERS({TEST_QUERY, SQL_LOST, .errnum = 2013}, {TEST_CONNECT, SQL_BUSY});
 *     ask(c, "SELECT 1");
 *     scene(c, "a connection that is lost");
 *
 * Only *_test.c files include this.
 */
#ifndef SB_SQL_TEST_STORY_H
#define SB_SQL_TEST_STORY_H

#include "base/log.h"
#include "base/test.h"
#include "base/test_capture.h"
#include "base/test_golden.h"
#include "sql/test_driver.h"

static const char *const letters[] = {"a", NULL, "", "d"};

/* Of an answer: two rows of two columns. */
#define ROWS .values = letters, .nfields = 2, .nrows = 2

static struct str story;
static struct test_world heard; /* as it was when the last line was told */

static inline void more(const char *what, uint64_t now, uint64_t before)
{
    if (now != before)
        str_printf(&story, "    %s +%d\n", what, (int)(now - before));
}

/* Since the last time; c may be NULL. */
static inline void tell(const sql_connection *c)
{
    static const char *const counted[CNT_MAX] = {[CNT_OTHER] = "other",
                                                 [CNT_READ] = "reads",
                                                 [CNT_WRITE] = "writes",
                                                 [CNT_ERROR] = "errors",
                                                 [CNT_COMMIT] = "ends of transactions",
                                                 [CNT_RECONNECT] = "reconnects"};
    static const char *const actions[] = {"listed", "retry", "reconnect", "fail", "fatal"};
    const struct test_world *w = &test_world;
    const char *calls = test_calls();

    str_printf(&story, "%s\n", *calls ? calls : "(nothing)");
    if (c && c->error)
        str_printf(&story, "    %s: %d, %s, %s\n",
                   c->error == DB_ERROR_FATAL ? "fatal" : "ignorable", c->sql_errno,
                   c->sql_state ? c->sql_state : "no state",
                   c->sql_errmsg ? c->sql_errmsg : "no text");
    for (int k = 0; k < CNT_MAX; k++)
        if (counted[k])
            more(counted[k], counters_get(&w->counters, k), counters_get(&heard.counters, k));
    if (w->nerrors != heard.nerrors)
        str_printf(&story, "    told of %d: error %d, %s, %s%s\n",
                   (int)(w->nerrors - heard.nerrors), w->error.errnum,
                   error_class_name(w->error.class), actions[w->error.action],
                   w->error.lost ? ", lost" : "");
    if (w->nafter_error != heard.nafter_error)
        str_printf(&story, "    goes on: %s%s\n", actions[w->after_error],
                   w->holds ? ", may hold locks" : "");
    more("commits of unknown outcome", w->ncommits_lost, heard.ncommits_lost);
    more("attempts to connect", w->nconnecting, heard.nconnecting);
    more("attempts that do not end", w->nconnecting - w->nended, heard.nconnecting - heard.nended);
    if (w->nconnected != heard.nconnected)
        str_printf(&story, "    up, socket %d\n", w->connected_fd);
    if (w->nreconnected != heard.nreconnected)
        str_printf(&story, "    back, after an attempt of %d ms\n", (int)(w->took / NS_PER_MS));
    heard = *w;
}

static inline void say(const char *text)
{
    str_printf(&story, "%s%s", text, *text && text[strlen(text) - 1] != '\n' ? "\n" : "");
}

/* What was printed since capture(). */
static inline void say_captured(void)
{
    say(captured());
}

static inline sql_result *ask(sql_connection *c, const char *text)
{
    sql_result *r = test_query(c, text);

    tell(c);
    return r;
}

static inline sql_result *execute(sql_statement *s)
{
    sql_result *r = sql_execute(s);

    tell(s->connection);
    return r;
}

/* The end of the connection, unless it is NULL, and of the scene. */
__attribute__((format(printf, 2, 3))) static inline void scene(sql_connection *c, const char *title,
                                                               ...)
{
    char text[200];
    va_list ap;

    va_start(ap, title);
    vsnprintf(text, sizeof text, title, ap);
    va_end(ap);
    int before = test_failures;
    CHECK(test_end(c));
    if (test_failures > before)
        printf("in: %s\n", text);
    golden(&story, "%s", text);
    memset(&heard, 0, sizeof heard);
}

#endif
