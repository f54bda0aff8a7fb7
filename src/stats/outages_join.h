/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Outages of several load hosts as one list.  Those that overlap, or follow each other within
 * OUTAGE_MERGE, are one outage: it begins with the first error of any host and is over when it is
 * over for all.  Its longest time without a success is that in which no host that it met had one;
 * if there is none, the longest of a single host.  A pure function.
 */
#ifndef SB_STATS_OUTAGES_JOIN_H
#define SB_STATS_OUTAGES_JOIN_H

#include "stats/outages.h"

/* Joins `more` into the n rows of row[OUTAGES_MAX], both in the order of time; how many there are
 * now.  *beyond grows by those without a row. */
size_t outages_join(struct outage row[OUTAGES_MAX], size_t n, const struct outage *more,
                    size_t nmore, size_t *beyond);

#endif
