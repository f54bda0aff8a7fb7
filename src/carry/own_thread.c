/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a client with a thread of its own waits for an answer.  libmariadb asks for it as soon as the
 * request is sent, is told that there is none yet, calls poll(), and asks again: four system calls
 * where two would do.  The program's own send(), poll() and recv() (poll_hook.c) know by then what
 * the library is about to do, and recv() waits for the answer by itself.
 *
 * Only where nobody can tell the difference: on the connection that a client library made last on
 * this thread (carry_connect_end), when its socket is a blocking one, for the first read after a
 * request that was sent in full, and after the library has been seen to wait without a time-out.
 *
 * And only with TCP.  On a unix socket whoever waits in recv() is woken twice, when the server
 * takes the request (there is room to write again) and when it answers, which costs more than the
 * calls that are saved; poll() is not woken for what it did not ask for.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "carry/worker.h"

static _Thread_local struct {
    int fd;
    bool asked;   /* a request was sent, and nothing was read since */
    bool patient; /* the library waits for as long as it takes */
} own = {.fd = -1};

static bool suits(int fd)
{
    int domain = AF_UNSPEC, flags = fcntl(fd, F_GETFL);
    socklen_t len = sizeof domain;

    return flags >= 0 && !(flags & O_NONBLOCK) &&
           getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
           (domain == AF_INET || domain == AF_INET6);
}

void own_thread_connected(int fd)
{
    own.fd = fd >= 0 && suits(fd) ? fd : -1;
    own.asked = own.patient = false;
}

void own_thread_closed(int fd)
{
    if (fd == own.fd)
        own.fd = -1;
}

void own_thread_sent(int fd, bool all)
{
    if (fd == own.fd)
        own.asked = all;
}

void own_thread_polls(struct pollfd *fds, nfds_t n, bool for_ever)
{
    if (n == 1 && fds->fd == own.fd && fds->events == POLLIN)
        own.patient = for_ever;
}

/* Others have used the cache meanwhile. */
void own_thread_woke(void)
{
    if (carry_task || !warm_here)
        return;
    warm_fetch_bytes(__builtin_frame_address(0), STACK_WARM);
    warm_fetch(warm_here);
}

ssize_t own_thread_recv(int fd, void *buf, size_t len, int flags)
{
    bool due = fd == own.fd && own.asked && own.patient && flags == MSG_DONTWAIT;
    ssize_t n;

    if (fd == own.fd)
        own.asked = false;
    if (!due)
        return hook_plain_recv(fd, buf, len, flags);
    do
        n = hook_plain_recv(fd, buf, len, 0);
    while (n < 0 && errno == EINTR); /* as poll() would be called again */
    own_thread_woke();
    return n;
}
