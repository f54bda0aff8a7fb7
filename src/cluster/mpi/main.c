/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sysbench-mpi-openmpi and sysbench-mpi-mpich: the only code that calls MPI, one program for each
 * MPI library.  sysbench starts it when mpirun or srun has started sysbench (mpirun.c); users
 * never do.
 *
 * A program of its own and not a library, so that sysbench needs no MPI, and so that nothing of MPI
 * stays in the process that makes the load: an MPI library starts threads, takes signals, opens
 * sockets and patches the allocator.  MPI is used to meet and for nothing else: each waiting call
 * of MPI keeps a CPU busy, and a rank that dies ends all others.
 *
 * What flows through it, as lines over the socket whose descriptor is the only argument:
 *
 *     sysbench -> sysbench-mpi   TEXT                rank 0 only: where it listens, and the secret
 *     sysbench-mpi -> sysbench   rank R N LIBRARY    after MPI_Init
 *                                note TEXT           what rank 0 said, on every rank
 *
 * then MPI_Finalize and the end.  A rank 0 that cannot listen says nothing: the note is empty.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/mpi/protocol.h"

static int complain(const char *what)
{
    fprintf(stderr, "sysbench-mpi: %s\n", what);
    return EXIT_FAILURE;
}

static int say(int fd, const char *line)
{
    size_t n = strlen(line);

    while (n > 0) {
        ssize_t done = write(fd, line, n);

        if (done <= 0)
            return -1;
        line += done;
        n -= (size_t)done;
    }
    return 0;
}

static int meet(int fd)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING], note[MPI_NOTE_MAX + 1] = "";
    char line[MPI_NOTE_MAX + 16];
    int rank, size, n;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* the first line of the library's own description, which may have several */
    MPI_Get_library_version(library, &n);
    library[strcspn(library, "\n,")] = '\0'; /* "Open MPI v4.1.4, package..." */
    for (char *tab = library; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' '; /* "MPICH Version:\t4.0.2" */
    snprintf(line, sizeof line, "rank %d %d %.100s\n", rank, size, library);
    if (say(fd, line))
        return complain("sysbench has ended");
    if (rank == 0) {
        /* The line of rank 0 without its end; "" if it was closed before. */
        size_t got = 0;
        while (got < MPI_NOTE_MAX && !memchr(note, '\n', got)) {
            ssize_t done = read(fd, note + got, MPI_NOTE_MAX - got);
            if (done <= 0)
                break;
            got += (size_t)done;
        }
        note[got] = '\0';
        note[strchr(note, '\n') ? strcspn(note, "\n") : 0] = '\0';
    }
    if (MPI_Bcast(note, sizeof note, MPI_CHAR, 0, MPI_COMM_WORLD) != MPI_SUCCESS)
        return complain("the ranks cannot reach each other");
    snprintf(line, sizeof line, "note %s\n", note);
    return say(fd, line) ? complain("sysbench has ended") : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int fd = argc == 2 ? atoi(argv[1]) : 0, status;

    if (fd <= STDERR_FILENO || fcntl(fd, F_SETFD, FD_CLOEXEC)) /* not for the daemons of MPI */
        return complain("sysbench starts this program; it is of no use by itself");
    /* One small message goes from rank 0 to the others, over the network that TCP uses later: the
     * drivers of faster ones take time to start, and complain where there is no such hardware. What
     * the user has set stays. */
    setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("OMPI_MCA_btl", "self,vader,tcp", 0);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return complain("MPI_Init failed");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    status = meet(fd);
    MPI_Finalize();
    return status;
}
