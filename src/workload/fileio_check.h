/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/workload: contents that can be checked (--validate).  A block of S bytes holds S -
 * 12 random bytes, their CRC-32 (4 bytes) and the block's offset in its file (8 bytes), both in the
 * byte order of the machine: the layout that prepared files have always had.
 *
 * Only whole blocks on block boundaries have it: a request of several merged blocks has one in
 * each; the rest of a file whose size is no multiple of the block has none.
 */
#ifndef SB_WORKLOAD_FILEIO_CHECK_H
#define SB_WORKLOAD_FILEIO_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/crc32.h"
#include "base/rng.h"

#define FILEIO_CHECK_SIZE (sizeof(uint32_t) + sizeof(int64_t)) /* bytes at the end of a block */

struct fileio_check {
    struct crc32 crc;
    size_t block;
};

void fileio_check_setup(struct fileio_check *k, size_t block);

/* Fills buf, which will lie at pos in its file. */
void fileio_check_fill(const struct fileio_check *k, struct rng *r, void *buf, size_t size,
                       int64_t pos);

/* The fault of a block. */
struct fileio_mismatch {
    int64_t at;     /* where in the file it lies */
    bool in_offset; /* the checksum is right, but it belongs elsewhere */
    uint32_t computed, stored;
    int64_t stored_offset;
};

/* -1: a block differs from what was written; *m describes the fault. */
int fileio_check_verify(const struct fileio_check *k, const void *buf, size_t size, int64_t pos,
                        struct fileio_mismatch *m);

#endif
