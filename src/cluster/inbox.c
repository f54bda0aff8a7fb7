/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages and losses that came: to the handler, in the order in which they came, or into a list
 * until there is a handler or somebody awaits them.
 */
#include "cluster/cluster_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct event *event_new(int from, unsigned type, const void *bytes, size_t n)
{
    struct event *v = mem_alloc(sizeof *v + n + 1);

    v->from = from;
    v->type = type;
    v->n = n;
    if (n)
        memcpy(v->bytes, bytes, n);
    return v;
}

static bool keep(struct cluster *c, struct event *v)
{
    bool fits;

    pthread_mutex_lock(&c->lock);
    if (c->last)
        c->last->next = v;
    else
        c->first = v;
    c->last = v;
    c->kept += v->n;
    fits = c->kept <= CLUSTER_QUEUE_MAX;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return fits;
}

static void call(const struct cluster *c, int from, unsigned type, const void *bytes, size_t n)
{
    if (type)
        c->handler.message(c->handler.arg, from, type, bytes, n);
    else
        c->handler.lost(c->handler.arg, from, bytes);
}

static struct event *take_first(struct cluster *c)
{
    struct event *v;

    pthread_mutex_lock(&c->lock);
    v = c->first;
    if (v) {
        c->first = v->next;
        c->last = c->first ? c->last : NULL;
        c->kept -= v->n;
    }
    pthread_mutex_unlock(&c->lock);
    return v;
}

/* With the delivery held. */
static void flush(struct cluster *c)
{
    struct event *v;

    while (c->handled && (v = take_first(c)) != NULL) {
        call(c, v->from, v->type, v->bytes, v->n);
        free(v);
    }
}

bool inbox_deliver(struct cluster *c, int from, unsigned type, const void *bytes, size_t n)
{
    bool fits = true;

    pthread_mutex_lock(&c->delivery);
    flush(c);
    if (c->handled)
        call(c, from, type, bytes, n);
    else
        fits = keep(c, event_new(from, type, bytes, n));
    pthread_mutex_unlock(&c->delivery);
    return fits;
}

void inbox_flush(struct cluster *c)
{
    pthread_mutex_lock(&c->delivery);
    flush(c);
    pthread_mutex_unlock(&c->delivery);
}

struct event *inbox_take(struct cluster *c, int from, unsigned type)
{
    struct event *before = NULL;

    for (struct event *v = c->first; v; before = v, v = v->next)
        if (v->from == from && v->type == type) {
            *(before ? &before->next : &c->first) = v->next;
            if (c->last == v)
                c->last = before;
            c->kept -= v->n;
            return v;
        }
    return NULL;
}

void inbox_clear(struct cluster *c)
{
    struct event *v;

    while ((v = take_first(c)) != NULL)
        free(v);
}
