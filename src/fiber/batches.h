/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What --worker-batch did to the answers of a server: the figures that the workers count (worker.h,
 * batch_note) and that the engine reports.  A header of its own, because the scheduler's inside and
 * its public face both name them.
 */
#ifndef SB_FIBER_BATCHES_H
#define SB_FIBER_BATCHES_H

#include <stdint.h>

struct sched_batches {
    uint64_t n, answers;
    uint64_t sum, most; /* ns that an answer may have waited: of all answers, and of one */
};

#endif
