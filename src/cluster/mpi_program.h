/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: a program sysbench-mpi-LIBRARY (mpi/main.c), which calls MPI for us, and
 * the lines that are exchanged with it.  It ends with this process, and when the time is over, so a
 * rank that never comes costs a message and not a hang.
 *
 *     mpi_program_start(&p, path, until, e), mpi_program_line(&p, line, e) ..., mpi_program_end(&p,
 * e)
 *
 * Each returns 0, or -1 with *e filled and the program ended.
 */
#ifndef SB_CLUSTER_MPI_PROGRAM_H
#define SB_CLUSTER_MPI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "cluster/mpi/protocol.h"

struct mpi_program {
    const char *path;
    pid_t pid;
    int fd;
    mono_ns until;
    dur_ns timeout; /* for messages */
    size_t n;       /* bytes in `got` */
    char got[2 * MPI_NOTE_MAX];
};

int mpi_program_start(struct mpi_program *p, const char *path, dur_ns timeout, struct err *e);

/* The next line, without its end, of at most MPI_NOTE_MAX bytes. */
int mpi_program_line(struct mpi_program *p, char *line, struct err *e);
int mpi_program_say(struct mpi_program *p, const char *line, struct err *e);

/* Waits until it has ended.  -1: it failed. */
int mpi_program_end(struct mpi_program *p, struct err *e);
void mpi_program_kill(struct mpi_program *p);

/* There is no more to say: lets it end in its own way. */
void mpi_program_leave(struct mpi_program *p);

/* Where the program for a library is installed: beside this one (in a build folder), in
 * ../libexec/sysbench from there (an installation that was moved), or in $(libexecdir)/sysbench.
 * False: nowhere. */
bool mpi_program_find(const char *library, char *path, size_t room);

#endif
