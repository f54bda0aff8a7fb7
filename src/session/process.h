/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prepares the process's descriptors and stacks before anything is opened or started.
 */
#ifndef SB_SESSION_PROCESS_H
#define SB_SESSION_PROCESS_H

#include "base/err.h"

/* Raises the limit of descriptors as far as allowed, because every connection needs one. */
void process_raise_descriptor_limit(void);

/* Threads that ask for no size get enough of a stack, however low `ulimit -s` is: theirs holds one
 * for signals, too (base/overflow.h).  -1: it leaves the main thread too little. */
int process_provide_stacks(struct err *e);

/* If the program was started without stdin, stdout or stderr, the next files that are opened would
 * get their numbers, and reports would go into a connection to the server.  The missing ones become
 * /dev/null, for reading only, so that writing to them stays an error. */
void process_occupy_standard_descriptors(void);

/* Whatever is written to stdout from now on goes nowhere. */
void process_silence_stdout(void);

#endif
