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

/* Which line of the two files decides, and which says nothing. */
static void check_lines(void)
{
    static const struct {
        const char *group, *mounts; /* their points are below the tree */
        const char *path;           /* NULL: there is none */
        bool v2;
    } t[] = {
        {"0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup2 x rw\n", "/a", true},
        {"0::/a\n2:cpu:/c\n", "1 2 0:3 / %s/v1cpu rw - cgroup x rw,cpu\n", "/c", false},
        {"2:cpuset,cpu,x:/c\n0::/a\n", "1 2 0:3 / %s/v1cpu rw - cgroup x rw,cpu\n", "/c", false},
        {"2:cpuset:/c\n0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup2 x rw,cpu\n", "/a", true},
        {"0::/a\n0::/b\n", "1 2 0:3 / %s/v2 rw - cgroup2 x rw\n", "/a", true},
        {"0:/a\nx\n0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup2 x rw\n", "/a", true},
        {"2:cpuset:/c\n", "1 2 0:3 / %s/v2 rw - cgroup2 x rw\n", NULL, false},
        {"2:cpu:/c\n", "1 2 0:3 / %s/v1cpu rw - cgroup x rw,cpuset\n", NULL, false},
        {"2:cpu:/c\n", "1 2 0:3 / %s/v1cpu rw - cgroup2 x rw,cpu\n", NULL, false},
        {"0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup x rw\n", NULL, false},
        {"0::/a\n", "1 2 0:3 / %s/v2 rw cgroup2 x rw\n", NULL, false},
        {"0::/a\n", "1 2 0:3 / - cgroup2 x rw\n%s\n", NULL, false},
        {"0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup2 x\n", NULL, false},
        {"0::/a\n", "1 2 0:3 / %s/v2 rw - cgroup2\n", NULL, false},
        {"0::/a\n", "1 2 0:3 /b %s/v2 rw - cgroup2 x rw\n", NULL, false},
        {"0::/b/a\n", "1 2 0:3 /b %s/v2 rw - cgroup2 x rw\n", "/b/a", true},
    };
    char path[CGROUP_PATH_MAX];

    write_text("v2/a/cgroup.procs", "1\n");
    write_text("v1cpu/c/cgroup.procs", "1\n");
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        bool v2 = !t[i].v2;
        int fd;
        write_text("proc/13/cgroup", "%s", t[i].group);
        char *mounts = NULL;
        const char *at = strstr(t[i].mounts, "%s");
        CHECK(asprintf(&mounts, "%.*s%s%s", (int)(at - t[i].mounts), t[i].mounts, tree, at + 2) >
              0);
        write_text("proc/self/mountinfo", "%s", mounts);
        free(mounts);
        fd = open_group(13, "cpu", path, &v2);
        CHECK_INT(fd >= 0, t[i].path != NULL);
        if (t[i].path) {
            CHECK_STR(path, t[i].path);
            CHECK_INT(v2, t[i].v2);
            CHECK_INT(faccessat(fd, "cgroup.procs", F_OK, 0), 0);
            close(fd);
        }
    }
    CHECK_INT(cgroup_open("/nowhere", 13, "cpu", path, &(bool){false}), -1);
}

static void check_counts(void)
{
    static const struct {
        const char *text;
        bool v2, ok;
        uint64_t periods;
        int64_t ns;
    } t[] = {
        {"nr_periods 5\nnr_throttled 3\nthrottled_usec 7\n", true, true, 3, 7000},
        {"nr_periods 5\nnr_throttled 3\nthrottled_time 7\n", false, true, 3, 7},
        {"nr_periods 5\nnr_throttled 3\nthrottled_time 7\n", true, false, 0, 0},
        {"nr_periods 5\nthrottled_usec 7\n", true, false, 0, 0},
        {"", true, false, 0, 0},
    };
    char path[CGROUP_PATH_MAX];
    bool v2;
    int fd = open_group(10, "perf_event", path, &v2);

    CHECK(fd >= 0);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct quota q = {0};
        write_text("v2/system.slice/db.service/cpu.stat", "%s", t[i].text);
        CHECK_INT(quota_counts(fd, t[i].v2, &q), t[i].ok);
        if (t[i].ok) {
            CHECK_INT(q.periods, t[i].periods);
            CHECK_INT(q.throttled_ns, t[i].ns);
        }
    }
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
    /* a group so deep below that nobody looks there may hold anything */
    for (int i = 0; i < 9; i++) {
        char up[150];
        snprintf(up, sizeof up, "v2/system.slice/db.service%.*s/cgroup.procs", 2 * (i + 1),
                 "/c/c/c/c/c/c/c/c/c");
        write_text(up, "%s", "");
        CHECK_INT(cgroup_holds_only(fd, both, 2), i < 8);
    }
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s/v2/system.slice/db.service/c", tree);
    CHECK_INT(system(command), 0);
    write_text("v2/system.slice/db.service/threaded/x", "%s", "");
    CHECK(!cgroup_holds_only(fd, both, 2)); /* its members are not known */
    snprintf(command, sizeof command, "rm -rf %s/v2/system.slice/db.service/threaded", tree);
    CHECK_INT(system(command), 0);
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
    close(STDIN_FILENO); /* 0 is the number of a file as any other */
    check_where();
    check_counts();
    check_who();
    check_lines();
    snprintf(command, sizeof command, "rm -rf %s", tree);
    CHECK_INT(system(command), 0);
    return test_done("cgroup");
}
