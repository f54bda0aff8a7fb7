/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Corrects taskstats for threads that are exiting.  Early in a thread's exit the kernel adds its
 * counters to those of the process's ended threads, but it counts the thread as a living one until
 * the exit is complete: in between, taskstats counts it twice.  That usually takes microseconds;
 * longer if the thread frees much memory, closes files or waits for a CPU.  Private to
 * src/telemetry
 */
#ifndef SB_TELEMETRY_ENDING_H
#define SB_TELEMETRY_ENDING_H

#include <stdbool.h>
#include <sys/types.h>

#include "telemetry/taskstats.h"

/*
 * Takes a reading that counts each of these threads once.  It looks at every thread of the process
 * at least twice, so call it only for a reading that looks wrong.  0, or an errno value of
 * taskstats_read.  After a few failed attempts, the reading is returned uncorrected.
 */
int ending_read_once(struct taskstats_link *link, int root_fd, pid_t pid,
                     struct taskstats_process *out);

#endif
