/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The FATAL lines of clients.  When one cause ends many clients (a full server, a missing table, a
 * server that was killed), each of them would print the same two or three lines.  So the lines of
 * up to FAULTS_ALONE clients are printed as they are, and those of more clients become one sentence
 * for each different error, with the number of clients and the first text in full:
 *
 *     FATAL: 380 clients failed: unable to connect to MySQL server on socket '/run/db.sock': error
 *     1040: Too many connections
 *
 *     client's thread --- log_fatal() ---> held by client, then by error
 *     main thread     --- faults_say() --> the lines or the sentences
 *
 * A client that printed such a line and went on, because a hook of its script ignored the error,
 * "had an error".
 *
 * The first client that fails while clients run is printed at once, because the others may take
 * long to end.  At --verbosity=5 all lines are printed at once.  Any thread may call; a lock guards
 * the lists, and only failures take it.
 */
#ifndef SB_BASE_FAULTS_H
#define SB_BASE_FAULTS_H

#include <stdbool.h>

#define FAULTS_ALONE 3

/* The client on whose behalf the calling thread prints; -1: none. */
typedef int faults_who(void);

/* From now on lines of clients are held. */
void faults_begin(faults_who *who);
/* The clients run: the first one that fails is printed at once. */
void faults_running(void);
/* Further lines of this client are neither printed nor counted. */
void faults_hush(int client);
/* Prints what is held. */
void faults_say(void);
/* The same, and holds no further lines. */
void faults_end(void);
/* The same, but drops the further lines of clients: those that were left behind may still fail
 * while the process ends. */
void faults_leave(void);

#endif
