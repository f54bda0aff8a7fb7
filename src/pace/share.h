/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What one of several ranks does of a whole that they divide.  A rank is one process; the whole is
 * a schedule, the clients, the tables of `prepare`: anything that is numbered 0, 1, 2, ...  Rank r
 * of n has r, r+n, r+2n, ...  All ranks number the whole alike, so nothing needs to be agreed on:
 * two of them never do the same thing, and together they leave nothing out.
 *
 *     4 ranks, transactions 0 .. 9        rank 0: 0 4 8    rank 1: 1 5 9    rank 2: 2 6    rank 3:
 * 3 7
 *
 * Alone, the share is the whole.  A struct of zeros says so, too.
 */
#ifndef SB_PACE_SHARE_H
#define SB_PACE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct share {
    uint64_t rank, ranks; /* ranks = 0: alone, as 1 */
};

/* `s`, with at least one rank: what the others need. */
static inline struct share share_checked(struct share s)
{
    return s.ranks ? s : (struct share){0, 1};
}

static inline bool share_has(struct share s, uint64_t number)
{
    return s.ranks == 1 || number % s.ranks == s.rank;
}

/* How many of the first n of the whole are this rank's. */
static inline uint64_t share_of(struct share s, uint64_t n)
{
    return n / s.ranks + (n % s.ranks > s.rank);
}

/* Where the i-th of this rank is in the whole. */
static inline uint64_t share_number(struct share s, uint64_t i)
{
    return i * s.ranks + s.rank;
}

#endif
