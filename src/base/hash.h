/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Three checksums.  Any thread may call.
 */
#ifndef SB_BASE_HASH_H
#define SB_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The usual CRC-32 (IEEE 802.3: polynomial 0xEDB88320 reflected, start and end inverted), so other
 * programs can check our checksums, and we theirs.  Eight bytes a step ("slicing by 8", Kounavis
 * and Berry 2008): blocks of data are checked at several times the speed of the bytewise loop.
 */
/* Constant after crc32_setup(); any thread may use it then. */
struct crc32 {
    uint32_t table[8][256];
};

void crc32_setup(struct crc32 *c);

uint32_t crc32_of(const struct crc32 *c, const void *data, size_t len);

/*
 * SipHash-2-4 (Aumasson, Bernstein 2012): a checksum of 64 bits that nobody can make without the
 * key.  A gigabyte takes about a second.
 */
#define SIPHASH_KEY 16

uint64_t siphash(const unsigned char key[SIPHASH_KEY], const void *text, size_t n);

/*
 * SHA-256 (FIPS 180-4) and HMAC (RFC 2104) on top of it, to prove the knowledge of a secret without
 * a library: the program links none that has them.  For messages of some hundred bytes; nothing is
 * tuned.
 */
#define SHA256_SIZE 32

void sha256(const void *text, size_t n, unsigned char out[SHA256_SIZE]);
void hmac_sha256(const char *key, const void *text, size_t n, unsigned char out[SHA256_SIZE]);

/* Compares in the same time wherever they differ. */
bool sha256_same(const unsigned char a[SHA256_SIZE], const unsigned char b[SHA256_SIZE]);

#endif
