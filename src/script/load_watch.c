/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See load_watch.h.  The handler writes the number of the signal into a pipe, and puts the default
 * action back.  `pipe_end` is one of the few file-scope variables: a handler gets no argument.
 */
#include "script/load_watch.h"

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

#define PATIENCE    (3 * NS_PER_SEC)
#define LOOK        (20 * NS_PER_MS)
#define TABLES_SAID 20 /* incomplete ones, by name */

static const int signals[] = {SIGINT, SIGTERM};
#define SIGNALS (sizeof signals / sizeof *signals)

static volatile sig_atomic_t pipe_end = -1;

struct load_watch {
    struct load_queue *queue;
    uint64_t tables, rows;
    bool resumable;
    pthread_t thread;
    bool started;
    int pipe[2];
    struct sigaction old[SIGNALS];
};

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

static void add_table(struct str *out, uint64_t table, uint64_t have, uint64_t rows)
{
    str_printf(out, "sbtest%" PRIu64 ": ", table);
    add_count(out, have);
    str_adds(out, " of ");
    add_count(out, rows);
    str_adds(out, have < rows ? " rows\n" : " rows, without its index\n");
}

void load_watch_say(struct load_queue *q, uint64_t tables, uint64_t rows, bool resumable)
{
    struct str text = STR_INIT;
    uint64_t complete = 0, made = 0, have, said = 0;

    for (uint64_t t = 1; t <= tables; t++) {
        enum load_progress p = load_queue_table(q, t, &have);
        made += p != LOAD_ABSENT;
        complete += p == LOAD_COMPLETE;
        if ((p == LOAD_PARTLY || p == LOAD_FILLED) && said++ < TABLES_SAID)
            add_table(&text, t, have, rows);
    }
    if (said > TABLES_SAID)
        str_printf(&text, "... and %" PRIu64 " tables more that are not complete\n",
                   said - TABLES_SAID);
    str_printf(&text, "complete: %" PRIu64 " of %" PRIu64 " tables, not begun: %" PRIu64, complete,
               tables, tables - made);
    if (made)
        log_stderr("prepare has stopped%s; what is there:\n%s",
                   resumable ? " (--prepare-method=resume continues)" : "", str_cstr(&text));
    str_free(&text);
}

static void wait_for_pieces(struct load_queue *q)
{
    mono_ns limit = clock_mono() + PATIENCE;
    _Atomic uint32_t nobody = 0;

    while (load_queue_busy(q) > 0 && clock_mono() < limit)
        clock_sleep_until(clock_mono() + LOOK, &nobody, 0);
}

static void end_by(int number)
{
    sigset_t set;

    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

static void *watch(void *arg)
{
    struct load_watch *w = arg;
    char number;

    if (read(w->pipe[0], &number, 1) != 1 || number == 0)
        return NULL;
    load_queue_stop(w->queue);
    wait_for_pieces(w->queue);
    load_watch_say(w->queue, w->tables, w->rows, w->resumable);
    end_by(number);
    return NULL;
}

static void catch_signals(struct load_watch *w)
{
    struct sigaction to = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};

    pipe_end = w->pipe[1];
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &w->old[i]);
        if (w->old[i].sa_handler == SIG_DFL)
            sigaction(signals[i], &to, NULL);
    }
}

struct load_watch *load_watch_begin(struct load_queue *q, uint64_t tables, uint64_t rows,
                                    bool resumable)
{
    struct load_watch *w = mem_alloc(sizeof *w);

    w->queue = q;
    w->tables = tables;
    w->rows = rows;
    w->resumable = resumable;
    if (pipe(w->pipe)) {
        w->pipe[0] = w->pipe[1] = -1;
        return w;
    }
    w->started = pthread_create(&w->thread, NULL, watch, w) == 0;
    if (w->started)
        catch_signals(w);
    return w;
}

void load_watch_end(struct load_watch *w)
{
    if (w->started) {
        for (size_t i = 0; i < SIGNALS; i++)
            sigaction(signals[i], &w->old[i], NULL);
        on_signal(0);
        pthread_join(w->thread, NULL);
    }
    pipe_end = -1;
    if (w->pipe[0] >= 0) {
        close(w->pipe[0]);
        close(w->pipe[1]);
    }
    free(w);
}
