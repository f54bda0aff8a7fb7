/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See server_statements.h.
 */
#include "session/server_statements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "report/text.h"
#include "session/answers.h"
#include "session/sql_texts.h"

#define PLAIN_SHARE 0.5 /* of the time; and what is examined for each row that is returned: */
#define PLAIN_TIMES 100
#define OFTEN       100        /* of so many calls one, at least */
#define EVER        2000000000 /* seconds */
#define AT_ONCE     20         /* lists, and one more each second: they cost the server CPU */

/* Columns of an answer: what changes when the server forgets the statement and begins anew, is it a
 * sum of several, text (NULL: it is about statistics), and the figures in their order. */
enum { KEY, SEVERAL, TEXT, FIGURES, COLUMNS = FIGURES + STATEMENT_FIGURES };

static int by_key(const void *a, const void *b)
{
    const struct status_statement *x = a, *y = b;

    return strcmp(x->key, y->key);
}

static const struct status_statement *find(const struct server_statements *t,
                                           const struct status_statement *v)
{
    return t && t->n ? bsearch(v, t->row, t->n, sizeof *v, by_key) : NULL;
}

bool server_statements_take(struct server_statements *t, const struct server_statements *first,
                            const sql_value *column, size_t columns)
{
    struct status_statement r = {0};
    double several;

    if (columns < COLUMNS || !column[KEY].ptr || !answer_number(&column[SEVERAL], &several))
        return false;
    for (int i = 0; i < STATEMENT_FIGURES; i++)
        if (!answer_number(&column[FIGURES + i], &r.v[i]))
            r.v[i] = NAN;
    r.several = several > 0;
    r.key = mem_strndup(column[KEY].ptr, column[KEY].len);
    const struct status_statement *was = find(first, &r);
    if (was && was->calls == r.calls) {
        free((void *)r.key);
        return true;
    }
    if (column[TEXT].ptr)
        r.text = mem_strndup(column[TEXT].ptr, column[TEXT].len);
    t->row = mem_append(t->row, t->n, sizeof *t->row);
    t->row[t->n++] = r;
    return true;
}

/* Why there is no answer. */
static const char *refused(const sql_connection *con, bool mysql)
{
    return !con || answers_lost(con) ? "the server did not answer"
           : !mysql ? "it takes CREATE EXTENSION pg_stat_statements, and its name in "
                      "shared_preload_libraries"
           : con->sql_errno == 1142 /* ER_TABLEACCESS_DENIED_ERROR */
               ? "it takes GRANT SELECT ON performance_schema.* for this user, and "
                 "performance_schema=ON at the start of the server"
               : "the server refused the query for its statements";
}

void server_statements_list(struct statement_lists *l, sql_connection *con, bool mysql, bool last,
                            double *asked)
{
    struct server_statements *t = &l->of[l->n], *first = l->n && !last ? l->of : NULL;
    mono_ns begin = clock_mono();
    struct str question = STR_INIT;

    if (first && (first->why || l->n == STATEMENT_LISTS - 1 ||
                  l->n >= AT_ONCE + (size_t)dur_sec(begin - first->at)))
        return;
    sql_result *res =
        mysql || !con ? NULL : sql_query(con, SQL_STATEMENTS_NAMES, strlen(SQL_STATEMENTS_NAMES));
    *asked += res != NULL; /* PostgreSQL counts transactions that are committed */
    if (mysql && con)
        str_printf(&question, SQL_STATEMENTS_MYSQL, SQL_STATEMENTS_FIGURES,
                   first ? 2 + (int)dur_sec(begin - first->at) : EVER);
    for (sql_row *row; (row = answer_row(res)) != NULL;)
        str_printf(&question, SQL_STATEMENTS_PGSQL, (int)row->values[1].len, row->values[1].ptr,
                   (int)row->values[0].len, row->values[0].ptr, last ? "true" : "false");
    begin = clock_mono();
    res = question.len ? sql_query(con, str_cstr(&question), question.len) : NULL;
    *asked += mysql || res;
    t->at = begin + (clock_mono() - begin) / 2;
    if (!res)
        t->why = refused(con, mysql);
    for (sql_row *row; (row = answer_row(res)) != NULL;)
        if (!server_statements_take(t, first, row->values, res->nfields))
            t->why = "the server's answer about statements is not understood";
    str_free(&question);
    if (t->n)
        qsort(t->row, t->n, sizeof *t->row, by_key);
    l->n++;
}

void server_statements_free(struct statement_lists *l)
{
    for (struct server_statements *t = l->of; t < l->of + l->n; t++) {
        for (size_t i = 0; i < t->n; i++) {
            free((void *)t->row[i].key);
            free((void *)t->row[i].text);
        }
        free(t->row);
    }
    *l = (struct statement_lists){.n = 0};
}

/* --- the difference, and what it says --- */

