/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * This process and those that it starts: descriptors and stacks, which are prepared before anything
 * is opened or started; what its clock costs; and shell commands beside the run, for --do.
 */
#ifndef SB_SESSION_PROCESS_H
#define SB_SESSION_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"

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

/* What one reading of the clock takes; 50 us are spent to find out.  With the clock sources hpet,
 * acpi_pm and xen every reading is a system call or an access to a device, about a microsecond, and
 * a transaction needs several. */
dur_ns slow_clock_cost(void);

/* The warning about a clock of that cost, one sentence; nothing if it is fast.  `sys_root` is
 * "/sys" outside tests. */
void slow_clock_warning(struct str *out, dur_ns cost, const char *sys_root);

/*
 * A shell command beside the run: /bin/sh -c COMMAND in a process group of its own, with /dev/null
 * as its input and one pipe for all that it prints.
 *
 * It inherits no other descriptor: a command that kept a client's connection open would change what
 * the server sees.  It is started by vfork, so that starting it copies no page tables while
 * thousands of clients run, and it ends with this process, whatever ends that.
 *
 * The first process of the group stays a zombie until child_reap, so that its number, which is the
 * group's, cannot become another process's meanwhile.
 */
struct child {
    pid_t pid;
    int out;   /* reading end of its output, non-blocking; -1: closed */
    int pidfd; /* readable when it has ended; -1: the kernel has none */
};

#define CHILD_COMMAND "SB_DO"

/* Runs the shell command that is CHILD_COMMAND in `env`, which it does not find in its own
 * environment.  The calling thread must live until child_reap, because the command ends with it,
 * and must have all signals blocked.  0, or an errno value. */
int child_start(struct child *c, char *const *env);

/* True when it has ended.  *exit_status is -1 when a signal ended it, else *sig is 0. */
bool child_ended(const struct child *c, int *exit_status, int *sig);

/* To its process group. */
void child_signal(const struct child *c, int sig);

/* After its end; sends SIGTERM to the processes that it left in its group.  True: there were
 * some. */
bool child_reap(struct child *c);

#endif
