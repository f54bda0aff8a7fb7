/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See proc.h.  Numbers are found by position (stat, statm, schedstat) or by key (status, io).
 * A file that ends before the last column needed was truncated and is refused as a whole.
 */
#include "telemetry/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define PATH_MAX_PROC 64

static void pid_path(char *path, pid_t pid, pid_t tid, const char *file)
{
    if (tid)
        snprintf(path, PATH_MAX_PROC, "%d/task/%d/%s", (int)pid, (int)tid, file);
    else
        snprintf(path, PATH_MAX_PROC, "%d/%s", (int)pid, file);
}

static void copy_comm(char *out, const char *from, size_t n)
{
    if (n >= PROC_COMM_MAX)
        n = PROC_COMM_MAX - 1;
    memcpy(out, from, n);
    out[n] = '\0';
    str_printable(out, n, '?', "");
}

/* Where each column of stat after the state goes, by its number in proc(5). */
static uint64_t *stat_column(struct proc_stat *st, int column, uint64_t *skip)
{
    switch (column) {
    case 9: return &st->flags;
    case 10: return &st->minor_faults;
    case 11: return &st->child_minor_faults;
    case 12: return &st->major_faults;
    case 13: return &st->child_major_faults;
    case 14: return &st->utime;
    case 15: return &st->stime;
    case 16: return &st->child_utime;
    case 17: return &st->child_stime;
    case 20: return &st->threads;
    case 22: return &st->start_ticks;
    case 24: return &st->rss_pages;
    default: return skip;
    }
}

static int parse_stat(const char *text, size_t len, struct proc_stat *st)
{
    const char *left = memchr(text, '(', len), *right = memrchr(text, ')', len), *p;
    uint64_t ppid, skip;

    if (!left || !right || right < left || right[1] != ' ' || !right[2] || right[3] != ' ')
        return EBADMSG;
    copy_comm(st->comm, left + 1, (size_t)(right - left - 1));
    st->state = right[2];
    p = right + 3;
    if (!proc_whole_number(&p, &ppid) || ppid > INT_MAX)
        return EBADMSG;
    st->ppid = (pid_t)ppid;
    for (int column = 5; column <= 24; column++)
        if (!proc_whole_number(&p, stat_column(st, column, &skip)))
            return EBADMSG;
    return 0;
}

int proc_stat_read(int root_fd, pid_t pid, struct proc_stat *out)
{
    return proc_task_stat_read(root_fd, pid, 0, out);
}

int proc_task_stat_read(int root_fd, pid_t pid, pid_t tid, struct proc_stat *out)
{
    char path[PATH_MAX_PROC], text[2048];
    size_t len;
    int rc;

    pid_path(path, pid, tid, "stat");
    rc = proc_read(root_fd, path, text, sizeof text, &len);
    return rc ? rc : parse_stat(text, len, out);
}

bool proc_stat_ended(const struct proc_stat *st)
{
    /* the main thread may end before the others: then the process shows Z but lives */
    return st->state == 'X' || st->state == 'x' || (st->state == 'Z' && st->threads <= 1);
}

bool proc_stat_is_kernel(const struct proc_stat *st)
{
    return st->flags & 0x200000; /* PF_KTHREAD */
}

/* "Key:\t 123 kB" against a list of keys; `missing` counts down to 0 when all were seen. */
struct key {
    const char *name;
    uint64_t *value;
};

struct keys {
    const struct key *key;
    size_t n, missing;
};

static bool take_key(char *line, void *arg)
{
    struct keys *k = arg;
    size_t n = strcspn(line, ":");

    if (line[n] != ':')
        return true;
    for (size_t i = 0; i < k->n; i++) {
        const char *p = line + n + 1;
        if (strlen(k->key[i].name) != n || memcmp(k->key[i].name, line, n) != 0)
            continue;
        if (!proc_number(&p, k->key[i].value))
            return false;
        k->missing--;
    }
    return k->missing > 0;
}

static int read_keys(int root_fd, const char *path, const struct key *key, size_t n)
{
    struct keys k = {.key = key, .n = n, .missing = n};
    int rc = proc_each_line(root_fd, path, take_key, &k);

    return rc ? rc : k.missing ? EBADMSG : 0;
}

