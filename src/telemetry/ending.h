/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads on their way out.  The kernel adds a thread to the ended ones of its process early in its
 * exit, and counts it among the living until the end of it: in between, taskstats counts it twice.
 * Mostly that takes microseconds, but a thread that frees much memory or closes files stays there
 * for long, and on a single CPU one that has to wait for it does.
 */
#ifndef SB_TELEMETRY_ENDING_H
#define SB_TELEMETRY_ENDING_H

#include <stdbool.h>
#include <sys/types.h>

#include "telemetry/taskstats.h"

/*
 * A reading in which each of these threads is counted once.  Looks at every thread of the process,
 * twice or more, so it is for readings that look wrong.  0 or an errno value of taskstats_read;
 * what cannot be set right within a few tries stays as it was read.
 */
int ending_read_once(struct taskstats_link *link, int root_fd, pid_t pid,
                     struct taskstats_process *out);

#endif
