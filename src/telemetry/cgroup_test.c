/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the control group of a process is, on small made-up trees: version 2, a version 1 hierarchy
 * beside it, a container's partial mount, and who is in it.
 */
#include "telemetry/cgroup.h"

#include "base/test_tree.h"

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

    tree_put("v2/a/cgroup.procs", "1\n");
    tree_put("v1cpu/c/cgroup.procs", "1\n");
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        bool v2 = !t[i].v2;
        int fd;
        tree_put("proc/13/cgroup", "%s", t[i].group);
        char *mounts = NULL;
        const char *at = strstr(t[i].mounts, "%s");
        CHECK(asprintf(&mounts, "%.*s%s%s", (int)(at - t[i].mounts), t[i].mounts, test_tree,
                       at + 2) > 0);
        tree_put("proc/self/mountinfo", "%s", mounts);
        free(mounts);
        fd = cgroup_open(tree_path("proc"), 13, "cpu", path, &v2);
        CHECK_INT(fd >= 0, t[i].path != NULL);
        if (t[i].path) {
            CHECK_STR(path, t[i].path);
            CHECK_INT(v2, t[i].v2);
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

TEST_MAIN(cgroup_test)
{
    tree_begin();
    close(STDIN_FILENO); /* 0 is the number of a file as any other */
    check_who();
    check_lines();
    return test_done("cgroup");
}
