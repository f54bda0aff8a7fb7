/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: messages in a stream of bytes.  A frame is the length of its payload and
 * its type, four bytes each, little endian, and the payload.
 *
 * After the meeting, each direction of a connection has a seal: a key of its own, and the number of
 * the next frame.  A tag, the SipHash of number, head and payload, follows the payload, so a frame
 * that was changed, left out, repeated or invented on the way is noticed.  The upper three bytes of
 * the type are the complement of the length: a wrong one would be noticed only when as much has
 * come.
 */
#ifndef SB_CLUSTER_FRAME_H
#define SB_CLUSTER_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/siphash.h"
#include "base/str.h"

#define FRAME_HEAD 8
#define FRAME_TAG  8

/* Types of our own.  Those of the meeting are described in meet.h. */
enum frame_type {
    FRAME_PING = 1, /* a member: its time, and what it thinks of its clock */
    FRAME_PONG,     /* the leader: that time, and when the ping came and went back */
    FRAME_BYE,      /* nothing follows: this rank leaves */
    FRAME_HELLO,
    FRAME_JOIN,
    FRAME_WELCOME,
    FRAME_REFUSE,
    FRAME_READY,
};

struct frame_seal {
    bool on; /* false: frames have no tag */
    unsigned char key[SIPHASH_KEY];
    uint64_t frames; /* that had one */
};

/* A frame on its way out. */
struct frame {
    struct frame *next;
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
