/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See loading.h.
 */
#include "script/loading.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

static const int signals[] = {SIGINT, SIGTERM};
#define SIGNALS (sizeof signals / sizeof *signals)

struct loading_thread {
    bool left;    /* it has ended */
    bool entered; /* it loads tables, or will as soon as it is connected */
    struct rng rng;
};

struct loading {
    pthread_mutex_t lock;
    bool decided; /* the first thread has asked */
    bool stopped;
    bool said[LOADING_NOTES];
    unsigned threads;              /* that run the command */
    struct loading_thread *thread; /* each of them */
    struct load_plan plan;
    struct load_queue *queue; /* NULL: there is none */
    struct load_queue *notes; /* where each thread fills tables in its own way; NULL: none does */
    bool failed;              /* a thread has said why */
    struct loading_failure failure;
    /* Ctrl-C */
    bool watched;   /* the thread that watches runs */
    bool resumable; /* a second prepare could continue, and the user is told how */
    pthread_t watcher;
    int pipe[2];
    struct sigaction old[SIGNALS];
};

/* --- Ctrl-C --- */

#define PATIENCE    (3 * NS_PER_SEC)
#define LOOK        (20 * NS_PER_MS)
#define TABLES_SAID 20 /* incomplete ones, by name */

static volatile sig_atomic_t pipe_end = -1;

static void on_signal(int number)
{
    char c = (char)number;

    if (pipe_end >= 0 && write(pipe_end, &c, 1) < 0)
        return;
}

/* 1200000 as "1,200,000". */
static void add_count(struct str *out, uint64_t v)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, v);

    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            str_adds(out, ",");
        str_add(out, text + i, 1);
    }
}

/* "sbtest3: 1,200,000 of 5,000,000 rows" on stderr, for the tables that were made. */
static void say_what_is_there(const struct loading *l)
{
    struct load_queue *q = l->queue ? l->queue : l->notes;
    uint64_t complete = 0, made = 0, have, said = 0;
    struct str text = STR_INIT;

    for (uint64_t t = 1; t <= l->plan.tables; t++) {
        enum load_progress p = load_queue_table(q, t, &have);
        made += p != LOAD_ABSENT;
        complete += p == LOAD_COMPLETE;
        if ((p != LOAD_PARTLY && p != LOAD_FILLED) || said++ >= TABLES_SAID)
            continue;
        str_printf(&text, "sbtest%" PRIu64 ": ", t);
        add_count(&text, have);
        str_adds(&text, " of ");
        add_count(&text, l->plan.rows);
        str_adds(&text, have < l->plan.rows ? " rows\n" : " rows, without its index\n");
    }
    if (said > TABLES_SAID)
        str_printf(&text, "... and %" PRIu64 " tables more that are not complete\n",
                   said - TABLES_SAID);
    str_printf(&text, "complete: %" PRIu64 " of %" PRIu64 " tables, not begun: %" PRIu64, complete,
               l->plan.tables, l->plan.tables - made);
    if (made)
        log_stderr("prepare has stopped%s; what is there:\n%s",
                   l->resumable ? " (--prepare-method=resume continues)" : "", str_cstr(&text));
    str_free(&text);
}

static void *watch(void *arg)
{
    struct loading *l = arg;
    struct load_queue *q = l->queue ? l->queue : l->notes;
    _Atomic uint32_t nobody = 0;
    sigset_t set;
    char number;

    if (read(l->pipe[0], &number, 1) != 1 || number == 0)
        return NULL;
    load_queue_stop(q);
    mono_ns limit = clock_mono() + PATIENCE;
    while (load_queue_busy(q) > 0 && clock_mono() < limit)
        clock_sleep_until(clock_mono() + LOOK, &nobody, 0);
    say_what_is_there(l);
    /* ends the process by the signal that came */
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    return NULL;
}

/* There is a queue, or notes, from now on. */
static void watch_begin(struct loading *l, bool resumable)
{
    struct sigaction to = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};

    l->resumable = resumable;
    if (pipe(l->pipe))
        return;
    l->watched = pthread_create(&l->watcher, NULL, watch, l) == 0;
    if (!l->watched) {
        close(l->pipe[0]);
        close(l->pipe[1]);
        return;
    }
    pipe_end = l->pipe[1];
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &l->old[i]);
        if (l->old[i].sa_handler == SIG_DFL)
            sigaction(signals[i], &to, NULL);
    }
}

