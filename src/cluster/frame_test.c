/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Frames out of a stream that comes in pieces of any size.
 */
#include "cluster/codec.h"

#include <stdlib.h>

#include "base/test.h"
#include "cluster/cluster.h"

static void add(struct str *s, unsigned type, const char *payload, size_t n)
{
    struct frame *f = frame_new(type, payload, n);

    CHECK_INT(f->size, FRAME_HEAD + n);
    str_add(s, (const char *)f->bytes, f->size);
    free(f);
}

/* All frames as text: "16:one 17: ". */
static void take_all(struct frame_in *in, const char *bytes, size_t n, struct str *seen)
{
    const unsigned char *p = (const unsigned char *)bytes;

    while (frame_take(in, &p, &n) == 1)
        str_printf(seen, "%u:%s ", in->type, str_cstr(&in->payload));
    CHECK_INT(n, 0);
}

static void check_pieces(void)
{
    struct str s = STR_INIT;

    add(&s, 16, "one", 3);
    add(&s, 17, "", 0);
    add(&s, 255, "a longer one", 12);
    add(&s, 1, "x", 1);
    for (size_t piece = 0; piece <= s.len; piece++) { /* 0: what is missing, never more */
        struct frame_in in = {.max = 12};
        struct str seen = STR_INIT;
        int steps = 0;

        for (size_t at = 0, n; at < s.len && steps < 100; at += n, steps++) {
            n = piece ? piece : frame_missing(&in);
            n = s.len - at < n ? s.len - at : n;
            take_all(&in, s.s + at, n, &seen);
        }
        CHECK(piece || steps == 7); /* heads, and payloads that are not empty */
        CHECK_STR(str_cstr(&seen), "16:one 17: 255:a longer one 1:x ");
        CHECK_INT(in.have, 0);
        str_free(&seen);
        frame_in_fini(&in);
    }
    str_free(&s);
}

static int take(const char *bytes, size_t n, size_t max)
{
    struct frame_in in = {.max = max};
    const unsigned char *p = (const unsigned char *)bytes;
    int rc = frame_take(&in, &p, &n);

    CHECK(in.payload.cap < 4096); /* nothing for what was only announced */
    frame_in_fini(&in);
    return rc;
}

static void check_bad(void)
{
    CHECK_INT(take("\5\0\0\0\20\0\0\0hello", 13, 5), 1);
    CHECK_INT(take("\5\0\0\0\20\0\0\0hello", 13, 4), -1);
    CHECK_INT(take("\5\0\0\0\0\0\0\0hello", 13, 5), -1);
    CHECK_INT(take("\5\0\0\0\0\1\0\0hello", 13, 5), -1);
    CHECK_INT(take("\377\377\377\377\20\0\0\0", 8, CLUSTER_FRAME_MAX), -1);
    CHECK_INT(take("\377\377\377\0\20\0\0\0x", 9, CLUSTER_FRAME_MAX), 0); /* 16 MiB are to come */
    CHECK_INT(take("\5\0\0\0\20\0\0", 7, 5), 0);
}

#define KEY "0123456789abcdef"

/* Two frames with tags; their bytes go to *s. */
static void add_sealed(struct str *s, size_t first[3])
{
    struct frame_seal seal = {.on = true};
    const char *text[] = {"one", ""};

    memcpy(seal.key, KEY, sizeof seal.key);
    for (unsigned i = 0; i < 2; i++) {
        struct frame *f = frame_new(16 + i, text[i], strlen(text[i]));
        frame_close(f, &seal);
        CHECK_INT(f->tag, FRAME_TAG);
        first[i] = s->len;
        str_add(s, (const char *)f->bytes, f->size + f->tag);
        free(f);
    }
    first[2] = s->len;
}

/* How many frames come out of these bytes; -1 if the last one is none. */
static int taken(const char *bytes, size_t n, unsigned char key)
{
    struct frame_in in = {.max = CLUSTER_FRAME_MAX, .seal.on = true};
    const unsigned char *p = (const unsigned char *)bytes;
    int count = 0, rc;

    memcpy(in.seal.key, KEY, sizeof in.seal.key);
    in.seal.key[0] = key;
    while ((rc = frame_take(&in, &p, &n)) == 1) {
        CHECK_INT(in.type, 16 + count);
        CHECK_STR(str_cstr(&in.payload), count++ ? "" : "one");
    }
    frame_in_fini(&in);
    return rc < 0 ? -1 : count;
}

/* Whatever happens to a frame on its way. */
static void check_sealed(void)
{
    struct str s = STR_INIT, other = STR_INIT;
    size_t at[3], one;

    add_sealed(&s, at);
    one = at[1] - at[0];
    CHECK_INT(taken(s.s, s.len, '0'), 2);
    CHECK_INT(taken(s.s, s.len - 1, '0'), 1);
    CHECK_INT(taken(s.s, s.len, '1'), -1); /* of another key, as that of the other direction */
    for (size_t bit = 0; bit < 8 * s.len; bit++) {
        s.s[bit / 8] ^= (char)(1 << bit % 8);
        TEST_REPORT(taken(s.s, s.len, '0') == -1, "bit %zu", bit);
        s.s[bit / 8] ^= (char)(1 << bit % 8);
    }
    CHECK_INT(taken(s.s + at[1], s.len - at[1], '0'), -1); /* the first one is missing */
    str_add(&other, s.s, one);
    str_add(&other, s.s, one);
    CHECK_INT(taken(other.s, other.len, '0'), -1); /* it comes twice */
    str_free(&other);
    str_free(&s);
}

TEST_MAIN(frame_test)
{
    check_pieces();
    check_bad();
    check_sealed();
    return test_done("frame_test");
}
