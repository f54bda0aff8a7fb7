/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The FATAL lines of clients.  When one cause ends many clients (a full server, a missing table, a
 * server that was killed), each of them would print the same two or three lines.  So the first
 * client of each error code prints its lines, and the others are counted:
 *
 *     FATAL: unable to connect to MySQL server on socket '/run/db.sock', aborting...
 *     FATAL: error 1040: Too many connections
 *     FATAL: 379 more clients met error 1040
 *
 * Which code an error has is said by who reports it; errors without one (of a script, of a file)
 * count as equal.  A client counts once, by the first line that it prints.  At --verbosity=5 all
 * lines are printed.  Any thread may call; a lock guards the counts, and only failures take it.
 */
#ifndef SB_BASE_CLIENT_ERRORS_H
#define SB_BASE_CLIENT_ERRORS_H

/* The client on whose behalf the calling thread prints; -1: none. */
typedef int client_errors_who(void);

/* From now on lines of clients are counted. */
void client_errors_begin(client_errors_who *who);
/* Likewise, -1 also outside of begin and end.  For signal handlers, too. */
int client_errors_here(void);
/* The code of the error that this thread prints next: the number or, if it is 0, the text. */
void client_errors_code(int number, const char *text);
/* The first such code of this process, "" for none. */
const char *client_errors_first(void);
/* Further lines of this client are neither printed nor counted. */
void client_errors_hush(int client);
/* Prints the counts. */
void client_errors_print(void);
/* The same, and lines of clients are printed again. */
void client_errors_end(void);
/* The same, but drops the further lines of clients: those that were left behind may still fail
 * while the process ends. */
void client_errors_leave(void);

#endif
