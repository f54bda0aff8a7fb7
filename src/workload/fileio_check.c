/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See fileio_check.h.
 */
#include "workload/fileio_check.h"

#include <string.h>

void fileio_check_setup(struct fileio_check *k, size_t block)
{
    crc32_setup(&k->crc);
    k->block = block;
}

static void random_bytes(struct rng *r, unsigned char *p, size_t n)
{
    for (; n > 0;) {
        uint64_t word = rng_next(r);
        size_t part = n < sizeof word ? n : sizeof word;
        memcpy(p, &word, part);
        p += part;
        n -= part;
    }
}

/* The first block boundary in a piece of a file, relative to its begin. */
static size_t first_block(const struct fileio_check *k, int64_t pos)
{
    int64_t into = pos % (int64_t)k->block;
    return into ? k->block - (size_t)into : 0;
}

void fileio_check_fill(const struct fileio_check *k, struct rng *r, void *buf, size_t size,
                       int64_t pos)
{
    size_t data = k->block - FILEIO_CHECK_SIZE;

    random_bytes(r, buf, size);
    for (size_t from = first_block(k, pos); from + k->block <= size; from += k->block) {
        unsigned char *p = (unsigned char *)buf + from;
        int64_t offset = pos + (int64_t)from;
        uint32_t crc = crc32_of(&k->crc, p, data);
        memcpy(p + data, &crc, sizeof crc);
        memcpy(p + data + sizeof crc, &offset, sizeof offset);
    }
}

int fileio_check_verify(const struct fileio_check *k, const void *buf, size_t size, int64_t pos,
                        struct fileio_mismatch *m)
{
    size_t data = k->block - FILEIO_CHECK_SIZE;

    for (size_t from = first_block(k, pos); from + k->block <= size; from += k->block) {
        const unsigned char *p = (const unsigned char *)buf + from;
        m->at = pos + (int64_t)from;
        m->computed = crc32_of(&k->crc, p, data);
        memcpy(&m->stored, p + data, sizeof m->stored);
        memcpy(&m->stored_offset, p + data + sizeof m->stored, sizeof m->stored_offset);
        m->in_offset = m->computed == m->stored;
        if (!m->in_offset || m->stored_offset != m->at)
            return -1;
    }
    return 0;
}
