/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The layout of a block with a checksum, byte by byte, and that any damage to it is detected.
 */
#include "workload/fileio.h"

#include "base/test.h"

enum { BLOCK = 64, DATA = BLOCK - 12 };

static struct fileio_check check;
static struct rng stream;

static void layout(void)
{
    unsigned char buf[3 * BLOCK];
    int64_t pos = 10 * BLOCK;

    fileio_check_fill(&check, &stream, buf, sizeof buf, pos);
    for (int i = 0; i < 3; i++) {
        const unsigned char *b = buf + i * BLOCK;
        uint32_t crc;
        int64_t offset;
        memcpy(&crc, b + DATA, sizeof crc);
        memcpy(&offset, b + DATA + 4, sizeof offset);
        CHECK_INT(crc, crc32_of(&check.crc, b, DATA));
        CHECK_INT(offset, pos + i * BLOCK);
    }
    CHECK(memcmp(buf, buf + BLOCK, DATA) != 0); /* random, not a pattern */
}

static void damage(void)
{
    struct fileio_mismatch m;
    unsigned char buf[BLOCK];

    fileio_check_fill(&check, &stream, buf, sizeof buf, 5 * BLOCK);
    CHECK_INT(fileio_check_verify(&check, buf, sizeof buf, 5 * BLOCK, &m), 0);
    for (int i = 0; i < BLOCK; i++) {
        buf[i] ^= 0x10;
        CHECK_INT(fileio_check_verify(&check, buf, sizeof buf, 5 * BLOCK, &m), -1);
        CHECK_INT(m.at, 5 * BLOCK);
        CHECK_INT(m.in_offset, i >= DATA + 4);
        buf[i] ^= 0x10;
    }
    CHECK_INT(fileio_check_verify(&check, buf, sizeof buf, 5 * BLOCK, &m), 0);
}

/* A valid block in the wrong place, and one that was never written. */
static void misplaced(void)
{
    struct fileio_mismatch m;
    unsigned char buf[2 * BLOCK];

    fileio_check_fill(&check, &stream, buf, BLOCK, 0);
    fileio_check_fill(&check, &stream, buf + BLOCK, BLOCK, 7 * BLOCK);
    CHECK_INT(fileio_check_verify(&check, buf, sizeof buf, 0, &m), -1);
    CHECK(m.in_offset);
    CHECK_INT(m.at, BLOCK);
    CHECK_INT(m.stored_offset, 7 * BLOCK);
    memset(buf, 0, sizeof buf);
    CHECK_INT(fileio_check_verify(&check, buf, sizeof buf, 0, &m), -1);
    CHECK(!m.in_offset);
    CHECK_INT(m.stored, 0);
    CHECK_INT(m.computed, crc32_of(&check.crc, buf, DATA));
}

/* Pieces that are not whole blocks: checked from the first boundary to the last. */
static void pieces(void)
{
    static const struct {
        int64_t pos;
        size_t size;
        int first, blocks; /* where the first whole block begins in the piece */
    } table[] = {
        {0, BLOCK - 1, 0, 0},         {0, 2 * BLOCK + 9, 0, 2},    {BLOCK - 1, BLOCK, 1, 0},
        {BLOCK - 1, BLOCK + 1, 1, 1}, {3 * BLOCK + 60, 200, 4, 3}, {1, 3 * BLOCK, BLOCK - 1, 2},
    };
    unsigned char buf[4 * BLOCK];
    struct fileio_mismatch m;

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        fileio_check_fill(&check, &stream, buf, table[i].size, table[i].pos);
        CHECK_INT(fileio_check_verify(&check, buf, table[i].size, table[i].pos, &m), 0);
        for (size_t at = 0; at < table[i].size; at++) {
            bool covered =
                (int)at >= table[i].first && (int)at < table[i].first + table[i].blocks * BLOCK;
            buf[at] ^= 1;
            CHECK_INT(fileio_check_verify(&check, buf, table[i].size, table[i].pos, &m),
                      covered ? -1 : 0);
            buf[at] ^= 1;
        }
    }
}

TEST_MAIN(fileio_check_test)
{
    fileio_check_setup(&check, BLOCK);
    rng_seed_pair(&stream, 3, 4);
    layout();
    damage();
    misplaced();
    pieces();
    return test_done("fileio_check_test");
}
