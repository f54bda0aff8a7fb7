/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Has a load become steady?  A window of the latest readings, a straight line through them by least
 * squares, and the line's change from one end of the window to the other (steady_note in steady.c).
 * Pure: readings come in as arguments.  Private to src/engine
 */
#ifndef SB_ENGINE_STEADY_H
#define SB_ENGINE_STEADY_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
