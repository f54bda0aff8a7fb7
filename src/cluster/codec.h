/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Values to bytes and back, for messages between hosts, and messages in a stream of bytes.
 *
 *     struct str p = STR_INIT;                       struct get g = get_of(bytes, n);
 *     put_u64(&p, 1);                                version = get_u64(&g);
 *     put_str(&p, "load2");                          get_str(&g, name, sizeof name);
 *     cluster_send(c, 0, TYPE, p.s, p.len);          if (get_end(&g)) ... all of it was right
 *     str_free(&p);
 *
 * Whole numbers are varints, seven bits a byte, the least significant first; negative ones are
 * folded (0, -1, 1, -2 ... are 0, 1, 2, 3 ...).  A double is its 64 bits, little endian, and a text
 * or a block its length and bytes.  A value that does not fit sets `bad`, which stays set, and is
 * 0, "" or NULL: so a reader checks once, at its end.
 */
#ifndef SB_CLUSTER_CODEC_H
#define SB_CLUSTER_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/record.h"
#include "base/hash.h"
#include "base/str.h"

void put_u64(struct str *p, uint64_t v);
void put_i64(struct str *p, int64_t v);
void put_double(struct str *p, double v);
void put_bool(struct str *p, bool v);
void put_str(struct str *p, const char *text); /* NULL as "" */
void put_bytes(struct str *p, const void *bytes, size_t n);
/* The members of a struct, in the order of its table; names and bits in `have` are not sent. */
void put_record(struct str *p, const struct record *r, const void *v);

struct get {
    const unsigned char *p, *end;
    bool bad;
};

struct get get_of(const void *bytes, size_t n);
uint64_t get_u64(struct get *g);
int64_t get_i64(struct get *g);
double get_double(struct get *g);
bool get_bool(struct get *g);
/* What put_i64() wrote, if in min..max; another number is bad, and min. */
int64_t get_range(struct get *g, int64_t min, int64_t max);
/* Bytes within the message; NULL when bad. */
const void *get_bytes(struct get *g, size_t *n);
/* A copy, at most `size` - 1 bytes: a longer one, or one with a NUL, is bad. */
void get_str(struct get *g, char *out, size_t size);
char *get_strdup(struct get *g); /* the caller frees it; never NULL */
/* What put_record() wrote.  A number that its member cannot hold is bad, and 0.  A text that the
 * record does not own (RECORD_STRING) is neither written nor read. */
void get_record(struct get *g, const struct record *r, void *v);
bool get_end(const struct get *g); /* nothing was bad, and nothing is left */

/*
 * Frames: messages in a stream of bytes.  A frame is the length of its payload and its type, four
 * bytes each, little endian, and the payload.
 *
 * After the handshake, each direction of a connection has a seal: a key of its own, and the number
 * of the next frame.  A tag, the SipHash of number, head and payload, follows the payload, so a
 * frame that was changed, left out, repeated or invented on the way is noticed.  The upper three
 * bytes of the type are the complement of the length: a wrong one would be noticed only when as
 * much has come.
 */
#define FRAME_HEAD     8
#define FRAME_TAG      8
#define FRAME_TYPE_MAX 255

struct frame_seal {
    bool on; /* false: frames have no tag */
    unsigned char key[SIPHASH_KEY];
    uint64_t frames; /* that had one */
};

/* A frame on its way out. */
struct frame {
    TAILQ_ENTRY(frame) entry;
    unsigned type;
    size_t size, tag, sent; /* bytes: head and payload; then the tag, if it has one */
    bool begun;             /* it may have left in part */
    unsigned char bytes[];
};

struct frame *frame_new(unsigned type, const void *payload, size_t n);
/* Before it leaves, as the next one of this direction. */
void frame_close(struct frame *f, struct frame_seal *s);

/* Frames on their way in. */
struct frame_in {
    size_t max; /* longer payloads are refused */
    struct frame_seal seal;
    unsigned char head[FRAME_HEAD];
    size_t have; /* bytes of the head */
    unsigned type;
    size_t length;
    struct str payload;
};

/* Takes bytes from *p, up to the end of a frame.  1: it is whole, and in type and payload until the
 * next call; 0: all bytes were taken, and more are needed; -1: that is no frame, or
 * not the one that was sent. */
int frame_take(struct frame_in *f, const unsigned char **p, size_t *n);
/* How many bytes it takes at least until a frame can be whole; not after a frame that was none. */
size_t frame_missing(const struct frame_in *f);
void frame_in_fini(struct frame_in *f);

#endif
