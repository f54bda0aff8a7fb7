/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a schedule of tickets (ticket.h) is made of: its arrivals, and what happens to those that
 * are overdue.
 */
#ifndef SB_PACE_TICKET_SPEC_H
#define SB_PACE_TICKET_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "pace/arrivals.h"
#include "pace/share.h"

enum overload { OVERLOAD_QUEUE, OVERLOAD_DROP, OVERLOAD_ABORT };

struct ticket_spec {
    struct arrivals_spec arrivals;
    struct share share; /* all else here is of the whole, and alike on all ranks */
    enum overload overload;
    uint64_t burst; /* overdue arrivals that may still be taken; 0 = no limit */
    /* arrivals overdue by more than this are dropped (or abort); 0 = no limit */
    dur_ns max_lag;
    uint64_t max_tickets; /* --events; 0 = no limit */
    /* arrivals planned at or after this instant are not offered; MONO_NEVER */
    dur_ns horizon;
    bool changes;  /* tickets_set_rate() may be called */
    bool one_more; /* aligned only: but one of each client that takes it (one_more_note) */
};

#endif
