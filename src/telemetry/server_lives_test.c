/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A server that is restarted: the sum of both lives, which never falls; what is known of a server
 * that does not come back; and a successor that was there before.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test.h"
#include "telemetry/server.h"

#define BURN (30 * NS_PER_MS)

/* A process that has used this much CPU time and then waits. */
static pid_t start(void)
{
    int fd[2];
    char byte;
    pid_t pid;

    CHECK_INT(pipe(fd), 0);
    pid = fork();
    if (pid == 0) {
        struct timespec ts;
        do
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
        while (ts.tv_nsec < BURN && ts.tv_sec == 0);
        if (write(fd[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    CHECK_INT(read(fd[0], &byte, 1), 1);
    close(fd[0]);
    close(fd[1]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static struct {
    pid_t next; /* 0: not found (yet) */
    int asked, found;
    pid_t told;
} finder;

static size_t find(void *arg, pid_t *pids, size_t max, bool *tree)
{
    (void)arg;
    CHECK(max > 0);
    finder.asked++;
    *tree = false;
    pids[0] = finder.next;
    return finder.next ? 1 : 0;
}

static void found(void *arg, const pid_t *pids, size_t n, bool tree)
{
    (void)arg;
    CHECK(n == 1 && !tree);
    finder.found++;
    finder.told = pids[0];
}

static struct server *follow(pid_t pid)
{
    struct server *s = NULL;
    struct err e = {0};

    memset(&finder, 0, sizeof finder);
    CHECK_INT(server_open(&s, "/proc", &pid, 1, false, &e), 0);
    server_follow(s, &(struct server_finder){.find = find, .found = found});
    return s;
}

static int64_t cpu_between(const struct sample *a, const struct sample *b)
{
    struct sample_delta d;

    sample_diff(a, b, &d);
    CHECK(d.have & SAMPLE_CPU);
    return d.cpu_ns;
}

static bool has_cpu(const struct sample *a, const struct sample *b)
{
    struct sample_delta d;

    sample_diff(a, b, &d);
    return d.have & SAMPLE_CPU;
}

static void restarted(void)
{
    pid_t first = start(), second;
    struct server *s = follow(first);
    struct sample r[7];
    char name[80];

    server_read(s, &r[0]);
    server_read(s, &r[1]);
    CHECK_INT(finder.asked, 0);
    end(first);
    server_read(s, &r[2]);
    server_read(s, &r[3]); /* away */
    CHECK_INT(finder.asked, 2);
    CHECK(!has_cpu(&r[1], &r[2]) && !has_cpu(&r[2], &r[3]));
    CHECK_INT(cpu_between(&r[0], &r[3]), r[1].cpu_ns - r[0].cpu_ns); /* what is known */
    finder.next = second = start();
    server_read(s, &r[4]);
    CHECK(finder.found == 1 && finder.told == second);
    CHECK(!has_cpu(&r[3], &r[4]));
    server_read(s, &r[5]);
    server_read(s, &r[6]);
    CHECK_INT(finder.asked, 3);
    CHECK(has_cpu(&r[4], &r[5]));
    CHECK(cpu_between(&r[0], &r[6]) >= BURN); /* all that the second has done since it began */
    CHECK(r[6].cpu_ns >= r[1].cpu_ns + BURN);
    CHECK(strstr(r[2].reason, "has ended") && !strstr(r[6].reason, "has ended"));
    CHECK_INT(r[6].was, first);
    CHECK_INT(r[6].is, second);
    CHECK_INT(r[6].moved, 0);
    CHECK(r[6].changed > r[3].at - NS_PER_SEC / 10 && r[6].changed < r[4].at);
    snprintf(name, sizeof name, "server_lives_te (pid %d)", (int)second);
    CHECK(strstr(server_describe(s), strchr(name, '(')) != NULL);
    CHECK(strstr(server_describe(s), ", ") == NULL);
    server_close(s);
    end(second);
}

/* The clients went over to a server that had been there: what it did before is not the run's. */
static void failed_over(void)
{
    pid_t other = start(), first = start();
    struct server *s;
    struct sample a, b, c, d;

    usleep(50000); /* start times have steps of 10 ms */
    s = follow(first);
    server_read(s, &a);
    server_read(s, &b);
    end(first);
    finder.next = other;
    server_read(s, &c);
    server_read(s, &d);
    CHECK(d.cpu_ns < b.cpu_ns + BURN);
    CHECK(d.cpu_ns >= b.cpu_ns);
    CHECK_INT(d.is, other);
    CHECK_INT(d.moved, 1);
    server_close(s);
    end(other);
}

TEST_MAIN(server_lives_test)
{
    restarted();
    failed_over();
    return test_done("server_lives");
}
