/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every C name that a script may reach through ffi.C, and nothing else.  C includes this file; the
 * build also embeds it as text for ffi.cdef (after sql/sql_types.h and counter_type_1_x.h), so C
 * and Lua cannot drift. So: plain declarations only; lines that begin with # are removed for Lua.
 *
 * sb_* and db_* names are ABI: scripts of other people declare and call them.  Where stock has the
 * name, the signature is stock's (a script may repeat the declaration).  The thread_id arguments
 * are part of that ABI; what is meant is always the client on whose thread the call is made.
 *
 * These calls carry no context: they work on the calling thread's current one (script/context.h).
 * None of them calls back into Lua, so compiled traces may call them.
 */
#ifndef SB_SCRIPT_EXPORTS_H
#define SB_SCRIPT_EXPORTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "script/counter_type_1_1.h"
#include "sql/sql_types.h"
#pragma GCC visibility push(default)

/* The loop of thread_run(): may another event begin (waits for its planned start), it begins, it
 * is done.  Asking again with an event begun and not stopped withdraws that event uncounted. */
bool sb_more_events(int thread_id);
void sb_event_start(int thread_id);
void sb_event_stop(int thread_id);

/* Ours.  An attempt of the event failed with a restartable error: may it be tried again?  If not,
 * the event is counted as failed here and is over. */
bool sb_event_retry(int thread_id);
bool sb_event_again(int thread_id);             /* it is being tried again */
void sb_event_fail(int thread_id);              /* the event is over and has failed */
sql_connection *sb_event_unread(int thread_id); /* one with results that nobody has read, or NULL */
void sb_event_cancel(int thread_id);            /* event() returned true: over, not counted */

/* Counters.  inc and add count for the calling client; val reads any client's (0 for one that is
 * not there).  SB_CNT_TRX: events that the script counts on its own. */
void sb_counter_inc(int thread_id, sb_counter_type type);
void sb_counter_add(int thread_id, sb_counter_type type, uint64_t value);
uint64_t sb_counter_val(int thread_id, sb_counter_type type);

/* Options.  The numbers are those of sysbench.cmdline.ARG_*. */
typedef enum {
    SB_ARG_TYPE_NULL,
    SB_ARG_TYPE_BOOL,
    SB_ARG_TYPE_INT,
    SB_ARG_TYPE_SIZE,
    SB_ARG_TYPE_DOUBLE,
    SB_ARG_TYPE_STRING,
    SB_ARG_TYPE_LIST,
    SB_ARG_TYPE_FILE,
    SB_ARG_TYPE_MAX
} sb_arg_type_t;
typedef bool sb_opt_validate_t(const char *name, const char *value);
typedef struct {
    const char *name;
    const char *desc;
    const char *value; /* the default; NULL: none */
    sb_arg_type_t type;
    sb_opt_validate_t *validate; /* NULL: any value will do */
} sb_arg_t;

/* The options of the test are these n, instead of sysbench.cmdline.options: for scripts whose
 * read_cmdline_options() is their own.  Everything is copied.  0; 1 after an ALERT when one of them
 * has no name, no description or no known type, and then nothing has changed.  When the command
 * line has been read already, only the help shows them. */
int sb_lua_set_test_args(sb_arg_t *args, size_t n);

/* Prints the options of the test as its help does. */
void sb_print_test_options(void);

/* A histogram of the script's own figures: `size` buckets whose values grow by one factor from min
 * to max; what is out of range belongs to the first or the last one.  NULL: size under 2, or not
 * 0 < min < max.  Any thread may update and print; print shows nothing when nothing was counted. */
typedef struct histogram sb_histogram_t;
sb_histogram_t *sb_histogram_new(size_t size, double min, double max);
void sb_histogram_delete(sb_histogram_t *h);
void sb_histogram_update(sb_histogram_t *h, double value);
void sb_histogram_print(sb_histogram_t *h);

/* Random numbers, a and b included; stock's. */
uint32_t sb_rand_default(uint32_t a, uint32_t b);
uint32_t sb_rand_uniform(uint32_t a, uint32_t b);
uint32_t sb_rand_gaussian(uint32_t a, uint32_t b);
uint32_t sb_rand_special(uint32_t a, uint32_t b);
uint32_t sb_rand_pareto(uint32_t a, uint32_t b);
uint32_t sb_rand_zipfian(uint32_t a, uint32_t b);
uint32_t sb_rand_unique(void);
uint64_t sb_rand_uniform_uint64(void);
double sb_rand_uniform_double(void);

/* Fills buf with fmt, every # a random digit, every @ a random letter; no NUL is added.  _fill,
 * ours, takes the length of fmt. */
void sb_rand_str(const char *fmt, char *buf);
void sb_rand_fill(const char *fmt, size_t len, char *buf);

/* Between min and max random characters of codes 48 to 122 into buf, no NUL; returns how many. */
uint32_t sb_rand_varstr(char *buf, uint32_t min, uint32_t max);

/* Ours, what sysbench.rand calls: the same draws, without the wrap at 2^32 (dist_argument). */
double sb_rand_wide_default(double a, double b);
double sb_rand_wide_uniform(double a, double b);
double sb_rand_wide_gaussian(double a, double b);
double sb_rand_wide_special(double a, double b);
double sb_rand_wide_pareto(double a, double b);
double sb_rand_wide_zipfian(double a, double b);

