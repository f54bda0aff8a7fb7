/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to the loading of tables: the random digits of four rows at once, which is what making
 * rows costs.  Each row has its own stream, so four of them advance side by side in the lanes of
 * vectors (of AVX2, where the CPU has it).  Every operation is the one of dist_string(), rounding
 * included, so the digits are, too.
 */
#ifndef SB_SQL_LOAD_DIGITS_H
#define SB_SQL_LOAD_DIGITS_H

#include "base/rng.h"

#define LOAD_LANES 4

/* Fifteen groups of eleven digits, each with a '-' behind it: ten are c, five are pad. */
#define LOAD_GROUP        11
#define LOAD_C_GROUPS     10
#define LOAD_PAD_GROUPS   5
#define LOAD_GROUPS       (LOAD_C_GROUPS + LOAD_PAD_GROUPS)
#define LOAD_DIGITS_BYTES (LOAD_GROUPS * (LOAD_GROUP + 1))

/* The digits that the streams have next; the streams stay. */
void load_digits(const struct rng stream[LOAD_LANES], char out[LOAD_LANES][LOAD_DIGITS_BYTES]);

#endif
