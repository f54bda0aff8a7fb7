/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See cgroup.h.  /proc/PID/cgroup names the process's group in each hierarchy, and
 * /proc/self/mountinfo the mount point of each hierarchy.  A container's mount shows only a
 * subtree; the fourth column of mountinfo names its root.
 */
#include "telemetry/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "telemetry/proc.h"

struct search {
    const char *controller;
    char path[CGROUP_PATH_MAX];      /* of the group */
    char where[2 * CGROUP_PATH_MAX]; /* of its directory */
    bool found, v2;
};

/* True when `word` is an item of the comma-separated list, which is taken apart. */
static bool has_word(char *list, const char *word)
{
    for (char *w; (w = strsep(&list, ","));)
        if (strcmp(w, word) == 0)
            return true;
    return false;
}

/* "4:memory,cpu:/path" or "0::/path": the controller's own hierarchy takes precedence over
 * version 2. */
static bool take_group(char *line, void *arg)
{
    struct search *s = arg;
    char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;

    if (!path)
        return true;
    *path = '\0';
    bool v2 = !*++list;
    bool own = has_word(list, s->controller);
    if (own || (v2 && !s->found)) {
        snprintf(s->path, sizeof s->path, "%s", path + 1);
        s->found = true;
        s->v2 = !own;
    }
    return !own;
}

/* id parent dev root mount-point options [optional]... - type source super-options */
static bool take_mount(char *line, void *arg)
{
    struct search *s = arg;
    char *dash = strstr(line, " - "), *column[5], *type, *options, *save = NULL;
    size_t n = 0, len;

    if (!dash)
        return true;
    *dash = '\0';
    for (char *w = strtok_r(line, " ", &save); w && n < 5; w = strtok_r(NULL, " ", &save))
        column[n++] = w;
    type = strtok_r(dash + 3, " ", &save);
    options = type && strtok_r(NULL, " ", &save) ? strtok_r(NULL, " ", &save) : NULL;
    if (n < 5 || !options || strcmp(type, s->v2 ? "cgroup2" : "cgroup") != 0 ||
        (!s->v2 && !has_word(options, s->controller)))
        return true;
    len = strcmp(column[3], "/") == 0 ? 0 : strlen(column[3]);
    if (strncmp(s->path, column[3], len) != 0)
        return true;
    snprintf(s->where, sizeof s->where, "%s%s", column[4], s->path + len);
    return false;
}

int cgroup_open(const char *proc_root, pid_t pid, const char *controller,
                char path[CGROUP_PATH_MAX], bool *v2)
{
    struct search s = {.controller = controller};
    int root = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char name[40];

    if (root < 0)
        return -1;
    snprintf(name, sizeof name, "%d/cgroup", (int)pid);
    if (proc_each_line(root, name, take_group, &s) == 0 && s.found)
        proc_each_line(root, "self/mountinfo", take_mount, &s);
    close(root);
    if (!s.where[0])
        return -1;
    snprintf(path, CGROUP_PATH_MAX, "%s", s.path);
    *v2 = s.v2;
    return open(s.where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

struct members {
    const pid_t *pids;
    size_t n;
    size_t seen;
    bool only;
};

static bool take_member(char *line, void *arg)
{
    struct members *m = arg;
    pid_t pid = (pid_t)atol(line);

    m->seen++;
    return m->only = pid_is_one_of(pid, m->pids, m->n);
}

static void visit(int group_fd, struct members *m, int depth)
{
    DIR *d = proc_open_dir(group_fd, ".");
    struct dirent *ent;

    /* a threaded group refuses cgroup.procs: its members are unknown */
    if (!d || proc_each_line(group_fd, "cgroup.procs", take_member, m) != 0 || depth > 8)
        m->only = false;
    while (d && m->only && (ent = readdir(d))) {
        int fd = -1;
        if (ent->d_name[0] != '.' && ent->d_type == DT_DIR)
            fd = openat(group_fd, ent->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            continue;
        visit(fd, m, depth + 1);
        close(fd);
    }
    if (d)
        closedir(d);
}

bool cgroup_holds_only(int group_fd, const pid_t *pids, size_t n)
{
    struct members m = {.pids = pids, .n = n, .only = true};

    visit(group_fd, &m, 0);
    return m.only && m.seen > 0;
}

/* --- the CPU quota --------------------------------------------------------------------------- */

/*
 * Version 2 of control groups has the quota in cpu.max ("max 100000" is none) and
 * counts in us; version 1 has it in cpu.cfs_quota_us (-1 is none) and counts in ns.  The root of a
 * hierarchy has neither file.
 */

bool quota_counts(int group_fd, bool v2, struct quota *q)
{
    uint64_t time;
    const struct proc_key key[] = {{"nr_throttled", &q->periods},
                                   {v2 ? "throttled_usec" : "throttled_time", &time}};

    if (proc_keys(group_fd, "cpu.stat", key, 2, NULL) != 0)
        return false;
    q->throttled_ns = (int64_t)(v2 ? time * NS_PER_US : time);
    return true;
}

/* How many CPUs the quota of a group is worth; 0: it has none. */
static double quota_of(int group_fd, bool v2)
{
    uint64_t us = 0, period = 100000; /* the kernel's, in version 2 unless the file has another */
    struct str text = STR_INIT;

    if (!proc_file_number(group_fd, v2 ? "cpu.max" : "cpu.cfs_quota_us", &us) || us == 0)
        return 0;
    if (!v2)
        proc_file_number(group_fd, "cpu.cfs_period_us", &period);
    else if (proc_read_all(group_fd, "cpu.max", &text) == 0 && strchr(str_cstr(&text), ' '))
        period = strtoull(strchr(str_cstr(&text), ' '), NULL, 10);
    str_free(&text);
    return period ? (double)us / (double)period : 0;
}

const char *quota_read(const char *proc_root, pid_t pid, struct quota *q)
{
    enum { LEVELS_MAX = 32 };
    char path[CGROUP_PATH_MAX];
    struct stat here, there;
    double cpus = 0;
    bool v2, found;
    int fd = cgroup_open(proc_root, pid, "cpu", path, &v2);

    *q = (struct quota){0};
    if (fd < 0)
        return "no control groups are mounted here";
    for (int i = 0; i < LEVELS_MAX && fd >= 0; i++) {
        if ((cpus = quota_of(fd, v2)) > 0)
            break;
        /* the directory above, on the same file system: the mount point's is none of a group */
        int up = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        found = up >= 0 && fstat(fd, &here) == 0 && fstat(up, &there) == 0 &&
                here.st_dev == there.st_dev && here.st_ino != there.st_ino;
        close(fd);
        if (up >= 0 && !found)
            close(up);
        fd = found ? up : -1;
    }
    if (fd < 0)
        return "sysbench is not in a control group with a CPU quota";
    found = quota_counts(fd, v2, q);
    q->cpus = cpus;
    close(fd);
    return found ? NULL : "cpu.stat of the control group has no counts of throttling";
}
