/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: Ctrl-C while tables are loaded.  The first SIGINT or SIGTERM lets every
 * thread end the piece in hand, which is a transaction, for up to three seconds; then stderr says
 * which rows are there, and the program ends by that signal.  The second one ends it at once.  A
 * thread of its own does this, because the others wait for the server.  Ignored signals stay
 * ignored.
 */
#ifndef SB_SCRIPT_LOAD_WATCH_H
#define SB_SCRIPT_LOAD_WATCH_H

#include "sql/load.h"

struct load_watch;

/* Main thread or any other, one at a time; the queue must outlive it.  `resumable`: a second
 * prepare could continue, and the user is told how. */
struct load_watch *load_watch_begin(struct load_queue *q, uint64_t tables, uint64_t rows,
                                    bool resumable);
void load_watch_end(struct load_watch *w);

/* "sbtest3: 1,200,000 of 5,000,000 rows" on stderr, for the tables that were made. */
void load_watch_say(struct load_queue *q, uint64_t tables, uint64_t rows, bool resumable);

#endif
