/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The limits of the system that thousands of clients meet: descriptors, threads, mappings, address
 * space.
 */
#ifndef SB_BASE_LIMITS_H
#define SB_BASE_LIMITS_H

/* How many descriptors this process has open, and how many it may have; -1: unknown, unlimited.
 * Those that were inherited with numbers beyond the limit take no place. */
long limits_descriptors_open(void);
long limits_descriptors_allowed(void);

/* How many descriptors are left for connections when `others` more are opened for other purposes:
 * at least 0; -1: there is no limit, or it is unknown. */
long limits_descriptors_left(long others);

/* A refused call says EAGAIN or ENOMEM; which limit that may be, for its message. */
#define LIMITS_OF_THREADS                                                                          \
    "ulimit -u, ulimit -v, vm.max_map_count, kernel.threads-max, kernel.pid_max, pids.max of the " \
    "control group"
#define LIMITS_OF_STACKS                                                                           \
    "vm.max_map_count, of which each stack takes 2 before Linux 6.13, or ulimit -v"

#endif
