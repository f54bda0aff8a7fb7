/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Of a machine with many CPUs, those that a process may use.
 */
#include "telemetry/proc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/test_tree.h"

static const char captured[] = "cpu  116 226 336 446 556 666 776 886 0 0\n"
                               "cpu0 1 2 3 4 5 6 7 8 0 0\n"
                               "cpu2 10 20 30 40 50 60 70 80 0 0\n"
                               "cpu11 100 200 300 400 500 600 700 800 0 0\n"
                               "cpu5000 5 4 3 2 1 0 0 0\n"
                               "intr 77 0 0\n"
                               "cpu3 9 9 9 9\n";

static cpu_set_t set_of(int a, int b)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)a, &set);
    CPU_SET((size_t)b, &set);
    return set;
}

static void some(int fd)
{
    static const struct {
        int a, b, rc;
        uint64_t user, nice, idle, steal;
    } t[] = {{0, 11, 0, 101, 202, 404, 808},
             {2, 2, 0, 10, 20, 40, 80},
             {1, 2, 0, 10, 20, 40, 80},
             {1, 3, -1, 0, 0, 0, 0}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        cpu_set_t set = set_of(t[i].a, t[i].b);
        struct proc_host host;
        struct err e = {0};
        CHECK_INT(proc_host_read(fd, &set, &host, &e), t[i].rc);
        CHECK_INT(host.cpu.user, t[i].user);
        CHECK_INT(host.cpu.nice, t[i].nice);
        CHECK_INT(host.cpu.idle, t[i].idle);
        CHECK_INT(host.cpu.steal, t[i].steal);
        CHECK_STR(e.msg, t[i].rc ? "the system's stat file has none of the CPUs" : "");
    }
}

TEST_MAIN(proc_cpus_test)
{
    char tree[] = "/tmp/sb-cpus-XXXXXX";
    cpu_set_t set = set_of(0, 1);
    struct proc_host host;
    struct err e = {0};
    int fd;

    CHECK(mkdtemp(tree) != NULL);
    fd = open(tree, O_RDONLY | O_DIRECTORY);
    test_tree_put(tree, "stat", captured);
    some(fd);
    unlinkat(fd, "stat", 0);
    CHECK_INT(proc_host_read(fd, &set, &host, &e), -1);
    CHECK_STR(e.msg, "cannot read the system's stat file: No such file or directory");
    close(fd);
    rmdir(tree);
    return test_done("proc_cpus_test");
}
