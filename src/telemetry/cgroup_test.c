/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the control group of a process is, on small made-up trees: version 2, a version 1 hierarchy
 * beside it, a container's partial mount, and who is in it.  And how long a CPU quota stopped a
 * process: made-up groups, then a child of ours that burns CPU in a real group of this machine.
 */
#include "telemetry/cgroup.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/test_golden.h"
#include "base/test_tree.h"
#include "telemetry/member.h"
#include "telemetry/sample.h"

/* Which line of the two files decides, and which says nothing. */
static void check_lines(void)
{
    static const char *const t[][2] = {
        /* groups, and mounts, whose points are below the tree */
        {"0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup2 x rw\n"},
        {"0::/a\n2:cpu:/c\n", "1 2 0:3 / %s/v1cpu rw - cgroup x rw,cpu\n"},
        {"2:cpuset,cpu,x:/c\n0::/a\n", "1 2 0:3 / %s/v1cpu rw - cgroup x rw,cpu\n"},
        {"2:cpuset:/c\n0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup2 x rw,cpu\n"},
        {"0::/a\n0::/b\n", "1 2 0:3 / %s/v2 rw - cgroup2 x rw\n"},
        {"0:/a\nx\n0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup2 x rw\n"},
        {"2:cpuset:/c\n", "1 2 0:3 / %s/v2 rw - cgroup2 x rw\n"},
        {"2:cpu:/c\n", "1 2 0:3 / %s/v1cpu rw - cgroup x rw,cpuset\n"},
        {"2:cpu:/c\n", "1 2 0:3 / %s/v1cpu rw - cgroup2 x rw,cpu\n"},
        {"0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup x rw\n"},
        {"0::/a\n", "1 2 0:3 / %s/v2 rw cgroup2 x rw\n"},
        {"0::/a\n", "1 2 0:3 / - cgroup2 x rw\n%s\n"},
        {"0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup2 x\n"},
        {"0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup2\n"},
        {"0::/a\n", "1 2 0:3 /b %s/v2 rw - cgroup2 x rw\n"},
        {"0::/b/a\n", "1 2 0:3 /b %s/v2 rw - cgroup2 x rw\n"},
    };
    char path[CGROUP_PATH_MAX];

    tree_put("v2/a/cgroup.procs", "1\n");
    tree_put("v1cpu/c/cgroup.procs", "1\n");
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const char *at = strstr(t[i][1], "%s");
        bool v2 = false;
        tree_put("proc/13/cgroup", "%s", t[i][0]);
        tree_put("proc/self/mountinfo", "%.*s%s%s", (int)(at - t[i][1]), t[i][1], test_tree,
                 at + 2);
        int fd = cgroup_open(tree_path("proc"), 13, "cpu", path, &v2);
        golden_line("%s%s  %s%s", t[i][0], t[i][1], fd < 0 ? "none" : path, v2 ? ", v2" : "");
        if (fd >= 0) {
            CHECK_INT(faccessat(fd, "cgroup.procs", F_OK, 0), 0);
            close(fd);
        }
    }
    CHECK_INT(cgroup_open(tree_path("proc"), 14, "cpu", path, &(bool){false}), -1);
    CHECK_INT(cgroup_open("/nowhere", 13, "cpu", path, &(bool){false}), -1);
}

