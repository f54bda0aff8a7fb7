/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/session: a shell command beside the run, for --do: /bin/sh -c COMMAND in a process
 * group of its own, with /dev/null as its input and one pipe for all that it prints.
 *
 * It inherits no other descriptor: a command that kept a client's connection open would change
 * what the server sees.  It is started by vfork, so that starting it copies no page tables while
 * thousands of clients run, and it ends with this process, whatever ends that.
 *
 * The first process of the group stays a zombie until child_reap, so that its number, which is the
 * group's, cannot become another process's meanwhile.
 */
#ifndef SB_SESSION_CHILD_H
#define SB_SESSION_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int out;   /* reading end of its output, non-blocking; -1: closed */
    int pidfd; /* readable when it has ended; -1: the kernel has none */
};

/* The calling thread must live until child_reap, because the command ends with it, and must have
 * all signals blocked.  0, or an errno value. */
int child_start(struct child *c, const char *command, char *const *env);

/* True when it has ended.  *exit_status is -1 when a signal ended it, else *sig is 0. */
bool child_ended(const struct child *c, int *exit_status, int *sig);

/* To its process group. */
void child_signal(const struct child *c, int sig);

/* After its end; sends SIGTERM to the processes that it left in its group.  True: there were
 * some. */
bool child_reap(struct child *c);

#endif
