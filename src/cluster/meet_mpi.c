/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See meet_mpi.h.  MPI tells each rank who it is, and carries one note from rank 0 to the others:
 *
 *     PORT SECRET ADDRESS ADDRESS...
 *
 * Then MPI is over, and the ranks meet over TCP.  All of MPI happens in a program of its own
 * (mpi_program.h).
 */
#include "cluster/meet_mpi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/str.h"
#include "cluster/addresses.h"
#include "cluster/guard.h"
#include "cluster/meet.h"
#include "cluster/mpi_launcher.h"
#include "cluster/mpi_program.h"

#define SECRET_BYTES 16

struct meeting {
    const struct cluster_spec *spec;
    struct mpi_launcher launcher;
    struct mpi_program program;
    int rank, size;
    int listener; /* rank 0; -1: none */
    char note[MPI_NOTE_MAX];
};

/* One is enough: Open MPI's mpirun and MPICH's talk to their own library only. */
static int find_program(const struct mpi_launcher *l, char *path, size_t room, struct err *e)
{
    for (size_t i = 0; i < MPI_LIBRARIES && l->libraries[i]; i++)
        if (mpi_program_find(l->libraries[i], path, room))
            return 0;
    return err_set(e, ERR_USAGE,
                   "%s has started this program, but it was built without sysbench-mpi-%s: "
                   "install %s (Debian's name) and build it again, use --cluster=HOST:PORT, or let "
                   "each rank run by itself with --cluster=off",
                   l->name, l->libraries[0],
                   strcmp(l->libraries[0], "mpich") == 0 ? "libmpich-dev" : "libopenmpi-dev");
}

static int check_size(const struct meeting *m, const char *library, struct err *e)
{
    if (m->launcher.size && (m->launcher.rank != m->rank || m->launcher.size != m->size))
        return err_set(e, ERR_FAILED,
                       "%s says that this is rank %d of %d, but %s says rank %d of %d: they do not "
                       "belong together; --cluster=HOST:PORT needs no MPI, and with --cluster=off "
                       "each runs by itself",
                       m->launcher.name, m->launcher.rank, m->launcher.size, library, m->rank,
                       m->size);
    if (m->size > CLUSTER_RANKS_MAX)
        return err_set(e, ERR_USAGE, "%s has started %d ranks, but at most %d can work together",
                       m->launcher.name, m->size, CLUSTER_RANKS_MAX);
    return 0;
}

static int read_rank(struct meeting *m, struct err *e)
{
    char line[MPI_NOTE_MAX], library[120];

    if (mpi_program_line(&m->program, line, e))
        return -1;
    if (sscanf(line, "rank %d %d %119[^\n]", &m->rank, &m->size, library) == 3 &&
        check_size(m, library, e) == 0)
        return 0;
    mpi_program_kill(&m->program);
    return e->kind ? -1 : err_set(e, ERR_FAILED, "%s said '%.100s'", m->program.path, line);
}

static int add_secret(struct str *note, struct err *e)
{
    unsigned char secret[SECRET_BYTES];

    if (getrandom(secret, sizeof secret, 0) != sizeof secret)
        return err_sys(e, errno, "cannot make a secret for the ranks");
    for (size_t i = 0; i < sizeof secret; i++)
        str_printf(note, "%02x", secret[i]);
    return 0;
}

static int write_note(struct meeting *m, struct str *note, struct err *e)
{
    unsigned port;

    m->listener = meet_listen(*m->spec->port ? m->spec->port : "0", &port, e);
    if (m->listener < 0)
        return *m->spec->port ? err_add(e, "--cluster-address=%s:%s", m->spec->host, m->spec->port)
                              : -1;
    str_printf(note, "%u ", port);
    if (add_secret(note, e))
        return -1;
    if (!*m->spec->host)
        return addresses_add(note, e);
    str_printf(note, " %s", m->spec->host);
    return 0;
}

/* Rank 0.  When it cannot listen, the others get no note, and end, too. */
static int offer(struct meeting *m, struct err *e)
{
    struct str note = STR_INIT;
    int rc = write_note(m, &note, e);

    if (rc)
        mpi_program_leave(&m->program);
    else
        rc = mpi_program_say(&m->program, str_cstr(&note), e);
    str_free(&note);
    return rc;
}

static int read_note(struct meeting *m, struct err *e)
{
    char line[MPI_NOTE_MAX];

    if (mpi_program_line(&m->program, line, e) || mpi_program_end(&m->program, e))
        return -1;
    if (strncmp(line, "note ", 5) != 0 || !line[5])
        return err_set(e, ERR_FAILED, "rank 0 did not say where it listens");
    snprintf(m->note, sizeof m->note, "%s", line + 5);
    return 0;
}

/* Everything that needs MPI. */
static int use_mpi(struct meeting *m, struct err *e)
{
    char path[4096];

    if (find_program(&m->launcher, path, sizeof path, e) ||
        mpi_program_start(&m->program, path, m->spec->timeout, e) || read_rank(m, e))
        return -1;
    if (m->rank == 0 && offer(m, e))
        return -1;
    return read_note(m, e);
}

static int join_leader(struct meeting *m, struct meet_terms *t, struct cluster **out, struct err *e)
{
    const char *hosts[ADDRESSES_MOST], *port, *host;
    char *rest = m->note;
    size_t n = 0;

    port = strsep(&rest, " ");
    t->secret = strsep(&rest, " ");
    while (n < ADDRESSES_MOST && (host = strsep(&rest, " ")) != NULL)
        hosts[n++] = host;
    if (!n)
        return err_set(e, ERR_FAILED, "rank 0 did not say where it listens");
    return meet_join(hosts, n, port, t, out, e);
}

static int meet_tcp(struct meeting *m, struct cluster **out, struct err *e)
{
    struct meet_terms terms = {
        .rank = m->rank, .size = m->size, .timeout = m->spec->timeout, .silence = m->spec->silence};
    char *rest = m->note;

    if (m->rank)
        return join_leader(m, &terms, out, e);
    strsep(&rest, " ");
    terms.secret = strsep(&rest, " ");
    return meet_lead(m->listener, &terms, out, e);
}

static int meet_guarded(struct meeting *m, struct cluster **out, struct err *e)
{
    struct guard g = {.rank = m->rank, .linger = strcmp(m->launcher.libraries[0], "openmpi") == 0};

    if (guard_start(&g, e) || meet_tcp(m, out, e))
        return -1;
    guard_met(&g);
    return 0;
}

int meet_mpi(struct cluster **out, const struct cluster_spec *s, struct err *e)
{
    struct meeting m = {.spec = s, .listener = -1};

    *out = NULL;
    if (!mpi_launcher_find(&m.launcher))
        return err_set(e, ERR_USAGE,
                       "--cluster=mpi: no MPI has started this program: start it with mpirun, or "
                       "with srun --mpi=pmix or --mpi=pmi2, or use --cluster=HOST:PORT");
    if (m.launcher.size == 1)
        return 0;
    if (use_mpi(&m, e) == 0 && m.size > 1)
        return meet_guarded(&m, out, e);
    if (m.listener >= 0)
        close(m.listener);
    return e->kind ? -1 : 0;
}
