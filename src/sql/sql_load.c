/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sql_load(): a statement whose rows come from the client.  A server that does not do that (or may
 * not: local_infile = 0, a proxy) refuses it before it asks for the first row.  That is no failure:
 * the caller has other ways.
 */
#include "sql/sql.h"
#include "sql/sql_conn.h"
#include "sql/sql_waits.h"

static struct sql_conn *conn_of(sql_connection *c)
{
    return (struct sql_conn *)c; /* pub is the first member */
}

static int refused(struct sql_conn *c)
{
    sql_wait_over(c);
    c->reported = c->fail;
    c->pub.sql_errno = c->reported.errnum;
    c->pub.sql_state = c->reported.state;
    c->pub.sql_errmsg = c->reported.msg;
    return 1;
}

/* The driver's lines about a failure would quote the statement, which nobody wrote. */
static enum sql_outcome run_quietly(struct sql_conn *c, const char *text, size_t len,
                                    struct sql_feed *feed)
{
    unsigned manners = c->manners;
    enum sql_outcome v;

    c->manners |= DB_QUIET;
    c->feed = feed;
    v = c->ops->load(c, text, len, feed);
    c->feed = NULL;
    c->manners = manners;
    return v;
}

int sql_load(sql_connection *pub, const char *text, size_t len, struct sql_feed *feed,
             uint64_t *rows)
{
    struct sql_conn *c = conn_of(pub);
    enum sql_outcome v;

    if (!sql_conn_begin(c))
        return -1;
    if (!c->ops->load || !c->host->loads)
        return 1;
    c->source = NULL;
    c->res.statement = NULL;
    feed->begun = false;
    v = run_quietly(c, text, len, feed);
    if (v != SQL_DONE && !feed->begun && !c->fail.lost)
        return refused(c);
    sql_conn_finish(c, v);
    *rows = c->res.nrows;
    return v == SQL_DONE ? 0 : -1;
}

bool sql_runs_again(const sql_connection *pub)
{
    enum error_action action = ((const struct sql_conn *)pub)->reported.action;

    return pub->error == DB_ERROR_IGNORABLE &&
           (action == ACTION_RETRY || action == ACTION_RECONNECT);
}

enum error_class sql_error_class(const sql_connection *pub)
{
    return ((const struct sql_conn *)pub)->reported.class;
}
