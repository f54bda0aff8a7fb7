/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the link between the ranks of a benchmark costs:
 *
 *     cluster_cost [RANKS [SECONDS]]          (default: 4 ranks, idle for 10 seconds)
 *
 * Starts the ranks as processes on this host and prints the CPU time of each while none has
 * anything to say, the round trip of a ping and of a message, and how long figures of 1 MiB take
 * from a member to the leader.  docs/cluster.md has results.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "cluster/cluster.h"

#define ECHOES 2000
#define LARGE  (1 << 20)
#define TIMES  200
#define ECHO   CLUSTER_TYPE_FIRST
#define END    (CLUSTER_TYPE_FIRST + 1)
#define LIMIT  (clock_mono() + 600 * NS_PER_SEC)

static double seconds = 10;

static double cpu(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void sleep_for(double s)
{
    _Atomic uint32_t nobody = 0;

    clock_sleep_until(clock_mono() + (dur_ns)(s * 1e9), &nobody, 0);
}

static void await(struct cluster *c, int from, unsigned type)
{
    struct str s = STR_INIT;
    struct err e = {0};

    if (cluster_await(c, from, type, LIMIT, &s, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        exit(1);
    }
    str_free(&s);
}

static struct cluster *leader;

static void answer(void *arg, int from, unsigned type, const void *p, size_t n)
{
    (void)arg;
    if (type == ECHO)
        cluster_send(leader, from, ECHO, p, n ? 1 : 0);
}

static void ignore(void *arg, int rank, const char *why)
{
    (void)arg, (void)rank, (void)why;
}

/* Seconds for one message of that size and its answer. */
static double echo(struct cluster *c, size_t size, int times)
{
    char *p = mem_alloc(size);
    mono_ns begin = clock_mono();

    for (int i = 0; i < times; i++) {
        cluster_send(c, 0, ECHO, p, size);
        await(c, 0, ECHO);
    }
    free(p);
    return dur_sec(clock_mono() - begin) / times;
}

static int rank_main(struct cluster_spec *s, int rank)
{
    const struct cluster_handler h = {NULL, answer, ignore};
    struct cluster_clock_figures f;
    struct cluster *c;
    struct err e = {0};
    double before, large;

    s->rank = rank;
    if (cluster_join(&c, s, &e)) {
        fprintf(stderr, "rank %d: %s\n", rank, e.msg);
        return 1;
    }
    leader = c;
    if (rank == 0)
        cluster_handle(c, &h);
    before = cpu();
    sleep_for(seconds);
    printf("rank %d: %.4f %% of a core while idle\n", rank, (cpu() - before) / seconds * 100);
    if (rank == 0) {
        while (cluster_alive(c, 1)) /* the one that measures */
            sleep_for(0.1);
        for (int i = 2; i < cluster_size(c); i++)
            cluster_send(c, i, END, NULL, 0);
        cluster_handle(c, NULL);
    } else if (rank == 1) {
        if (cluster_clock_figures(c, rank, &f))
            printf("ping: %.1f us there and back at best\n", (double)f.round_trip / 1e3);
        printf("message: %.1f us there and back on average\n", echo(c, 1, ECHOES) * 1e6);
        large = echo(c, LARGE, TIMES);
        printf("1 MiB: %.2f ms, %.0f MiB/s\n", large * 1e3, 1 / large);
    } else {
        await(c, 0, END);
    }
    cluster_leave(c);
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    struct cluster_spec s = {.way = CLUSTER_TCP,
                             .host = "localhost",
                             .timeout = 60 * NS_PER_SEC,
                             .silence = 60 * NS_PER_SEC,
                             .secret = "cost"};
    int rc;

    s.size = argc > 1 ? atoi(argv[1]) : 4;
    if (argc > 2)
        seconds = atof(argv[2]);
    snprintf(s.port, sizeof s.port, "%d", 20000 + getpid() % 10000);
    if (s.size < 2 || seconds <= 0) {
        fprintf(stderr, "usage: cluster_cost [RANKS [SECONDS]]\n");
        return 1;
    }
    for (int i = 1; i < s.size; i++)
        if (fork() == 0)
            _exit(rank_main(&s, i));
    rc = rank_main(&s, 0);
    while (wait(NULL) > 0)
        ;
    return rc;
}
