/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the control group of a process is, on small made-up trees: version 2, a version 1 hierarchy
 * beside it, a container's partial mount, and who is in it.
 */
#include "telemetry/cgroup.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test.h"

static char tree[] = "/tmp/sb-cgroup-XXXXXX";

static void write_text(const char *path, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void write_text(const char *path, const char *fmt, ...)
{
    char full[200];
    va_list ap;
    FILE *f;

    snprintf(full, sizeof full, "%s/%s", tree, path);
    for (char *p = full + strlen(tree) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        mkdir(full, 0700);
    }
    f = fopen(full, "w");
    CHECK(f != NULL);
    if (!f)
        return;
    va_start(ap, fmt);
    vfprintf(f, fmt, ap);
    va_end(ap);
    fclose(f);
}

static int open_group(pid_t pid, const char *controller, char path[CGROUP_PATH_MAX], bool *v2)
{
    char root[200];

    snprintf(root, sizeof root, "%s/proc", tree);
    return cgroup_open(root, pid, controller, path, v2);
}

static void check_where(void)
{
    char path[CGROUP_PATH_MAX];
    bool v2 = false;
    int fd;

    write_text("proc/self/mountinfo",
               "22 1 0:20 / /sys rw,nosuid - sysfs sysfs rw\n"
               "30 22 0:26 / %s/v1cpu rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
               "31 22 0:27 / %s/v2 rw,nosuid shared:4 - cgroup2 cgroup2 rw\n",
               tree, tree);
    write_text("proc/10/cgroup", "4:memory:/m\n3:cpu,cpuacct:/c\n0::/system.slice/db.service\n");
    write_text("proc/11/cgroup", "4:memory:/m\n");
    write_text("v2/system.slice/db.service/cgroup.procs", "10\n");
    write_text("v1cpu/c/cgroup.procs", "10\n");
    fd = open_group(10, "perf_event", path, &v2);
    CHECK(fd >= 0 && v2);
    CHECK_STR(path, "/system.slice/db.service");
    close(fd);
    fd = open_group(10, "cpu", path, &v2);
    CHECK(fd >= 0 && !v2);
    CHECK_STR(path, "/c");
    close(fd);
    CHECK_INT(open_group(11, "perf_event", path, &v2), -1);
    CHECK_INT(open_group(12, "perf_event", path, &v2), -1);
    write_text("proc/self/mountinfo",
               "31 22 0:27 /system.slice %s/v2/system.slice rw - cgroup2 cgroup2 rw\n", tree);
    fd = open_group(10, "perf_event", path, &v2);
    CHECK(fd >= 0 && v2);
    close(fd);
}

static void check_who(void)
{
    const pid_t both[] = {10, 20}, one[] = {10};
    char path[CGROUP_PATH_MAX];
    bool v2;
    int fd = open_group(10, "perf_event", path, &v2);

    CHECK(cgroup_holds_only(fd, one, 1));
    write_text("v2/system.slice/db.service/child/cgroup.procs", "20\n");
    CHECK(!cgroup_holds_only(fd, one, 1));
    CHECK(cgroup_holds_only(fd, both, 2));
    write_text("v2/system.slice/db.service/cgroup.procs", "10\n30\n");
    CHECK(!cgroup_holds_only(fd, both, 2));
    write_text("v2/system.slice/db.service/cgroup.procs", "%s", "");
    write_text("v2/system.slice/db.service/child/cgroup.procs", "%s", "");
    CHECK(!cgroup_holds_only(fd, both, 2));
    close(fd);
}

TEST_MAIN(cgroup_test)
{
    char command[100];

    CHECK(mkdtemp(tree) != NULL);
    check_where();
    check_who();
    snprintf(command, sizeof command, "rm -rf %s", tree);
    CHECK_INT(system(command), 0);
    return test_done("cgroup");
}
