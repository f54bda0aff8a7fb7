/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The limit of descriptors, and standard descriptors that are missing.
 */
#include "session/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test.h"

static void test_limit(void)
{
    struct rlimit before, after;

    getrlimit(RLIMIT_NOFILE, &before);
    before.rlim_cur = 64;
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &before), 0);
    process_raise_descriptor_limit();
    getrlimit(RLIMIT_NOFILE, &after);
    CHECK(after.rlim_cur == before.rlim_max && after.rlim_max == before.rlim_max);
    process_raise_descriptor_limit(); /* it is there */
    getrlimit(RLIMIT_NOFILE, &after);
    CHECK(after.rlim_cur == before.rlim_max);
}

static bool is_null(int fd)
{
    struct stat null, st;

    return stat("/dev/null", &null) == 0 && fstat(fd, &st) == 0 && st.st_rdev == null.st_rdev &&
           S_ISCHR(st.st_mode);
}

static void test_standard(void)
{
    int in = dup(STDIN_FILENO), err = dup(STDERR_FILENO), next, after;

    next = dup(in); /* the number that the next file would get */
    close(next);
    process_occupy_standard_descriptors();
    after = dup(in);
    CHECK_INT(after, next); /* none was missing, and none is left open */
    close(after);
    close(STDIN_FILENO);
    close(STDERR_FILENO);
    process_occupy_standard_descriptors();
    CHECK(is_null(STDIN_FILENO) && is_null(STDERR_FILENO));
    CHECK(write(STDERR_FILENO, "x", 1) < 0 && errno == EBADF);
    dup2(in, STDIN_FILENO);
    dup2(err, STDERR_FILENO);
    close(in);
    close(err);
}

TEST_MAIN(process_test)
{
    test_limit();
    test_standard();
    return test_done("process_test");
}
