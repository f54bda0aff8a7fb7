/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-status: what our sessions do in the server at this moment, by its own words.  One
 * question lists all sessions that execute a statement, each with what it waits for, and of those
 * that wait for a lock who is in their way.  Whoever is at the end of that chain, and does not
 * wait, blocks.
 *
 * PostgreSQL tells of each wait, and of all heavyweight locks.  MySQL's performance schema tells of
 * waits if it is told to (events_waits_current); else a session has a state, which says that it
 * commits, or waits for a lock, and little more: for a server of this machine, the kernel says
 * whether its thread runs, reads or sleeps.  Who holds a lock is known of rows only.
 */
#ifndef SB_SESSION_SERVER_WAITS_H
#define SB_SESSION_SERVER_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/sql_sessions.h"
#include "sql/sql_types.h"
#include "telemetry/waits.h"

/* How to ask; a server that refuses one question may answer the next. */
enum wait_dialect {
    WAITS_PGSQL,
    WAITS_MARIADB,     /* information_schema, which knows the kernel's numbers of threads */
    WAITS_MYSQL5,      /* and does not */
    WAITS_PERFORMANCE, /* MySQL from 8 on: performance_schema */
};

struct session_wait {
    int64_t id;
    pid_t thread; /* of the kernel; 0: not known */
    enum wait_class class;
    char name[WAIT_NAME_SIZE];
    bool ours;
    bool told;    /* false: the server does not say whether it waits */
    bool blind;   /* it waits for a lock, and the server does not tell who holds it */
    int64_t root; /* of ours, it waits for a lock behind this one of ours, -1: a circle; or 0 */
    char own[24]; /* "checkpointer": one of the server's own; "" */
};

/* blocker 0: a transaction that is prepared has no session */
struct wait_pair {
    int64_t id, blocker;
    unsigned char kind; /* 1: InnoDB's lock of a table, as for AUTO_INCREMENT; 2: metadata lock */
};

/* Initialise with {0}; the lists belong to it. */
struct server_waits {
    struct session_wait *session;
    struct wait_pair *pair;
    size_t sessions, pairs;
    bool worker;      /* of a parallel query, anybody's */
    int64_t *blocker; /* for each of ours behind a session of others that one, sorted */
    size_t blockers;
};

const char *server_waits_question(enum wait_dialect d);

/* Why a server refused the question, by the code of its error; constant.  Of several questions,
 * `before` is the reason of the one before. */
const char *server_waits_refused(enum wait_dialect d, int code, const char *before);

/* A row of the answer.  False: it is none. */
bool server_waits_take(struct server_waits *w, enum wait_dialect d, const sql_value *column,
                       size_t columns);

/* After the last row: which are ours, and what blocks them.  Returns the session of others that
 * most of them are behind; -1: there is none.  Sorts the rows by id. */
int64_t server_waits_see(struct server_waits *w, const struct sql_ids *ours);

/* May its thread tell more?  The server's words stay until it runs again: what it waited for is
 * there, but no CPU for it yet.  Not so of locks, whose time the server counts as well. */
static inline bool server_waits_ask_thread(const struct session_wait *s)
{
    return s->ours && s->thread &&
           (!s->told || (s->class != WAIT_CPU && s->class != WAIT_ROW && s->class != WAIT_LOCK));
}

/* What the thread of such a session does. */
void server_waits_thread(struct session_wait *w, enum thread_does does, enum thread_file file);

void server_waits_clear(struct server_waits *w);
void server_waits_free(struct server_waits *w);

/* Who the blocker is: "pid 12, psql, idle in transaction for 12 s", by an answer to SQL_WHO_x, in
 * one value.  `is` NULL: there is none. */
void server_waits_who(char *out, size_t size, bool mysql, int64_t blocker, const sql_value *is,
                      size_t columns);

#endif
