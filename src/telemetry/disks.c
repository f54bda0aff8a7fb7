/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See disks.h.  A path below /proc/PID/cwd or /proc/PID/root is one of the server's own mounts, so
 * a server in a container is read like any other.
 */
#include "telemetry/disks.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "telemetry/proc.h"

/* --- where the files are --------------------------------------------------------------------- */

/* The device of a file below the process's /proc directory; 0: there is no such file. */
static bool find_file(int proc_fd, pid_t pid, const char *name, struct stat *st)
{
    char path[PATH_MAX], link[PATH_MAX - 32];

    snprintf(path, sizeof path, "%d/%s", (int)pid, name);
    ssize_t n = readlinkat(proc_fd, path, link, sizeof link - 1);
    if (n > 0 && *link == '/' && strncmp(name, "cwd/", 4) == 0) /* a path of the server's root */
        snprintf(path, sizeof path, "%d/root%.*s", (int)pid, (int)n, link);
    return fstatat(proc_fd, path, st, 0) == 0;
}

/* The redo log of MariaDB or MySQL that is open. */
static bool find_open_log(int proc_fd, pid_t pid, struct stat *st)
{
    char path[48], link[PATH_MAX];
    struct dirent *ent;
    bool found = false;

    snprintf(path, sizeof path, "%d/fd", (int)pid);
    DIR *d = proc_open_dir(proc_fd, path);
    while (d && !found && (ent = readdir(d))) {
        ssize_t n = readlinkat(dirfd(d), ent->d_name, link, sizeof link - 1);
        link[n > 0 ? n : 0] = '\0';
        found = (strstr(link, "/ib_logfile") || strstr(link, "/#innodb_redo/")) &&
                fstatat(dirfd(d), ent->d_name, st, 0) == 0;
    }
    if (d)
        closedir(d);
    return found;
}

/* The disk; 0: the file system has none. */
static dev_t disk_of(int sys_fd, const struct stat *st)
{
    unsigned of[2] = {major(st->st_dev), minor(st->st_dev)};
    char path[80], word[32];

    snprintf(path, sizeof path, "dev/block/%u:%u/partition", of[0], of[1]);
    bool part = proc_word(sys_fd, path, word, sizeof word);
    snprintf(path, sizeof path, "dev/block/%u:%u/../dev", of[0], of[1]);
    if (part && proc_word(sys_fd, path, word, sizeof word))
        sscanf(word, "%u:%u", &of[0], &of[1]);
    return of[0] ? makedev(of[0], of[1]) : 0;
}

void disks_find(struct disks *d, int proc_fd, int sys_fd, pid_t pid)
{
    static const char *const data[] = {"cwd/PG_VERSION", "cwd/ibdata1", "cwd/mysql.ibd",
                                       "cwd/auto.cnf", "cwd/aria_log_control"};
    struct stat st[DISK_ROLES];
    bool here = pid && find_file(proc_fd, pid, "cwd", &st[DISK_DATA]), found[DISK_ROLES] = {0};
    const char *why = !pid ? "the server's processes are not known: use --server"
                      : here || (errno != EACCES && errno != EPERM)
                          ? "the server works in no data directory of MariaDB, MySQL or PostgreSQL"
                          : "only the server's own user and root can see where its files are";

    for (size_t i = 0; here && i < sizeof data / sizeof *data; i++)
        found[DISK_DATA] |= find_file(proc_fd, pid, data[i], &st[DISK_LOG]);
    found[DISK_LOG] = found[DISK_DATA] && (find_file(proc_fd, pid, "cwd/pg_wal", &st[DISK_LOG]) ||
                                           find_open_log(proc_fd, pid, &st[DISK_LOG]));
    for (int k = 0; k < DISK_ROLES; k++) {
        dev_t is = found[k] ? disk_of(sys_fd, &st[k]) : 0;
        d->now[k].known = is == d->device[k] ? d->now[k].known : 0;
        d->device[k] = is;
        snprintf(d->now[k].text, DISK_TEXT, "%s",
                 found[k]
                     ? "the files are on overlay, tmpfs or the like, which has no disk of its own"
                 : found[DISK_DATA] ? "neither pg_wal nor an open redo log was found"
                                    : why);
    }
}