static void check_who(void)
{
    const pid_t both[] = {10, 20}, one[] = {10};
    char path[CGROUP_PATH_MAX];
    bool v2;
    int fd;

    tree_put("proc/self/mountinfo", "31 22 0:27 / %s/v2 rw - cgroup2 cgroup2 rw\n", test_tree);
    tree_put("proc/10/cgroup", "0::/db\n");
    tree_put("v2/db/cgroup.procs", "10\n");
    fd = cgroup_open(tree_path("proc"), 10, "perf_event", path, &v2);
    CHECK(cgroup_holds_only(fd, one, 1));
    tree_put("v2/db/child/cgroup.procs", "20\n");
    CHECK(!cgroup_holds_only(fd, one, 1));
    CHECK(cgroup_holds_only(fd, both, 2));
    /* a group so deep below that nobody looks there may hold anything */
    for (int i = 0; i < 9; i++) {
        char up[150];
        snprintf(up, sizeof up, "v2/db%.*s/cgroup.procs", 2 * (i + 1), "/c/c/c/c/c/c/c/c/c");
        tree_put(up, "%s", "");
        CHECK_INT(cgroup_holds_only(fd, both, 2), i < 8);
    }
    tree_remove("v2/db/c");
    tree_put("v2/db/threaded/x", "%s", "");
    CHECK(!cgroup_holds_only(fd, both, 2)); /* its members are not known */
    tree_remove("v2/db/threaded");
    CHECK(cgroup_holds_only(fd, both, 2));
    tree_put("v2/db/cgroup.procs", "10\n30\n");
    CHECK(!cgroup_holds_only(fd, both, 2));
    tree_put("v2/db/cgroup.procs", "%s", "");
    tree_put("v2/db/child/cgroup.procs", "%s", "");
    CHECK(!cgroup_holds_only(fd, both, 2));
    close(fd);
}

/* --- a CPU quota --- */

static void show_quota(const char *title)
{
    struct quota q;
    const char *why = quota_read(tree_path("proc"), 77, &q);

    golden_line("%s: throttled for %lld ns in %llu periods, %.6g CPUs, '%s'", title,
                (long long)q.throttled_ns, (ull)q.periods, q.cpus, why ? why : "");
}

static void mount_as(const char *version, const char *options)
{
    tree_put("proc/self/mountinfo", "31 22 0:27 / %s/%s rw - %s %s rw,%s\n", test_tree, version,
             version, version, options);
}

/* Groups of both versions; of two, the box has no quota, and the pod above it has. */
static void made_up_quotas(void)
{
    static const char *const counts[] = {"usage_usec 9\n", "nr_periods 5\nthrottled_usec 7\n",
                                         "nr_throttled 3\nthrottled_time 7\n"};

    golden_line("=== quotas");
    mount_as("cgroup2", "nsdelegate");
    tree_put("proc/77/cgroup", "0::/pod/box\n");
    tree_put("cgroup2/pod/box/cpu.max", "20000 100000\n");
    tree_put("cgroup2/pod/box/cpu.stat",
             "usage_usec 9\nnr_periods 50\nnr_throttled 12\nthrottled_usec 345\n");
    show_quota("version 2");
    for (size_t i = 0; i < 3; i++) {
        tree_put("cgroup2/pod/box/cpu.stat", "%s", counts[i]);
        show_quota("without a count");
    }
    tree_put("cgroup2/pod/box/cpu.max", "max 100000\n");
    show_quota("no quota");
    tree_put("cgroup2/pod/cpu.max", "150000 100000\n");
    tree_put("cgroup2/pod/cpu.stat", "nr_throttled 3\nthrottled_usec 7\n");
    show_quota("of the pod");
    mount_as("cgroup", "cpu,cpuacct");
    tree_put("proc/77/cgroup", "3:cpu,cpuacct:/c\n");
    tree_put("cgroup/c/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 7000999\n");
    tree_put("cgroup/c/cpu.cfs_quota_us", "-1\n");
    show_quota("version 1, no quota");
    tree_put("cgroup/c/cpu.cfs_quota_us", "50000\n");
    show_quota("version 1");
    tree_put("proc/77/cgroup", "%s", "");
    show_quota("no group");
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

static void real_quota(void)
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

TEST_MAIN(cgroup_test)
{
    tree_begin();
    close(STDIN_FILENO); /* 0 is the number of a file as any other */
    check_who();
    check_lines();
    made_up_quotas();
    real_quota();
    golden_done("cgroup_test");
    return test_done("cgroup");
}
