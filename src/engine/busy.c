/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See busy.h.
 */
#include "engine/busy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Of a CPU, in each of so many readings in a row. */
#define NEAR_PCT 90
#define IN_A_ROW 3
/* A further worker needs at least this share of a CPU that is idle. */
#define SPARE_PCT 20

static double share(int64_t before, int64_t now, dur_ns elapsed)
{
    return before < 0 || now < 0 || elapsed <= 0 ? 0
                                                 : 100.0 * (double)(now - before) / (double)elapsed;
}

static void keep(struct busy *b, const struct busy_reading *r)
{
    b->before.at = r->at;
    b->before.idle = r->idle;
    memcpy(b->before.cpu, r->cpu, (size_t)b->workers * sizeof *r->cpu);
}

void busy_begin(struct busy *b, int workers, const struct busy_reading *first)
{
    *b = (struct busy){.workers = workers};
    b->before.cpu = mem_array((size_t)workers, sizeof *b->before.cpu);
    keep(b, first);
}

void busy_end(struct busy *b)
{
    free(b->before.cpu);
    *b = (struct busy){0};
}

int busy_workers(int workers, const struct busy_reading *before, const struct busy_reading *now,
                 double limit_pct, double *most)
{
    int n = 0;

    *most = 0;
    for (int i = 0; i < workers; i++) {
        double pct = share(before->cpu[i], now->cpu[i], now->at - before->at);
        n += pct > limit_pct;
        *most = pct > *most ? pct : *most;
    }
    return n;
}

static bool can_spare(const struct busy_reading *before, const struct busy_reading *now)
{
    return before->idle < 0 || now->idle < 0 ||
           share(before->idle, now->idle, now->at - before->at) >= SPARE_PCT;
}

int busy_step(struct busy *b, const struct busy_reading *now, double *most)
{
    int n = busy_workers(b->workers, &b->before, now, NEAR_PCT, most);

    b->in_a_row = n && can_spare(&b->before, now) ? b->in_a_row + 1 : 0;
    keep(b, now);
    return b->in_a_row == IN_A_ROW ? n : 0;
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
