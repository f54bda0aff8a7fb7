/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Statements by kind against a server: the rows that each returned or changed, and that the
 * ROLLBACK which follows an ignored error is timed as a statement that the server did.  Only the
 * sql_*_test.c programs include this, after sql_api_test.h.
 */
#ifndef SB_SQL_SQL_KINDS_TEST_H
#define SB_SQL_SQL_KINDS_TEST_H

#include "stats/stmt_stats.h"

static const struct stmt_figures *kind_of(const struct stmt_figures *f, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (f[i].text && strcmp(f[i].text, text) == 0)
            return &f[i];
    return NULL;
}

static void test_kinds(void)
{
    static const struct {
        const char *text, *kind; /* NULL: prepared, as it is written */
        uint64_t rows, errors;
    } t[] = {
        {"INSERT INTO sb_sqltest1 VALUES (1,1),(2,1),(3,1)", "INSERT INTO sb_sqltest1 VALUES (...)",
         3, 0},
        {"INSERT INTO sb_sqltest1 VALUES (4,1)", NULL, 1, 0},
        {"UPDATE sb_sqltest1 SET n=2 WHERE id<3", "UPDATE sb_sqltest1 SET n=? WHERE id<?", 2, 0},
        {"UPDATE sb_sqltest1 SET n=3", NULL, 4, 0},
        {"SELECT id FROM sb_sqltest1", "SELECT id FROM sb_sqltest1", 4, 0},
        {"SELECT n FROM sb_sqltest1 WHERE id<3", NULL, 2, 0},
        {"DELETE FROM sb_sqltest1 WHERE id=99", "DELETE FROM sb_sqltest1 WHERE id=?", 0, 0},
        {"BEGIN", "BEGIN", 0, 0},
        {"INSERT INTO sb_sqltest1 (id) VALUES (1)", "INSERT INTO sb_sqltest1 (id) VALUES (?)", 0,
         1}};
    struct stmt_stats *stats = stmt_stats_new(1);
    struct stmt_figures f[STMT_KINDS_MAX];
    struct sql_host timed = host;
    const struct stmt_figures *k;
    size_t n;

    sql_connection *c = session(true, "all");
    dialect_table(c, "sb_sqltest1", "id INT PRIMARY KEY, n INT");
    sql_connection_free(c);
    timed.stmt_stats = stmt_stats_shard(stats, 0);
    c = sql_connect(sql_driver_get(NULL), &timed);
    for (size_t i = 0; c && i < sizeof t / sizeof *t; i++) {
        sql_statement *s;
        if (t[i].kind) {
            query(c, t[i].text);
            continue;
        }
        s = prepare(c, t[i].text);
        sql_execute(s);
        sql_statement_free(s);
    }
    n = stmt_stats_figures(stats, f);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        k = kind_of(f, n, t[i].kind ? t[i].kind : t[i].text);
        CHECK(k && k->count == 1);
        if (!k)
            continue;
        CHECK_INT(k->rows, t[i].rows);
        CHECK_INT(k->errors, t[i].errors);
    }
    k = kind_of(f, n, "ROLLBACK");
    CHECK(k && k->count == 1 && k->errors == 0);
    end(c);
    stmt_stats_free(stats);
}

#endif
