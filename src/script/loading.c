/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See loading.h.
 */
#include "script/loading.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "script/load_watch.h"

struct loading_thread {
    bool left;    /* it has ended */
    bool entered; /* it loads tables, or will as soon as it is connected */
    struct rng rng;
};

struct loading {
    pthread_mutex_t lock;
    bool decided; /* the first thread has asked */
    bool stopped;
    bool refusal_said, repeat_said;
    unsigned threads;              /* that run the command */
    struct loading_thread *thread; /* each of them */
    struct load_plan plan;
    struct load_queue *queue; /* NULL: there is none */
    struct load_queue *notes; /* where each thread fills tables in its own way; NULL: none does */
    struct load_watch *watch; /* while there is one */
    bool failed;              /* a thread has said why */
    struct loading_failure failure;
};

struct loading *loading_new(void)
{
    struct loading *l = mem_alloc(sizeof *l);

    pthread_mutex_init(&l->lock, NULL);
    loading_begin(l, 1);
    return l;
}

void loading_free(struct loading *l)
{
    if (!l)
        return;
    load_queue_free(l->queue);
    load_queue_free(l->notes);
    free(l->thread);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

void loading_begin(struct loading *l, unsigned threads)
{
    free(l->thread);
    l->thread = mem_array(threads, sizeof *l->thread);
    l->threads = threads;
}

void loading_leave(struct loading *l, unsigned thread)
{
    pthread_mutex_lock(&l->lock);
    if (thread < l->threads)
        l->thread[thread].left = true;
    if (l->queue)
        load_queue_leave(l->queue, thread);
    pthread_mutex_unlock(&l->lock);
}

static void join(struct loading *l, unsigned thread)
{
    load_queue_join(l->queue, thread % l->plan.threads, &l->thread[thread].rng);
}

void loading_enter(struct loading *l, unsigned thread, const struct rng *rng)
{
    pthread_mutex_lock(&l->lock);
    if (thread < l->threads && !l->thread[thread].entered) {
        l->thread[thread].entered = true;
        l->thread[thread].rng = *rng;
        if (l->queue && !l->plan.apart)
            join(l, thread);
    }
    pthread_mutex_unlock(&l->lock);
}

/* A script may call prepare in one thread only: then the tables of the others stay unmade, as in
 * stock. */
static void leave_out_absent(struct loading *l)
{
    for (unsigned i = 0; i < l->plan.threads; i++)
        if (i >= l->threads || l->thread[i].left)
            load_queue_leave(l->queue, i);
}

static void decide(struct loading *l, const struct load_plan *plan, bool with_queue)
{
    l->decided = true;
    if (!with_queue)
        return;
    l->plan = *plan;
    l->queue = load_queue_new(plan);
    for (unsigned i = 0; i < l->threads; i++)
        if (l->thread[i].entered && !plan->apart)
            join(l, i);
    leave_out_absent(l);
    l->watch = load_watch_begin(l->queue, plan->tables, plan->rows, true);
    if (l->stopped)
        load_queue_stop(l->queue);
}

struct load_queue *loading_join(struct loading *l, const struct load_plan *plan, unsigned thread,
                                bool with_queue)
{
    pthread_mutex_lock(&l->lock);
    if (!l->decided)
        decide(l, plan, with_queue);
    if (l->queue && l->plan.apart && thread < l->threads)
        join(l, thread); /* not before: nobody else could make its tables if it failed to connect */
    pthread_mutex_unlock(&l->lock);
    return l->queue;
}

struct load_queue *loading_note(struct loading *l, const struct load_plan *plan, bool resumable)
{
    pthread_mutex_lock(&l->lock);
    if (!l->notes && !l->queue) {
        l->notes = load_queue_new(plan);
        l->watch = load_watch_begin(l->notes, plan->tables, plan->rows, resumable);
    }
    pthread_mutex_unlock(&l->lock);
    return l->notes;
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
    if (l->queue && load_queue_stopped(l->queue))
        load_watch_say(l->queue, l->plan.tables, l->plan.rows, true);
}

static bool first(struct loading *l, bool *said)
{
    bool is;

    pthread_mutex_lock(&l->lock);
    is = !*said;
    *said = true;
    pthread_mutex_unlock(&l->lock);
    return is;
}

bool loading_first_refusal(struct loading *l)
{
    return first(l, &l->refusal_said);
}

bool loading_first_repeat(struct loading *l)
{
    return first(l, &l->repeat_said);
}

bool loading_first_failure(struct loading *l, const struct loading_failure *f)
{
    bool is;

    pthread_mutex_lock(&l->lock);
    is = !l->failed || f->class != l->failure.class ||
         (f->class == ERROR_OTHER && f->errnum != l->failure.errnum);
    if (!l->failed)
        l->failure = *f;
    l->failed = true;
    pthread_mutex_unlock(&l->lock);
    return is;
}
