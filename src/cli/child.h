/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A shell command beside the run, for --do: /bin/sh -c COMMAND in a process group of its own, with
 * /dev/null as its input and one pipe for all that it prints.
 *
 * It inherits no other descriptor: a command that held a connection of a client open would change
 * what the server sees.  It is started by vfork, so that starting it copies no page tables while
 * thousands of clients run, and it ends with this process, whatever ends that.
 *
 * The first process of the group stays a zombie until child_reap, so that its number, which is the
 * group's, cannot become another process's meanwhile.
 */
#ifndef SB_CLI_CHILD_H
#define SB_CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int out;   /* reading end of its output, non-blocking; -1: closed */
    int pidfd; /* readable when it has ended; -1: the kernel has no such thing */
};

/* On the thread whose end would end the command: one that lives until child_reap, with all signals
 * blocked.  0, or an errno value. */
int child_start(struct child *c, const char *command, char *const *env);

/* Has it ended?  *exit_status is -1 when a signal ended it, else *sig is 0. */
bool child_ended(const struct child *c, int *exit_status, int *sig);

/* To all of its group. */
void child_signal(const struct child *c, int sig);

/* After its end; ends (SIGTERM) what it left in its group.  True: there was something. */
bool child_reap(struct child *c);

#endif
