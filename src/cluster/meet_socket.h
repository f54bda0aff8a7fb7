/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: the sockets of a meeting.  All are non-blocking.
 */
#ifndef SB_CLUSTER_MEET_SOCKET_H
#define SB_CLUSTER_MEET_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "cluster/frame.h"

#define MEET_PLACE 80

/* "10.0.0.7:4711", "[::1]:4711" */
void meet_place(const struct sockaddr *a, socklen_t n, char out[MEET_PLACE]);

/* No delay, and the kernel's probes of a connection that says nothing. */
void meet_prepare(int fd);

/* Sends a frame whole: the socket of a meeting has room.  False: it does not. */
bool meet_say(int fd, unsigned type, const void *payload, size_t n);

/* Receives into `in`.  1: a frame is whole; 0: not yet; -1: the connection ended, errno tells why
 * (0: closed); -2: that is no frame. */
int meet_hear(int fd, struct frame_in *in);

/* Waits until `fd` has one of the events of poll().  False: it was too late. */
bool meet_wait(int fd, short events, mono_ns until);

/* For poll(): milliseconds until then, at least 0. */
int meet_timeout(mono_ns until);

#endif
