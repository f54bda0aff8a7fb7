/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: the messages by which ranks meet, as bytes and over non-blocking sockets,
 * and how each side proves that it knows the secret.
 *
 *     leader                                     member
 *     meet_listen(), accept
 *     HELLO    magic, protocol, nonce  ------>
 *              <------  JOIN     rank, size, host, nonce, boot id, HMAC(secret, ...)
 *     ACCEPT   the leader's host, HMAC  ------->   or REJECT with a sentence
 *     ... when all have come:  READY  ---------->
 *              <------  32 pings, then three each second
 *
 * The secret itself is never sent.  A proof is an HMAC over everything that the message says and
 * over the nonce of the other side, with a word in front that tells whose it is: so no message can
 * stand for another, and none can be used again.
 */
#ifndef SB_CLUSTER_HANDSHAKE_H
#define SB_CLUSTER_HANDSHAKE_H

#include <sys/socket.h>

#include "base/clock.h"
#include "base/hash.h"
#include "cluster/codec.h"

#define HANDSHAKE_PROTOCOL 3
#define HANDSHAKE_NONCE    32
#define HANDSHAKE_NAME     256
#define HANDSHAKE_LONGEST  2048 /* bytes of a payload */
#define HANDSHAKE_PLACE    80

struct handshake_join {
    int protocol, rank, size;
    char host[HANDSHAKE_NAME];
    char clock[HANDSHAKE_NAME]; /* the name of the clock that CLOCK_MONOTONIC is */
    unsigned char nonce[HANDSHAKE_NONCE];
};

struct handshake_accept {
    char host[HANDSHAKE_NAME]; /* the leader's */
    bool same_clock;
};

void handshake_nonce(unsigned char nonce[HANDSHAKE_NONCE]);
/* This host, and its clock: the same text means the same CLOCK_MONOTONIC; "": not known. */
void handshake_host(char out[HANDSHAKE_NAME]);
void handshake_clock(char out[HANDSHAKE_NAME]);

/* Keys for what leader and member send after the handshake: each knows both. */
void handshake_seal(struct frame_seal *leader, struct frame_seal *member, const char *secret,
                    const unsigned char leader_nonce[HANDSHAKE_NONCE],
                    const unsigned char member_nonce[HANDSHAKE_NONCE]);

void handshake_put_hello(struct put *p, const unsigned char nonce[HANDSHAKE_NONCE]);
bool handshake_get_hello(const struct str *s, unsigned char nonce[HANDSHAKE_NONCE]);
/* The reader returns false for what cannot be one; `right` tells whether the proof is. */
void handshake_put_join(struct put *p, const struct handshake_join *j, const char *secret,
                        const unsigned char leader_nonce[HANDSHAKE_NONCE]);
bool handshake_get_join(const struct str *s, struct handshake_join *j, const char *secret,
                        const unsigned char leader_nonce[HANDSHAKE_NONCE], bool *right);
void handshake_put_accept(struct put *p, const struct handshake_accept *a, const char *secret,
                          const unsigned char member_nonce[HANDSHAKE_NONCE]);
bool handshake_get_accept(const struct str *s, struct handshake_accept *a, const char *secret,
                          const unsigned char member_nonce[HANDSHAKE_NONCE]);

/* "10.0.0.7:4711", "[::1]:4711" */
void handshake_place(const struct sockaddr *a, socklen_t n, char out[HANDSHAKE_PLACE]);
/* No delay, and the kernel's probes of a connection that is silent. */
void handshake_prepare(int fd);
/* Sends a frame whole: the socket of a handshake has room.  False: it does not. */
bool handshake_send(int fd, unsigned type, const void *payload, size_t n);
/* Receives into `in`.  1: a frame is whole; 0: not yet; -1: the connection ended, errno tells why
 * (0: closed); -2: that is no frame. */
int handshake_receive(int fd, struct frame_in *in);
/* Waits until `fd` has one of the events of poll().  False: it was too late. */
bool handshake_wait(int fd, short events, mono_ns until);
/* For poll(): milliseconds until then, at least 0. */
int handshake_timeout(mono_ns until);

#endif
