/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Asks the server for the limit that ended a run: "max_connections is 20 on this server" helps more
 * than that it is too low.  The clients have disconnected by then, but the server may not have
 * noticed all of that yet, so a refused connection is tried again for a moment.
 */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "sql/sql.h"
#include "sql/sql_conn.h"
#include "sql/sql_hint.h"

#define ATTEMPTS  40
#define PAUSE     (50 * NS_PER_MS)
#define LIMIT_LEN 32

static bool connect_to(struct sql_conn *c)
{
    _Atomic uint32_t never = 0;

    for (int i = 0; i < ATTEMPTS; i++) {
        if (c->ops->connect(c, true) == SQL_DONE) {
            c->state = SQL_STATE_UP;
            return true;
        }
        clock_sleep_until(clock_mono() + PAUSE, &never, 0);
    }
    return false;
}

static bool read_limit(struct sql_conn *c, const char *query, char value[LIMIT_LEN])
{
    sql_result *r = sql_query(&c->pub, query, strlen(query));
    const sql_row *row = r && r->nrows > 0 && r->nfields > 0 ? sql_fetch_row(r) : NULL;

    if (!row || !row->values[0].ptr)
        return false;
    snprintf(value, LIMIT_LEN, "%.*s", (int)row->values[0].len, row->values[0].ptr);
    return true;
}

bool sql_limit(char *out, size_t size)
{
    struct counters counters = {0};
    struct sql_host host = {.counters = &counters, .auxiliary = true};
    const struct sql_limit_of *of;
    struct sql_driver_slot *d;
    struct sql_failure why;
    struct sql_conn *c;
    char value[LIMIT_LEN];
    bool known;

    if (!sql_first_failure(&why, &d) || !(of = sql_hint_limit(why.errnum, why.msg)))
        return false;
    log_mute_thread(true);
    c = sql_conn_new(d, &host);
    c->manners = DB_QUIET;
    known = connect_to(c) && read_limit(c, of->query, value);
    sql_connection_free(&c->pub);
    log_mute_thread(false);
    if (known)
        snprintf(out, size, "%s is %s on this server", of->name, value);
    return known;
}
