/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How the options --cluster* are read: each way to meet, and each complaint.
 */
#include "cluster/cluster.h"

#include "opt/opt.h"

#include <stdlib.h>
#include <string.h>

#include "base/test.h"

static struct cluster_spec spec;
static char message[sizeof((struct err){0}).msg];

static const char *secret = "abc", *size = "2";

/* Arguments separated by blanks, in an environment with that rank of Open MPI's, one of `size`
 * (NULL: none). */
static int read_options(const char *rank, const char *arguments)
{
    struct opts *o = opts_new();
    struct err e = {0};
    char text[300], *rest = text, *word;
    int rc = 0;

    clearenv();
    setenv(CLUSTER_SECRET_VARIABLE, secret, 1);
    if (rank) {
        setenv("OMPI_COMM_WORLD_RANK", rank, 1);
        setenv("OMPI_COMM_WORLD_SIZE", size, 1);
    }
    cluster_options(o);
    snprintf(text, sizeof text, "%s", arguments);
    while (rc == 0 && (word = strsep(&rest, " ")) != NULL)
        rc = *word ? opts_set_arg(o, word, &e) : 0;
    if (rc == 0)
        rc = opts_finish(o, false, &e) || opts_check(o, &e) || cluster_options_read(&spec, o, &e);
    snprintf(message, sizeof message, "%s", e.msg);
    opts_free(o);
    return rc ? -1 : 0;
}

static void check_place(const char *place, const char *host, const char *port)
{
    char arguments[100];

    snprintf(arguments, sizeof arguments, "--cluster=%s --cluster-rank=1 --cluster-size=2", place);
    CHECK_INT(read_options(NULL, arguments), 0);
    CHECK_INT(spec.way, CLUSTER_TCP);
    CHECK_STR(spec.host, host);
    CHECK_STR(spec.port, port);
}

static void check_address(const char *address, const char *host, const char *port)
{
    char arguments[100];

    snprintf(arguments, sizeof arguments, "--cluster=address=%s", address);
    CHECK_INT(read_options("1", arguments), 0);
    CHECK_INT(spec.way, CLUSTER_MPI);
    CHECK_STR(spec.host, host);
    CHECK_STR(spec.port, port);
}

static void check_refused(const char *rank, const char *arguments, const char *want)
{
    CHECK_INT(read_options(rank, arguments), -1);
    CHECK_STR(message, want);
}

/* CLUSTER_OFF and so on; -1: refused. */
static int way(const char *rank, const char *arguments)
{
    return read_options(rank, arguments) ? -1 : (int)spec.way;
}

static void test_ways(void)
{
    CHECK_INT(way(NULL, ""), CLUSTER_OFF);
    CHECK_INT(way("1", ""), CLUSTER_MPI);
    CHECK_INT(spec.rank, 1);
    CHECK_INT(way("1", "--cluster=off"), CLUSTER_OFF);
    size = "1"; /* a launcher of one rank: there is nobody to meet */
    CHECK_INT(way("0", ""), CLUSTER_OFF);
    CHECK_INT(way("0", "--cluster=mpi"), CLUSTER_MPI);
    size = "2";
    CHECK_INT(way(NULL, "--cluster=mpi"), CLUSTER_MPI);
    CHECK_INT(way(NULL, "--cluster=load1:5000 --cluster-rank=0 --cluster-size=1"), CLUSTER_OFF);
}

static void test_places(void)
{
    check_place("load1:5000", "load1", "5000");
    check_place("10.0.0.1:1", "10.0.0.1", "1");
    check_place("[fd00::1]:65535", "fd00::1", "65535");
    check_address("load1", "load1", "");
    check_address("load1:5000", "load1", "5000");
    check_address("fd00::1", "fd00::1", "");
    check_address("[fd00::1]", "fd00::1", "");
    check_address("[fd00::1]:7", "fd00::1", "7");
}

#define NO_PLACE "auto, off, mpi or HOST:PORT is needed, PORT from 1 to 65535"
#define NO_HOST  "HOST or HOST:PORT is needed, PORT from 1 to 65535"

static void test_refused(void)
{
    static const char *const places[] = {"load1", ":5000",  "load1:",    "load1:0", "a:65536",
                                         "a:x",   "[::1]x", "[::1:5000", "[]:5000", "[::1]",
                                         "a]:1",  "a\tb:1", "[::1\t]:1"};
    static const char *const addresses[] = {"load1:0", "load1:x", "[::1", "[]",
                                            ":7",      "a]",      "a\tb", "::1\tb"};
    char arguments[100], want[200];

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(arguments, sizeof arguments, "--cluster=%s", places[i]);
        snprintf(want, sizeof want, "--cluster=%s: " NO_PLACE, places[i]);
        check_refused(NULL, arguments, want);
    }
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        snprintf(arguments, sizeof arguments, "--cluster=address=%s", addresses[i]);
        snprintf(want, sizeof want, "--cluster=address=%s: " NO_HOST, addresses[i]);
        check_refused("0", arguments, want);
    }
    check_refused(NULL, "--cluster=fd00::1:5000",
                  "--cluster=fd00::1:5000: an IPv6 address stands in brackets: [fd00::1]:5000");
    check_refused(NULL, "--cluster=address=load1", "--cluster=address=load1 needs MPI");
    check_refused(NULL, "--cluster=a:1 --cluster-rank=0", "--cluster=a:1 needs --cluster-size");
    check_refused(NULL, "--cluster=a:1 --cluster-size=2", "--cluster=a:1 needs --cluster-rank");
    check_refused("0", "--cluster-rank=1", "--cluster-rank=1 needs --cluster=HOST:PORT");
    check_refused(
        NULL, "--cluster=a:1 --cluster-rank=2 --cluster-size=2",
        "--cluster-rank=2: ranks are numbered from 0, and --cluster-size=2 leaves 0 to 1");
}

