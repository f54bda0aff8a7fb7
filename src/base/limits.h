/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The limits of the system that thousands of clients meet: descriptors, threads, mappings, address
 * space.  A refused call says EAGAIN or ENOMEM; these functions find out which limit that was, so
 * that a message can name it and its value.
 */
#ifndef SB_BASE_LIMITS_H
#define SB_BASE_LIMITS_H

#include <stddef.h>

/* How many descriptors this process has open, and how many it may have; -1: unknown, unlimited.
 * Those that were inherited with numbers beyond the limit take no place. */
long limits_descriptors_open(void);
long limits_descriptors_allowed(void);

/* How many descriptors are left for connections when `others` more are opened for other purposes:
 * at least 0; -1: there is no limit, or it is unknown. */
long limits_descriptors_left(long others);

/* The limit that keeps this process from one more thread, or one more mapping of so many bytes:
 * "ulimit -v is 2000000 KiB"; "" when none of those that are known is reached.  Returns buf. */
#define LIMITS_TEXT 160
const char *limits_of_threads(char buf[LIMITS_TEXT], size_t stack);
const char *limits_of_mappings(char buf[LIMITS_TEXT], size_t bytes);
/* The same for an allocation that failed a moment ago, while other threads allocated, too. */
const char *limits_of_memory(char buf[LIMITS_TEXT], size_t bytes);

#endif
