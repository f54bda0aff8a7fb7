/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the server calls the connections of this process (MySQL's connection id, the process id of
 * PostgreSQL's backend), so that they can be told from those of others.  Nothing is kept unless
 * somebody asks for it.
 *
 * A connection that was closed stays in the list for a minute, unless more than SQL_SESSIONS_CLOSED
 * were closed since: the server may need a while to notice, above all where it still executes a
 * statement that was given up.
 *
 * Of several load hosts, each tells the leader of those that are up, a second late at most; there
 * they are ours, too.
 *
 * Of each it is noted how many statements the server has counted: those that were sent are the most
 * that it can be, those that were answered the least.
 */
#ifndef SB_SQL_SQL_SESSIONS_H
#define SB_SQL_SQL_SESSIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct get; /* cluster/codec.h */

#define SQL_SESSIONS_CLOSED 4096

/* What a server counts: MySQL's Questions, PostgreSQL's transactions.  Neither number decreases,
 * but `sent` where the server turns out not to have counted.  A connection's thread writes. */
struct sql_session {
    _Atomic uint64_t sent, answered;
};

/* So many that nothing can be told, for what is not known to be few. */
#define SQL_SENT_MANY (UINT64_C(1) << 48)

struct sql_work {
    uint64_t sent, answered;
    uint64_t logins;
    bool several; /* servers: who counted what is not known */
};

/* From now on connections are noted, or no longer, and then all are forgotten.  Main thread, while
 * there is no connection. */
void sql_sessions_keep(bool on);

/* A connection is up at that server of the list (-1: there is no list).  NULL: nothing is kept.
 * Any thread, as for the next two. */
struct sql_session *sql_session_add(uint64_t id, int server);
void sql_session_end(struct sql_session *s); /* NULL is allowed */

/* Initialise with {0}; the list belongs to it, to be freed with free(). */
struct sql_ids {
    int64_t *id; /* ascending */
    size_t n;
    size_t up;     /* how many are not closed */
    bool changing; /* other load hosts may have some that they have not told of */
};

/* For qsort and bsearch, of such ids and of records that begin with one. */
int sql_ids_order(const void *a, const void *b);

/* The ids of the connections to that server, and all that other load hosts told of. */
void sql_sessions_list(int server, struct sql_ids *out);

/* Into a message of this rank, if there were new ones since it `told`, 0 at first; out of one;
 * `in` NULL: the rank is lost. */
void sql_sessions_put(struct str *out, uint64_t *told);
void sql_sessions_get(int rank, struct get *in);

/* What the server counted of all connections since sql_sessions_keep(), also of those that were
 * closed. */
struct sql_work sql_sessions_work(void);

#endif
