/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SHA-256 (FIPS 180-4) and HMAC (RFC 2104) on top of it, to prove the knowledge of a secret without
 * a library: the program links none that has them.  For messages of some hundred bytes; nothing is
 * tuned.  Any thread may call.
 */
#ifndef SB_BASE_SHA256_H
#define SB_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>

#define SHA256_SIZE 32

void sha256(const void *text, size_t n, unsigned char out[SHA256_SIZE]);
void hmac_sha256(const char *key, const void *text, size_t n, unsigned char out[SHA256_SIZE]);

/* Compares in the same time wherever they differ. */
bool sha256_same(const unsigned char a[SHA256_SIZE], const unsigned char b[SHA256_SIZE]);

#endif
