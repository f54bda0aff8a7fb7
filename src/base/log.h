/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A line, a level, a stream.  Everything a user is meant to read goes to stdout through here, each
 * message in one write(2) so that lines of different threads never mix and `| tee` works live; the
 * few messages about the command line itself go to stderr (log_stderr).  This module depends on no
 * option and no statistics.  Any thread may call.
 *
 * One of several ranks that does not report (log_as_member) has nothing to say on stdout: its
 * FATAL, ALERT and WARNING lines and those of log_stderr() go to stderr, and begin with who says
 * them.
 *
 * A message is shown when its level is <= the verbosity (default 3, LOG_NOTICE).  A failed write
 * (full disk) is remembered; at its end the run turns it into an exit status by log_write_error().
 *
 * Messages and blocks may quote a server or a file: str_visible() shows what would steer a
 * terminal, in pipes and files too, so that all have the same bytes.  What a script prints is its
 * own.
 *
 * fold_note: a message that equals the one before it is counted instead of shown.  When another one
 * follows, "(last message repeated N times)" comes first; at the end of the program the count is
 * lost, as in stock.  In a block only the first line is compared, and the last one is remembered:
 * nothing inside a report is ever folded.  Lines that begin with the stamp of an interval, "[ 10s ]
 * " or "[  10s] ", are always shown and never remembered.  Folding affects neither what a script
 * prints nor stderr.
 */
#ifndef SB_BASE_LOG_H
#define SB_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum log_level { LOG_FATAL, LOG_ALERT, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG };

/* From now on, `who` ("rank 2 (load2)") says it; the caller sees to it that nothing else comes to
 * stdout.  Before there are other threads. */
void log_as_member(const char *who);

void log_set_verbosity(int level);
int log_verbosity(void);

/* One message: prefix by level ("FATAL: ", ...; none for NOTICE and INFO), text, newline. */
void log_msg(enum log_level level, const char *fmt, ...) SB_PRINTF(2, 3);
#define log_fatal(...)  log_msg(LOG_FATAL, __VA_ARGS__)
#define log_alert(...)  log_msg(LOG_ALERT, __VA_ARGS__)
#define log_warn(...)   log_msg(LOG_WARNING, __VA_ARGS__)
#define log_notice(...) log_msg(LOG_NOTICE, __VA_ARGS__)
#define log_info(...)   log_msg(LOG_INFO, __VA_ARGS__)
#define log_debug(...)  log_msg(LOG_DEBUG, __VA_ARGS__)

/* A ready block of text (a report), shown as LOG_NOTICE, no newline added: see fold_note.  `whole`:
 * an empty first line belongs to what follows, nothing is folded.  A NUL follows it. */
void log_block(const char *text, size_t len, bool whole);

/* The same for text that has colours of our own and quotes nobody. */
void log_coloured(const char *text, size_t len, bool whole);

/* Text for stdout, whatever the verbosity; never folded. */
void log_print(const char *fmt, ...) SB_PRINTF(1, 2);

/* The next message is shown even if it repeats the last one; a pending count is lost. */
void log_forget(void);

/* Hides the calling thread's messages (true) or shows them again: for telemetry, whose failures are
 * not the run's. */
void log_mute_thread(bool mute);

/* From now on, what would be shown as a FATAL line goes to `take` first (NULL: to nobody), without
 * prefix and newline; true: it is not shown. */
void log_divert_fatal(bool (*take)(const char *line));

/* From now on each line on stdout begins with the time: "[<seconds since 1970>] ". */
void log_stamp_lines(bool stamp);

/* errno of the first write to stdout that failed, 0 if none did. */
int log_write_error(void);

/*
 * The reader of our output has gone away (`| head -1`).  Without a function here that ends the
 * process by SIGPIPE, as it ends any filter.  With one, it is called once, on the thread that
 * noticed, and what is written later is dropped: a run still has files to finish.  Returns the
 * function before; NULL: none.
 */
typedef void log_closed_fn(void);
log_closed_fn *log_on_closed_pipe(log_closed_fn *f);
bool log_pipe_closed(void);

/* A line that stderr, if it is a terminal, shows until the next message or the next such line;
 * NULL: no more.  One thread; scripts that print through stdio may write behind it. */
void log_status(const char *text);

/* A line on stderr, whatever the verbosity; the newline is added. */
void log_stderr(const char *fmt, ...) SB_PRINTF(1, 2);

#endif
