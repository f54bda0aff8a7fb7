/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the time of a transaction went to, on average over a report:
 *
 *     response = lag + service
 *     service  = on a CPU + waiting for a CPU + each class of waits + rest
 *
 * The service time is measured.  The time in the server is estimated from samples of our sessions
 * (telemetry/waits.h) that cover most of the report's time; what they say of CPU is divided as the
 * server's threads ran and waited for a CPU (schedstat).  More than the service time cannot have
 * been spent there: where samples say so, by chance, all parts are made smaller alike.  The rest is
 * what the server does not see: the network, the client, and what is between two statements.
 */
#ifndef SB_REPORT_BUDGET_H
#define SB_REPORT_BUDGET_H

#include "report/snapshot.h"

/* Fills the status figures' budget_us; the snapshot is complete but for that. */
void budget_fill(const struct snapshot *s, struct status_delta *d);

#endif
