/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See meet_socket.h.
 */
#include "cluster/meet_socket.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

void meet_place(const struct sockaddr *a, socklen_t n, char out[MEET_PLACE])
{
    char host[48], port[8];

    if (getnameinfo(a, n, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
        snprintf(out, MEET_PLACE, "an unknown address");
    else if (a->sa_family == AF_INET6)
        snprintf(out, MEET_PLACE, "[%s]:%s", host, port);
    else
        snprintf(out, MEET_PLACE, "%s:%s", host, port);
}

void meet_prepare(int fd)
{
    const int on = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

bool meet_say(int fd, unsigned type, const void *payload, size_t n)
{
    struct frame *f = frame_new(type, payload, n);
    ssize_t sent = send(fd, f->bytes, f->size, MSG_NOSIGNAL | MSG_DONTWAIT);
    bool whole = sent == (ssize_t)f->size;

    free(f);
    return whole;
}

/* Takes what is there, up to `want` bytes. */
static int hear_some(int fd, struct frame_in *in, size_t want)
{
    unsigned char buf[4096];
    const unsigned char *p = buf;
    ssize_t got = recv(fd, buf, want < sizeof buf ? want : sizeof buf, MSG_DONTWAIT);
    size_t n;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got == 0)
        errno = 0;
    if (got <= 0)
        return -1;
    n = (size_t)got;
    return frame_take(in, &p, &n) < 0 ? -2 : 1;
}

/* Never more than the rest of one frame, so that the next one stays in the socket. */
int meet_hear(int fd, struct frame_in *in)
{
    int rc;

    do {
        rc = hear_some(fd, in, frame_missing(in));
        if (rc != 1)
            return rc;
    } while (in->have);
    return 1;
}

int meet_timeout(mono_ns until)
{
    dur_ns left = until - clock_mono();

    if (left <= 0)
        return 0;
    return left / NS_PER_MS < INT_MAX - 1 ? (int)(left / NS_PER_MS) + 1 : INT_MAX;
}

bool meet_wait(int fd, short events, mono_ns until)
{
    struct pollfd f = {.fd = fd, .events = events};
    int rc;

    do
        rc = poll(&f, 1, meet_timeout(until));
    while (rc <= 0 && clock_mono() < until);
    return rc > 0;
}
