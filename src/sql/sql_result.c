/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rows of a result: one by one to the script, as text, and into the buffers bound to the
 * statement.
 */
#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "sql/sql_bind.h"
#include "sql/sql_driver.h"

static struct sql_conn *conn_of_result(sql_result *r)
{
    return (struct sql_conn *)((char *)r - offsetof(struct sql_conn, res));
}

sql_connection *sql_result_connection(sql_result *r)
{
    return &conn_of_result(r)->pub;
}

static void store_row(const struct sql_stmt *s, const sql_result *r)
{
    if (s->nresults != r->nfields) {
        log_alert("%zu result buffers are bound to a statement whose rows have %u columns",
                  s->nresults, (unsigned)r->nfields);
        return;
    }
    for (size_t i = 0; i < s->nresults; i++)
        sql_bind_store(&s->results[i], r->row.values[i].ptr, r->row.values[i].len);
}

sql_row *sql_fetch_row(sql_result *r)
{
    struct sql_conn *c = r ? conn_of_result(r) : NULL;
    const struct sql_stmt *s;

    if (!c || !c->open) {
        log_alert("attempt to fetch row from an invalid result set");
        return NULL;
    }
    if (r->nrows == 0) {
        log_alert("attempt to fetch row from an empty result set");
        return NULL;
    }
    if (!c->ops->fetch(c))
        return NULL;
    s = (const struct sql_stmt *)r->statement; /* pub is the first member */
    if (s && s->nresults)
        store_row(s, r);
    return &r->row;
}

int sql_free_results(sql_result *r)
{
    struct sql_conn *c = r ? conn_of_result(r) : NULL;

    if (!c || !c->open) {
        log_alert("attempt to free an invalid result set");
        return 1;
    }
    c->ops->free_result(c);
    c->open = false;
    return 0;
}

int sql_bind_result(sql_statement *pub, const sql_bind *results, size_t n)
{
    struct sql_stmt *s = (struct sql_stmt *)pub;

    if (!s || s->closed || (n > 0 && !results)) {
        log_alert(s && !s->closed ? "no result buffers to bind"
                                  : "attempt to bind results to a closed statement");
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        if (sql_bind_kind(results[i].type) == SQL_BIND_NULL) {
            log_alert("Unsupported type of result buffer %zu: %d", i + 1, (int)results[i].type);
            return 1;
        }
    }
    free(s->results);
    s->results = n ? mem_array(n, sizeof *results) : NULL;
    if (n)
        memcpy(s->results, results, n * sizeof *results);
    s->nresults = n;
    return 0;
}
