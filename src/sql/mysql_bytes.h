/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: the bytes of MySQL's protocol, for mysql_wire.c, which sends and receives
 * them, and mysql_row.c, which reads rows.
 */
#ifndef SB_SQL_MYSQL_BYTES_H
#define SB_SQL_MYSQL_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HEADER 4         /* before a payload: its length, and in three bytes a number */
#define PIECE  0xffffffu /* the longest payload of one packet */

static __attribute__((always_inline)) inline uint64_t get(const unsigned char *p, size_t bytes)
{
    uint64_t v = 0;

    memcpy(&v, p, bytes);
    return le64toh(v);
}

#define GET2(p) ((uint16_t)get(p, 2))
#define GET4(p) ((uint32_t)get(p, 4))

/* The lowest bytes of v; where p goes on. */
static __attribute__((always_inline)) inline unsigned char *put(unsigned char *p, uint64_t v,
                                                                size_t bytes)
{
    v = htole64(v);
    memcpy(p, &v, bytes);
    return p + bytes;
}

/* The protocol's number of one to nine bytes at *p; false: the bytes before `end` are not one. */
static inline bool get_number(const unsigned char **p, const unsigned char *end, uint64_t *out)
{
    size_t left = (size_t)(end - *p);
    const unsigned char *b = *p;

    if (left < 1)
        return false;
    if (*b < 251) {
        *out = *b;
        *p += 1;
        return true;
    }
    size_t bytes = *b == 252 ? 2 : *b == 253 ? 3 : *b == 254 ? 8 : 0;
    if (bytes == 0 || left < 1 + bytes)
        return false;
    *out = get(b + 1, bytes);
    *p += 1 + bytes;
    return true;
}

/* What follows the payload that lies at `at`, behind its header. */
static inline size_t behind(const unsigned char *bytes, size_t at)
{
    size_t len = GET4(bytes + at - HEADER);

    return at + len + len / PIECE * HEADER;
}

#endif
