/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: the loading of the OLTP tables by all threads of `prepare` together.  The
 * script asks what to do next and does it, SQL texts and messages are its own; rows are made and
 * sent in C:
 *
 *     oltp_load.lua -> exports_load.c -> loading -> sql/load.h   what is next
 *                                             \---> sql/load.h    the rows of a piece
 *
 * One struct loading per script; its functions may be called by any thread.
 */
#ifndef SB_SCRIPT_LOADING_H
#define SB_SCRIPT_LOADING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/dist.h"
#include "base/rng.h"
#include "sql/load.h"
#include "sql/sql_policy.h"

/*
 * stderr shows how far a long `prepare` is.  On a terminal that is one line,
 * drawn after the first second and at most five times a second.  It is redrawn in place, and erased
 * before anything else is printed and at the end, so nothing of it stays.  A file or a pipe gets a
 * line every ten seconds, and so none of a prepare that is shorter.  Any thread may call; a lock,
 * taken once per thousand rows, guards it.
 */

struct progress {
    pthread_mutex_t lock;
    double done, planned; /* rows */
    mono_ns begun;        /* 0: nothing planned yet */
    mono_ns drawn;        /* when the line was last written */
    int fd;
    bool terminal;
    bool visible;
};

/* fd: where to write. */
void progress_init(struct progress *p, int fd);
void progress_fini(struct progress *p);

/* More rows are done, more rows are planned; draws when it is due. */
void progress_add(struct progress *p, double done, double planned, mono_ns now);

/* Erases the line until the next progress_add. */
void progress_hide(struct progress *p);

/* The line's text: "1234000 of 2000000 rows (61 %), 210000 rows/s, 4 s left". */
void progress_text(const struct progress *p, mono_ns now, char *out, size_t size);

/* --- loading --- */

/*
 * Ctrl-C while tables are loaded.  The first SIGINT or SIGTERM lets every
 * thread end the piece in hand, which is a transaction, for up to three seconds; then stderr says
 * which rows are there, and the program ends by that signal.  The second one ends it at once.  A
 * thread of its own does this, because the others wait for the server.  Ignored signals stay
 * ignored.
 */

struct loading *loading_new(void);
void loading_free(struct loading *l);

/* So many threads run the command; without this, one. */
void loading_begin(struct loading *l, unsigned threads);

/* The thread has ended: if it loaded nothing, nobody waits for it. */
void loading_leave(struct loading *l, unsigned thread);

/* The thread will load tables, and this is its stream.  Before it connects: behind a pooler that
 * has fewer connections than there are threads, it may get one only when the others are done, and
 * they would wait for its tables.  With different servers (plan.apart) its tables wait for
 * loading_join(). */
void loading_enter(struct loading *l, unsigned thread, const struct rng *rng);

/* The thread, which has entered, loads tables; the plan of the first counts.  NULL: another thread
 * has decided against the queue. */
struct load_queue *loading_join(struct loading *l, const struct load_plan *plan, unsigned thread,
                                bool with_queue);

/* There is no queue: each thread fills its own tables, and notes in this one how far it is, so that
 * Ctrl-C can say what is there.  `resumable`: --prepare-method=resume could continue.  NULL: there
 * is a queue after all. */
struct load_queue *loading_note(struct loading *l, const struct load_plan *plan, bool resumable);

/* A thread has failed: the others stop after the piece in hand. */
void loading_stop(struct loading *l);

/* The command is over.  If it was stopped, stderr says what is there. */
void loading_end(struct loading *l);

/* True once: the first to ask says that the server refused; that a piece is loaded again. */
enum loading_note { LOADING_REFUSAL, LOADING_REPEAT, LOADING_NOTES };
bool loading_first(struct loading *l, enum loading_note n);

struct loading_failure {
    enum error_class class;
    int errnum;
};

/* False: the first thread that failed has said the same already. */
bool loading_first_failure(struct loading *l, const struct loading_failure *f);

#endif
