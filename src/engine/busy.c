/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See busy.h.
 */
#include "engine/busy.h"

#include <stdio.h>

/* A worker that is busier than this in the whole run is overloaded. */
#define BUSY_PCT 80

int busy_workers(int workers, dur_ns elapsed, const int64_t *before, const int64_t *now,
                 double *most)
{
    int n = 0;

    *most = 0;
    for (int i = 0; i < workers; i++) {
        bool known = before[i] >= 0 && now[i] >= 0 && elapsed > 0;
        double pct = known ? 100.0 * (double)(now[i] - before[i]) / (double)elapsed : 0;
        n += pct > BUSY_PCT;
        *most = pct > *most ? pct : *most;
    }
    return n;
}

int busy_advice(int workers, int cpus)
{
    int more = 2 * workers < cpus ? 2 * workers : cpus;

    return more > workers ? more : 0;
}

bool busy_describe(char text[BUSY_TEXT], int workers, int cpus, bool by_default, int busy,
                   double most)
{
    int more = busy_advice(workers, cpus);
    char advice[64] = "each CPU that this process may use has a worker already.";

    if (by_default && !more)
        return false;
    if (by_default)
        snprintf(advice, sizeof advice, "try --workers=%d", more);
    else if (more)
        snprintf(advice, sizeof advice, "raise --workers.");
    snprintf(text, BUSY_TEXT,
             "%d of %d workers were nearly saturated (%.0f %% of a CPU at most): %s", busy, workers,
             most, advice);
    return true;
}
