/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options --cluster*, and from them to a cluster whose ranks are all connected.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cluster/cluster_state.h"
#include "opt/opt.h"

#define LONGEST 86400
#define TIMEOUT "60"
#define SILENCE "30"
#define LEAST   3 /* of the silence */

static const struct opt_row rows[] = {
    {OPT_ROW("cluster", STRING, "auto", OPT_PER_RANK | OPT_OPEN,
             "share the load with the other ranks of this benchmark, one on each load host: "
             "HOST:PORT, where rank 0 listens; mpi, to ask MPI for it; off; or auto: mpi if "
             "mpirun or srun started the program, else off"),
     .choices = "auto|off|mpi"},
    {OPT_ROW("cluster-rank", INT, NULL, OPT_PER_RANK,
             "with --cluster=HOST:PORT, the number of this rank, from 0; rank 0 listens, leads "
             "and reports"),
     .max = CLUSTER_RANKS_MAX - 1},
    {OPT_ROW("cluster-size", INT, NULL, OPT_PER_RANK,
             "with --cluster=HOST:PORT, the number of all ranks"),
     .min = 1, .max = CLUSTER_RANKS_MAX},
    {OPT_ROW("cluster-timeout", INT, TIMEOUT, OPT_PER_RANK | OPT_SECONDS,
             "wait this many seconds until all ranks are connected"),
     .of = "cluster", .mark = "timeout=", .min = 1, .max = LONGEST},
    {OPT_ROW("cluster-silence", INT, SILENCE, OPT_PER_RANK | OPT_SECONDS,
             "a rank from which nothing came for this many seconds is lost"),
     .of = "cluster", .mark = "silence=", .min = LEAST, .max = LONGEST},
    {OPT_ROW("cluster-address", STRING, NULL, OPT_PER_RANK,
             "with MPI, HOST or HOST:PORT of rank 0 that the others connect to (default: each of "
             "its addresses in turn, and any free port)"),
     .of = "cluster", .mark = "address="},
};

void cluster_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_CLUSTER, rows, sizeof rows / sizeof *rows);
}

#define BLANKS " \t\r\n\v\f" /* in no host's name; they divide the note that MPI carries */

/* "[::1]:5000", "load1:5000"; -1: neither.  "[::1]" and "load1" give no port. */
static int split_place(const char *text, char *host, size_t room, char *port)
{
    const char *end = strchr(text, *text == '[' ? ']' : ':'), *start = text + (*text == '[');
    size_t n = end ? (size_t)(end - start) : strlen(start);
    int64_t number;

    if (*text == '[' && !end)
        return -1;
    end = end && *end == ']' ? end + 1 : start + n;
    if (!n || n >= room || (*text != '[' && memchr(start, ']', n)) || strcspn(start, BLANKS) < n)
        return -1;
    *port = '\0';
    if (*end && (*end != ':' || units_int(end + 1, 1, 65535, &number, NULL)))
        return -1;
    if (*end)
        snprintf(port, CLUSTER_PORT, "%d", (int)number);
    snprintf(host, room, "%.*s", (int)n, start);
    return 0;
}

/* Of an IPv6 address with a port. */
static bool lacks_brackets(const char *text)
{
    return *text != '[' && strchr(text, ':') != strrchr(text, ':');
}

/* --cluster: how the ranks meet, and where. */
static int read_way(struct cluster_spec *s, const struct opts *o, struct err *e)
{
    const char *way = opt_str(o, "cluster"), *colon = strrchr(way, ':');
    struct mpi_launcher l = {0};
    bool several = mpi_launcher_find(&l) && l.size != 1;

    if (strcmp(way, "off") == 0)
        return 0;
    if (strcmp(way, "auto") == 0 || strcmp(way, "mpi") == 0) {
        s->asked = strcmp(way, "mpi") == 0;
        s->way = s->asked || several ? CLUSTER_MPI : CLUSTER_OFF;
        s->rank = s->way == CLUSTER_MPI ? l.rank : 0;
        return 0;
    }
    s->way = CLUSTER_TCP;
    if (lacks_brackets(way) && *way != ':')
        err_set(e, ERR_USAGE, "--cluster=%s: an IPv6 address stands in brackets: [%.*s]:%s", way,
                (int)(colon - way), way, colon + 1);
    else if (split_place(way, s->host, sizeof s->host, s->port) || !*s->port)
        err_set(e, ERR_USAGE,
                "--cluster=%s: auto, off, mpi or HOST:PORT is needed, PORT from 1 to 65535", way);
    else
        return 0;
    return opt_explain(o, "cluster", e);
}

