/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Many tasks on few threads.  A task is a function that blocks as if it had a thread of its own; a
 * worker is an OS thread that carries a share of the tasks, each on a fiber.  What blocks a task
 * (poll(2) and the sleeping calls, through poll_hook.c; carry_sleep_until) parks its fiber, and the
 * worker goes on with the next task that is ready.
 *
 *     carry_start      M workers; task i belongs to worker i % M for life
 *     carry_poke       words on which tasks may sleep have changed
 *     carry_join       until all tasks have ended
 *
 * Functions named carry_... without a struct carry are for the code that a task runs.  On a thread
 * that carries no tasks they do what the plain call does, so such code need not know how it is
 * carried.
 *
 * turn_note: tasks that are ready run in the order in which they became ready, each until it blocks
 * or asks for carry_turn(), and the sockets are looked at between rounds; so no connection is
 * favoured because it answers quickly.
 */
#ifndef SB_CARRY_CARRY_H
#define SB_CARRY_CARRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"

struct carry;
struct task;

struct carry_spec {
    int workers;
    size_t tasks;
    size_t stack;      /* bytes for each task, at least FIBER_STACK_MIN */
    dur_ns spin;       /* the last part of a sleep is waited out; 0: none */
    dur_ns hold_limit; /* a task that runs longer without a pause is reported; 0: never */
    void (*live)(void *arg, size_t i); /* task i, on its fiber */
    void *arg;
    /* The running task has been holding its worker for long: find out where (carry_held_at).  On
     * the worker's thread in a signal handler, with the task's fiber_local; may be NULL. */
    void (*held)(void);
};

/* -1: this program's poll() is not the one that libraries use, or the system refuses threads or
 * memory; nothing is left behind then. */
int carry_start(struct carry **out, const struct carry_spec *spec, struct err *e);

/* Tasks that sleep on a word look at it again.  Change the word first.  Any thread; NULL: nothing.
 */
void carry_poke(struct carry *c);

/* Waits for all tasks, then frees. */
void carry_join(struct carry *c);

/* Some tasks will not end: the workers go on by themselves and nothing is freed. */
void carry_leave(struct carry *c);

/* Many connections were made and not one of them ever came through our poll(), recv() or send():
 * the client library does not go through them, and would block the workers.  -1 with a sentence.
 * (library.h looks before.) */
int carry_check(struct carry *c, struct err *e);

/* CPU time of each worker's thread so far, ns; -1 unknown.  Before carry_join. */
int carry_workers(const struct carry *c);
int64_t carry_worker_cpu(const struct carry *c, int worker);

/* --- for what runs on a task --- */

/* The task that runs on this thread, NULL: none. */
extern _Thread_local struct task *carry_task;

/*
 * pin_note: a pinned task keeps its worker: whatever would park it blocks the whole worker instead,
 * as it would block a thread.  The script floor pins a client whose Lua state is shared with others
 * while Lua runs in it, because a switch inside of compiled Lua or of a finalizer would corrupt
 * that state.  Returns what was set before; on a thread that carries no tasks it does nothing.
 */
bool carry_pin(bool pinned);

/* As clock_sleep_until. */
bool carry_sleep_until(mono_ns until, _Atomic uint32_t *word, uint32_t expect);

/* Lets the others go first, unless this task has blocked since it last asked. */
void carry_take_turn(struct task *t);
static inline void carry_turn(void)
{
    if (carry_task)
        carry_take_turn(carry_task); /* nothing for one that is pinned */
}

/*
 * Around the making of a connection.  Of the tasks of a worker only so many (CARRY_CONNECTS)
 * connect at a time, because a server's listen queue is finite; begin waits for its turn and
 * returns false, with nothing begun, when *word differs from `expect` first.  Sockets that are
 * polled in between become non-blocking, and so does `fd` (-1: none was made) at the end.
 */
#define CARRY_CONNECTS 64
bool carry_connect_begin(_Atomic uint32_t *word, uint32_t expect);
void carry_connect_end(int fd);

/* As mem_trim_stack, for whatever stack the caller runs on. */
void carry_trim_stack(void);

/* For carry_spec.held, later: the running task was held here ("file.lua:12"). */
void carry_held_at(const char *place);

#endif
