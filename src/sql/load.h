/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loading of the OLTP tables: rows as text (load_rows.c), who loads which rows next
 * (load_queue.c), and how they are sent (load_rows.c).
 */
#ifndef SB_SQL_LOAD_H
#define SB_SQL_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dist.h"
#include "base/rng.h"
#include "sql/sql.h"

/* --- rows --- */

/*
 * The rows of the OLTP tables as text, made from a client's
 * random stream.  A row takes its draws in the order of src/lua/sysbench-tx/oltp_tables.lua (c,
 * pad, k), so for a seed these are the rows that the script would have made, with a tenth of the
 * work.
 *
 *     LOAD_TABS    12 TAB 4995 TAB 68487932199-96439406143-... TAB 22195207048-... NEWLINE
 *     LOAD_VALUES  (12, 4995, '68487932199-96439406143-...', '22195207048-...')
 *
 * struct load_rows is constant after load_rows_init(): any thread may use it.  A struct load_maker
 * is one thread's.
 *
 * The random digits of four rows are made at once, which is what making rows costs.  Each row has
 * its own stream, so four of them advance side by side in the lanes of vectors (of AVX2, where the
 * CPU has it).  Every operation is the one of dist_string(), rounding included, so the digits are,
 * too.
 */
#define LOAD_LANES 4

/* Fifteen groups of eleven digits, each with a '-' behind it: ten are c, five are pad. */
#define LOAD_GROUP        11
#define LOAD_C_GROUPS     10
#define LOAD_PAD_GROUPS   5
#define LOAD_GROUPS       (LOAD_C_GROUPS + LOAD_PAD_GROUPS)
#define LOAD_DIGITS_BYTES (LOAD_GROUPS * (LOAD_GROUP + 1))

#define LOAD_ROW_MAX 256 /* no row is longer */

/* COPY and LOAD DATA read the first, INSERT the second. */
enum load_form { LOAD_TABS, LOAD_VALUES };

struct load_rows {
    const struct dist_params *dist; /* what k is drawn from: 1 .. last */
    uint64_t last;
    struct rng_skip texts; /* over the draws of c and pad */
};

void load_rows_init(struct load_rows *l, const struct dist_params *dist, uint64_t table_size);

/* The stream as it is n rows later. */
void load_rows_skip(const struct load_rows *l, struct rng *r, uint64_t n);

/* Makes the rows of a stream, a few ahead. */
struct load_maker {
    const struct load_rows *l;
    struct rng rng; /* behind the rows that are made */
    unsigned at;    /* the next of them; LOAD_LANES: none are left */
    uint64_t k[LOAD_LANES];
    char digits[LOAD_LANES][LOAD_DIGITS_BYTES];
};

void load_maker_init(struct load_maker *m, const struct load_rows *l, const struct rng *r);

/* Writes the next row, without a NUL; returns its length. */
size_t load_row(struct load_maker *m, uint64_t id, enum load_form form, char *out);

/* --- the queue --- */

/*
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

/* --- sending --- */

/*
 * Sends a piece of a table: COPY, LOAD DATA LOCAL, or INSERTs of many rows, as
 * long as the server takes them.  A piece is one transaction: the table has all of its rows, or
 * none.  So it can be sent again after an error for which the user wants that (sql_runs_again).
 * When the answer to the last statement was lost, nobody knows whether the rows are there; hence
 * the second attempt begins by deleting them.  The thread of the connection calls.
 */
enum load_method { LOAD_BY_INSERT, LOAD_BY_LOAD, LOAD_BY_COPY };

struct load_way {
    enum load_method method;
    size_t packet;                          /* no INSERT is longer */
    void (*sent)(void *arg, unsigned rows); /* about every thousand; NULL: nobody asks */
    /* The attempt has failed, and so many rows were sent in vain: is there another?  NULL: no. */
    bool (*again)(void *arg, uint64_t rows);
    void *arg;
};

/* 0.  1: the server does not load in this way, and no row was sent.  -1: con->error says why; or
 * DB_ERROR_NONE: the server took only *rows of the rows, without an error.  The lines that drivers
 * print of failures are left out: they would quote half a megabyte of rows. */
int load_send(sql_connection *con, const struct load_rows *l, const struct load_piece *p,
              const struct load_way *way, uint64_t *rows);

#endif
