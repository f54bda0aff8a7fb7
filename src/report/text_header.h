/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text that a run prints before its threads start: "Running the test with following options:"
 * and the lines below it, up to the workload's own.  Where the generations differ, the form
 * decides.
 */
#ifndef SB_REPORT_TEXT_HEADER_H
#define SB_REPORT_TEXT_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/str.h"
#include "opt/generation.h"
#include "pace/arrivals.h"

/* A figure that is 0 or false has no line. */
struct text_header {
    enum report_form form;
    int threads;
    int workers;
    dur_ns think;
    bool think_exponential;
    dur_ns warmup;
    double warmup_steady_pct; /* --warmup-until: the bound */
    double rate;
    bool stock_rate;       /* --rate: in stock's words */
    const char *rate_spec; /* what it is when it changes; NULL: a number */
    bool old_rate;         /* --tx-rate: in the words of an old generation */
    enum arrival_shape arrival;
    dur_ns jitter; /* the window in effect; with old_rate the value of --tx-jitter */
    dur_ns report_interval;
    const dur_ns *checkpoint;
    size_t checkpoints;
    bool debug, validate;
    uint32_t seed;   /* that was given; 0: none */
    bool from_timer; /* --init-rng of the old generations */
    bool forced;     /* --forced-shutdown, which comes this long after the threads' start: */
    dur_ns forced_after;
};

void text_header(struct str *out, const struct text_header *h);

/* What is printed when the threads have started. */
const char *text_header_started(const struct text_header *h);

#endif
