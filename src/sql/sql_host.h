/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a connection is given by the client that it works for: counters, a clock, and a say in what
 * takes time.  For sql.h and the drivers behind it.
 */
#ifndef SB_SQL_SQL_HOST_H
#define SB_SQL_SQL_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "sql/sql_policy.h"
#include "stats/counters.h"
#include "stats/stmt_stats.h"

/* A failure of a statement or of a connection attempt, whatever follows from it. */
struct sql_error {
    int errnum;
    const char *state, *text; /* valid during the call */
    enum error_class class;
    enum error_action action; /* what follows from it */
    bool lost;  /* an established connection is gone; connected() tells when it is back */
    int server; /* at which it happened, of the list; -1: there is no list of them */
};

enum sql_presence { SQL_ARRIVED, SQL_LEFT, SQL_CLOSED };

/* The client that a connection works for.  All functions may be NULL. */
struct sql_host {
    void *arg;
    struct counters *counters;           /* never NULL */
    struct stmt_stats_shard *stmt_stats; /* NULL: statements are not timed */
    /* From now on calls that wait for the network end after d (0: no limit); that has happened. */
    void (*limit)(void *arg, dur_ns d);
    bool (*waits_over)(void *arg);
    bool (*keep_trying)(void *arg);     /* false once the run has ended: stop reconnecting */
    void (*pause)(void *arg, dur_ns d); /* sleep between attempts, woken when the run ends */
    mono_ns (*now)(void *arg);          /* the clock; NULL: clock_mono() */
    /* A connection attempt begins (false: do not, the run has ended) or has ended with this socket
     * (-1: it failed). */
    bool (*connecting)(void *arg, bool begins, int fd);
    void (*connected)(void *arg, int fd); /* a connection is up; its socket, -1 unknown */
    /* where in the list of servers its next connection begins (sql_servers.h); NULL: connections
     * take turns, and auxiliary ones begin at the first or at --server-host */
    uint64_t (*place)(void *arg);
    /* With a list: this connection is up at that server (before connected()), or no longer, or is
     * closed for good (-1: after a loss). */
    void (*at_server)(void *arg, const void *connection, int server, enum sql_presence p);
    /* a lost connection is up again: how long this attempt took, and since when it was away */
    void (*reconnected)(void *arg, dur_ns took, dur_ns away);
    /* the first connection cannot be made: try again after a pause? */
    bool (*refused)(void *arg, int errnum);
    /* each failure, once; not that a listen queue was full, which is retried */
    void (*error)(void *arg, const struct sql_error *e);
    /* a failure that does not end the run has been dealt with: the transaction was rolled back, or
     * the connection replaced.  Not for those of a connection attempt.  `holds`: the script does
     * that itself, so locks may be held: no time to pause */
    void (*after_error)(void *arg, enum error_action action, bool holds);
    /* the connection was lost before the answer to a COMMIT: it is not known whether it was done */
    void (*commit_lost)(void *arg);
    uint64_t (*random)(void *arg); /* draws from the client's stream, where stock does */
    /* Statements are counted by their first word, as in 0.4 and 0.5, and not by what they did. */
    bool by_word;
    /* Connections may run sql_load(): the server may ask them for rows, and for nothing else. */
    bool loads;
    bool auxiliary; /* belongs to no client: its failures are not the run's */
};

#endif
