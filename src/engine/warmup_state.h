/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The warm-up of a run: a schedule and statistics of its own, so that nothing of it is in what is
 * measured (warm_up_note in warmup.c), and, with --warmup-until, the search for where it ends.
 * Private to src/engine
 */
#ifndef SB_ENGINE_WARMUP_STATE_H
#define SB_ENGINE_WARMUP_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/plan.h"
#include "pace/ticket.h"
#include "report/snapshot.h"

struct client;
struct run;
struct shard;

/* Has a load become steady?  A window of the latest readings, a straight line through them by least
 * squares, and the line's change from one end of the window to the other (steady_note in warmup.c).
 * Pure: readings come in as arguments. */
#define STEADY_READINGS 10 /* in a window, one a second */

struct steady_reading {
    double at_s; /* the middle of the time that it covers */
    double value;
};

struct steady {
    struct steady_reading window[STEADY_READINGS]; /* a ring: reading k is at k modulo its size */
    size_t readings; /* since the window was begun; 0 begins it anew */
};

/* Both in percent of the mean over the window. */
struct steady_trend {
    double change_pct; /* along the line, over the window */
    double error_pct;  /* standard error of the change */
};

void steady_add(struct steady *s, double at_s, double value);

/* False: the window is not full, or its mean is not above 0. */
bool steady_trend(const struct steady *s, struct steady_trend *t);

/* The change is within the bound, its standard error included. */
bool steady_within(const struct steady_trend *t, double bound_pct);

/* What the main thread knows of a warm-up that ends by itself. */
struct warmup_until {
    struct steady trend;
    mono_ns next;    /* reading; MONO_NEVER: no further one */
    mono_ns read_at; /* the latest; 0: none */
    uint64_t done;
    struct hist_counts before, between; /* response times at the latest reading, and since it */
    struct snapshot_warmup result;
    bool told; /* the observers know where measuring begins */
};

/* The data that a warm-up writes apart from the measured data.  All NULL without one. */
struct warmup {
    struct tickets *tickets;
    struct rates *rates; /* the ramp up to the rate; NULL: there is none */
    struct shard *shard;
    struct counters *before; /* of each client: what it had counted when it began to be measured */
    struct warmup_until until;
};

/* The two sides of a run, where the warm-up ends (warm_up_note) */
void warmup_setup(struct run *r, const struct ticket_spec *spec);
void warmup_teardown(struct run *r);
void warmup_client(struct client *c); /* which side it begins on */
void warmup_leave(struct client *c);  /* its first measured transaction is about to begin */
enum ticket_result warmup_shed(struct run *r, mono_ns now);
void warmup_close(struct run *r, mono_ns at);
/* Adds what one client has counted in the warm-up, or since, to `sum`. */
void warmup_counts(const struct run *r, int client, bool warming, uint64_t sum[CNT_MAX]);

/* How long the warm-up takes to reach the rate; 0: it begins with it */
dur_ns warmup_ramp(const struct plan *p);

/* Main thread: looks whether the load is steady, and ends the warm-up; when to look
 * next */
void warmup_until_begin(struct run *r);
mono_ns warmup_until_look(struct run *r, mono_ns now);
void warmup_until_over(struct run *r); /* measuring has begun */

#endif
