/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by the tests of meetings: plain sockets that are no ranks.  Only *_test.c files include
 * this.
 */
#ifndef SB_CLUSTER_MEET_TEST_H
#define SB_CLUSTER_MEET_TEST_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/test_capture.h"
#include "cluster/cluster_test.h"
#include "cluster/cluster_state.h"

static inline void nothing(struct cluster *c)
{
    expect(c, 0, "end");
}

/* A plain connection to the leader. */
static inline int dial(const struct ranks *r)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((in_port_t)atoi(r->port)),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    CHECK_INT(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

/* Until the leader closes the connection. */
static inline void await_end(int fd)
{
    char buf[256];

    while (recv(fd, buf, sizeof buf, 0) > 0)
        ;
    close(fd);
}

/* Reads a frame from a plain socket. */
static inline unsigned read_frame(int fd, struct str *payload)
{
    unsigned char head[8];
    size_t n;

    CHECK_INT(recv(fd, head, 8, MSG_WAITALL), 8);
    n = head[0] | (size_t)head[1] << 8;
    str_reset(payload);
    str_room(payload, n);
    CHECK_INT(recv(fd, payload->s, n, MSG_WAITALL), n);
    payload->len = n;
    payload->s[n] = '\0';
    return head[4];
}

static inline void send_frame(int fd, unsigned type, const struct str *p)
{
    struct frame *f = frame_new(type, p->s, p->len);

    CHECK_INT(send(fd, f->bytes, f->size, 0), f->size);
    free(f);
}

#endif