/* --- a reading ------------------------------------------------------------------------------- */

enum { EACH_S = DISK_COUNTS };
static const struct {
    unsigned column; /* after the name */
    bool ms;
    unsigned per; /* what the figure is divided by */
    double factor;
} kind[DISK_COUNTS] = {
    [DISK_READS] = {0, false, EACH_S, 1},           [DISK_READ_BYTES] = {2, false, EACH_S, 512},
    [DISK_READ_WAIT] = {3, true, DISK_READS, 1},    [DISK_WRITES] = {4, false, EACH_S, 1},
    [DISK_WRITTEN_BYTES] = {6, false, EACH_S, 512}, [DISK_WRITE_WAIT] = {7, true, DISK_WRITES, 1},
    [DISK_BUSY] = {9, true, EACH_S, 0.1},           [DISK_QUEUE] = {10, true, EACH_S, 0.001},
    [DISK_FLUSHES] = {15, false, EACH_S, 1},        [DISK_FLUSH_WAIT] = {16, true, DISK_FLUSHES, 1},
};

/* Adds what the counters grew by; one that went backwards begins another life. */
static void add_counts(struct disk_reading *r, uint64_t *last, const uint64_t *v, unsigned known)
{
    bool same = r->known == known;

    for (unsigned i = 0; i < known; i++) {
        uint64_t now = v[kind[i].column], grown = now - last[i];
        grown = kind[i].ms ? (uint32_t)grown : grown;
        same &= kind[i].ms ? grown <= INT32_MAX : now >= last[i];
        r->count[i] += grown;
        last[i] = now;
    }
    r->life += !same;
    r->known = known;
}

/* major minor name reads merged sectors ms writes merged sectors ms now ms ms, of discards four,
 * flushes ms */
void disks_line(struct disks *d, const char *line)
{
    uint64_t number[2], v[17];
    const char *p = line;
    size_t n = 0;

    if (!proc_number(&p, &number[0]) || !proc_number(&p, &number[1]))
        return;
    const char *name = p + strspn(p, " ");
    int len = (int)strcspn(name, " ");
    for (p = name + len; n < 17 && proc_number(&p, &v[n]);)
        n++;
    for (int k = 0; k < DISK_ROLES && n > kind[DISK_QUEUE].column; k++)
        if (d->device[k] && d->device[k] == makedev((unsigned)number[0], (unsigned)number[1])) {
            d->seen[k] = true;
            snprintf(d->now[k].text, DISK_TEXT, "%.*s", len, name);
            add_counts(&d->now[k], d->last[k], v, n < 17 ? DISK_FLUSHES : DISK_COUNTS);
        }
}

void disks_end(struct disks *d, struct disk_reading out[DISK_ROLES])
{
    for (int k = 0; k < DISK_ROLES; k++) {
        if (d->device[k] && !d->seen[k])
            d->now[k] = (struct disk_reading){.life = d->now[k].life,
                                              .text = "/proc/diskstats does not have the disk"};
        d->seen[k] = false;
        out[k] = d->now[k];
    }
}

/* --- the difference of two readings ---------------------------------------------------------- */

void disk_diff(const struct disk_reading *b, const struct disk_reading *a, double seconds,
               struct disk_delta *d)
{
    double grown[DISK_COUNTS + 1] = {[EACH_S] = seconds};

    *d = (struct disk_delta){.known = a->known && b->known && a->life == b->life && seconds > 0};
    snprintf(d->text, sizeof d->text, "%s",
             d->known || (!a->known && *a->text) ? a->text
             : !a->known || (!b->known && !*b->text)
                 ? "pstime on the server's host is older, was started again, or did not answer"
             : !b->known ? b->text
                         : "the disk is another one, or its counters began anew");
    for (unsigned i = 0; i < DISK_COUNTS; i++) { /* 0 / 0 is NaN */
        grown[i] = i < a->known ? (double)a->count[i] - (double)b->count[i] : NAN;
        d->of[i] = grown[i] / grown[kind[i].per] * kind[i].factor;
    }
    d->of[DISK_BUSY] = fmin(d->of[DISK_BUSY], 100); /* the kernel rounds up */
}
