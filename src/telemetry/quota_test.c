/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How long a CPU quota stopped a process: made-up groups of both versions, a group above that has
 * the quota, no quota; then a child of ours that burns CPU in a real group of this machine.
 */
#include "telemetry/cgroup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/test_tree.h"
#include "telemetry/member.h"
#include "telemetry/sample.h"

static const char none[] = "sysbench is not in a control group with a CPU quota";

static void mount_as(const char *version, const char *options)
{
    tree_put("proc/self/mountinfo", "31 22 0:27 / %s/%s rw - %s %s rw,%s\n", test_tree, version,
             version, version, options);
}

static const char *look(struct quota *q)
{
    return quota_read(tree_path("proc"), 77, q);
}

static void check_v2(void)
{
    struct quota q;

    mount_as("cgroup2", "nsdelegate");
    tree_put("proc/77/cgroup", "0::/pod/box\n");
    tree_put("cgroup2/pod/box/cpu.max", "20000 100000\n");
    tree_put("cgroup2/pod/box/cpu.stat",
             "usage_usec 9\nnr_periods 50\nnr_throttled 12\nthrottled_usec 345\n");
    CHECK(look(&q) == NULL);
    CHECK_INT(q.throttled_ns, 345000);
    CHECK_INT(q.periods, 12);
    for (size_t i = 0; i < 3; i++) {
        static const char *const counts[] = {"usage_usec 9\n", "nr_periods 5\nthrottled_usec 7\n",
                                             "nr_throttled 3\nthrottled_time 7\n"};
        tree_put("cgroup2/pod/box/cpu.stat", "%s", counts[i]);
        CHECK_STR(look(&q), "cpu.stat of the control group has no counts of throttling");
    }
}

/* The box has none, the pod above it has. */
static void check_above(void)
{
    struct quota q;

    tree_put("cgroup2/pod/box/cpu.max", "max 100000\n");
    CHECK_STR(look(&q), none);
    tree_put("cgroup2/pod/cpu.max", "150000 100000\n");
    tree_put("cgroup2/pod/cpu.stat", "nr_throttled 3\nthrottled_usec 7\n");
    CHECK(look(&q) == NULL);
    CHECK_INT(q.throttled_ns, 7000);
    CHECK_INT(q.periods, 3);
}

static void check_v1(void)
{
    struct quota q;

    mount_as("cgroup", "cpu,cpuacct");
    tree_put("proc/77/cgroup", "3:cpu,cpuacct:/c\n");
    tree_put("cgroup/c/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 7000999\n");
    tree_put("cgroup/c/cpu.cfs_quota_us", "-1\n");
    CHECK_STR(look(&q), none);
    tree_put("cgroup/c/cpu.cfs_quota_us", "50000\n");
    CHECK(look(&q) == NULL);
    CHECK_INT(q.throttled_ns, 7000999);
    CHECK_INT(q.periods, 4);
    tree_put("proc/77/cgroup", "%s", "");
    CHECK_STR(look(&q), "no control groups are mounted here");
}

/* Into a file that the kernel made: in a directory that is no group there is none. */
static bool put(const char *group, const char *file, const char *text)
{
    char path[200];
    FILE *f;
    bool ok;

    snprintf(path, sizeof path, "%s/%s", group, file);
    f = fopen(path, "r+");
    ok = f && fputs(text, f) >= 0;
    if (f)
        ok &= fclose(f) == 0;
    return ok;
}

/* Burns CPU until the quota has stopped us; 2 s of CPU are 200 times the quota. */
static int throttled_child(const char *group)
{
    struct sample before, now;
    struct sample_delta d;

    if (!put(group, "cgroup.procs", "0\n"))
        return 77;
    self_read(&before);
    do {
        self_read(&now);
        if (now.cpu_ns - before.cpu_ns > 2 * NS_PER_SEC)
            return 1;
    } while (now.throttled_periods <= before.throttled_periods ||
             now.throttled_ns <= before.throttled_ns);
    sample_diff(&before, &now, &d);
    return (d.have & SAMPLE_THROTTLE) && d.throttled_ns > 0 && d.throttled_periods > 0 ? 0 : 2;
}

static bool make_group(char group[100])
{
    snprintf(group, 100, "/sys/fs/cgroup/sb-quota-%d", (int)getpid());
    if (mkdir(group, 0755) == 0 && put(group, "cpu.max", "10000 100000\n"))
        return true;
    rmdir(group);
    snprintf(group, 100, "/sys/fs/cgroup/cpu/sb-quota-%d", (int)getpid());
    if (mkdir(group, 0755) == 0 && put(group, "cpu.cfs_quota_us", "10000\n"))
        return true;
    rmdir(group);
    return false;
}

static void check_real(void)
{
    char group[100];
    int status = 0;
    pid_t child;

    if (!make_group(group)) {
        printf("quota: no control group can be made here: the real one is skipped\n");
        return;
    }
    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(throttled_child(group));
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        printf("quota: a process may not join a control group here: skipped\n");
    else
        CHECK_INT(status, 0);
    while (rmdir(group) != 0 && errno == EBUSY)
        usleep(1000);
}

TEST_MAIN(quota_test)
{
    tree_begin();
    check_v2();
    check_above();
    check_v1();
    check_real();
    return test_done("quota");
}
