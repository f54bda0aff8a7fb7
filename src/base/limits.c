/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See limits.h.  Everything is read from /proc and the files of control groups when it is asked
 * for, which is once, after a failure.
 */
#include "base/limits.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/plain.h"

/* Some mappings come and go: a limit is reached when so many are left. */
#define MAPPINGS_SPARE 8

long limits_descriptors_open(void)
{
    long n = 0, allowed = limits_descriptors_allowed();
    DIR *d = opendir("/proc/self/fd");
    const struct dirent *entry;

    if (!d)
        return -1;
    while ((entry = readdir(d)))
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(d))
            n += allowed < 0 || atoi(entry->d_name) < allowed;
    closedir(d);
    return n;
}

long limits_descriptors_allowed(void)
{
    struct rlimit r;

    return getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur == RLIM_INFINITY ? -1 : (long)r.rlim_cur;
}

long limits_descriptors_left(long others)
{
    long allowed = limits_descriptors_allowed(), open = limits_descriptors_open();

    if (allowed < 0 || open < 0)
        return -1;
    return allowed > open + others ? allowed - open - others : 0;
}

/* The first number of a file, -1 when there is none. */
/* Without an allocation: that is what has failed, maybe.  -1: there is none. */
static long read_number(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char text[64], *end = text;
    ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    long n;

    if (fd >= 0)
        plain_close(fd);
    text[len > 0 ? len : 0] = '\0';
    n = strtol(text, &end, 10);
    return end == text ? -1 : n;
}

static long count_mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "re");
    long n = 0;
    int c;

    while (f && (c = getc(f)) != EOF)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

static bool mappings_used_up(char buf[LIMITS_TEXT])
{
    long most = read_number("/proc/sys/vm/max_map_count");

    if (most < 0 || count_mappings() + MAPPINGS_SPARE < most)
        return false;
    snprintf(buf, LIMITS_TEXT, "vm.max_map_count is %ld", most);
    return true;
}

static bool space_used_up(char buf[LIMITS_TEXT], size_t bytes)
{
    long pages = read_number("/proc/self/statm");
    struct rlimit r;

    if (pages < 0 || getrlimit(RLIMIT_AS, &r) || r.rlim_cur == RLIM_INFINITY ||
        (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes <= r.rlim_cur)
        return false;
    snprintf(buf, LIMITS_TEXT, "ulimit -v is %llu KiB", (unsigned long long)r.rlim_cur / 1024);
    return true;
}

/* A thread's first allocation reserves 128 MiB for a moment and keeps half of it or less (glibc's
 * arenas).  So where many threads begin, what is left now says little of what was left then. */
#define ARENA ((size_t)128 << 20)

const char *limits_of_memory(char buf[LIMITS_TEXT], size_t bytes)
{
    buf[0] = '\0';
    space_used_up(buf, bytes + ARENA);
    return buf;
}

const char *limits_of_mappings(char buf[LIMITS_TEXT], size_t bytes)
{
    buf[0] = '\0';
    if (!mappings_used_up(buf))
        space_used_up(buf, bytes);
    return buf;
}

/* The control group of one line of /proc/self/cgroup, or one above it, allows no more processes. */
static bool group_used_up(char buf[LIMITS_TEXT], const char *root, char *group)
{
    char path[4096];

    for (char *slash; *group; *slash = '\0') {
        long most, now;
        snprintf(path, sizeof path, "%s%s/pids.max", root, group);
        most = read_number(path);
        snprintf(path, sizeof path, "%s%s/pids.current", root, group);
        now = read_number(path);
        if (most >= 0 && now >= most) {
            snprintf(buf, LIMITS_TEXT, "the control group %.60s has pids.max %ld", group, most);
            return true;
        }
        slash = strrchr(group, '/');
        if (!slash)
            break;
    }
    return false;
}

/* A line of /proc/self/cgroup: "8:pids:/a/b" of version 1, "0::/a/b" of version 2. */
static bool groups_used_up(char buf[LIMITS_TEXT])
{
    FILE *f = fopen("/proc/self/cgroup", "re");
    char line[2048];
    bool found = false;

    while (f && !found && fgets(line, sizeof line, f)) {
        char *controller = strchr(line, ':'), *group = controller ? strchr(controller + 1, ':') : 0;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (strcmp(controller + 1, "pids") == 0)
            found = group_used_up(buf, "/sys/fs/cgroup/pids", group);
        else if (!controller[1])
            found = group_used_up(buf, "/sys/fs/cgroup", group);
    }
    if (f)
        fclose(f);
    return found;
}

/* The number of threads on this machine: the second figure of "1.00 0.50 0.25 3/812 4711". */
static long count_threads(void)
{
    FILE *f = fopen("/proc/loadavg", "re");
    long n = -1;

    if (f && fscanf(f, "%*s %*s %*s %*[0-9]/%ld", &n) != 1)
        n = -1;
    if (f)
        fclose(f);
    return n;
}

static bool machine_used_up(char buf[LIMITS_TEXT])
{
    long most = read_number("/proc/sys/kernel/threads-max"), n = count_threads();

    if (most < 0 || n < most)
        return false;
    snprintf(buf, LIMITS_TEXT, "kernel.threads-max is %ld", most);
    return true;
}

/* Neither limit is reached while the whole machine has fewer threads.  The kernel keeps the ids
 * below 300 for itself once it has begun again. */
static bool ids_used_up(char buf[LIMITS_TEXT])
{
    long most = read_number("/proc/sys/kernel/pid_max");

    if (most < 0 || count_threads() + 300 < most)
        return false;
    snprintf(buf, LIMITS_TEXT, "kernel.pid_max is %ld", most);
    return true;
}

static void user_used_up(char buf[LIMITS_TEXT])
{
    struct rlimit r;

    if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &r) == 0 && (rlim_t)count_threads() >= r.rlim_cur)
        snprintf(buf, LIMITS_TEXT, "ulimit -u allows this user %llu processes and threads",
                 (unsigned long long)r.rlim_cur);
}

const char *limits_of_threads(char buf[LIMITS_TEXT], size_t stack)
{
    buf[0] = '\0';
    if (!mappings_used_up(buf) && !space_used_up(buf, stack) && !groups_used_up(buf) &&
        !machine_used_up(buf) && !space_used_up(buf, stack + ARENA) && !ids_used_up(buf))
        user_used_up(buf);
    return buf;
}
