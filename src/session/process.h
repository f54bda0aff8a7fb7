/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prepares the process's descriptors before anything is opened.
 */
#ifndef SB_SESSION_PROCESS_H
#define SB_SESSION_PROCESS_H

/* Raises the limit of descriptors as far as allowed, because every connection needs one. */
void process_raise_descriptor_limit(void);

/* If the program was started without stdin, stdout or stderr, the next files that are opened would
 * get their numbers, and reports would go into a connection to the server.  The missing ones become
 * /dev/null, for reading only, so that writing to them stays an error. */
void process_occupy_standard_descriptors(void);

/* Whatever is written to stdout from now on goes nowhere. */
void process_silence_stdout(void);

#endif
