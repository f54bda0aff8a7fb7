/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds tasks that stall their workers.  A script that computes for long, or makes a blocking call
 * in C, stops all clients of its worker.  A watch thread samples the workers a few times per limit:
 * a worker that still runs the same turn as at the last sample is stalled.  So the workers
 * themselves read no clock for this.
 *
 *     watch thread: stalled for longer than the limit -> signal to the worker's thread
 *     handler:      spec.stalled(), which has the script's state report its position when it can
 *     worker:       when the turn ends, one warning per place with the time that it took
 *     watch thread: the same while the turn goes on, after ten times the limit: it may never end
 *
 * own_note: where the machine is short of CPU, a turn takes long because its thread waits for one,
 * and no script is to blame.  So a task's own time counts: the CPU time that the thread has used,
 * and the time in which it was blocked.
 *
 * The signal is SIGURG, which is ignored by default.
 */
#include "fiber/sched.h"
#include "fiber/worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

#define LOOKS_PER_LIMIT 4
#define MAX_PLACES      32
#define PLACE_TEXT      160
/* A turn of so many limits of own time (own_note) is reported before it ends. */
#define LONG_TURN 10

struct seen {
    uint64_t turns;
    mono_ns since; /* when these turns were first seen */
    /* own_note: when they were seen last, and the CPU time of the thread then; 0: only once so far
     */
    mono_ns at;
    int64_t cpu;
    dur_ns own;
    bool told;
};

struct watch {
    struct sched *sched;
    pthread_t thread;
    _Atomic uint32_t stop;
    struct seen *seen; /* by worker */
    pthread_mutex_t lock;
    char *place[MAX_PLACES]; /* reported already */
    size_t places;
    struct sigaction before;
};

/* The handler gets no argument; the task that runs on this thread knows its scheduler. */
static void on_signal(int sig)
{
    struct task *t = sched_current;

    (void)sig;
    if (!t)
        return;
    atomic_store(&t->worker->stalled_task, t->id);
    if (t->worker->sched->spec.stalled)
        t->worker->sched->spec.stalled();
}

void sched_stalled_at(const char *place)
{
    struct worker *w = sched_current ? sched_current->worker : NULL;

    /* else the turn has ended meanwhile */
    if (!w || !atomic_load_explicit(&w->stalled_since, memory_order_relaxed))
        return;
    pthread_mutex_lock(&w->sched->watch->lock);
    snprintf(w->stalled_place, sizeof w->stalled_place, "%s", place);
    pthread_mutex_unlock(&w->sched->watch->lock);
}

/* Where it was, and whether that is to be said: it has not been said before. */
static bool take_place(struct worker *w, bool connecting, char where[PLACE_TEXT])
{
    struct watch *h = w->sched->watch;
    size_t i = 0;

    pthread_mutex_lock(&h->lock);
    where[0] = '\0';
    if (w->stalled_place[0])
        snprintf(where, PLACE_TEXT, " at %s", w->stalled_place);
    else if (connecting)
        snprintf(where, PLACE_TEXT, " while connecting");
    while (i < h->places && strcmp(h->place[i], where) != 0)
        i++;
    bool is_new = i == h->places && i < MAX_PLACES;
    if (is_new)
        h->place[h->places++] = mem_strdup(where);
    pthread_mutex_unlock(&h->lock);
    return is_new;
}

void watch_report(struct worker *w, const struct task *t)
{
    mono_ns since = atomic_exchange(&w->stalled_since, 0);
    dur_ns stalled = clock_mono() - since;
    char where[PLACE_TEXT];

    if (take_place(w, t->connecting, where))
        log_warn("client %zu blocked its worker for more than %lld ms%s: the other clients of "
                 "the worker had to "
                 "wait. A script must not compute or block for so long with --workers.",
                 t->id, (long long)(stalled / NS_PER_MS), where);
    pthread_mutex_lock(&w->sched->watch->lock);
    w->stalled_place[0] = '\0';
    pthread_mutex_unlock(&w->sched->watch->lock);
}

