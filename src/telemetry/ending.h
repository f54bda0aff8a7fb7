/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Exiting threads.  The kernel adds a thread to the ended ones of its process early in its exit,
 * and counts it among the living until the exit is complete: in between, taskstats counts it twice.
 * Mostly that takes microseconds, but longer for a thread that frees much memory or closes files,
 * and for one that must wait for a single CPU.  Private to src/telemetry
 */
#ifndef SB_TELEMETRY_ENDING_H
#define SB_TELEMETRY_ENDING_H

#include <stdbool.h>
#include <sys/types.h>

#include "telemetry/taskstats.h"

/*
 * A reading in which each of these threads is counted once.  Looks at every thread of the process,
 * twice or more, so use it for readings that look wrong.  0 or an errno value of taskstats_read; a
 * reading that a few tries cannot correct stays as it was read.
 */
int ending_read_once(struct taskstats_link *link, int root_fd, pid_t pid,
                     struct taskstats_process *out);

#endif
