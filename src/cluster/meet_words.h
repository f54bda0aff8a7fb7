/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: what is said at a meeting (meet.h), as bytes, and how each side proves
 * that it knows the secret.
 */
#ifndef SB_CLUSTER_MEET_WORDS_H
#define SB_CLUSTER_MEET_WORDS_H

#include "base/err.h"
#include "base/sha256.h"
#include "cluster/codec.h"
#include "cluster/frame.h"

#define MEET_PROTOCOL 2
#define MEET_NONCE    32
#define MEET_NAME     256
#define MEET_LONGEST  2048 /* bytes of a payload */

struct meet_join {
    int protocol, rank, size;
    char host[MEET_NAME];
    char clock[MEET_NAME]; /* the name of the clock that CLOCK_MONOTONIC is */
    unsigned char nonce[MEET_NONCE];
};

void meet_draw_nonce(unsigned char nonce[MEET_NONCE]);

/* This host, and its clock: the same text means the same CLOCK_MONOTONIC; "": not known. */
void meet_host_name(char out[MEET_NAME]);
void meet_clock_name(char out[MEET_NAME]);

/* The seals of what leader and member say after the meeting: each knows both. */
void meet_seal(struct frame_seal *leader, struct frame_seal *member, const char *secret,
               const unsigned char leader_nonce[MEET_NONCE],
               const unsigned char member_nonce[MEET_NONCE]);

/* HELLO */
void meet_put_hello(struct put *p, const unsigned char nonce[MEET_NONCE]);
bool meet_get_hello(const struct str *s, unsigned char nonce[MEET_NONCE]);

/* JOIN.  The reader returns false for what cannot be one; `right` tells whether the proof is. */
void meet_put_join(struct put *p, const struct meet_join *j, const char *secret,
                   const unsigned char leader_nonce[MEET_NONCE]);
bool meet_get_join(const struct str *s, struct meet_join *j, const char *secret,
                   const unsigned char leader_nonce[MEET_NONCE], bool *right);

/* WELCOME */
struct meet_welcome {
    char host[MEET_NAME]; /* the leader's */
    bool same_clock;
};

void meet_put_welcome(struct put *p, const struct meet_welcome *w, const char *secret,
                      const unsigned char member_nonce[MEET_NONCE]);
bool meet_get_welcome(const struct str *s, struct meet_welcome *w, const char *secret,
                      const unsigned char member_nonce[MEET_NONCE]);

#endif
