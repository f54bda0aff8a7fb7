/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See loading.h.
 */
#include "script/loading.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "script/load_watch.h"

struct loading {
    pthread_mutex_t lock;
    bool decided; /* the first thread has asked */
    bool stopped;
    bool refusal_said;
    unsigned threads; /* that run the command */
    bool *left;       /* by thread: it has ended; NULL: there is only one */
    struct load_plan plan;
    struct load_queue *queue; /* NULL: there is none */
    struct load_watch *watch; /* while there is one */
};

struct loading *loading_new(void)
{
    struct loading *l = mem_alloc(sizeof *l);

    pthread_mutex_init(&l->lock, NULL);
    l->threads = 1;
    return l;
}

void loading_free(struct loading *l)
{
    if (!l)
        return;
    load_queue_free(l->queue);
    free(l->left);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

void loading_begin(struct loading *l, unsigned threads)
{
    free(l->left);
    l->left = mem_array(threads, sizeof *l->left);
    l->threads = threads;
}

void loading_leave(struct loading *l, unsigned thread)
{
    pthread_mutex_lock(&l->lock);
    if (l->left && thread < l->threads)
        l->left[thread] = true;
    if (l->queue)
        load_queue_leave(l->queue, thread);
    pthread_mutex_unlock(&l->lock);
}

/* A script may call prepare in one thread only: then the tables of the others stay unmade, as in
 * stock. */
static void leave_out_absent(struct loading *l)
{
    for (unsigned i = 0; i < l->plan.threads; i++)
        if (i >= l->threads || (l->left && l->left[i]))
            load_queue_leave(l->queue, i);
}

static void decide(struct loading *l, const struct load_plan *plan, bool with_queue)
{
    l->decided = true;
    if (!with_queue)
        return;
    l->plan = *plan;
    l->queue = load_queue_new(plan);
    leave_out_absent(l);
    l->watch = load_watch_begin(l->queue, plan->tables, plan->rows);
    if (l->stopped)
        load_queue_stop(l->queue);
}

struct load_queue *loading_join(struct loading *l, const struct load_plan *plan, unsigned thread,
                                const struct rng *rng, bool with_queue)
{
    pthread_mutex_lock(&l->lock);
    if (!l->decided)
        decide(l, plan, with_queue);
    pthread_mutex_unlock(&l->lock);
    if (l->queue)
        load_queue_join(l->queue, thread % l->plan.threads, rng);
    return l->queue;
}

void loading_stop(struct loading *l)
{
    pthread_mutex_lock(&l->lock);
    l->stopped = true;
    if (l->queue)
        load_queue_stop(l->queue);
    pthread_mutex_unlock(&l->lock);
}

void loading_end(struct loading *l)
{
    if (!l->watch)
        return;
    load_watch_end(l->watch);
    l->watch = NULL;
    if (load_queue_stopped(l->queue))
        load_watch_say(l->queue, l->plan.tables, l->plan.rows);
}

bool loading_first_refusal(struct loading *l)
{
    bool first;

    pthread_mutex_lock(&l->lock);
    first = !l->refusal_said;
    l->refusal_said = true;
    pthread_mutex_unlock(&l->lock);
    return first;
}
