/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See options.h.
 */
#include "cluster/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cluster/cluster.h"
#include "cluster/mpi_launcher.h"

#define LONGEST 86400

static const struct opt_row rows[] = {
    {.name = "cluster",
     .type = OPT_STRING,
     .def = "auto",
     .help = "share the load with the other ranks of this benchmark, one on each load host: "
             "HOST:PORT, where rank 0 listens; mpi, to ask MPI for it; off; or auto: mpi if mpirun "
             "or srun started the program, else off",
     .flags = OPT_OPEN,
     .choices = "auto|off|mpi"},
    {.name = "cluster-rank",
     .type = OPT_INT,
     .help = "with --cluster=HOST:PORT, the number of this rank, from 0; rank 0 listens, leads and "
             "reports",
     .max = CLUSTER_RANKS_MAX - 1},
    {.name = "cluster-size",
     .type = OPT_INT,
     .help = "with --cluster=HOST:PORT, the number of all ranks",
     .min = 1,
     .max = CLUSTER_RANKS_MAX},
    {.name = "cluster-timeout",
     .type = OPT_INT,
     .def = "60",
     .help = "wait this many seconds until all ranks are connected",
     .flags = OPT_SECONDS,
     .min = 1,
     .max = LONGEST},
    {.name = "cluster-silence",
     .type = OPT_INT,
     .def = "30",
     .help = "a rank from which nothing came for this many seconds is lost",
     .flags = OPT_SECONDS,
     .min = 3,
     .max = LONGEST},
    {.name = "cluster-address",
     .type = OPT_STRING,
     .help = "with MPI, the name or address of rank 0 that the others connect to (default: each of "
             "its addresses, in turn)"},
};

void cluster_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_CLUSTER, rows, sizeof rows / sizeof *rows);
}

/* "[::1]:5000", "load1:5000" */
static int read_place(struct cluster_spec *s, const char *text, struct err *e)
{
    const char *colon = strrchr(text, ':'), *host = text;
    size_t n = colon ? (size_t)(colon - text) : 0;
    int64_t port;

    if (n > 1 && host[0] == '[' && host[n - 1] == ']') {
        host++;
        n -= 2;
    } else if (n && memchr(host, ':', n)) {
        return err_set(e, ERR_USAGE, "--cluster=%s: an IPv6 address stands in brackets: [%.*s]:%s",
                       text, (int)n, host, colon + 1);
    }
    if (!n || n >= sizeof s->host || units_int(colon + 1, 1, 65535, &port, NULL))
        return err_set(e, ERR_USAGE,
                       "--cluster=%s: auto, off, mpi or HOST:PORT is needed, PORT from 1 to 65535",
                       text);
    memcpy(s->host, host, n);
    snprintf(s->port, sizeof s->port, "%d", (int)port);
    s->way = CLUSTER_TCP;
    return 0;
}

static int read_way(struct cluster_spec *s, const struct opts *o, struct err *e)
{
    const char *way = opt_str(o, "cluster");

    if (strcmp(way, "off") == 0)
        return 0;
    if (strcmp(way, "auto") == 0) {
        s->way = mpi_launcher_started() ? CLUSTER_MPI : CLUSTER_OFF;
        return 0;
    }
    if (strcmp(way, "mpi") != 0)
        return read_place(s, way, e);
    s->way = CLUSTER_MPI;
    s->asked = true;
    return 0;
}

/* A number of --cluster=HOST:PORT that is missing, or given without it. */
static int check_given(const struct cluster_spec *s, const struct opts *o, const char *name,
                       struct err *e)
{
    bool given = opt_given(o, name);

    if (s->way == CLUSTER_TCP && !given)
        return err_set(e, ERR_USAGE, "--cluster=%s needs --%s", opt_str(o, "cluster"), name);
    if (s->way != CLUSTER_TCP && given)
        return err_set(e, ERR_USAGE, "--%s=%s needs --cluster=HOST:PORT", name, opt_str(o, name));
    return 0;
}

static int check_rank(const struct cluster_spec *s, struct err *e)
{
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
    return 0;
}

static const char *read_secret(void)
{
    const char *secret = getenv(CLUSTER_SECRET_VARIABLE);

    return secret && *secret ? secret : NULL;
}

int cluster_options_read(struct cluster_spec *s, const struct opts *o, struct err *e)
{
    *s = (struct cluster_spec){.rank = (int)opt_int(o, "cluster-rank"),
                               .size = (int)opt_int(o, "cluster-size"),
                               .timeout = opt_int(o, "cluster-timeout") * NS_PER_SEC,
                               .silence = opt_int(o, "cluster-silence") * NS_PER_SEC,
                               .address = opt_str(o, "cluster-address"),
                               .secret = read_secret()};
    if (read_way(s, o, e) || check_given(s, o, "cluster-size", e) ||
        check_given(s, o, "cluster-rank", e) || check_rank(s, e))
        return -1;
    if (*s->address && s->way != CLUSTER_MPI)
        return err_set(e, ERR_USAGE, "--cluster-address=%s needs MPI", s->address);
    if (s->way == CLUSTER_TCP && s->size == 1)
        s->way = CLUSTER_OFF;
    return 0;
}