#define NO_SECRET                                                                                  \
    "--cluster=a:1 needs a secret, the same for all ranks, in the environment variable "           \
    "SYSBENCH_CLUSTER_SECRET"

static void test_secret(void)
{
    const char *in_environment;

    CHECK_INT(read_options(NULL, "--cluster=a:1 --cluster-rank=0 --cluster-size=2"), 0);
    CHECK_STR(spec.secret, "abc");
    in_environment = getenv(CLUSTER_SECRET_VARIABLE);
    cluster_options_forget(&spec);
    CHECK(!spec.secret && !getenv(CLUSTER_SECRET_VARIABLE));
    CHECK_STR(in_environment, "");
    cluster_options_forget(&spec);
    secret = "";
    check_refused(NULL, "--cluster=a:1 --cluster-rank=0 --cluster-size=2", NO_SECRET);
    CHECK_INT(read_options(NULL, "--cluster=a:1 --cluster-rank=0 --cluster-size=1"), 0);
    secret = "abc";
}

static void test_numbers(void)
{
    CHECK_INT(read_options(NULL, ""), 0);
    CHECK_INT(spec.timeout, 60 * NS_PER_SEC);
    CHECK_INT(spec.silence, 30 * NS_PER_SEC);
    CHECK_INT(read_options(NULL, "--cluster=timeout=1 --cluster=silence=3"), 0);
    CHECK_INT(spec.timeout, NS_PER_SEC);
    CHECK_INT(spec.silence, 3 * NS_PER_SEC);
    CHECK_INT(read_options(NULL, "--cluster=timeout=0"), -1);
    CHECK_INT(read_options(NULL, "--cluster=silence=2"), -1);
    CHECK_INT(read_options(NULL, "--cluster-size=0"), -1);
    CHECK_INT(read_options(NULL, "--cluster-size=1001"), -1);
    CHECK_INT(read_options(NULL, "--cluster-rank=-1"), -1);
}

/* What a rank takes from a command line that is refused, under mpirun (NULL: not); "off", or as
 * "rank 1, 60 s, 30 s, load1:50". */
static const char *guess(const char *rank, const char *arguments)
{
    static char guessed[400];
    struct opts *o = opts_new();
    char text[300], *rest = text, *word;

    CHECK_INT(read_options(rank, arguments), -1);
    cluster_options(o);
    snprintf(text, sizeof text, "%s", arguments);
    while ((word = strsep(&rest, " ")) != NULL)
        opts_set_arg(o, word, NULL);
    memset(&spec, 0xff, sizeof spec);
    cluster_options_guess(&spec, o);
    opts_free(o);
    snprintf(guessed, sizeof guessed, "rank %d, %g s, %g s, %s:%s", spec.rank,
             dur_sec(spec.timeout), dur_sec(spec.silence), spec.host, spec.port);
    return spec.way == CLUSTER_OFF ? "off" : guessed;
}

static void test_guess(void)
{
    CHECK_STR(guess("1", "--cluster=timeout=0 --cluster=silence=2 --cluster=address=load1:50"),
              "rank 1, 60 s, 30 s, load1:50");
    CHECK_STR(guess("1", "--cluster=timeout=7 --cluster=silence=4 --cluster=address=load1:x"),
              "rank 1, 7 s, 4 s, :");
    CHECK_STR(guess("1", "--cluster=timeout=86401 --cluster-rank=3"), "rank 1, 60 s, 30 s, :");
    CHECK_STR(guess("1", "--cluster=timeout=0 --cluster=off"), "off");
    CHECK_STR(guess("1", "--cluster=load1:x"), "off");
    CHECK_STR(guess("1", "--cluster=load1:5000 --cluster-size=2"), "off");
    CHECK_STR(guess(NULL, "--cluster=timeout=0"), "off");
}

TEST_MAIN(cluster_options_test)
{
    check_refused(NULL, "--cluster=atuo", "--cluster=atuo: " NO_PLACE "; did you mean auto?");
    test_secret();
    test_numbers();
    test_ways();
    test_places();
    test_refused();
    test_guess();
    return test_done("cluster_options_test");
}
