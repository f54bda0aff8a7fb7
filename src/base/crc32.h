/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The usual CRC-32 (IEEE 802.3: polynomial 0xEDB88320 reflected, start and end inverted), so other
 * programs can check our checksums, and we theirs.  Eight bytes a step ("slicing by 8", Kounavis
 * and Berry 2008): blocks of data are checked at several times the speed of the bytewise loop.
 */
#ifndef SB_BASE_CRC32_H
#define SB_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Constant after crc32_setup(); any thread may use it then. */
struct crc32 {
    uint32_t table[8][256];
};

void crc32_setup(struct crc32 *c);

uint32_t crc32_of(const struct crc32 *c, const void *data, size_t len);

#endif