/* A number of --cluster=HOST:PORT that is missing, or given without it. */
static int check_given(const struct cluster_spec *s, const struct opts *o, const char *name,
                       struct err *e)
{
    bool given = opt_given(o, name);

    if (s->way == CLUSTER_TCP && !given)
        return err_set(e, ERR_USAGE, "--cluster=%s:%s needs --%s", s->host, s->port, name);
    if (s->way != CLUSTER_TCP && given)
        return err_set(e, ERR_USAGE, "--%s=%s needs --cluster=HOST:PORT", name, opt_str(o, name));
    return 0;
}

void cluster_options_forget(struct cluster_spec *s)
{
    char *secret = getenv(CLUSTER_SECRET_VARIABLE);

    if (secret)
        explicit_bzero(secret, strlen(secret)); /* /proc/PID/environ shows the same bytes */
    unsetenv(CLUSTER_SECRET_VARIABLE);
    s->secret = NULL;
}

int cluster_options_read(struct cluster_spec *s, const struct opts *o, struct err *e)
{
    const char *address = opt_str(o, "cluster-address"), *secret = getenv(CLUSTER_SECRET_VARIABLE);

    *s = (struct cluster_spec){.rank = (int)opt_int(o, "cluster-rank"),
                               .size = (int)opt_int(o, "cluster-size"),
                               .timeout = opt_time(o, "cluster-timeout"),
                               .silence = opt_time(o, "cluster-silence"),
                               .secret = secret && *secret ? secret : NULL};
    if (read_way(s, o, e) || check_given(s, o, "cluster-size", e) ||
        check_given(s, o, "cluster-rank", e))
        return -1;
    if (s->way == CLUSTER_TCP && s->rank >= s->size)
        return err_set(e, ERR_USAGE,
                       "--cluster-rank=%d: ranks are numbered from 0, and --cluster-size=%d leaves "
                       "0 to %d",
                       s->rank, s->size, s->size - 1);
    if (s->way == CLUSTER_TCP && s->size > 1 && !s->secret)
        return err_set(e, ERR_USAGE,
                       "--cluster=%s:%s needs a secret, the same for all ranks, in the environment "
                       "variable " CLUSTER_SECRET_VARIABLE,
                       s->host, s->port);
    if (*address && s->way != CLUSTER_MPI)
        return err_set(e, ERR_USAGE, "--cluster=address=%s needs MPI", address);
    /* with MPI: where rank 0 can be reached; an address alone needs no brackets */
    if (lacks_brackets(address) && strlen(address) < sizeof s->host && !strpbrk(address, BLANKS))
        snprintf(s->host, sizeof s->host, "%s", address);
    else if (*address && split_place(address, s->host, sizeof s->host, s->port))
        return err_set(e, ERR_USAGE,
                       "--cluster=address=%s: HOST or HOST:PORT is needed, PORT from 1 to 65535",
                       address);
    if (s->way == CLUSTER_TCP && s->size == 1)
        s->way = CLUSTER_OFF;
    return 0;
}

static dur_ns seconds(const struct opts *o, const char *name, int least, const char *otherwise)
{
    dur_ns t = opt_time(o, name);

    return t >= least * NS_PER_SEC && t <= LONGEST * NS_PER_SEC ? t : atoi(otherwise) * NS_PER_SEC;
}

void cluster_options_guess(struct cluster_spec *s, const struct opts *o)
{
    struct err ignored = {0};

    if (cluster_options_read(s, o, &ignored))
        *s->host = *s->port = '\0';
    if (s->way != CLUSTER_MPI)
        *s = (struct cluster_spec){.way = CLUSTER_OFF};
    s->timeout = seconds(o, "cluster-timeout", 1, TIMEOUT);
    s->silence = seconds(o, "cluster-silence", LEAST, SILENCE);
}

int cluster_join(struct cluster **out, const struct cluster_spec *s, struct err *e)
{
    const char *host = s->host;

    *out = NULL;
    if (s->way == CLUSTER_OFF)
        return 0;
    if (s->way == CLUSTER_MPI)
        return mpirun_join(out, s, e);
    if (s->rank)
        return meet_join(&host, 1, s->port, s, out, e);
    int listener = meet_listen(s->port, NULL, e);
    return listener < 0 ? err_add(e, "--cluster=%s:%s", s->host, s->port)
                        : meet_lead(listener, s, out, e);
}