static void watch_end(struct loading *l)
{
    if (!l->watched)
        return;
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &l->old[i], NULL);
    on_signal(0);
    pthread_join(l->watcher, NULL);
    pipe_end = -1;
    close(l->pipe[0]);
    close(l->pipe[1]);
    l->watched = false;
}

/* --- the threads of the command --- */

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

struct load_queue *loading_join(struct loading *l, const struct load_plan *plan, unsigned thread,
                                bool with_queue)
{
    pthread_mutex_lock(&l->lock);
    if (!l->decided && with_queue) { /* the first thread that asks decides */
        l->plan = *plan;
        l->queue = load_queue_new(plan);
        for (unsigned i = 0; i < l->threads; i++)
            if (l->thread[i].entered && !plan->apart)
                join(l, i);
        /* A script may call prepare in one thread only: then the tables of the others stay unmade,
         * as in stock. */
        for (unsigned i = 0; i < plan->threads; i++)
            if (i >= l->threads || l->thread[i].left)
                load_queue_leave(l->queue, i);
        watch_begin(l, true);
        if (l->stopped)
            load_queue_stop(l->queue);
    }
    l->decided = true;
    if (l->queue && l->plan.apart && thread < l->threads)
        join(l, thread); /* not before: nobody else could make its tables if it failed to connect */
    pthread_mutex_unlock(&l->lock);
    return l->queue;
}

struct load_queue *loading_note(struct loading *l, const struct load_plan *plan, bool resumable)
{
    pthread_mutex_lock(&l->lock);
    if (!l->notes && !l->queue) {
        l->plan = *plan;
        l->notes = load_queue_new(plan);
        watch_begin(l, resumable);
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
    watch_end(l);
    if (l->queue && load_queue_stopped(l->queue))
        say_what_is_there(l);
}

bool loading_first(struct loading *l, enum loading_note n)
{
    pthread_mutex_lock(&l->lock);
    bool is = !l->said[n];
    l->said[n] = true;
    pthread_mutex_unlock(&l->lock);
    return is;
}

bool loading_first_failure(struct loading *l, const struct loading_failure *f)
{
    pthread_mutex_lock(&l->lock);
    bool is = !l->failed || f->class != l->failure.class ||
              (f->class == ERROR_OTHER && f->errnum != l->failure.errnum);
    if (!l->failed)
        l->failure = *f;
    l->failed = true;
    pthread_mutex_unlock(&l->lock);
    return is;
}

/* --- how far it is --- */

#define FIRST_AFTER NS_PER_SEC
#define REDRAW      (NS_PER_SEC / 5)
#define LINE_EVERY  (10 * NS_PER_SEC)

void progress_init(struct progress *p, int fd)
{
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    p->fd = fd;
    p->terminal = isatty(fd);
}

void progress_fini(struct progress *p)
{
    progress_hide(p);
    pthread_mutex_destroy(&p->lock);
}

void progress_text(const struct progress *p, mono_ns now, char *out, size_t size)
{
    double secs = dur_sec(now - p->begun);
    double rate = secs > 0 ? p->done / secs : 0;
    int n = snprintf(out, size, "%.0f of %.0f rows (%.0f %%), %.0f rows/s", p->done, p->planned,
                     p->planned > 0 ? 100 * p->done / p->planned : 0, rate);

    if (rate > 0 && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", %.0f s left", (p->planned - p->done) / rate);
}

static void draw(const struct progress *p, const char *text)
{
    /* a reader that has gone away must not stop the work */
    if (write(p->fd, text, strlen(text)) < 0)
        return;
}

void progress_add(struct progress *p, double done, double planned, mono_ns now)
{
    char text[160], line[200];

    pthread_mutex_lock(&p->lock);
    if (!p->begun)
        p->begun = now;
    p->done += done;
    p->planned += planned;
    bool due = p->terminal ? now - p->begun >= FIRST_AFTER && now - p->drawn >= REDRAW
                           : now - (p->drawn ? p->drawn : p->begun) >= LINE_EVERY;
    if (due) {
        progress_text(p, now, text, sizeof text);
        snprintf(line, sizeof line, p->terminal ? "\r%s\033[K" : "%s\n", text);
        draw(p, line);
        p->drawn = now;
        p->visible = p->terminal;
    }
    pthread_mutex_unlock(&p->lock);
}

void progress_hide(struct progress *p)
{
    pthread_mutex_lock(&p->lock);
    if (p->visible)
        draw(p, "\r\033[K");
    p->visible = false;
    pthread_mutex_unlock(&p->lock);
}
