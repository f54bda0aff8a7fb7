/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How the options --cluster* are read: what comes of each command line, or what it is told.  And
 * what a rank takes from a line that is refused; the secret, which is forgotten.
 */
#include "cluster/cluster.h"

#include "opt/opt.h"

#include <stdlib.h>
#include <string.h>

#include "base/test_golden.h"

static struct cluster_spec spec;
static struct opts *o;

/* `rank`: that of Open MPI's mpirun, "1/2"; NULL: none. */
static int read_options(const char *rank, const char *secret, const char *arguments, struct err *e)
{
    char text[300], *rest = text, *word;
    int rc = 0;

    unsetenv("OMPI_COMM_WORLD_RANK");
    setenv(CLUSTER_SECRET_VARIABLE, secret, 1);
    if (rank) {
        setenv("OMPI_COMM_WORLD_RANK", (char[]){rank[0], '\0'}, 1);
        setenv("OMPI_COMM_WORLD_SIZE", rank + 2, 1);
    }
    o = opts_new();
    cluster_options(o);
    snprintf(text, sizeof text, "%s", arguments);
    while (rc == 0 && (word = strsep(&rest, " ")) != NULL)
        rc = *word ? opts_set_arg(o, word, e) : 0;
    return rc || opts_finish(o, false, e) || opts_check(o, e) || cluster_options_read(&spec, o, e)
               ? -1
               : 0;
}

static void outcome(const char *rank, const char *arguments)
{
    static const char *const way[] = {
        [CLUSTER_OFF] = "off", [CLUSTER_TCP] = "TCP", [CLUSTER_MPI] = "MPI"};
    struct err e = {0};

    if (read_options(rank, "abc", arguments, &e) == 0)
        golden_line("%s %s: %s %d of %d, %s:%s, %g s, %g s", rank ? rank : "-", arguments,
                    way[spec.way], spec.rank, spec.size, spec.host, spec.port,
                    dur_sec(spec.timeout), dur_sec(spec.silence));
    else
        golden_line("%s %s: %s", rank ? rank : "-", arguments, e.msg);
    opts_free(o);
}

static void alone(const char *arguments)
{
    outcome(NULL, arguments);
}

static void of_two(const char *arguments)
{
    outcome("1/2", arguments);
}

static void place(const char *text)
{
    char arguments[100];

    snprintf(arguments, sizeof arguments, "--cluster=%s --cluster-rank=1 --cluster-size=2", text);
    outcome(NULL, arguments);
}

static void address(const char *text)
{
    char arguments[100];

    snprintf(arguments, sizeof arguments, "--cluster=address=%s", text);
    outcome("1/2", arguments);
}

static void test_outcomes(void)
{
    golden_each("load1:5000|10.0.0.1:1|[fd00::1]:65535|load1|:5000|load1:|load1:0|a:65536|a:x|"
                "[::1]x|[::1:5000|[]:5000|[::1]|a]:1|a\tb:1|[::1\t]:1|fd00::1:5000|atuo",
                place);
    golden_each("load1|load1:5000|fd00::1|[fd00::1]|[fd00::1]:7|load1:0|load1:x|[::1|[]|:7|a]|"
                "a\tb|::1\tb",
                address);
    golden_each("|--cluster=mpi|--cluster=load1:5000 --cluster-rank=0 --cluster-size=1|"
                "--cluster=address=load1|--cluster=a:1 --cluster-rank=0|"
                "--cluster=a:1 --cluster-size=2|--cluster=timeout=0|--cluster=silence=2|"
                "--cluster=a:1 --cluster-rank=2 --cluster-size=2|--cluster-size=0|"
                "--cluster=timeout=1 --cluster=silence=3|--cluster-size=1001|--cluster-rank=-1",
                alone);
    golden_each("|--cluster=off|--cluster-rank=1", of_two);
    outcome("0/1", ""); /* a launcher of one rank: there is nobody to meet */
    outcome("0/1", "--cluster=mpi");
}

static void test_secret(void)
{
    const char *const lead = "--cluster=a:1 --cluster-rank=0 --cluster-size=2", *in_environment;
    struct err e = {0};

    CHECK_INT(read_options(NULL, "abc", lead, &e), 0);
    opts_free(o);
    CHECK_STR(spec.secret, "abc");
    in_environment = getenv(CLUSTER_SECRET_VARIABLE);
    cluster_options_forget(&spec);
    CHECK(!spec.secret && !getenv(CLUSTER_SECRET_VARIABLE));
    CHECK_STR(in_environment, "");
    cluster_options_forget(&spec);
    CHECK_INT(read_options(NULL, "", lead, &e), -1);
    opts_free(o);
    golden_line("no secret: %s", e.msg);
    CHECK_INT(read_options(NULL, "", "--cluster=a:1 --cluster-rank=0 --cluster-size=1", &e), 0);
    opts_free(o);
}

static void guess(const char *arguments)
{
    const char *const rank = *arguments == '-' ? NULL : "1/2";

    arguments += !rank;
    CHECK_INT(read_options(rank, "abc", arguments, &(struct err){0}), -1);
    memset(&spec, 0xff, sizeof spec);
    cluster_options_guess(&spec, o);
    opts_free(o);
    if (spec.way == CLUSTER_OFF)
        golden_line("guessed of %s: off", arguments);
    else
        golden_line("guessed of %s: rank %d, %g s, %g s, %s:%s", arguments, spec.rank,
                    dur_sec(spec.timeout), dur_sec(spec.silence), spec.host, spec.port);
}

TEST_MAIN(cluster_options_test)
{
    test_outcomes();
    test_secret();
    golden_each(" --cluster=timeout=0 --cluster=silence=2 --cluster=address=load1:50|"
                " --cluster=timeout=7 --cluster=silence=4 --cluster=address=load1:x|"
                " --cluster=timeout=86401 --cluster-rank=3| --cluster=timeout=0 --cluster=off|"
                " --cluster=load1:x| --cluster=load1:5000 --cluster-size=2|- --cluster=timeout=0",
                guess);
    golden_done("cluster_options_test");
    return test_done("cluster_options_test");
}
