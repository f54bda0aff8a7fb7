/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See cluster_state.h.  All of MPI happens in a program of its own.
 */
#ifdef HAVE_CONFIG_H /* sysbench_minimal has none */
#include "config.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "cluster/cluster_state.h"

#ifdef SB_MPI
#define BUILT SB_MPI
#else
#define BUILT "no"
#endif

const char *cluster_mpi_libraries(void)
{
    return BUILT;
}

/* --- the launcher --- */

#define OPENMPI "openmpi"
#define MPICH   "mpich"

/* Slurm's srun sets SLURM_PROCID in each rank, with or without MPI, so that alone says nothing:
 * what counts are the variables of its PMI.  PMIx does not tell the size, srun does.  A rank of
 * Open MPI's mpirun has the variables of PMIx, too, so it stands first. */
static const struct {
    const char *name, *rank, *size; /* the last two: variables */
    const char *libraries[MPI_LIBRARIES];
} launchers[] = {
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {OPENMPI}},
    {"MVAPICH's mpirun", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", {MPICH}},
    {"a launcher with PMIx", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", {OPENMPI, MPICH}},
    {"a launcher with PMI (mpiexec of MPICH, srun)", "PMI_RANK", "PMI_SIZE", {MPICH, OPENMPI}},
};

/* -1: it is not set, or is not a number. */
static int number(const char *variable)
{
    const char *text = getenv(variable);
    int64_t n;

    return text && units_int(text, 0, INT_MAX, &n, NULL) == 0 ? (int)n : -1;
}

bool mpi_launcher_find(struct mpi_launcher *out)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        int rank = number(launchers[i].rank), size = number(launchers[i].size);

        if (rank < 0)
            continue;
        *out = (struct mpi_launcher){
            .name = launchers[i].name, .rank = rank, .size = size < 0 ? 0 : size};
        memcpy(out->libraries, launchers[i].libraries, sizeof out->libraries);
        return true;
    }
    return false;
}

/* --- the program that calls MPI --- */

bool mpi_program_find(const char *library, char *path, size_t room)
{
    char own[4096]; /* the directory that this program lies in */
    const struct {
        const char *directory, *below;
    } places[] = {{own, "/"}, {own, "/../libexec/sysbench/"}, {SB_LIBEXECDIR, "/"}};
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);

    own[n > 0 ? n : 0] = '\0';
    own[strrchr(own, '/') ? strrchr(own, '/') - own : 0] = '\0';
    for (size_t i = *own ? 0 : 2; strcmp(BUILT, "no") != 0 && i < 3; i++)
        if ((size_t)snprintf(path, room, "%s%ssysbench-mpi-%s", places[i].directory,
                             places[i].below, library) < room &&
            access(path, X_OK) == 0)
            return true;
    return false;
}

int mpi_program_run(const char *path, const char *note, char said[MPI_SAID_MAX], dur_ns timeout,
                    struct err *e)
{
    const struct timespec pause = {.tv_nsec = 2 * NS_PER_MS};
    const mono_ns until = clock_mono() + timeout;
    pid_t self = getpid(), pid = -1;
    ssize_t got = -1;
    size_t n = 0;
    int fds[2] = {-1, -1}, status = 0;

    signal(SIGCHLD, SIG_DFL); /* some parents leave it ignored: then no status is ever reported */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) || (pid = fork()) < 0) {
        err_sys(e, errno, "cannot start %s", path);
        fd_close(fds[0]);
        fd_close(fds[1]);
        return -1;
    }
    if (pid == 0) { /* what MPI libraries print is no output of ours */
        char descriptor[12];
        int null = open("/dev/null", O_RDONLY);

        snprintf(descriptor, sizeof descriptor, "%d", fds[1]);
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == self && null >= 0 &&
            dup2(null, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 &&
            fcntl(fds[1], F_SETFD, 0) == 0)
            execl(path, path, descriptor, (char *)NULL);
        _exit(127);
    }
    close(fds[1]);
    send(fds[0], note, strlen(note), MSG_NOSIGNAL); /* it fits into the socket */
    shutdown(fds[0], SHUT_WR);
    /* what comes back ends with the program */
    while (got != 0 && n < MPI_SAID_MAX - 1 && handshake_wait(fds[0], POLLIN, until)) {
        got = recv(fds[0], said + n, MPI_SAID_MAX - 1 - n, 0);
        n += got > 0 ? (size_t)got : 0;
        got = got < 0 && errno != EINTR ? 0 : got;
    }
    said[n] = '\0';
    close(fds[0]);
    if (got != 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, WNOHANG) == 0) { /* it is ending; if not, it is killed in time */
        if (clock_mono() >= until)
            kill(pid, SIGKILL);
        nanosleep(&pause, NULL);
    }
    if (n == MPI_SAID_MAX - 1)
        return err_set(e, ERR_FAILED, "%s said too much", path);
    if (got != 0)
        return err_set(
            e, ERR_TIMEOUT,
            "MPI did not bring all ranks together within %.0f s (--cluster=timeout): one "
            "of them has not started, or cannot be reached; with --cluster=off this one "
            "runs by itself",
            dur_sec(timeout));
    /* what it has to say about its end is on standard error already */
    if (WIFSIGNALED(status))
        return err_set(e, ERR_FAILED, "%s was ended by signal %d (%s)", path, WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    if (status)
        return err_set(e, ERR_FAILED, "MPI failed: %s ended with status %d", path,
                       WEXITSTATUS(status));
    return 0;
}

