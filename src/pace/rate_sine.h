/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The integral of a sine to less than one RATE_ONE-th of a start.  A double would be off by whole
 * starts after some hours, a long double by ns where the rate is low; so the sine is a sum of its
 * series in fixed point with 127 bits.  Pure functions.
 */
#ifndef SB_PACE_RATE_SINE_H
#define SB_PACE_RATE_SINE_H

#include "pace/rate_pieces.h"

/* The integral over the first t ns of the piece. */
rate_pos rate_sine_pos(const struct piece *p, dur_ns t);

/* Roughly where in its first period the integral reaches `pos`, which is less than a period's. */
dur_ns rate_sine_guess(const struct piece *p, rate_pos pos);

#endif