static int longest_first(const void *a, const void *b)
{
    const struct status_statement *x = a, *y = b;

    return (x->time_s < y->time_s) - (x->time_s > y->time_s);
}

/* It can be the run's: statements of others that took long are few, or began before the span did.
 */
static bool ours(const struct status_statements *s, const struct status_statement *v)
{
    static const char *const word[] = {"SELECT", "WITH",    "INSERT", "UPDATE",
                                       "DELETE", "REPLACE", "MERGE"};
    bool rows = false;

    for (size_t i = 0; i < COUNT(word); i++)
        rows |= strncasecmp(v->text, word[i], strlen(word[i])) == 0;
    return rows && !v->several && v->calls >= s->calls / OFTEN &&
           v->time_s <= v->calls * dur_sec(s->known);
}

/* One statement has most of the time, and looks at far more than it returns: so many rows, or
 * buffers (which the server counts for the rows that it finds in them, and for those that it does
 * not want). */
static void conclude(struct status_statements *s)
{
    const struct status_statement *v = s->of;
    const bool examined = isfinite(v->examined);
    const double rows = v->rows / v->calls, whole = round(rows),
                 looks = (examined ? v->examined : v->hits + v->reads) / v->calls;
    bool returns = strncasecmp(v->text, "SELECT", 6) == 0 || strncasecmp(v->text, "WITH", 4) == 0;
    char at[TEXT_GROUPED_SIZE], of[TEXT_GROUPED_SIZE];

    if (!ours(s, v) || v->time_s < PLAIN_SHARE * s->time_s ||
        !(looks >= PLAIN_TIMES * (rows > 1 ? rows : 1)))
        return;
    if (rows < 0.5)
        snprintf(of, sizeof of, "%.1g", rows);
    else
        text_grouped(of, (uint64_t)whole);
    snprintf(s->says, sizeof s->says,
             "%.0f%% of the server's statement time is in %s: it %s %s %s to %s %s%s row%s",
             floor(100 * v->time_s / s->time_s), v->text, examined ? "examines" : "reads",
             text_grouped(at, (uint64_t)llround(looks)), examined ? "rows" : "buffers",
             returns ? "return" : "change",
             rows >= 0.5 && fabs(rows - whole) > 0.005 * whole ? "about " : "", of,
             strcmp(of, "1") == 0 ? "" : "s");
}

/* What grew, with its text, in `grew`.  False: something fell, or is gone, which only grows. */
static bool subtract(const struct statement_lists *l, size_t from, size_t to,
                     struct server_statements *grew)
{
    const struct server_statements *before = &l->of[from], *after = &l->of[to],
                                   *last = &l->of[l->n - 1];
    bool grows = true;

    for (size_t i = 0; i < before->n; i++)
        grows &= find(from ? after : last, &before->row[i]) != NULL;
    grew->row = mem_array(after->n + 1, sizeof *grew->row);
    for (size_t i = 0; i < after->n; i++) {
        struct status_statement *v = &grew->row[grew->n];
        *v = after->row[i];
        const struct status_statement *was = find(before, v), *told = find(last, v);
        v->text = told ? told->text : NULL;
        was = was ? was : find(l->of, v);
        for (int f = 0; was && f < STATEMENT_FIGURES; f++)
            grows &= !((v->v[f] -= was->v[f]) < -1e-6); /* sums of doubles; NaN is none */
        grew->n += v->text && v->calls > 0;
    }
    return grows;
}

void server_statements_diff(const struct statement_lists *l, size_t from, size_t to, bool mysql,
                            struct status_statements *out)
{
    const struct server_statements *a = &l->of[from], *b = &l->of[to], *last = &l->of[l->n - 1];
    struct server_statements grew = {0};

    *out = (struct status_statements){.why = a->why   ? a->why
                                             : b->why ? b->why
                                                      : last->why,
                                      .known = b->at - a->at};
    if (!out->why && !subtract(l, from, to, &grew))
        out->why = mysql ? "the server's statistics of statements were reset in between, or "
                           "its clock was set"
                         : "pg_stat_statements was reset in between, or had to drop statements: "
                           "raise pg_stat_statements.max";
    else if (!out->why && !grew.n)
        out->why = from || b < last ? "the server counted no statement in it"
                   : mysql ? "the server counted no statement: it takes performance_schema=ON at "
                             "its start, and the consumer statements_digest"
                           : "the server counted no statement: pg_stat_statements.track may be "
                             "none";
    if (!out->why) {
        qsort(grew.row, grew.n, sizeof *grew.row, longest_first);
        for (size_t i = 0; i < grew.n; i++) {
            out->calls += grew.row[i].calls;
            out->time_s += grew.row[i].time_s;
            if (i < STATEMENTS_LISTED)
                out->of[out->n++] = grew.row[i];
        }
        out->statements = grew.n;
        conclude(out);
    }
    free(grew.row);
}
