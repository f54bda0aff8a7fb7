/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the time of a transaction went to, on average over a report:
 *
 *     response = lag + service
 *     service + failed = on a CPU + waiting for a CPU + each class of waits + rest
 *
 * As CPU time, that of transactions that failed or were withdrawn is of those that were done. These
 * times are measured.  So is CPU, where the threads of our sessions are known
 * (session/status_threads.c), or else of the server as a whole, if it fits.  What sessions wait
 * for is estimated from samples (telemetry/waits.h) that cover most of the report's time.  More
 * than these cannot have been spent in the server: where the parts are more, by chance, the
 * estimates are made smaller alike; where it is more than chance, transactions that have not ended
 * have a part of them, and nothing is known.  The rest is what the server does not see: the
 * network, the client, what is between two statements; unless the threads are known, also how long
 * a statement waited for a CPU, or for a thread of a pool, before it began.
 */
#ifndef SB_REPORT_BUDGET_H
#define SB_REPORT_BUDGET_H

#include "report/snapshot.h"

/* Fills the status figures' budget_us; the snapshot is complete but for that. */
void budget_fill(const struct snapshot *s, struct status_delta *d);

#endif
