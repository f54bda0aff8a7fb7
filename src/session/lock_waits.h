/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-status: which sessions of ours wait for a lock, and who blocks them.  The question lists
 * all sessions that wait, each with one session that it waits for: one of others if there is one,
 * else one that holds the lock, else any.  Whoever is at the end of that chain, and does not wait,
 * blocks.  PostgreSQL tells of all heavyweight locks, InnoDB of those of rows; that a session waits
 * for a metadata lock or another one above InnoDB is known, and not for whom.
 */
#ifndef SB_SESSION_LOCK_WAITS_H
#define SB_SESSION_LOCK_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "sql/sql_types.h"

enum lock_dialect {
    LOCKS_PGSQL,
    LOCKS_INNODB,      /* MariaDB, MySQL 5: information_schema */
    LOCKS_PERFORMANCE, /* MySQL from 8 on: performance_schema */
};

struct lock_wait {
    int64_t id, blocker; /* -1: not known; 0: a transaction that is prepared has no session */
    bool ours, blocker_ours, row;
};

/* Initialise with {0}; `row` belongs to it. */
struct lock_waits {
    struct lock_wait *row;
    size_t n, room;
};

/* `ids` are ours, not empty. */
void lock_waits_question(struct str *out, enum lock_dialect d, const char *ids);

/* Why a server with these tables refused the question, by the code of its error; constant.  Of
 * several questions, `before` is the reason of the one before. */
const char *lock_waits_refused(enum lock_dialect d, int code, const char *before);

/* A row of the answer.  False: it is none. */
bool lock_waits_take(struct lock_waits *w, const sql_value *column, size_t columns);

/* Sessions of ours: that wait, of these for the lock of a row, and behind a session of others. */
struct lock_waits_seen {
    unsigned waiting, rows, behind;
    int64_t blocker; /* the session of others that most of them are behind; -1: there is none */
};

/* Sorts the rows. */
struct lock_waits_seen lock_waits_seen(struct lock_waits *w);
void lock_waits_free(struct lock_waits *w);

/* Who the blocker is: its name, its state and for how many seconds it has been in it; and the
 * words: "pid 12, psql, idle in transaction for 12 s".  `column` NULL: there is no answer. */
void lock_waits_who_question(struct str *out, bool mysql, int64_t blocker);
void lock_waits_who(char *out, size_t size, bool mysql, int64_t blocker, const sql_value *column,
                    size_t columns);

#endif
