/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The exchange with a sysbench-mpi program.  Shell scripts play its part, so no MPI is needed: one
 * that does everything right, and others that fail, die, hang, or say too much.
 */
#include "cluster/cluster_state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test.h"

#define LONG (60 * NS_PER_SEC)

static char dir[] = "/tmp/mpi_program_test.XXXXXX", path[64];

/* The descriptor of the socket is $1. */
static void script(const char *text)
{
    FILE *f = fopen(path, "we");

    CHECK(f && fprintf(f, "#!/bin/sh\n%s\n", text) > 0);
    CHECK(f && fclose(f) == 0 && chmod(path, 0700) == 0);
}

/* No process is left behind, and no descriptor. */
static void check_clean(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    CHECK_INT(fd, 3);
    close(fd);
}

static void check_says(const char *text, const char *note, const char *want)
{
    char said[MPI_SAID_MAX];
    struct err e = {0};

    script(text);
    CHECK(mpi_program_run(path, note, said, LONG, &e) == 0);
    CHECK_STR(said, want);
    CHECK_INT(e.kind, ERR_NONE);
    check_clean();
}

static void check_fails(const char *text, const char *note, dur_ns timeout, enum err_kind kind,
                        const char *want)
{
    char said[MPI_SAID_MAX];
    struct err e = {0};

    script(text);
    CHECK(mpi_program_run(path, note, said, timeout, &e) == -1);
    CHECK_INT(e.kind, kind);
    TEST_REPORT(strstr(e.msg, want), "'%s' lacks '%s'", e.msg, want);
    CHECK(kind == ERR_TIMEOUT || strstr(e.msg, path));
    check_clean();
}

static void test_failing(void)
{
    char want[100];

    check_fails("exit 3", "", LONG, ERR_FAILED, "ended with status 3");
    check_fails("exit 3", "not read\n", LONG, ERR_FAILED, "ended with status 3");
    check_fails("kill -9 $$", "", LONG, ERR_FAILED, "was ended by signal 9 (Killed)");
    check_fails(
        "exec sleep 1000", "", 100 * NS_PER_MS, ERR_TIMEOUT,
        "MPI did not bring all ranks together within 0 s (--cluster=timeout): one of them "
        "has not started, or cannot be reached; with --cluster=off this one runs by itself");
    /* a line without an end */
    check_fails("head -c 20000 /dev/zero | tr '\\0' x >&$1; sleep 1000", "", LONG, ERR_FAILED,
                "said too much");
    signal(SIGCHLD, SIG_IGN); /* as some parents leave it */
    snprintf(want, sizeof want, "MPI failed: %s ended with status 5", path);
    check_fails("echo note >&$1; exit 5", "", LONG, ERR_FAILED, want);
}

/* It said all, and does not end.  A busy machine may need more than the first limits to say it. */
static void test_not_ending(void)
{
    char said[MPI_SAID_MAX];
    struct err e;
    dur_ns limit = 100 * NS_PER_MS;

    script("echo note >&$1; eval \"exec $1>&-\"; exec sleep 1000");
    do {
        e = (struct err){0};
        CHECK(mpi_program_run(path, "", said, limit, &e) == -1);
        limit *= 2;
    } while (e.kind == ERR_TIMEOUT && limit < LONG);
    CHECK_INT(e.kind, ERR_FAILED);
    CHECK(strstr(e.msg, path) && strstr(e.msg, "was ended by signal 9 (Killed)"));
    check_clean();
}

static void test_no_program(void)
{
    char said[MPI_SAID_MAX], found[200];
    struct err e = {0};

    CHECK(!mpi_program_find("none", found, sizeof found));
    CHECK(mpi_program_run("/nowhere/x", "", said, LONG, &e) == -1);
    CHECK_STR(e.msg, "MPI failed: /nowhere/x ended with status 127");
    check_clean();
}

TEST_MAIN(mpi_program_test)
{
    signal(SIGCHLD, SIG_DFL);
    closefrom(3);
    CHECK(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/program", dir);
    check_says("echo noise; echo rank 0 2 A library >&$1; read -r note <&$1\n"
               "printf 'note %s\nmore\n' \"$note\" >&$1",
               "4711 abc 10.0.0.1\n", "rank 0 2 A library\nnote 4711 abc 10.0.0.1\nmore\n");
    check_says("echo rank 0 2 >&$1; read -r note <&$1 || exit 0; kill $$", "", "rank 0 2\n");
    test_failing();
    test_not_ending();
    test_no_program();
    unlink(path);
    rmdir(dir);
    return test_done("mpi_program_test");
}