/* Database (see sql/sql.h for what each returns).  Handles belong to the script's state: what it
 * has not freed is freed when the state is closed.  db_connection_free and db_statement_free are
 * the finalizers. */
sql_driver *db_create(const char *name);
int db_destroy(sql_driver *driver);
sql_connection *db_connection_create(sql_driver *driver);
int db_connection_close(sql_connection *con);
int db_connection_reconnect(sql_connection *con);
void db_undo(sql_connection *con);
void db_connection_free(sql_connection *con);
sql_result *db_query(sql_connection *con, const char *query, size_t len);
sql_result *db_peek(sql_connection *con, const char *query, size_t len); /* ours */
bool db_more_results(sql_connection *con);
sql_result *db_next_result(sql_connection *con);
bool db_discard_results(sql_connection *con); /* ours */
sql_statement *db_prepare(sql_connection *con, const char *query, size_t len);
int db_bind_param(sql_statement *stmt, const sql_bind *params, size_t n);
int db_bind_result(sql_statement *stmt, sql_bind *results, size_t n);
sql_result *db_execute(sql_statement *stmt);
int db_close(sql_statement *stmt);
void db_statement_free(sql_statement *stmt);
sql_row *db_fetch_row(sql_result *rs);
sql_connection *db_result_connection(sql_result *rs); /* ours */
int db_free_results(sql_result *rs);
int db_bulk_insert_init(sql_connection *con, const char *query, size_t len);
int db_bulk_insert_next(sql_connection *con, const char *row, size_t len);
int db_bulk_insert_done(sql_connection *con);

/* What the report by kind calls the statement, or plain texts on the connection from now on; "":
 * their text. */
void db_name_statement(sql_statement *stmt, const char *name, size_t len);
void db_name_queries(sql_connection *con, const char *name, size_t len);

/* What the connection leaves to the script from now on (DB_KEEP_TRANSACTION | ... of
 * sql/sql_types.h), and what each success of a statement counts as, whatever it returned. */
void db_set_manners(sql_connection *con, unsigned manners);
void db_count_as(sql_statement *stmt, sb_counter_type type);

/* Which generation --compat names: "1.0", "1.1", "0.5", "0.4",
 * "0.4-tx" or "0.4-drizzle". */
const char *sb_generation(void);

/* Changes the value of an option as clients opened later see it; false: there is no such option.
 * For init() alone, which runs before there are clients. */
bool sb_set_option(const char *name, const char *value);

/* a + 2147483647 k mod (b - a + 1), k = 1, 2, ... for the whole process: the unique numbers of 0.4
 * and 0.5. */
double sb_rand_step(double a, double b);

/* A mark in the timeline of the run, shown by all reports; nothing outside a run. */
void sb_mark(const char *text, size_t len);

/* How far a long command is: adds to the rows done and to the rows planned, over all its threads.
 * Shows a line on stderr from the second second on, when stderr is a terminal. */
void sb_progress(double done, double planned);

/* Ours, for oltp_load: the rows of the OLTP tables, made and sent without a Lua string each, by
 * all threads of the command together (sql/load.h says who gets what). */
typedef struct {
    double table, first, last; /* rows of the piece */
    double size;               /* of every piece but a table's last */
} sb_load_piece;

/* The calling thread will load tables, its stream as it is now, and its connections may be asked
 * for rows (LOAD DATA LOCAL).  Before it connects. */
void sb_load_enter(void);
/* It is connected.  `queue`: whether there is a queue at all; the first thread's answer is
 * everyone's, and returned.  False, too, when the thread has loaded before.  `apart`: each thread
 * loads its own tables only. */
bool sb_load_join(double threads, double tables, double rows, bool queue, bool apart);
/* 0: nothing is left; 1: make p->table; 2: load the rows; 3: make its index. */
int sb_load_next(sb_load_piece *p);
/* That is done. */
void sb_load_done(void);
/* The table has so many rows of the piece that begins with row first; true: it has all of them. */
bool sb_load_found(double first, double rows);
/* Sends the rows of the piece; method 0: INSERTs of at most `packet` bytes, 1: LOAD DATA LOCAL, 2:
 * COPY.  0; 1: the server does not do that; -1: sb_load_failure() says why. */
int sb_load_rows(sql_connection *con, int method, double packet);
const char *sb_load_failure(void);
/* False: another thread has failed and said the same. */
bool sb_load_first_failure(void);
/* The others stop when they have done what they have in hand. */
void sb_load_stop(void);
/* True for the first thread that asks. */
bool sb_load_first_refusal(void);

/* Without a queue: the calling thread fills its tables in its own way.  After Ctrl-C stderr says
 * what is there, and `resumable`: how to continue. */
void sb_load_watch(double threads, double tables, double rows, bool resumable);
/* The table is there, and so many rows were given to db_bulk_insert_next(), or it is complete.
 * False: prepare is to stop. */
bool sb_load_note(sql_connection *con, double table, double rows, bool complete);
/* The thread has no more to do. */
void sb_load_unwatch(void);

#pragma GCC visibility pop
#endif
