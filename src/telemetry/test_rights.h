/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Checks in a child that may do less than root.  Only *_test.c files include this.
 */
#ifndef SB_TELEMETRY_TEST_RIGHTS_H
#define SB_TELEMETRY_TEST_RIGHTS_H

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/test_timed.h"

/* Gives up the capabilities of root, or becomes user nobody permanently; whoever is not root stays
 * what it is. */
static inline bool test_drop_rights(bool stay_root)
{
    struct __user_cap_header_struct h = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};

    if (geteuid() != 0)
        return !stay_root;
    if (stay_root)
        return syscall(SYS_capset, &h, none) == 0;
    return setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 &&
           setresuid(65534, 65534, 65534) == 0 && prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0;
}

/* Runs fn in such a child; its failed checks count here. */
static inline void test_without_rights(bool stay_root, void (*fn)(void *), void *arg)
{
    enum { MOST = 90, INCONCLUSIVE, CANNOT }; /* exit status: failed checks, or one of these */
    int status;

    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        test_failures = timed_missed = 0;
        if (!test_drop_rights(stay_root))
            _exit(CANNOT);
        timed_begin();
        fn(arg);
        if (timed_missed)
            printf("without rights: %s\n", timed_reason);
        fflush(stdout);
        _exit(test_failures > MOST             ? MOST
              : test_failures || !timed_missed ? test_failures
                                               : INCONCLUSIVE);
    }
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
        printf("the rights of root cannot be dropped here: skipped\n");
    else if (WIFEXITED(status) && WEXITSTATUS(status) == INCONCLUSIVE)
        timed_miss(__FILE__, __LINE__, "a check without rights");
    else
        CHECK_INT(WEXITSTATUS(status), 0);
}

#endif
