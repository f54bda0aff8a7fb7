/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Frames on their way to a rank, in a list.  The first one may have left in part; it stays in the
 * list until it has left as a whole, and nothing takes its place.
 */
#include "cluster/cluster_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void append(struct peer *p, struct frame *f)
{
    if (p->last)
        p->last->next = f;
    else
        p->first = f;
    p->last = f;
    p->queued += f->size;
}

/* Puts `f` behind `before`; NULL: first. */
static void insert(struct peer *p, struct frame *before, struct frame *f)
{
    struct frame **at = before ? &before->next : &p->first;

    f->next = *at;
    *at = f;
    if (!f->next)
        p->last = f;
    p->queued += f->size;
}

static void remove_after(struct peer *p, struct frame *before)
{
    struct frame **at = before ? &before->next : &p->first, *f = *at;

    *at = f->next;
    if (p->last == f)
        p->last = before;
    p->queued -= f->size;
    free(f);
}

/* Takes the last frame of that type that has not begun to leave out of the queue.  False: there is
 * none.  *before: where it was. */
static bool remove_last(struct peer *p, unsigned type, struct frame **before)
{
    bool found = false;

    for (struct frame *f = p->first, *b = NULL; f; b = f, f = f->next)
        if (f->type == type && !f->begun) {
            *before = b;
            found = true;
        }
    if (found)
        remove_after(p, *before);
    return found;
}

/* False, and the peer will be lost: too much waits for it, be it messages or answers to its pings.
 */
static bool has_room(struct peer *p, size_t n)
{
    if (p->queued + n > CLUSTER_QUEUE_MAX)
        p->flooded = true;
    return !p->flooded;
}

int queue_add(struct peer *p, unsigned type, const void *bytes, size_t n, bool latest)
{
    struct frame *f, *before;

    if (!atomic_load(&p->alive) || !has_room(p, n))
        return -1;
    f = frame_new(type, bytes, n);
    if (latest && remove_last(p, type, &before))
        insert(p, before, f);
    else
        append(p, f);
    return 0;
}

void queue_urgent(struct peer *p, unsigned type, const void *bytes, size_t n)
{
    struct frame *begun = p->first && p->first->begun ? p->first : NULL;

    if (has_room(p, n))
        insert(p, begun, frame_new(type, bytes, n));
}

void queue_clear(struct peer *p)
{
    while (p->first)
        remove_after(p, NULL);
}

static struct frame *begin(struct cluster *c, struct peer *p)
{
    struct frame *f;
    bool first;

    pthread_mutex_lock(&c->lock);
    f = p->first;
    first = f && !f->begun;
    if (f)
        f->begun = true;
    pthread_mutex_unlock(&c->lock);
    if (first) /* from now on it is ours alone, and nothing overtakes it */
        frame_close(f, &p->seal);
    return f;
}

static void gone(struct cluster *c, struct peer *p)
{
    pthread_mutex_lock(&c->lock);
    remove_after(p, NULL);
    pthread_mutex_unlock(&c->lock);
}

void queue_send(struct cluster *c, struct peer *p)
{
    struct frame *f;

    p->blocked = false;
    while (!p->deaf && (f = begin(c, p)) != NULL) {
        size_t size = f->size + f->tag;
        ssize_t n = send(p->fd, f->bytes + f->sent, size - f->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0) {
            p->blocked = errno == EAGAIN || errno == EINTR || errno == ENOBUFS;
            p->deaf = !p->blocked;
            return;
        }
        f->sent += (size_t)n;
        if (f->sent == size)
            gone(c, p);
    }
}
