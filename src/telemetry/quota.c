/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See quota.h.  Version 2 of control groups has the quota in cpu.max ("max 100000" is none) and
 * counts in us; version 1 has it in cpu.cfs_quota_us (-1 is none) and counts in ns.  The root of a
 * hierarchy has neither file.
 */
#include "telemetry/quota.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "telemetry/cgroup.h"
#include "telemetry/proc_file.h"

enum { LEVELS_MAX = 32 };

static bool has_quota(int group_fd, bool v2)
{
    char text[64];
    const char *p = text;
    uint64_t us;
    size_t len;

    return proc_read(group_fd, v2 ? "cpu.max" : "cpu.cfs_quota_us", text, sizeof text, &len) == 0 &&
           proc_number(&p, &us) && us > 0;
}

/* The folder above, on the same file system: the mount point's is none of a group.  Closes
 * group_fd; -1: there is none. */
static int go_up(int group_fd)
{
    int up = openat(group_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat here, there;
    bool group = up >= 0 && fstat(group_fd, &here) == 0 && fstat(up, &there) == 0 &&
                 here.st_dev == there.st_dev && here.st_ino != there.st_ino;

    close(group_fd);
    if (up >= 0 && !group)
        close(up);
    return group ? up : -1;
}

struct counts {
    struct quota *q;
    unsigned seen; /* a bit for each */
};

static bool take(const char *line, const char *name, uint64_t *value)
{
    size_t n = strlen(name);

    line += strncmp(line, name, n) == 0 ? n : 0;
    return *line == ' ' && proc_number(&line, value);
}

static bool take_line(char *line, void *arg)
{
    struct counts *c = arg;
    uint64_t v;

    if (take(line, "nr_throttled", &c->q->periods))
        c->seen |= 1;
    else if (take(line, "throttled_usec", &v))
        c->q->throttled_ns = (int64_t)(v * NS_PER_US), c->seen |= 2;
    else if (take(line, "throttled_time", &v))
        c->q->throttled_ns = (int64_t)v, c->seen |= 2;
    return true;
}

const char *quota_read(const char *proc_root, pid_t pid, struct quota *q)
{
    char path[CGROUP_PATH_MAX];
    struct counts c = {.q = q};
    bool v2;
    int fd = cgroup_open(proc_root, pid, "cpu", path, &v2);

    *q = (struct quota){0};
    if (fd < 0)
        return "no control groups are mounted here";
    for (int i = 0; i < LEVELS_MAX && fd >= 0 && !has_quota(fd, v2); i++)
        fd = go_up(fd);
    if (fd < 0)
        return "sysbench is not in a control group with a CPU quota";
    proc_each_line(fd, "cpu.stat", take_line, &c);
    close(fd);
    return c.seen == 3 ? NULL : "cpu.stat of the control group has no counts of throttling";
}
