/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The outages of a run: when the server was away, when it was back, and when the load was as before
 * again.
 *
 *     first error                       connections back     backlog drained
 *          |------------ no success -------|--x---------x---------x|
 *                                       success                   over
 *
 * An outage begins with an error of a connection, a server that shuts down or is read-only, or a
 * cluster that cannot take statements.  It is over when a transaction succeeded, all connections
 * that were lost are back, and transactions begin in time again.  `success` is the one that ended
 * the longest time without any: in the first moments of an outage some may still succeed.
 *
 * An error within OUTAGE_MERGE after the end continues the same outage.  A client that was idle
 * all the time finds its dead connection later: that is counted there, too.
 *
 * Clients call outages_error(), outages_connected() and, once outages_seen() is true,
 * outages_success(); without an outage a client's transaction costs one load of a flag.  Time is an
 * argument.  Any thread.
 */
#ifndef SB_STATS_OUTAGES_H
#define SB_STATS_OUTAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "stats/hist.h"

#define OUTAGES_MAX  16
#define OUTAGE_MERGE NS_PER_SEC

/* The accounts at an instant; all only grow. */
struct outage_counts {
    uint64_t offered, done, failed, dropped, late;
};

struct outage {
    mono_ns first_error, last_error;
    mono_ns silent_from, success; /* the longest time without a success; success 0: not ended */
    mono_ns connected; /* the last of the lost connections was back; 0: none was lost, or not yet */
    /* a transaction that began after `success` and the last error did so in time; 0: not yet */
    mono_ns drained;
    mono_ns over;                       /* 0: not yet */
    uint64_t errors;                    /* of the classes above */
    unsigned lost;                      /* connections */
    dur_ns in_time;                     /* a start not later than this is in time */
    struct outage_counts before, after; /* at first_error, and when it was over */
};

/* Reads the accounts; with in_time, also how late a start may be that counts as one in time. */
typedef void outage_count(void *arg, mono_ns now, struct outage_counts *c, dur_ns *in_time);

struct outages; /* opaque */

struct outages *outages_new(outage_count *count, void *arg);
void outages_free(struct outages *o); /* NULL is allowed */

/* `lost`: an established connection of a client that has done nothing since `idle_since`. */
void outages_error(struct outages *o, mono_ns now, bool lost, mono_ns idle_since);

/* The same before measuring began: it belongs to the next outage, if it is not back before. */
void outages_lost(struct outages *o);

/* A connection that was lost is up again. */
void outages_connected(struct outages *o, mono_ns now);

/* A transaction succeeded; only once outages_seen(). */
void outages_success(struct outages *o, mono_ns planned, mono_ns begun, mono_ns ended);

/* The outages until now, up to OUTAGES_MAX; *more: how many there were beside them.  `away` are
 * connections that are lost at the moment. */
size_t outages_read(struct outages *o, mono_ns now, struct outage out[OUTAGES_MAX], size_t *more,
                    unsigned *away);

unsigned outages_away(struct outages *o); /* those alone */

/* Adds the latencies, from the planned start on, of transactions that were planned in an outage or
 * in flight when it began, and of those after the first outage and in none. */
void outages_latencies(struct outages *o, struct hist_counts *during, struct hist_counts *after);

/* True from the first outage on. */
static inline bool outages_seen(const struct outages *o)
{
    _Atomic bool *seen = (void *)(uintptr_t)o; /* its first member */

    return __builtin_expect(atomic_load_explicit(seen, memory_order_acquire), 0);
}

extern const struct record outage_record; /* its members (base/record.h) */

/*
 * Outages of several load hosts as one list.  Those that overlap, or follow each other within
 * OUTAGE_MERGE, are one outage: it begins with the first error of any host and is over when it is
 * over for all.  Its longest time without a success is that in which no host that it met had one;
 * if there is none, the longest of a single host.
 *
 * Joins `more` into the n rows of row[OUTAGES_MAX], both in the order of time; how many there are
 * now.  *beyond grows by those without a row. */
size_t outages_join(struct outage row[OUTAGES_MAX], size_t n, const struct outage *more,
                    size_t nmore, size_t *beyond);

#endif
