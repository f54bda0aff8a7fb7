/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The last samples of what sessions of ours did in the server, and what its own processes waited
 * for: so that a standstill (engine/stalls.c) can be named once it is over.  A name is that of all
 * samples which were asked for and answered while it lasted, and of no other.
 */
#ifndef SB_SESSION_WAIT_RING_H
#define SB_SESSION_WAIT_RING_H

#include <stddef.h>

#include "base/clock.h"
#include "session/server_waits.h"

#define RING_SAMPLES 160 /* 15 s of them */

struct ring_sample {
    mono_ns asked, answered;
    /* sessions of ours by name, and the server's own processes, "checkpointer in DataFileSync": a
     * nanosecond each; `why`, `behind` and `who` of the former, too */
    struct status_waits of, own;
};

struct wait_ring {
    struct ring_sample v[RING_SAMPLES];
    size_t n;                    /* so far */
    mono_ns stopped, stopped_to; /* the server's process was, at least */
};

/* What those of the list of server_waits_see() do becomes that of the sample. */
void ring_list(struct ring_sample *v, const struct server_waits *list);

void ring_add(struct wait_ring *r, const struct ring_sample *v);

/* The process was stopped (SIGSTOP, a debugger) when it was looked at. */
void ring_stopped(struct wait_ring *r, mono_ns now);

/* "61 sessions in WALWrite, 3 in row lock (behind pid 12, psql); checkpointer in DataFileSync", or
 * (false) why it is not known, or that they ran; the numbers are means. */
bool ring_tell(const struct wait_ring *r, mono_ns from, mono_ns to, char *out, size_t size);

#endif
