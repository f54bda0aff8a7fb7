/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SipHash-2-4 (Aumasson, Bernstein 2012): a checksum of 64 bits that nobody can make without the
 * key.  A gigabyte takes about a second.  Any thread may call.
 */
#ifndef SB_BASE_SIPHASH_H
#define SB_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY 16

uint64_t siphash(const unsigned char key[SIPHASH_KEY], const void *text, size_t n);

#endif
