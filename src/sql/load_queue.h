/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Who loads which rows next.  Table t belongs to thread (t - 1) mod threads, whose random stream
 * makes its rows from the first to the last, and then those of its next table: so it is with one
 * thread per table, and so the rows stay.  Here any thread loads any piece of them.  The queue
 * hands out pieces of a table in order, each with the state that the stream has at its first row
 * (load_rows_skip), so one table fills from all threads and has the same rows.
 *
 *     LOAD_CREATE  make this table         until it is there, nobody gets rows of it
 *     LOAD_ROWS    rows first .. last      a thread takes those of its own tables first
 *     LOAD_FINISH  all rows are in: make the index; to whoever ended the last piece, while the
 *                  others go on
 *     LOAD_END     there is no work left for this thread
 *
 * Each answer but LOAD_END is followed by load_queue_done().  A thread that ends without it calls
 * load_queue_stop(); everybody else then gets LOAD_END after the piece in hand.  No SQL here.  All
 * functions may be called by any thread.
 */
#ifndef SB_SQL_LOAD_QUEUE_H
#define SB_SQL_LOAD_QUEUE_H

#include <stdbool.h>

#include "sql/load_rows.h"

/* So many rows are one piece, and one transaction: five megabytes, a fraction of a second. */
#define LOAD_PIECE_ROWS 25000u

/* More tables than that are not for the queue. */
#define LOAD_TABLES_MAX 1000000u

struct load_plan {
    unsigned threads;
    uint64_t tables, rows; /* rows of a table */
    const struct dist_params *dist;
    uint64_t piece; /* rows; 0: LOAD_PIECE_ROWS */
    bool apart;     /* the threads have different servers: nobody helps with another's tables */
};

enum load_work { LOAD_END, LOAD_CREATE, LOAD_ROWS, LOAD_FINISH };

struct load_piece {
    enum load_work work;
    uint64_t table, first, last;
    struct rng rng;
};

struct load_queue;

struct load_queue *load_queue_new(const struct load_plan *plan);
void load_queue_free(struct load_queue *q); /* NULL is allowed */
const struct load_rows *load_queue_rows(const struct load_queue *q);

/* The thread is there, and this is its stream; before its first load_queue_next(). */
void load_queue_join(struct load_queue *q, unsigned thread, const struct rng *rng);

/* The thread has ended.  If it never joined, nobody makes its tables. */
void load_queue_leave(struct load_queue *q, unsigned thread);

/* What to do next; waits while others make what this thread could go on with. */
void load_queue_next(struct load_queue *q, unsigned thread, struct load_piece *out);
void load_queue_done(struct load_queue *q, const struct load_piece *p);

/* Between LOAD_CREATE and its load_queue_done(): the table has `rows` rows of the piece that begins
 * with row first, from an earlier time.  True: it has all, and they will not be handed out; false:
 * they will be, and what is there has to go. */
bool load_queue_found(struct load_queue *q, uint64_t table, uint64_t first, uint64_t rows);

void load_queue_stop(struct load_queue *q);
bool load_queue_stopped(struct load_queue *q);

/* How many threads are at work on what they were handed. */
unsigned load_queue_busy(struct load_queue *q);

enum load_progress {
    LOAD_ABSENT, /* the table has not been made */
    LOAD_PARTLY,
    LOAD_FILLED, /* all rows are in, LOAD_FINISH is not done */
    LOAD_COMPLETE
};

/* How far the table is, and how many rows it has by now. */
enum load_progress load_queue_table(struct load_queue *q, uint64_t table, uint64_t *rows);

/* The thread's stream behind the rows of all its tables; call it after LOAD_END.  False: some of
 * them were not handed out. */
bool load_queue_stream(struct load_queue *q, unsigned thread, struct rng *out);

/* For threads that are handed nothing, because they fill tables of their own in a way of their own;
 * the queue then only knows how far they are.  One more, or one less, is at work; and a table has
 * so many rows, and its index. */
void load_queue_work(struct load_queue *q, bool begins);
void load_queue_note(struct load_queue *q, uint64_t table, uint64_t rows, bool complete);

#endif
