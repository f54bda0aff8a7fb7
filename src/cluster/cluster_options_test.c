/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the options --cluster* to where ranks meet.
 */
#include "cluster/options.h"

#include <stdlib.h>

#include "base/test.h"

static const char *const launcher_variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK",
                                                 "PMI_RANK"};

/* Returns the message, "" for none. */
static const char *read_options(struct cluster_spec *s, const char *const *args)
{
    static struct err e;
    struct opts *o = opts_new();
    int rc;

    e = (struct err){0};
    cluster_options(o);
    for (; *args; args++)
        CHECK_INT(opts_set_arg(o, *args, &e), 0);
    rc = opts_check(o, &e) ? -1 : cluster_options_read(s, o, &e);
    CHECK_INT(rc, *e.msg ? -1 : 0);
    CHECK_INT(e.kind, *e.msg ? ERR_USAGE : ERR_NONE);
    s->address = NULL;
    opts_free(o);
    return e.msg;
}

#define READ(s, ...) read_options(s, (const char *const[]){__VA_ARGS__, NULL})
#define SECRET       setenv(CLUSTER_SECRET_VARIABLE, "s3cret", 1)
#define NO_SECRET    unsetenv(CLUSTER_SECRET_VARIABLE)

static void check_alone(void)
{
    struct cluster_spec s;

    CHECK_STR(read_options(&s, (const char *const[]){NULL}), "");
    CHECK_INT(s.way, CLUSTER_OFF);
    CHECK_INT(s.timeout, 60 * NS_PER_SEC);
    CHECK_INT(s.silence, 30 * NS_PER_SEC);
    CHECK_STR(READ(&s, "--cluster=off"), "");
    CHECK_INT(s.way, CLUSTER_OFF);
    CHECK_STR(READ(&s, "--cluster=load1:5000", "--cluster-size=1", "--cluster-rank=0"), "");
    CHECK_INT(s.way, CLUSTER_OFF); /* a cluster of one needs no secret */
}

static void check_places(void)
{
    static const struct {
        const char *arg, *host, *port;
    } place[] = {
        {"--cluster=load1:5000", "load1", "5000"},
        {"--cluster=10.0.0.7:1", "10.0.0.7", "1"},
        {"--cluster=[fe80::1]:65535", "fe80::1", "65535"},
    };
    struct cluster_spec s;

    SECRET;
    for (size_t i = 0; i < 3; i++) {
        CHECK_STR(READ(&s, place[i].arg, "--cluster-size=3", "--cluster-rank=2",
                       "--cluster-timeout=5", "--cluster-silence=7"),
                  "");
        CHECK_INT(s.way, CLUSTER_TCP);
        CHECK_STR(s.host, place[i].host);
        CHECK_STR(s.port, place[i].port);
        CHECK_INT(s.rank, 2);
        CHECK_INT(s.size, 3);
        CHECK_INT(s.timeout, 5 * NS_PER_SEC);
        CHECK_INT(s.silence, 7 * NS_PER_SEC);
        CHECK_STR(s.secret, "s3cret");
    }
    NO_SECRET;
}

#define NEEDED ": auto, off, mpi or HOST:PORT is needed, PORT from 1 to 65535"

static void check_bad_places(void)
{
    struct cluster_spec s;

    CHECK_STR(READ(&s, "--cluster=load1"), "--cluster=load1" NEEDED);
    CHECK_STR(READ(&s, "--cluster=:5000"), "--cluster=:5000" NEEDED);
    CHECK_STR(READ(&s, "--cluster=load1:"), "--cluster=load1:" NEEDED);
    CHECK_STR(READ(&s, "--cluster=load1:0"), "--cluster=load1:0" NEEDED);
    CHECK_STR(READ(&s, "--cluster=load1:65536"), "--cluster=load1:65536" NEEDED);
    CHECK_STR(READ(&s, "--cluster=load1:x"), "--cluster=load1:x" NEEDED);
    CHECK_STR(READ(&s, "--cluster=[]:5000"), "--cluster=[]:5000" NEEDED);
    CHECK_STR(READ(&s, "--cluster=atuo"), "--cluster=atuo" NEEDED "; did you mean auto?");
    CHECK_STR(READ(&s, "--cluster=::1:5000"),
              "--cluster=::1:5000: an IPv6 address stands in brackets: [::1]:5000");
}

static void check_combinations(void)
{
    struct cluster_spec s;

    CHECK_STR(READ(&s, "--cluster=load1:5000"), "--cluster=load1:5000 needs --cluster-size");
    CHECK_STR(READ(&s, "--cluster=load1:5000", "--cluster-size=2"),
              "--cluster=load1:5000 needs --cluster-rank");
    CHECK_STR(READ(&s, "--cluster-size=2"), "--cluster-size=2 needs --cluster=HOST:PORT");
    CHECK_STR(READ(&s, "--cluster-rank=0"), "--cluster-rank=0 needs --cluster=HOST:PORT");
    CHECK_STR(READ(&s, "--cluster-address=eth1"), "--cluster-address=eth1 needs MPI");
    CHECK_STR(READ(&s, "--cluster=load1:5000", "--cluster-size=2", "--cluster-rank=2"),
              "--cluster-rank=2: ranks are numbered from 0, and --cluster-size=2 leaves 0 to 1");
    CHECK_STR(READ(&s, "--cluster=load1:5000", "--cluster-size=2", "--cluster-rank=0"),
              "--cluster=load1:5000 needs a secret, the same for all ranks, in the environment "
              "variable SYSBENCH_CLUSTER_SECRET");
    setenv(CLUSTER_SECRET_VARIABLE, "", 1);
    CHECK(strstr(READ(&s, "--cluster=load1:5000", "--cluster-size=2", "--cluster-rank=0"),
                 "needs a secret"));
    NO_SECRET;
}

static void check_ranges(void)
{
    struct cluster_spec s;

    CHECK(*READ(&s, "--cluster-size=0"));
    CHECK(*READ(&s, "--cluster-size=1001"));
    CHECK(*READ(&s, "--cluster-rank=-1"));
    CHECK(*READ(&s, "--cluster-timeout=0"));
    CHECK(*READ(&s, "--cluster-silence=2"));
    CHECK_STR(READ(&s, "--cluster-silence=3"), "");
}

int main(void)
{
    for (size_t i = 0; i < sizeof launcher_variables / sizeof *launcher_variables; i++)
        unsetenv(launcher_variables[i]);
    NO_SECRET;
    check_alone();
    check_places();
    check_bad_places();
    check_combinations();
    check_ranges();
    return test_done("cluster_options_test");
}
