/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The descriptors in a worker's epoll set and the tasks that wait for them (level_note and
 * reuse_note in worker.h).  A descriptor stays registered after a wait, edge-triggered and only for
 * the awaited events: interest in writing would report every answer of a unix socket's reader as
 * room to write.
 */
#include "fiber/worker.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/mem.h"

/* poll's and epoll's bits are the same on Linux. */
_Static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT && POLLPRI == EPOLLPRI &&
                   POLLERR == EPOLLERR && POLLHUP == EPOLLHUP && POLLRDHUP == EPOLLRDHUP,
               "bits of poll and epoll");

static struct fd_slot *slot_of(struct worker *w, int fd)
{
    size_t want = (size_t)fd + 1;

    if (want > w->nslots) {
        want = want < 2 * w->nslots ? 2 * w->nslots : want + 64;
        w->slot = mem_grow(w->slot, want, sizeof *w->slot);
        memset(w->slot + w->nslots, 0, (want - w->nslots) * sizeof *w->slot);
        w->nslots = want;
    }
    return &w->slot[fd];
}

/* Tells the kernel; whether it knows the descriptor already is only our guess.  That the peer hangs
 * up is always of interest (quiet_note). */
static int register_fd(struct worker *w, int fd, short interest, bool known)
{
    struct epoll_event ev = {.events = (uint32_t)interest | EPOLLRDHUP | EPOLLET, .data.fd = fd};
    int first = known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

    if (epoll_ctl(w->epoll, first, fd, &ev) == 0)
        return 0;
    if (errno == ENOENT)
        return epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &ev);
    return errno == EEXIST ? epoll_ctl(w->epoll, EPOLL_CTL_MOD, fd, &ev) : -1;
}

int sockets_wait_on(struct worker *w, struct fd_wait *wait, bool afresh)
{
    struct fd_slot *s = slot_of(w, wait->fd);
    short interest = wait->events & (POLLIN | POLLOUT | POLLPRI | POLLRDHUP);

    for (struct fd_wait *other = s->waiters; other; other = other->next)
        interest |= other->events & (POLLIN | POLLOUT | POLLPRI | POLLRDHUP);
    if (s->interest != interest || afresh) {
        if (register_fd(w, wait->fd, interest, s->interest != 0))
            return -1;
        s->interest = interest;
        s->hung_up = false; /* the kernel says it again */
    }
    sockets_link(w, wait);
    return 0;
}

void sockets_done(struct worker *w, struct fd_wait *wait)
{
    struct fd_wait **at = &w->slot[wait->fd].waiters;

    while (*at && *at != wait)
        at = &(*at)->next;
    if (*at)
        *at = wait->next;
}

void sockets_event(struct worker *w, int fd, uint32_t events)
{
    if ((size_t)fd >= w->nslots)
        return;
    w->slot[fd].quiet = false;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        w->slot[fd].hung_up = true;
    for (struct fd_wait *wait = w->slot[fd].waiters; wait; wait = wait->next) {
        short now =
            (short)(events & ((uint32_t)(unsigned short)wait->events | EPOLLERR | EPOLLHUP));
        if (now) {
            wait->task->revents = now;
            worker_make_ready(wait->task);
        }
    }
}

void sockets_forget(struct worker *w, int fd)
{
    if (fd >= 0 && (size_t)fd < w->nslots)
        w->slot[fd] = (struct fd_slot){.waiters = w->slot[fd].waiters};
}

void sockets_own(struct worker *w, int fd)
{
    slot_of(w, fd)->ours = true;
}
