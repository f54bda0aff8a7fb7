/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sysbench.rand.unique(): successive elements of one permutation of 0 .. 2^32-1, so no number
 * repeats before all have been drawn.  The permutation (quadratic residues modulo the prime P =
 * 4294967291, after Jeff Preshing, 2012): perm(x) = x for x >= P, else r = x^2 mod P, and r or P -
 * r as x is in the lower or upper half; element k = perm((perm(s + k) + o) xor 0x5bf03635), s =
 * perm(perm(i) + 0x682f0161), o = perm(perm(j) + 0x46790905), all modulo 2^32, from two seeds i and
 * j.
 *
 * One struct serves the whole process and belongs to the code that embeds it.  Call uniq_init
 * before the threads start; any number of them may call uniq_next at once, and no two get the same
 * element.
 *
 * Ranks that share a load (uniq_divide) take turns in one sequence: rank r of n has its elements r,
 * r+n, r+2n, ...
 *
 * uniq_step is the older way, of 0.4 and 0.5: 2147483647 x k modulo n, k = 1, 2, ... for the
 * process.  For a constant n no number repeats among n in a row, unless n is a multiple of
 * 2147483647.
 */
#ifndef SB_BASE_UNIQ_H
#define SB_BASE_UNIQ_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/rng.h"

struct uniq {
    _Atomic uint32_t index; /* s + k of the next element */
    uint32_t offset;        /* o */
    _Atomic uint64_t steps; /* k of the next uniq_step() */
    uint32_t ranks;         /* that take turns; 1: alone */
};

void uniq_init(struct uniq *u, uint32_t i, uint32_t j);

/* Draws j, then i, from the seeder.  Stock does this right after the main thread's stream drew its
 * four values from the default state, which makes its sequence the same in every process. */
void uniq_seed(struct uniq *u, struct rng_seeder *s);

/* Before anything is drawn. */
void uniq_divide(struct uniq *u, uint32_t rank, uint32_t ranks);

uint32_t uniq_next(struct uniq *u);

/* 0 .. n-1; n is not 0 and below 2^63.  Any thread. */
uint64_t uniq_step(struct uniq *u, uint64_t n);

#endif
