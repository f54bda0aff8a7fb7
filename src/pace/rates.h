/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A rate that changes with time: stages (a constant, a ramp, a shape that repeats) one after the
 * other, or a trace from a file.  A schedule on it is computed as one of a constant rate is:
 * planned start k is where the integral of the rate reaches k, and the number due is the integral,
 * so nothing has to be generated, and any thread may ask for any start.
 *
 * exact_note: a rate is a whole number of millionths per second and a length one of ns, so the
 * integral of constants, ramps and squares is a whole number of RATE_ONE-ths of a start, below
 * 2^127.  It is computed in integers, and a start is the first whole ns at which the integral is
 * not below k: rates_due() and rates_start() agree on every ns.  (A sine's integral is computed to
 * less than one such unit: rate_query.c.)
 *
 * Where the integral stands still (a pause), start k lies at the end of the pause: a stage that
 * plans 30,000 starts has those from 0 to 29,999, and start 30,000 is the first one of what
 * follows.
 *
 * Instants are ns after measuring begins.  A struct rates is constant once it is made; any thread
 * may read it.
 */
#ifndef SB_PACE_RATES_H
#define SB_PACE_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"

typedef unsigned __int128 rate_pos; /* a number of starts, in RATE_ONE-ths */

#define RATE_ONE   ((rate_pos)2000000000000000)
#define RATES_FAR  (INT64_MAX / 2) /* instants beyond 146 years */
#define RATES_MOST 1e9             /* starts per second */

struct rate_stage {
    dur_ns from, until; /* MONO_NEVER: open */
    double first, last; /* the rate at its two ends; of a shape: its mean, twice */
    char text[64];      /* as the user wrote it, without the length */
};

/* How a trace is played: 1 and 1 as it is. */
struct rates_play {
    double scale; /* times as many starts */
    double speed; /* so many times faster */
};

/* "500:60s,500-2000:5m,sine(1000,500,60s):10m" or "@trace.csv".  NULL with ERR_USAGE and a reason
 * that does not name the option. */
struct rates *rates_parse(const char *spec, const struct rates_play *play, struct err *e);
/* The same rate for ever, rounded to a millionth; no stage. */
struct rates *rates_constant(double rate);
void rates_free(struct rates *r);

size_t rates_stages(const struct rates *r);
const struct rate_stage *rates_stage(const struct rates *r, size_t i);

dur_ns rates_end(const struct rates *r);  /* nothing is planned from here on; MONO_NEVER: open */
double rates_most(const struct rates *r); /* the highest rate that it reaches */
double rates_at(const struct rates *r, dur_ns t);
/* The mean before `until`, rounded; MONO_NEVER: before its end or, if it is open, over its first
 * period or its first second in the last stage. */
double rates_mean(const struct rates *r, dur_ns until);
/* A trace of planned starts, which are what they are: no shape of arrivals changes them. */
bool rates_are_starts(const struct rates *r);

/* How many starts are planned at or before t; 0 when t < 0. */
uint64_t rates_due(const struct rates *r, dur_ns t);
/* Planned start k, the first whole ns; RATES_FAR: there is none. */
dur_ns rates_start(const struct rates *r, uint64_t k);

/* The integral from 0 to t, and the first whole ns at which it is not below `pos`. */
rate_pos rates_pos(const struct rates *r, dur_ns t);
dur_ns rates_reach(const struct rates *r, rate_pos pos);

/* "500", "0.5", "10k": one rate.  -1 with a reason that quotes the text. */
int rates_number(const char *text, double *rate, struct err *e);

/* To a millionth, as all rates are: a mean is not 300.00000000000006. */
double rates_round(double rate);

/* In millionths, rounded; rate >= 0 and at most RATES_MOST. */
uint64_t rates_micro(double rate);

#endif
