/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Descriptors are counted exactly.
 */
#include "base/limits.h"

#include <fcntl.h>
#include <sys/resource.h>
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

TEST_MAIN(limits_test)
{
    descriptors();
    return test_done("limits_test");
}
