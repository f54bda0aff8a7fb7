/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The disks of a server's files: which they are, in a made-up /proc and /sys, and what their
 * counters say.
 */
#include "telemetry/disks.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/str.h"
#include "base/test_tree.h"

static struct disks disks;
static struct disk_reading now[DISK_ROLES];

/* What diskstats says; NULL: nothing. */
static void reading(const char *line)
{
    if (line)
        disks_line(&disks, line);
    disks_end(&disks, now);
}

/* Attaches, reads `line`, and what is told of each role. */
static void check_found(const char *line, const char *data, const char *log)
{
    int proc = open(tree_path("proc"), O_DIRECTORY), sys = open(tree_path("sys"), O_DIRECTORY);

    disks_find(&disks, proc, sys, 77);
    reading(line);
    if (data)
        CHECK_STR(now[DISK_DATA].text, data);
    CHECK_STR(now[DISK_LOG].text, log);
    close(proc);
    close(sys);
}

static void make_link(const char *to, const char *path)
{
    unlink(tree_path(path));
    CHECK_INT(symlink(to, tree_path(path)), 0);
}

static void places(void)
{
    const char *strange = "the server works in no data directory of MariaDB, MySQL or PostgreSQL";
    const char *nothing = "the server's processes are not known: use --server";
    const char *no_disk =
        "the files are on overlay, tmpfs or the like, which has no disk of its own";
    char line[80];
    struct stat st;

    disks_find(&disks, -1, -1, 0);
    reading(NULL);
    CHECK_STR(now[DISK_DATA].text, nothing);
    CHECK_STR(now[DISK_LOG].text, nothing);
    tree_put("proc/77/stat", "x");
    tree_put("sys/x", "x");
    check_found(NULL, strange, strange);
    tree_put("data/base", "x");
    make_link(tree_path("data"), "proc/77/cwd");
    make_link("/", "proc/77/root");
    check_found(NULL, strange, strange);

    /* data on a partition, which counts for its disk; no log */
    CHECK_INT(stat(tree_path("data"), &st), 0);
    snprintf(line, sizeof line, "sys/dev/block/%u:%u/partition", major(st.st_dev),
             minor(st.st_dev));
    tree_put(line, "1\n");
    tree_put("sys/dev/block/dev", "8:0\n");
    tree_put("data/ibdata1", "x");
    const char *data = major(st.st_dev) ? "sda" : NULL;
    const char *counts = " 8 0 sda 1 2 3 4 5 6 7 8 0 9 10";
    check_found(counts, data, "neither pg_wal nor an open redo log was found");

    /* a redo log that is open, on the same disk */
    tree_put("elsewhere/#innodb_redo/#ib_redo10", "x");
    tree_put("proc/77/fd/0", "no link");
    make_link(tree_path("elsewhere/#innodb_redo/#ib_redo10"), "proc/77/fd/7");
    if (data)
        check_found(counts, data, "sda");

    /* a log behind a link, on what has no device */
    make_link("/proc/self", "data/pg_wal");
    check_found(counts, data, no_disk);
}

static struct disk_delta between(const struct disk_reading *before)
{
    struct disk_delta d;

    disk_diff(before, &now[DISK_LOG], 10, &d);
    return d;
}

static void counts(void)
{
    struct disk_reading was, none = {0};
    struct disk_delta d;

    disks = (struct disks){.device[DISK_LOG] = makedev(254, 1)};
    reading("254 1 vdb 100 0 1000 4294967290 200 0 2000 20 3 30 40 0 0 0 0 7 70");
    was = now[DISK_LOG];
    CHECK_INT(was.known, DISK_COUNTS);
    /* the time of reads wraps: it grew by 20 */
    reading("254 1 vdb 110 0 1016 14 220 0 2064 80 0 5030 7040 0 0 0 0 12 95");
    d = between(&was);
    CHECK(d.known);
    CHECK_STR(d.text, "vdb");
    /* r/s, bytes/s, ms; w/s, bytes/s, ms; %, queue; f/s, ms */
    const double is[DISK_COUNTS] = {1, 819.2, 2, 2, 3276.8, 3, 50, 0.7, 0.5, 5};
    for (int i = 0; i < DISK_COUNTS; i++)
        CHECK_NEAR(d.of[i], is[i], 1e-9);
    /* nothing ends, and the kernel rounds a busy time up */
    was = now[DISK_LOG];
    reading("254 1 vdb 110 0 1016 14 220 0 2064 80 1 15031 7040 0 0 0 0 12 95");
    d = between(&was);
    CHECK(d.known && isnan(d.of[DISK_READ_WAIT]) && isnan(d.of[DISK_FLUSH_WAIT]));
    CHECK(d.of[DISK_BUSY] == 100 && d.of[DISK_READS] == 0);
    /* counters that began anew, a disk that goes and comes back, one from before Linux 5.5 */
    was = now[DISK_LOG];
    reading("254 1 vdb 1 0 1016 14 220 0 2064 80 1 15031 7040 0 0 0 0 12 95");
    CHECK(!between(&was).known);
    CHECK_STR(between(&was).text, "the disk is another one, or its counters began anew");
    was = now[DISK_LOG];
    reading("254 2 vdc 1 0 1016 14 220 0 2064 80 1 15031 7040 0 0 0 0 12 95");
    CHECK_STR(between(&was).text, "/proc/diskstats does not have the disk");
    reading("254 1 vdb 1 0 1016 14 220 0 2064 80 1 15031 7040");
    CHECK(!between(&was).known);
    was = now[DISK_LOG];
    reading("254 1 vdb 2 0 1016 14 220 0 2064 80 1 15031 7040");
    d = between(&was);
    CHECK(d.known && isnan(d.of[DISK_FLUSHES]) && isnan(d.of[DISK_FLUSH_WAIT]) &&
          d.of[DISK_READS] > 0);
    CHECK_STR(between(&none).text,
              "pstime on the server's host is older, was started again, or did not answer");
    reading("254 1 vdb 2 0"); /* a text that was cut */
    CHECK_INT(now[DISK_LOG].known, 0);
}

TEST_MAIN(disks_test)
{
    tree_begin();
    places();
    counts();
    return test_done("disks_test");
}