int proc_status_read(int root_fd, pid_t pid, pid_t tid, struct proc_status *out)
{
    uint64_t tgid;
    const struct key key[] = {
        {"Tgid", &tgid},
        {"Threads", &out->threads},
        {"voluntary_ctxt_switches", &out->vol_switches},
        {"nonvoluntary_ctxt_switches", &out->invol_switches},
    };
    char path[PATH_MAX_PROC];
    int rc;

    pid_path(path, pid, tid, "status");
    rc = read_keys(root_fd, path, key, sizeof key / sizeof key[0]);
    if (!rc && tgid > INT_MAX)
        rc = EBADMSG;
    if (!rc)
        out->tgid = (pid_t)tgid;
    return rc;
}

int proc_io_read(int root_fd, pid_t pid, struct proc_io *out)
{
    const struct key key[] = {
        {"read_bytes", &out->read_bytes},
        {"write_bytes", &out->write_bytes},
    };
    char path[PATH_MAX_PROC];

    pid_path(path, pid, 0, "io");
    return read_keys(root_fd, path, key, sizeof key / sizeof key[0]);
}

/* The first n numbers of a one-line file. */
static int read_row(int root_fd, const char *path, uint64_t *value, size_t n)
{
    char text[256];
    const char *p = text;
    size_t len;
    int rc = proc_read(root_fd, path, text, sizeof text, &len);

    if (rc)
        return rc;
    for (size_t i = 0; i < n; i++)
        if (!proc_whole_number(&p, &value[i]))
            return EBADMSG;
    return 0;
}

int proc_statm_read(int root_fd, pid_t pid, struct proc_statm *out)
{
    char path[PATH_MAX_PROC];
    uint64_t row[3];
    int rc;

    pid_path(path, pid, 0, "statm");
    rc = read_row(root_fd, path, row, 3);
    if (!rc)
        *out = (struct proc_statm){.resident = row[1], .shared = row[2]};
    return rc;
}

int proc_schedstat_read(int root_fd, pid_t pid, pid_t tid, struct proc_schedstat *out)
{
    char path[PATH_MAX_PROC];
    uint64_t row[3];
    int rc;

    pid_path(path, pid, tid, "schedstat");
    rc = read_row(root_fd, path, row, 3);
    if (!rc)
        *out = (struct proc_schedstat){.run_ns = row[0], .wait_ns = row[1], .runs = row[2]};
    return rc;
}

void pid_list_add(struct pid_list *list, pid_t id)
{
    if (list->n == list->cap) {
        list->cap = list->cap ? list->cap * 2 : 64;
        list->ids = mem_grow(list->ids, list->cap, sizeof list->ids[0]);
    }
    list->ids[list->n++] = id;
}

bool pid_list_has(const struct pid_list *list, pid_t id)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->ids[i] == id)
            return true;
    return false;
}

static int by_id(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
    return x < y ? -1 : x > y;
}

void pid_list_sort(struct pid_list *list)
{
    size_t n = 0;

    if (list->n > 1)
        qsort(list->ids, list->n, sizeof list->ids[0], by_id);
    for (size_t i = 0; i < list->n; i++)
        if (n == 0 || list->ids[i] != list->ids[n - 1])
            list->ids[n++] = list->ids[i];
    list->n = n;
}

void pid_list_free(struct pid_list *list)
{
    free(list->ids);
    *list = (struct pid_list){0};
}

/* A directory entry that is nothing but a positive number; 0 for any other. */
static pid_t entry_id(const char *name)
{
    uint64_t v;
    const char *p = name;

    if (*name < '1' || *name > '9' || !proc_number(&p, &v) || *p || v > INT_MAX)
        return 0;
    return (pid_t)v;
}

