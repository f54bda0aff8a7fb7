/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sums of waits and their differences; what the kernel says of a thread.
 */
#include "telemetry/waits.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>

#include "base/test_tree.h"

#define S NS_PER_SEC

static void test_sums(void)
{
    struct status_waits a = {.known = 10 * S}, b, d;
    char name[WAIT_NAME_SIZE];

    waits_add(&a, WAIT_CPU, "cpu", 3 * S);
    waits_add(&a, WAIT_LOG, "WALSync", S);
    b = a;
    b.known += 2 * S;
    waits_diff(&a, &b, &d);
    CHECK_STR(d.most, "none");
    CHECK_INT(d.names, 0);
    waits_add(&b, WAIT_CPU, "cpu", 3 * S);
    waits_add(&b, WAIT_LOG, "WALSync", S / 10);
    waits_add(&b, WAIT_ROW, "row lock", 4 * S);
    waits_add(&b, WAIT_LOCK, "row lock", S); /* another class */
    waits_diff(&a, &b, &d);
    CHECK_STR(d.most, "row lock 2.0, cpu 1.5, row lock 0.5");
    CHECK_INT(d.names, 4);
    CHECK_INT(d.of[WAIT_CPU], 3 * S);
    CHECK_INT(d.locks, 5 * S);
    CHECK_INT(waits_all(&d), 8 * S + S / 10);
    CHECK(waits_by_chance(&d, WAIT_CPU));
    b.ran_known = S; /* half of the time; instead of what samples say */
    b.ran = S / 4, b.waited = S / 2;
    waits_diff(&a, &b, &d);
    CHECK(waits_exact(&d));
    CHECK_STR(d.most, "row lock 2.0, cpu 0.8, row lock 0.5");
    CHECK_INT(d.of[WAIT_CPU], 3 * S / 2);
    CHECK(!waits_by_chance(&d, WAIT_CPU));
    b.ran_known--;
    waits_diff(&a, &b, &d);
    CHECK(!waits_exact(&d));
    CHECK_INT(d.of[WAIT_CPU], 3 * S);
    waits_diff(&b, &b, &d);
    CHECK_STR(d.why, "the server was not asked in this interval");
    CHECK_STR(d.most, "");
    for (int i = 0; i < 2 * WAIT_NAMES; i++) {
        snprintf(name, sizeof name, "event %d", i);
        waits_add(&b, WAIT_IO, name, S);
    }
    CHECK_INT(b.names, WAIT_NAMES);
    CHECK_STR(b.name[WAIT_NAMES - 1].name, "others");
    CHECK_INT(b.name[WAIT_NAMES - 1].time, (2 * WAIT_NAMES - (WAIT_NAMES - 5)) * S);
    CHECK_INT(b.of[WAIT_IO], 2 * WAIT_NAMES * S);
}

static void test_threads(void)
{
    static const struct {
        const char *stat;
        long nr; /* -1: running; -2: not ours to see */
        enum thread_does does;
    } t[] = {
        {"7 (a) R 1) S 1", SYS_futex, THREAD_SLEEPS},
        {"7 (mariadbd) R 1", SYS_futex, THREAD_RUNS},
        {"7 (mariadbd) S 1", -1, THREAD_RUNS},
        {"7 (mariadbd) D 1", SYS_pread64, THREAD_READS},
        {"7 (mariadbd) S 1", SYS_pwrite64, THREAD_WRITES},
        {"7 (mariadbd) D 1", SYS_fdatasync, THREAD_SYNCS},
        {"7 (mariadbd) D 1", SYS_futex, THREAD_USES_DISK}, /* a page of its memory */
        {"7 (mariadbd) D 1", -2, THREAD_USES_DISK},
        {"7 (mariadbd) S 1", -2, THREAD_UNKNOWN},
        {"7 (mariadbd) S 1", SYS_recvfrom, THREAD_LISTENS},
        {"7 (mariadbd) S 1", SYS_ppoll, THREAD_UNKNOWN}, /* the memory is not ours to see */
        {"7 mariadbd", SYS_ppoll, THREAD_UNKNOWN},
    };
    enum thread_file file;
    char text[40];

    tree_put("5/fd/0", "%s", "");
    CHECK_INT(symlink("/tmp/#sqlX (deleted)", tree_path("5/fd/1")), 0);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        tree_put("5/task/7/stat", "%s", t[i].stat);
        snprintf(text, sizeof text, "%ld 0x1 0x2", t[i].nr);
        if (t[i].nr == -2)
            tree_remove("5/task/7/syscall");
        else
            tree_put("5/task/7/syscall", "%s", t[i].nr == -1 ? "running" : text);
        int root = open(tree_path(""), O_PATH | O_DIRECTORY | O_CLOEXEC);
        CHECK_INT(thread_does(root, 5, 7, &file), t[i].does);
        CHECK_INT(file, t[i].does >= THREAD_READS && t[i].does <= THREAD_SYNCS ? FILE_TEMPORARY
                                                                               : FILE_OF_DATA);
        CHECK_INT(thread_does(root, 5, 8, &file), THREAD_UNKNOWN);
        close(root);
    }
    tree_put("5/task/7/stat", "7 (mariadbd) S 1");
    tree_put("5/task/7/syscall", "%d 0x1", SYS_ppoll);
    int root = open(tree_path(""), O_PATH | O_DIRECTORY | O_CLOEXEC);
    tree_put("5/mem", "x_fd_%c%c__", POLLIN, 0);
    CHECK_INT(thread_does(root, 5, 7, &file), THREAD_LISTENS);
    tree_put("5/mem", "x_fd_%c%c__", POLLOUT, 0);
    CHECK_INT(thread_does(root, 5, 7, &file), THREAD_WRITES);
    CHECK_INT(file, FILE_SOCKET);
    tree_put("5/status", "Name:\tx\nNSpid:\t5\nThreads:\t1\n");
    tree_put("6/status", "Name:\tx\nNSpid:\t6\t1\nThreads:\t1\n");
    CHECK(thread_numbers_shared(root, 5));
    CHECK(!thread_numbers_shared(root, 6));
    CHECK(!thread_numbers_shared(root, 7));
    close(root);
}

TEST_MAIN(status_waits_test)
{
    test_sums();
    tree_begin();
    test_threads();
    return test_done("status_waits_test");
}
