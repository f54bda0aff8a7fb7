/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Descriptors are counted exactly; a limit that is reached is named with its value, and one that is
 * not reached is not.
 */
#include "base/limits.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test.h"

static void descriptors(void)
{
    enum { ALLOWED = 1000 };
    struct rlimit before, limit;
    long open_before;
    int fd;

    getrlimit(RLIMIT_NOFILE, &before);
    limit = before;
    limit.rlim_cur = ALLOWED;
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK_INT(limits_descriptors_allowed(), ALLOWED);
    open_before = limits_descriptors_open();
    CHECK(open_before >= 3);
    fd = open("/dev/null", O_RDONLY);
    CHECK_INT(limits_descriptors_open(), open_before + 1);
    CHECK_INT(limits_descriptors_left(0), ALLOWED - open_before - 1);
    CHECK_INT(limits_descriptors_left(6), ALLOWED - open_before - 7);
    CHECK_INT(limits_descriptors_left(ALLOWED), 0);
    close(fd);
    setrlimit(RLIMIT_NOFILE, &before);
}

static void address_space(void)
{
    struct rlimit before, limit;
    char why[LIMITS_TEXT], want[LIMITS_TEXT];

    CHECK_STR(limits_of_mappings(why, 65536), "");
    CHECK_STR(limits_of_threads(why, 65536), "");
    getrlimit(RLIMIT_AS, &before);
    limit = before;
    limit.rlim_cur =
        (rlim_t)64 << 30; /* more than a sanitizer's shadow is not needed to be lacking */
    if (setrlimit(RLIMIT_AS, &limit))
        return;
    snprintf(want, sizeof want, "ulimit -v is %llu KiB", (unsigned long long)limit.rlim_cur / 1024);
    CHECK_STR(limits_of_mappings(why, (size_t)64 << 30), want);
    CHECK_STR(limits_of_threads(why, (size_t)64 << 30), want);
    setrlimit(RLIMIT_AS, &before);
}

/* Memory for a thread is left now, but not for what threads reserve when they begin. */
static void nearly_no_space(void)
{
    struct rlimit before, limit;
    char why[LIMITS_TEXT];
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    CHECK(f && fscanf(f, "%lu", &pages) == 1);
    fclose(f);
    getrlimit(RLIMIT_AS, &before);
    limit = before;
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (64 << 20);
    CHECK_STR(limits_of_memory(why, 0), "");
    if (setrlimit(RLIMIT_AS, &limit))
        return;
    CHECK_STR(limits_of_mappings(why, 65536), "");
    CHECK(strncmp(limits_of_threads(why, 65536), "ulimit -v is ", 13) == 0);
    CHECK(strncmp(limits_of_memory(why, 0), "ulimit -v is ", 13) == 0);
    setrlimit(RLIMIT_AS, &before);
}

static void *wait_for_end(void *arg)
{
    pause();
    return arg;
}

/* In a namespace of its own.  Older kernels have one pid_max for the whole machine. */
static int use_up_ids(void)
{
    char why[LIMITS_TEXT];
    FILE *f = fopen("/proc/sys/kernel/pid_max", "w");
    pthread_attr_t attr;
    pthread_t t;
    int n = 0;

    if (!f || fputs("400", f) < 0 || fclose(f))
        return 77;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 65536);
    while (n < 1000 && pthread_create(&t, &attr, wait_for_end, NULL) == 0)
        n++;
    return n < 1000 && strcmp(limits_of_threads(why, 65536), "kernel.pid_max is 400") == 0 ? 0 : 1;
}

static void ids(void)
{
    struct utsname u;
    int major = 0, minor = 0, status = 0;
    pid_t child;

    if (uname(&u) || sscanf(u.release, "%d.%d", &major, &minor) != 2 || major * 100 + minor < 614)
        return;
    child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWPID))
            _exit(77);
        child = fork();
        if (child == 0)
            _exit(use_up_ids());
        waitpid(child, &status, 0);
        _exit(WEXITSTATUS(status));
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) % 77 == 0);
}

TEST_MAIN(limits_test)
{
    descriptors();
    address_space();
    nearly_no_space();
    ids();
    return test_done("limits_test");
}