int proc_list_tasks(int root_fd, pid_t pid, struct pid_list *list)
{
    char path[PATH_MAX_PROC] = ".";
    struct dirent *entry;
    DIR *dir;
    int fd;

    list->n = 0;
    if (pid)
        pid_path(path, pid, 0, "task");
    fd = openat(root_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    dir = fdopendir(fd);
    if (!dir) {
        int rc = errno;
        close(fd);
        return rc;
    }
    while ((entry = readdir(dir))) {
        pid_t id = entry_id(entry->d_name);
        if (id)
            pid_list_add(list, id);
    }
    closedir(dir);
    pid_list_sort(list);
    return list->n ? 0 : ESRCH;
}

int proc_list_children(int root_fd, pid_t pid, pid_t tid, struct str *scratch,
                       struct pid_list *list)
{
    char path[PATH_MAX_PROC];
    const char *p;
    uint64_t id;
    int rc;

    pid_path(path, pid, tid ? tid : pid, "children");
    rc = proc_read_all(root_fd, path, scratch);
    if (rc)
        return rc;
    for (p = str_cstr(scratch); proc_whole_number(&p, &id);)
        if (id && id <= INT_MAX)
            pid_list_add(list, (pid_t)id);
    return 0;
}

/* --- reading a file -------------------------------------------------------------------------- */

/*
 * One read(2) does not always return a whole file: status and net/tcp arrive in
 * pieces.
 */

static int open_at(int root_fd, const char *path, int *fd)
{
    *fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
    return *fd < 0 ? errno : 0;
}

static ssize_t read_some(int fd, char *buf, size_t n)
{
    ssize_t got;

    do
        got = read(fd, buf, n);
    while (got < 0 && errno == EINTR);
    return got;
}

int proc_read(int root_fd, const char *path, char *buf, size_t cap, size_t *len)
{
    ssize_t got = 1;
    int fd, rc = open_at(root_fd, path, &fd);

    *len = 0;
    buf[0] = '\0';
    if (rc)
        return rc;
    while (*len < cap - 1 && (got = read_some(fd, buf + *len, cap - 1 - *len)) > 0) {
        *len += (size_t)got;
        if (buf[*len - 1] == '\n') /* these files are one line: no need to read for the end */
            break;
    }
    rc = got < 0 ? errno : *len ? 0 : EBADMSG;
    close(fd);
    buf[*len] = '\0';
    return rc;
}

int proc_read_all(int root_fd, const char *path, struct str *b)
{
    char buf[4096];
    ssize_t got;
    int fd, rc = open_at(root_fd, path, &fd);

    str_reset(b);
    if (rc)
        return rc;
    while ((got = read_some(fd, buf, sizeof buf)) > 0)
        str_add(b, buf, (size_t)got);
    rc = got < 0 ? errno : 0;
    close(fd);
    return rc;
}

/*
 * Passes on the complete lines of buf[0..n), returns their length in bytes; false in *more: stop.
 */
static size_t give_lines(char *buf, size_t n, bool (*fn)(char *, void *), void *arg, bool *more)
{
    size_t done = 0;
    char *end;

    while (*more && (end = memchr(buf + done, '\n', n - done))) {
        *end = '\0';
        *more = fn(buf + done, arg);
        done = (size_t)(end - buf) + 1;
    }
    return done;
}

int proc_each_line(int root_fd, const char *path, bool (*fn)(char *line, void *arg), void *arg)
{
    char buf[4096];
    size_t n = 0, done;
    ssize_t got = 0;
    bool more = true, skipping = false;
    int fd, rc = open_at(root_fd, path, &fd);

    if (rc)
        return rc;
    while (more && (got = read_some(fd, buf + n, sizeof buf - 1 - n)) > 0) {
        n += (size_t)got;
        if (skipping) { /* the rest of a line that was passed on cut */
            char *end = memchr(buf, '\n', n);
            done = end ? (size_t)(end - buf) + 1 : n;
            skipping = !end;
            memmove(buf, buf + done, n -= done);
        }
        done = give_lines(buf, n, fn, arg, &more);
        memmove(buf, buf + done, n -= done);
        if (more && n > sizeof buf / 2) {
            buf[n] = '\0';
            more = fn(buf, arg);
            skipping = true;
            n = 0;
        }
    }
    rc = got < 0 ? errno : 0;
    close(fd);
    return rc;
}

bool proc_number(const char **p, uint64_t *value)
{
    const char *s = *p;
    uint64_t v = 0;
    bool negative;

    while (*s == ' ' || *s == '\t')
        s++;
    negative = *s == '-';
    s += negative;
    if (*s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return false;
    *value = negative ? 0 : v;
    *p = s;
    return true;
}

bool proc_whole_number(const char **p, uint64_t *value)
{
    return proc_number(p, value) && **p != '\0';
}

bool proc_is_gone(int errnum)
{
    return errnum == ENOENT || errnum == ESRCH;
}

/* --- a list of CPUs -------------------------------------------------------------------------- */

struct reading {
    const cpu_set_t *set;
    struct proc_cpu_ticks *sum;
    int cpus;
};

/* "cpu3 ...": the lines of CPUs come first. */
static bool take_line(char *line, void *arg)
{
    struct reading *r = arg;
    struct proc_cpu_ticks cpu = {0};
    const char *p = line + 3;
    uint64_t number;

    if (strncmp(line, "cpu", 3) != 0)
        return false;
    if (*p == ' ' || !proc_whole_number(&p, &number))
        return true;
    if (number < CPU_SETSIZE && CPU_ISSET((size_t)number, r->set) && proc_cpu_columns(p, &cpu)) {
        r->sum->user += cpu.user;
        r->sum->nice += cpu.nice;
        r->sum->system += cpu.system;
        r->sum->idle += cpu.idle;
        r->sum->iowait += cpu.iowait;
        r->sum->irq += cpu.irq;
        r->sum->softirq += cpu.softirq;
        r->sum->steal += cpu.steal;
        r->cpus++;
    }
    return true;
}

int proc_cpus_read(int root_fd, const cpu_set_t *set, struct proc_cpu_ticks *out, struct err *e)
{
    struct reading r = {.set = set, .sum = out};
    int rc;

    *out = (struct proc_cpu_ticks){0};
    rc = proc_each_line(root_fd, "stat", take_line, &r);
    if (rc)
        return err_sys(e, rc, "cannot read the system's stat file");
    return r.cpus ? 0 : err_set(e, ERR_FAILED, "the system's stat file has none of the CPUs");
}

/* --- descendants ----------------------------------------------------------------------------- */

/* The search is breadth-first; the result itself is the queue. */

static int add_children(struct proc_tree *t, int root_fd, pid_t pid)
{
    int rc = proc_list_tasks(root_fd, pid, &t->tids);

    if (rc)
        return rc;
    for (size_t i = 0; i < t->tids.n; i++) {
        rc = proc_list_children(root_fd, pid, t->tids.ids[i], &t->scratch, &t->found);
        if (rc && !proc_is_gone(rc))
            return rc;
        if (rc && t->tids.ids[i] == pid) /* the main thread is there as long as the process is */
            return rc;
    }
    return 0;
}

/* Every process of the system with its parent, into t->all and t->parent. */
static int list_parents(struct proc_tree *t, int root_fd)
{
    struct proc_stat st;
    size_t n = 0;
    int rc = proc_list_tasks(root_fd, 0, &t->all);

    if (rc)
        return rc;
    if (t->all.n > t->parent_cap) {
        t->parent = mem_grow(t->parent, t->all.n, sizeof t->parent[0]);
        t->parent_cap = t->all.n;
    }
    for (size_t i = 0; i < t->all.n; i++) {
        if (proc_stat_read(root_fd, t->all.ids[i], &st) != 0)
            continue; /* ended meanwhile */
        t->parent[n] = st.ppid;
        t->all.ids[n++] = t->all.ids[i];
    }
    t->all.n = n;
    return 0;
}

static void add_by_parent(struct proc_tree *t, pid_t pid)
{
    for (size_t i = 0; i < t->all.n; i++)
        if (t->parent[i] == pid && t->all.ids[i] != pid)
            pid_list_add(&t->found, t->all.ids[i]);
}

static int find_by_parent(struct proc_tree *t, int root_fd, pid_t root)
{
    int rc = list_parents(t, root_fd);

    if (rc)
        return rc;
    t->found.n = 0;
    add_by_parent(t, root);
    /* parents in a captured tree may form a cycle: stop at the number of processes */
    for (size_t i = 0; i < t->found.n && t->found.n <= t->all.n; i++)
        if (t->found.n <= PROC_TREE_DEEP)
            add_by_parent(t, t->found.ids[i]);
    return 0;
}

int proc_tree_find(struct proc_tree *t, int root_fd, pid_t root)
{
    struct proc_stat st;
    int rc;

    t->found.n = 0;
    if (t->no_children_files)
        return find_by_parent(t, root_fd, root);
    rc = add_children(t, root_fd, root);
    if (rc == ENOENT && proc_stat_read(root_fd, root, &st) == 0) {
        t->no_children_files = true;
        return find_by_parent(t, root_fd, root);
    }
    if (rc)
        return rc;
    for (size_t i = 0; i < t->found.n && t->found.n <= PROC_TREE_DEEP; i++)
        add_children(t, root_fd, t->found.ids[i]); /* one that ended meanwhile has none */
    return 0;
}

void proc_tree_free(struct proc_tree *t)
{
    pid_list_free(&t->found);
    pid_list_free(&t->tids);
    pid_list_free(&t->all);
    free(t->parent);
    str_free(&t->scratch);
    *t = (struct proc_tree){0};
}

/* --- /proc/stat ------------------------------------------------------------------------------ */

/*
 * The "intr" line of a big machine is tens of kilobytes long.  Only its first
 * number, the total, is needed, so truncated lines are fine.
 */

enum {
    SEEN_CPU = 1,
    SEEN_INTR = 2,
    SEEN_CTXT = 4,
    SEEN_BTIME = 8,
    SEEN_FORKS = 16,
    SEEN_RUN = 32,
    SEEN_BLOCKED = 64,
    SEEN_ALL = 127
};

struct stat_reading {
    struct proc_host *out;
    unsigned seen;
};

/* Kernels 2.6.x added the columns after iowait one by one: a missing one is 0. */
bool proc_cpu_columns(const char *p, struct proc_cpu_ticks *cpu)
{
    uint64_t *column[] = {&cpu->user,   &cpu->nice, &cpu->system,  &cpu->idle,
                          &cpu->iowait, &cpu->irq,  &cpu->softirq, &cpu->steal};
    size_t n = 0;

    while (n < sizeof column / sizeof column[0] && proc_number(&p, column[n]))
        n++;
    return n >= 4;
}

static bool take_stat_line(char *line, void *arg)
{
    static const char *const name[] = {"intr",      "ctxt",          "btime",
                                       "processes", "procs_running", "procs_blocked"};
    struct stat_reading *r = arg;
    struct proc_host *h = r->out;
    uint64_t *value[] = {&h->interrupts, &h->switches, &h->boot_s,
                         &h->forks,      &h->running,  &h->blocked};
    size_t n = strcspn(line, " ");
    const char *p = line + n;

    if (n == 3 && memcmp(line, "cpu", 3) == 0) {
        if (proc_cpu_columns(p, &h->cpu))
            r->seen |= SEEN_CPU;
    } else if (n > 3 && memcmp(line, "cpu", 3) == 0 && isdigit((unsigned char)line[3])) {
        h->online_cpus++;
    }
    for (unsigned i = 0; i < sizeof name / sizeof name[0]; i++)
        if (strlen(name[i]) == n && memcmp(name[i], line, n) == 0 && proc_number(&p, value[i]))
            r->seen |= (unsigned)SEEN_INTR << i;
    return true;
}

int proc_host_read(int root_fd, struct proc_host *out, struct err *e)
{
    struct stat_reading r = {.out = out};
    int rc;

    *out = (struct proc_host){0};
    rc = proc_each_line(root_fd, "stat", take_stat_line, &r);
    if (rc)
        return err_sys(e, rc, "cannot read the system's stat file");
    if (r.seen != SEEN_ALL || out->online_cpus == 0)
        return err_set(e, ERR_FAILED, "the system's stat file lacks %s",
                       !(r.seen & SEEN_CPU)    ? "the cpu line"
                       : out->online_cpus == 0 ? "the lines of single CPUs"
                                               : "one of its counters");
    return 0;
}

uint64_t proc_cpu_total(const struct proc_cpu_ticks *cpu)
{
    return cpu->user + cpu->nice + cpu->system + cpu->idle + cpu->iowait + cpu->irq + cpu->softirq +
           cpu->steal;
}