/* --- the watch thread --- */

/* True when the worker's thread runs or waits for a CPU, false when it is blocked in a call. */
static bool is_runnable(const struct worker *w)
{
    char path[64], text[128] = "";

    snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&w->tid));
    FILE *f = fopen(path, "re");
    if (f && !fgets(text, sizeof text, f))
        text[0] = '\0';
    if (f)
        fclose(f);
    const char *end = strrchr(text, ')');
    return end && strlen(end) > 2 && end[2] == 'R';
}

static void sample_worker(struct watch *h, struct worker *w, struct seen *s, mono_ns now)
{
    dur_ns limit = h->sched->spec.stall_limit, step = limit / LOOKS_PER_LIMIT;
    uint64_t turns = atomic_load_explicit(&w->turns, memory_order_relaxed);
    char where[PLACE_TEXT];

    if (!atomic_load_explicit(&w->busy, memory_order_acquire) || turns != s->turns) {
        *s = (struct seen){.turns = turns, .since = now};
        return;
    }
    if (!s->told) { /* adds how long the task has kept its worker (own_note) */
        int64_t cpu = sched_worker_cpu(h->sched, w->index);
        if (s->at)
            s->own += is_runnable(w) ? cpu - s->cpu : now - s->at;
        s->at = now;
        s->cpu = cpu;
    }
    if (!atomic_load(&w->stalled_since)) {
        if (s->own >= limit - 2 * step && now - s->since >= limit) {
            atomic_store(&w->stalled_since, s->since);
            pthread_kill(w->thread, SIGURG);
        }
    } else if (!s->told && s->own >= LONG_TURN * limit) { /* the turn goes on */
        s->told = true;
        if (take_place(w, false, where))
            log_warn("client %zu has blocked its worker for %lld ms%s, and goes on: the other "
                     "clients of the worker "
                     "have to wait. A script must not compute or block for so long with --workers.",
                     atomic_load(&w->stalled_task), (long long)((now - s->since) / NS_PER_MS),
                     where);
    }
}

static void *watch_thread(void *arg)
{
    struct watch *h = arg;
    dur_ns step = h->sched->spec.stall_limit / LOOKS_PER_LIMIT;
    mono_ns due = clock_mono() + step;

    while (clock_sleep_until(due, &h->stop, 0)) {
        mono_ns now = clock_mono();
        for (int i = 0; i < h->sched->spec.workers; i++) {
            if (now - due > step) { /* the machine stood still: no script did that */
                h->seen[i].since += now - due;
                h->seen[i].at += h->seen[i].at ? now - due : 0;
            }
            sample_worker(h, &h->sched->worker[i], &h->seen[i], now);
        }
        due = now + step;
    }
    return NULL;
}

int watch_start(struct watch **out, struct sched *s, struct err *e)
{
    struct watch *h = mem_alloc(sizeof *h);
    struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    h->sched = s;
    h->seen = mem_array((size_t)s->spec.workers, sizeof *h->seen);
    pthread_mutex_init(&h->lock, NULL);
    sigaction(SIGURG, &sa, &h->before);
    *out = h;
    int rc = pthread_create(&h->thread, NULL, watch_thread, h);
    if (rc) {
        *out = NULL;
        sigaction(SIGURG, &h->before, NULL);
        pthread_mutex_destroy(&h->lock);
        free(h->seen);
        free(h);
        return err_sys(e, rc, "cannot create the thread that watches the workers");
    }
    return 0;
}

void watch_stop(struct watch *h)
{
    if (!h)
        return;
    atomic_store(&h->stop, 1);
    clock_wake(&h->stop);
    pthread_join(h->thread, NULL);
    sigaction(SIGURG, &h->before, NULL);
    for (size_t i = 0; i < h->places; i++)
        free(h->place[i]);
    pthread_mutex_destroy(&h->lock);
    free(h->seen);
    free(h);
}
