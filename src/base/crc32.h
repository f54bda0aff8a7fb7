/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * CRC-32 as everybody else computes it (IEEE 802.3: polynomial 0xEDB88320 reflected, start and end
 * inverted), so that checksums written by other programs can be checked and the other way round.
 * Eight bytes a step ("slicing by 8", Kounavis and Berry 2008): blocks of data are checked at
 * several times the speed of the bytewise loop.
 */
#ifndef SB_BASE_CRC32_H
#define SB_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Owned by whoever declares it; constant after crc32_setup, any thread may use it. */
struct crc32 {
    uint32_t table[8][256];
};

void crc32_setup(struct crc32 *c);

uint32_t crc32_of(const struct crc32 *c, const void *data, size_t len);

#endif
