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
 * task.h has what the code on a task may call.
 */
#ifndef SB_FIBER_SCHED_H
#define SB_FIBER_SCHED_H

#include <stdint.h>

#include "base/err.h"
#include "fiber/batches.h"
#include "fiber/task.h"

struct sched;

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

/* CPU time of each worker's thread so far, ns; -1 unknown.  Before sched_join. */
int sched_workers(const struct sched *s);
int64_t sched_worker_cpu(const struct sched *s, int worker);

/* What spec.batch did to the answers (batch_note in worker.h), of all workers. */
struct sched_batches sched_batches(const struct sched *s);

/* From now on sched_batches() leaves out what came before.  One thread only. */
void sched_batches_begin(struct sched *s);

#endif
