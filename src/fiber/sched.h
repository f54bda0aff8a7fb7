/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fiber scheduler: many tasks on few threads.  A task is a function that blocks as if it had a
 * thread of its own; a worker is an OS thread that runs a share of the tasks, each on a fiber.  A
 * call that blocks a task (poll(2) and the sleeping calls, through src/interpose;
 * sched_sleep_until) parks its fiber, and the worker goes on with the next task that is ready.
 *
 *     sched_start      M workers; task i belongs to worker i % M for life
 *     sched_poke       words on which tasks may sleep have changed
 *     sched_join       waits until all tasks have ended
 *
 * On a thread without tasks the functions for tasks act like the plain calls, so their callers need
 * not know whether they run on a fiber or on a thread of their own.
 *
 * turn_note: ready tasks run in the order in which they became ready, each until it blocks or calls
 * sched_turn(), and the sockets are polled between rounds; so a connection that answers quickly is
 * not favoured.
 */
#ifndef SB_FIBER_SCHED_H
#define SB_FIBER_SCHED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"

struct sched;

struct sched_spec {
    int workers;
    size_t tasks;
    size_t stack;       /* bytes for each task, at least FIBER_STACK_MIN */
    dur_ns spin;        /* the last part of a sleep is busy waiting; 0: none */
    dur_ns batch;       /* answers are held back for so long, to take several at once; 0: never */
    dur_ns stall_limit; /* a task that runs longer without a pause is reported; 0: never */
    void (*live)(void *arg, size_t i); /* task i, on its fiber */
    void *arg;
    /* The running task stalls its worker: find out where (sched_stalled_at).  Called on the
     * worker's thread in a signal handler, with the task's fiber_local; may be NULL. */
    void (*stalled)(void);
    /* Called on the worker's thread before a switch to another task: clears what libraries keep per
     * thread and must not reach the next task.  May be NULL. */
    void (*before_switch)(void);
};

/* What --workers=batch did to the answers of a server (batch_note in worker.h). */
struct sched_batches {
    uint64_t n, answers;
    uint64_t sum, most; /* ns that an answer may have waited: of all answers, and of one */
};

/* After interpose_check().  -1: the system refuses threads or memory; nothing is left allocated
 * then. */
int sched_start(struct sched **out, const struct sched_spec *spec, struct err *e);

/* Tasks that sleep on a word look at it again.  Change the word first.  Any thread; NULL:
 * nothing. */
void sched_poke(struct sched *s);

/* Waits for all tasks, then frees. */
void sched_join(struct sched *s);

/* Some tasks will not end: the workers go on by themselves and nothing is freed. */
void sched_leave(struct sched *s);

/* Many connections were made and not one of them ever came through our poll(), recv() or send():
 * the client library does not go through them, and would block the workers.  -1 with a sentence.
 *  (library_check() looks before.) */
int sched_check(struct sched *s, struct err *e);

/* CPU time of a worker's thread so far, ns; -1 unknown.  Before sched_join. */
int64_t sched_worker_cpu(const struct sched *s, int worker);

/* How many workers run a task at this moment, or wait for a CPU to do so.  Any thread. */
int sched_working(const struct sched *s);

/* What spec.batch did to the answers (batch_note in worker.h), of all workers. */
struct sched_batches sched_batches(const struct sched *s);

/* From now on sched_batches() leaves out what came before.  One thread only. */
void sched_batches_begin(struct sched *s);

/* --- what the code on a task may call --- */

/* The task whose fiber runs on this thread; NULL: none. */
extern _Thread_local struct task *sched_current;

/*
 * pin_note: a pinned task keeps its worker: a call that would park it blocks the whole worker
 * instead, as it would block a thread.  The script floor pins a client whose Lua state is shared
 * with others while Lua runs in it, because a switch inside of compiled Lua or of a finalizer would
 * corrupt that state.  Returns the previous setting; on a thread without tasks it does nothing.
 */
bool sched_pin(bool pinned);

/* As clock_sleep_until. */
bool sched_sleep_until(mono_ns until, _Atomic uint32_t *word, uint32_t expect);

/* Lets the other ready tasks run first, unless this one has blocked since the last call. */
void sched_take_turn(struct task *t);
static inline void sched_turn(void)
{
    if (sched_current)
        sched_take_turn(sched_current); /* nothing for one that is pinned */
}

/*
 * Around the making of a connection.  At most SCHED_CONNECTS tasks of a worker connect at a time,
 * because a server's listen queue is finite; begin waits for its turn and returns false, with
 * nothing begun, when *word differs from `expect` first.  Sockets that are polled in between become
 * non-blocking, and so does `fd` (-1: none was made) at the end.
 */
#define SCHED_CONNECTS 64
bool sched_connect_begin(_Atomic uint32_t *word, uint32_t expect);
void sched_connect_end(int fd);

/* As mem_trim_stack, for the stack that the caller runs on. */
void sched_trim_stack(void);

/*
 * Limits the waits of the calling task, or of a thread without tasks, in poll(), ppoll() and recv()
 * to the instant `at` (0: no limit).  A wait that reaches it returns as if its own time were over,
 * even if it had no limit, which client libraries take for a time-out of the connection.  Where
 * data is always there, so that nothing waits, recv() and OpenSSL's reads fail with ETIMEDOUT soon
 * after it.
 */
void sched_limit_waits(mono_ns at);
/* The limit is set and has passed. */
bool sched_waits_over(void);
/* The limit of a thread without tasks has also passed once cancelled() is true, of which a signal
 * tells it; NULL: nothing cancels it. */
void sched_cancel_waits(bool (*cancelled)(void));

/*
 * Limits what the calling task, or a thread without tasks, receives from now on, in bytes (0: no
 * limit): recv() and OpenSSL's reads fail with EMSGSIZE once that much has come.  Returns what was
 * left of the limit before.
 */
int64_t sched_limit_answer(int64_t bytes);
/* That limit was reached. */
bool sched_answer_over(void);

/* How often the thread, or a task on it, has waited for anything: while it is the same as before,
 * hardly any time has passed.  Read it only. */
extern _Thread_local unsigned sched_waits;

/* What lies in the socket unread, at most n bytes of it, which stay there; without a system call
 * where the worker knows that there is nothing.  0: nothing, or the peer has hung up. */
size_t sched_peek(int fd, void *buf, size_t n);

/*
 * recv() in two halves, for a buffer that tasks share: the first may switch to another task, the
 * second does not.  sched_await_answer() waits only where an answer is known to be due.
 * sched_recv_now() takes what is there; -1 with EAGAIN: nothing is, and poll() is the way to wait.
 * (On a thread without tasks and without a limit it waits.)
 */
void sched_await_answer(int fd);
ssize_t sched_recv_now(int fd, void *buf, size_t len);

/* For sched_spec.stalled, possibly later: the running task stalled here ("file.lua:12"). */
void sched_stalled_at(const char *place);

#endif
