/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rule of --workers=default and --workers=auto: from how many clients on workers carry the
 * bundled scripts, and how many workers there are.  Pure functions but for carry_cpus(); the
 * measurements behind the numbers are in carry.c and docs/workers.md.
 */
#ifndef SB_ENGINE_CARRY_H
#define SB_ENGINE_CARRY_H

/* The least number of clients that workers carry by default with this driver; 0: threads carry any
 * number. */
int carry_from(const char *driver);

/* The number of workers for so many clients on so many CPUs, at least 1. */
int carry_workers(int clients, int cpus);

/* The CPUs that this process may use. */
int carry_cpus(void);

#endif