/* --- the guard --- */

/* Open MPI's mpirun ends its ranks by SIGTERM, and a second later by SIGKILL; but when the first of
 * them has gone, it kills the others at once, and it reads nothing more of what they wrote.  So
 * members stay until rank 0 has gone, and rank 0 until its last report has been read. */
static const struct timespec leader_stays = {.tv_nsec = NS_PER_SEC / 2},
                             member_stays = {.tv_sec = 2};

/* What a rank had to say about a failure it has said itself. */
static _Noreturn void guard(const struct guard *g, pid_t child, const sigset_t *all)
{
    int status, asked = 0; /* the signal that the launcher has sent */

    prctl(PR_SET_NAME, "sysbench-guard");
    do {
        siginfo_t info;
        int sig = sigwaitinfo(all, &info);

        if (sig > 0 && sig != SIGCHLD)
            kill(child, sig);
        if (sig == SIGTERM || sig == SIGINT)
            asked = sig;
    } while (waitpid(child, &status, WNOHANG) != child);
    if (WIFSIGNALED(status) && WTERMSIG(status) != asked)
        log_stderr("sysbench was ended by signal %d (%s)", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
    if (asked && g->linger)
        nanosleep(g->rank ? &member_stays : &leader_stays, NULL);
    if (atomic_load(g->met) && g->rank > 0)
        _exit(0);
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

int guard_start(struct guard *g, struct err *e)
{
    struct stat tasks;
    pid_t self = getpid(), child;
    sigset_t all, before;

    g->met = NULL;
    /* "." and ".." are links, too, each thread is one more */
    if (stat("/proc/self/task", &tasks) || tasks.st_nlink != 3)
        return 0;
    void *shared =
        mmap(NULL, sizeof *g->met, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return err_sys(e, errno, "cannot start a process");
    g->met = shared;
    signal(SIGCHLD, SIG_DFL); /* some parents leave it ignored: then no end is ever reported */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    child = fork();
    if (child > 0)
        guard(g, child, &all);
    if (child == 0) { /* the rank: as if it had been started by the launcher itself */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(EXIT_FAILURE);
        /* a group of its own: launchers send signals to the group of the process that they have
         * started, and a second SIGTERM would end the rank without a report */
        setpgid(0, 0);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child == 0 ? 0 : err_sys(e, errno, "cannot start a process");
}

void guard_met(struct guard *g)
{
    if (g->met)
        atomic_store(g->met, 1);
}

/* --- the note of rank 0 --- */

#define ADDRESSES_MOST 32
#define SECRET_BYTES   16

/* Adds " ADDRESS" for each address of an interface that is up, except link-local ones of IPv6:
 * they mean nothing without the name of an interface of the host that connects. */
static int add_addresses(struct str *out, const struct ifaddrs *list, int family, bool loopback,
                         int most)
{
    int found = 0;

    for (const struct ifaddrs *i = list; i && found < most; i = i->ifa_next) {
        const struct sockaddr *a = i->ifa_addr;
        char host[64];

        if (!a || a->sa_family != family || !(i->ifa_flags & IFF_UP) ||
            !(i->ifa_flags & IFF_LOOPBACK) != !loopback)
            continue;
        if (family == AF_INET6 &&
            IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr))
            continue;
        if (getnameinfo(a, sizeof(struct sockaddr_in6), host, sizeof host, NULL, 0, NI_NUMERICHOST))
            continue;
        str_printf(out, " %s", host);
        found++;
    }
    return found;
}

/* "PORT SECRET ADDRESS ADDRESS..."; the descriptor that listens. */
static int write_note(const struct cluster_spec *s, struct str *note, struct err *e)
{
    unsigned char secret[SECRET_BYTES];
    struct ifaddrs *list = NULL;
    unsigned port;
    int found = 0, listener = meet_listen(*s->port ? s->port : "0", &port, e);

    if (listener < 0)
        return *s->port ? err_add(e, "--cluster=address=%s:%s", s->host, s->port) : -1;
    str_printf(note, "%u ", port);
    if (getrandom(secret, sizeof secret, 0) != sizeof secret) {
        err_sys(e, errno, "cannot make a secret for the ranks");
    } else if (!*s->host && getifaddrs(&list)) {
        err_sys(e, errno, "cannot list the addresses of this host");
    } else {
        for (size_t i = 0; i < sizeof secret; i++)
            str_printf(note, "%02x", secret[i]);
        /* IPv4 before IPv6; the loopback addresses only when there are no others */
        for (int loopback = 0; loopback < 2 && !found; loopback++) {
            found = add_addresses(note, list, AF_INET, loopback, ADDRESSES_MOST);
            found += add_addresses(note, list, AF_INET6, loopback, ADDRESSES_MOST - found);
        }
        freeifaddrs(list);
        if (found || *s->host) {
            str_printf(note, *s->host ? " %s\n" : "%s\n", s->host);
            return listener;
        }
        err_set(e, ERR_FAILED, "this host has no address that others can reach");
    }
    close(listener);
    str_reset(note);
    return -1;
}

/* --- the meeting --- */

int mpirun_join(struct cluster **out, const struct cluster_spec *spec, struct err *e)
{
    struct cluster_spec s = *spec;
    const char *hosts[ADDRESSES_MOST], *host;
    char path[4096], said[MPI_SAID_MAX], library[120], note[MPI_NOTE_MAX] = "", *rest = note, *port;
    struct str own = STR_INIT;
    struct mpi_launcher l;
    struct guard g = {0};
    bool found = false;
    int listener = -1, rc;
    size_t n = 0;

    if (!mpi_launcher_find(&l))
        return err_set(e, ERR_USAGE,
                       "--cluster=mpi: no MPI has started this program: start it with mpirun, or "
                       "with srun --mpi=pmix or --mpi=pmi2, or use --cluster=HOST:PORT");
    if (l.size == 1)
        return 0;
    /* The program of one library that can talk to the launcher is enough: Open MPI's mpirun and
     * MPICH's talk to their own only. */
    for (size_t i = 0; i < MPI_LIBRARIES && l.libraries[i] && !found; i++)
        found = mpi_program_find(l.libraries[i], path, sizeof path);
    if (!found)
        return err_set(e, ERR_USAGE,
                       "%s has started this program, but it was built without sysbench-mpi-%s: "
                       "install %s (Debian's name) and build it again, use --cluster=HOST:PORT, or "
                       "let each rank run by itself with --cluster=off",
                       l.name, l.libraries[0],
                       strcmp(l.libraries[0], MPICH) == 0 ? "libmpich-dev" : "libopenmpi-dev");
    /* when rank 0 cannot listen, the others get no note, and end, too */
    if (l.rank == 0)
        listener = write_note(spec, &own, e);
    rc = mpi_program_run(path, str_cstr(&own), said, s.timeout,
                         l.rank == 0 && listener < 0 ? NULL : e);
    str_free(&own);
    if (rc || (l.rank == 0 && listener < 0))
        ;
    else if (sscanf(said, "rank %d %d %119[^\n]\nnote %3999[^\n]", &s.rank, &s.size, library,
                    note) < 3)
        err_set(e, ERR_FAILED, "%s said '%.100s'", path, said);
    else if (l.rank != s.rank || (l.size && l.size != s.size))
        err_set(e, ERR_FAILED,
                "%s says that this is rank %d of %d, but %s says rank %d of %d: they do not belong "
                "together; --cluster=HOST:PORT needs no MPI, and with --cluster=off each runs by "
                "itself",
                l.name, l.rank, l.size, library, s.rank, s.size);
    else if (s.size > CLUSTER_RANKS_MAX)
        err_set(e, ERR_USAGE, "%s has started %d ranks, but at most %d can work together", l.name,
                s.size, CLUSTER_RANKS_MAX);
    port = strsep(&rest, " ");
    s.secret = strsep(&rest, " ");
    while (n < ADDRESSES_MOST && (host = strsep(&rest, " ")) != NULL)
        hosts[n++] = host;
    if (e->kind == ERR_NONE && !n)
        err_set(e, ERR_FAILED, "rank 0 did not say where it listens");
    if (e->kind != ERR_NONE || s.size == 1) {
        fd_close(listener);
        return e->kind != ERR_NONE ? -1 : 0;
    }
    g.rank = s.rank;
    g.linger = strcmp(l.libraries[0], OPENMPI) == 0;
    if (guard_start(&g, e) ||
        (s.rank == 0 ? meet_lead(listener, &s, out, e) : meet_join(hosts, n, port, &s, out, e)))
        return -1;
    guard_met(&g);
    return 0;
}
