/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by the tests of the scheduler: a scene is a number of tasks on workers, each with a socket
 * pair, and the counts that the tasks leave behind.  Real sockets and the real clock, but no bound
 * that a slow machine could miss: the tests check order, counts, and that no task sleeps too short.
 */
#ifndef SB_FIBER_SCHED_TEST_H
#define SB_FIBER_SCHED_TEST_H

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test.h"
#include "base/test_timed.h"
#include "fiber/fiber.h"
#include "fiber/sched.h"

#define MOST 512

struct scene {
    struct sched *sched;
    size_t tasks;
    int workers;
    _Atomic uint32_t word, gate;
    _Atomic size_t waiting;
    _Atomic uint64_t count[MOST];
    int fd[MOST][2];
    mono_ns slept[MOST];
    int rounds;
    dur_ns batch;
    _Atomic int at_once, most_at_once;
    _Atomic int wrong;
    int order[MOST];
    _Atomic int ended;
    _Atomic int stalled_calls;
    void (*live)(struct scene *s, size_t i);
};

static inline void wrong(struct scene *s, bool is)
{
    atomic_fetch_add(&s->wrong, is);
}

static struct scene *stage; /* the stalled() callback gets no argument */

static inline void live(void *arg, size_t i)
{
    struct scene *s = arg;

    s->live(s, i);
}

static void stalled(void)
{
    atomic_fetch_add(&stage->stalled_calls, 1);
    sched_stalled_at("here:1");
}

/* As a library's state of the thread. */
static _Thread_local int left_behind;

static void clear_thread(void)
{
    left_behind = 0;
}

static inline void begin(struct scene *s, dur_ns stall_limit)
{
    struct sched_spec spec = {.workers = s->workers,
                              .tasks = s->tasks,
                              .stack = FIBER_STACK_MIN,
                              .live = live,
                              .arg = s,
                              .batch = s->batch,
                              .stall_limit = stall_limit,
                              .stalled = stalled,
                              .before_switch = clear_thread};
    struct err e = {0};

    stage = s;
    CHECK_INT(sched_start(&s->sched, &spec, &e), 0);
    CHECK_STR(e.msg, "");
}

static inline struct scene *scene(size_t tasks, int workers, int rounds,
                                  void (*f)(struct scene *s, size_t i))
{
    struct scene *s = mem_alloc(sizeof *s);

    s->tasks = tasks;
    s->workers = workers;
    s->rounds = rounds;
    s->live = f;
    for (size_t i = 0; i < tasks; i++)
        CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, s->fd[i]), 0);
    return s;
}

static inline void scene_join(struct scene *s)
{
    if (s->sched)
        sched_join(s->sched);
    s->sched = NULL;
}

static inline void scene_end(struct scene *s)
{
    scene_join(s);
    CHECK_INT(s->wrong, 0);
    for (size_t i = 0; i < s->tasks; i++) {
        close(s->fd[i][0]);
        close(s->fd[i][1]);
    }
    free(s);
}

/* `also` may join them, to see what they have left behind. */
static inline void play(size_t tasks, int workers, int rounds, void (*f)(struct scene *s, size_t i),
                        void (*also)(struct scene *s))
{
    struct scene *s = scene(tasks, workers, rounds, f);

    begin(s, 0);
    if (also)
        also(s);
    scene_end(s);
}

/* A socket pair for each of 300 tasks. */
static inline void raise_descriptors(void)
{
    struct rlimit files;

    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

#endif
