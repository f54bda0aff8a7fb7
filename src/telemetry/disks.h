/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The disks that hold the server's data and its log, by the counters of /proc/diskstats.
 *
 * MariaDB, MySQL and PostgreSQL work in their data directory, so /proc/PID/cwd leads to the data.
 * The log is pg_wal there, which may be a link, or the redo log that the process has open.  The
 * file's device number names the disk; a partition counts for its disk.
 *
 * Figures are iostat's, of what grew between two readings:
 *
 *     DISK_READS, DISK_WRITES, DISK_FLUSHES    that ended, per second
 *     DISK_READ_BYTES, DISK_WRITTEN_BYTES      per second; a sector of the counters has 512 bytes
 *     DISK_READ_WAIT, ...                      ms of all reads / reads that ended
 *     DISK_BUSY                                time with a request under way, % of the time
 *     DISK_QUEUE                               time of all requests, queueing included / the time
 *
 * The kernel prints milliseconds with 32 bits, which wrap after 49 days of waiting: 1.2 hours of a
 * queue of 1,000.  So the reader keeps sums, and adds what grew since the reading before.
 */
#ifndef SB_TELEMETRY_DISKS_H
#define SB_TELEMETRY_DISKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum disk_role { DISK_DATA, DISK_LOG, DISK_ROLES };

/* In the order of the columns; flushes since Linux 5.5. */
/* clang-format off */
enum {
    DISK_READS, DISK_READ_BYTES, DISK_READ_WAIT, DISK_WRITES, DISK_WRITTEN_BYTES, DISK_WRITE_WAIT,
    DISK_BUSY, DISK_QUEUE, DISK_FLUSHES, DISK_FLUSH_WAIT, DISK_COUNTS
};
/* clang-format on */

#define DISK_TEXT 96

struct disk_reading {
    unsigned known; /* so many of the counts; 0: none */
    unsigned life;  /* of another device, or one that was away, the counts have another number */
    uint64_t count[DISK_COUNTS]; /* as the kernel counts: sectors, ms; since life began */
    char text[DISK_TEXT];        /* its name; of none, why */
};

struct disks {
    dev_t device[DISK_ROLES]; /* 0: there is none */
    bool seen[DISK_ROLES];    /* in this reading */
    uint64_t last[DISK_ROLES][DISK_COUNTS];
    struct disk_reading now[DISK_ROLES];
};

/* Looks for the files of this process; 0, and {0} before: it is not known. */
void disks_find(struct disks *d, int proc_fd, int sys_fd, pid_t server);

/* A reading: each line of diskstats, then the end. */
void disks_line(struct disks *d, const char *line);
void disks_end(struct disks *d, struct disk_reading out[DISK_ROLES]);

struct disk_delta {
    bool known;
    char text[DISK_TEXT];   /* the device's name; of none, why */
    double of[DISK_COUNTS]; /* NaN: the kernel does not count it; a wait: none ended */
};

void disk_diff(const struct disk_reading *before, const struct disk_reading *after, double seconds,
               struct disk_delta *out);

#endif
