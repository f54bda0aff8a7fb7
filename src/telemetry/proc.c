/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See proc.h.  Numbers are found by position (stat, statm, schedstat) or by key (status, io).
 * A file that ends before the last column needed was truncated and is refused as a whole.
 */
#include "telemetry/proc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* --- reading a file -------------------------------------------------------------------------- */

/* One read(2) does not always return a whole file: status and net/tcp arrive in pieces. */
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
    int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC), rc;
    ssize_t got = 1;

    *len = 0;
    buf[0] = '\0';
    if (fd < 0)
        return errno;
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
    int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC), rc;
    char buf[4096];
    ssize_t got;

    str_reset(b);
    if (fd < 0)
        return errno;
    while ((got = read_some(fd, buf, sizeof buf)) > 0)
        str_add(b, buf, (size_t)got);
    rc = got < 0 ? errno : 0;
    close(fd);
    return rc;
}

int proc_each_line(int root_fd, const char *path, bool (*fn)(char *line, void *arg), void *arg)
{
    int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC), rc;
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    char buf[4096], *line = NULL;
    size_t cap = 0;
    ssize_t n;

    if (!f)
        return errno;
    setvbuf(f, buf, _IOFBF, sizeof buf);
    while ((n = getline(&line, &cap, f)) > 0 && line[n - 1] == '\n') {
        line[n - 1] = '\0';
        if (!fn(line, arg))
            break;
    }
    rc = ferror(f) ? errno : 0;
    fclose(f);
    free(line);
    return rc;
}

struct keys {
    const struct proc_key *key;
    size_t n;
    unsigned seen;
};

static bool take_key(char *line, void *arg)
{
    struct keys *k = arg;
    size_t len = strcspn(line, ": ");
    const char *p = line + len + (line[len] == ':');

    for (size_t i = 0; i < k->n; i++)
        if (strncmp(k->key[i].name, line, len) == 0 && k->key[i].name[len] == '\0' &&
            proc_number(&p, k->key[i].value))
            k->seen |= 1u << i;
    return k->seen != (1u << k->n) - 1;
}

int proc_keys(int root_fd, const char *path, const struct proc_key *key, size_t n, unsigned *seen)
{
    struct keys k = {.key = key, .n = n};
    int rc = proc_each_line(root_fd, path, take_key, &k);

    if (seen)
        *seen = k.seen;
    return rc ? rc : k.seen == (1u << n) - 1 ? 0 : EBADMSG;
}

bool proc_file_number(int root_fd, const char *path, uint64_t *v)
{
    char text[64];
    const char *p = text;
    size_t len;

    return proc_read(root_fd, path, text, sizeof text, &len) == 0 && proc_number(&p, v);
}

bool proc_word(int root_fd, const char *path, char *buf, size_t size)
{
    size_t len;

    if (proc_read(root_fd, path, buf, size, &len) != 0)
        return false;
    while (len && (buf[len - 1] == '\n' || buf[len - 1] == ' '))
        buf[--len] = '\0';
    return true;
}

DIR *proc_open_dir(int root_fd, const char *path)
{
    int fd = openat(root_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), why;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && !dir) {
        why = errno;
        close(fd);
        errno = why;
    }
    return dir;
}

bool proc_number(const char **p, uint64_t *value)
{
    const char *s = *p;
    uint64_t v = 0;

    while (*s == ' ' || *s == '\t')
        s++;
    bool negative = *s == '-';
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

/* --- one process ----------------------------------------------------------------------------- */

#define PATH_MAX_PROC 64

static const char *pid_path(char path[PATH_MAX_PROC], pid_t pid, pid_t tid, const char *file)
{
    if (tid)
        snprintf(path, PATH_MAX_PROC, "%d/task/%d/%s", (int)pid, (int)tid, file);
    else
        snprintf(path, PATH_MAX_PROC, "%d/%s", (int)pid, file);
    return path;
}

int proc_stat_read(int root_fd, pid_t pid, struct proc_stat *st)
{
    /* where each column after the parent goes, by its number in proc(5) */
    uint64_t skip, *const to[] = {[9] = &st->flags,
                                  [10] = &st->minor_faults,
                                  [11] = &st->child_minor_faults,
                                  [12] = &st->major_faults,
                                  [13] = &st->child_major_faults,
                                  [14] = &st->utime,
                                  [15] = &st->stime,
                                  [16] = &st->child_utime,
                                  [17] = &st->child_stime,
                                  [20] = &st->threads,
                                  [22] = &st->start_ticks,
                                  [24] = &st->rss_pages};
    char path[PATH_MAX_PROC], text[2048];
    uint64_t ppid;
    size_t len;
    int rc = proc_read(root_fd, pid_path(path, pid, 0, "stat"), text, sizeof text, &len);

    if (rc)
        return rc;
    const char *left = memchr(text, '(', len);
    const char *right = memrchr(text, ')', len);
    if (!left || !right || right < left || right[1] != ' ' || !right[2] || right[3] != ' ')
        return EBADMSG;
    len = (size_t)(right - left - 1);
    len = len < PROC_COMM_MAX ? len : PROC_COMM_MAX - 1;
    memcpy(st->comm, left + 1, len);
    st->comm[len] = '\0';
    str_printable(st->comm, len, '?');
    st->state = right[2];
    const char *p = right + 3;
    if (!proc_whole_number(&p, &ppid) || ppid > INT_MAX)
        return EBADMSG;
    st->ppid = (pid_t)ppid;
    for (size_t column = 5; column < COUNT(to); column++)
        if (!proc_whole_number(&p, to[column] ? to[column] : &skip))
            return EBADMSG;
    return 0;
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

int proc_status_read(int root_fd, pid_t pid, pid_t tid, struct proc_status *out)
{
    uint64_t tgid;
    const struct proc_key key[] = {
        {"Tgid", &tgid},
        {"Threads", &out->threads},
        {"voluntary_ctxt_switches", &out->vol_switches},
        {"nonvoluntary_ctxt_switches", &out->invol_switches},
    };
    char path[PATH_MAX_PROC];
    int rc = proc_keys(root_fd, pid_path(path, pid, tid, "status"), key, COUNT(key), NULL);

    if (!rc && tgid > INT_MAX)
        rc = EBADMSG;
    if (!rc)
        out->tgid = (pid_t)tgid;
    return rc;
}

int proc_io_read(int root_fd, pid_t pid, uint64_t *read_bytes, uint64_t *write_bytes)
{
    const struct proc_key key[] = {{"read_bytes", read_bytes}, {"write_bytes", write_bytes}};
    char path[PATH_MAX_PROC];

    return proc_keys(root_fd, pid_path(path, pid, 0, "io"), key, COUNT(key), NULL);
}

int proc_row_read(int root_fd, pid_t pid, pid_t tid, const char *file, uint64_t value[3])
{
    char path[PATH_MAX_PROC], text[256];
    const char *p = text;
    size_t len;
    int rc = proc_read(root_fd, pid_path(path, pid, tid, file), text, sizeof text, &len);

    for (size_t i = 0; !rc && i < 3; i++)
        if (!proc_whole_number(&p, &value[i]))
            rc = EBADMSG;
    return rc;
}

int proc_command_read(int root_fd, pid_t pid, struct str *out)
{
    char path[PATH_MAX_PROC];
    int rc = proc_read_all(root_fd, pid_path(path, pid, 0, "cmdline"), out);

    while (out->len && !out->s[out->len - 1])
        out->len--;
    for (size_t i = 0; i < out->len; i++)
        if (!out->s[i])
            out->s[i] = ' ';
    return rc;
}

bool proc_pressure(int root_fd, const char *path, uint64_t *us)
{
    char text[256]; /* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345" */
    const char *total = NULL;
    size_t len;

    if (proc_read(root_fd, path, text, sizeof text, &len) == 0 && strncmp(text, "some ", 5) == 0)
        total = strstr(text, "total=");
    return total && (total += 6, proc_number(&total, us));
}

long proc_setting(const char *path, long otherwise)
{
    char text[32];

    return proc_word(-1, path, text, sizeof text) ? atol(text) : otherwise;
}

bool pid_is_one_of(pid_t pid, const pid_t *pids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

/* --- lists ----------------------------------------------------------------------------------- */

void pid_list_add(struct pid_list *list, pid_t id)
{
    list->ids = mem_append(list->ids, list->n, sizeof *list->ids);
    list->ids[list->n++] = id;
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

int proc_list_tasks(int root_fd, pid_t pid, struct pid_list *list)
{
    char path[PATH_MAX_PROC];
    struct dirent *entry;
    DIR *dir = proc_open_dir(root_fd, pid ? pid_path(path, pid, 0, "task") : ".");

    list->n = 0;
    if (!dir)
        return errno;
    while ((entry = readdir(dir))) { /* those that are nothing but a positive number */
        const char *p = entry->d_name;
        uint64_t id;
        if (*p >= '1' && *p <= '9' && proc_number(&p, &id) && !*p && id <= INT_MAX)
            pid_list_add(list, (pid_t)id);
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
    int rc = proc_read_all(root_fd, pid_path(path, pid, tid ? tid : pid, "children"), scratch);

    if (rc)
        return rc;
    for (p = str_cstr(scratch); proc_whole_number(&p, &id);)
        if (id && id <= INT_MAX)
            pid_list_add(list, (pid_t)id);
    return 0;
}

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

static int find_by_parent(struct proc_tree *t, int root_fd, pid_t root)
{
    struct proc_stat st;
    size_t n = 0;
    int rc = proc_list_tasks(root_fd, 0, &t->all);

    if (rc)
        return rc;
    pid_t *of = mem_array(t->all.n, sizeof *of); /* the parents, beside `all` */
    for (size_t i = 0; i < t->all.n; i++) {
        if (proc_stat_read(root_fd, t->all.ids[i], &st) != 0)
            continue; /* ended meanwhile */
        of[n] = st.ppid;
        t->all.ids[n++] = t->all.ids[i];
    }
    t->all.n = n;
    /* the root's, then those of each that was found; parents in a captured tree may form a cycle:
     * stop at the number of processes */
    t->found.n = 0;
    for (size_t k = 0; k <= t->found.n && t->found.n <= n; k++) {
        pid_t parent = k ? t->found.ids[k - 1] : root;
        if (k && t->found.n > PROC_TREE_DEEP)
            break;
        for (size_t i = 0; i < n; i++)
            if (of[i] == parent && t->all.ids[i] != parent)
                pid_list_add(&t->found, t->all.ids[i]);
    }
    free(of);
    return 0;
}

int proc_tree_find(struct proc_tree *t, int root_fd, pid_t root)
{
    struct proc_stat st;

    t->found.n = 0;
    if (t->no_children_files)
        return find_by_parent(t, root_fd, root);
    int rc = add_children(t, root_fd, root);
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

void proc_tree_list(struct proc_tree *t, const pid_t *pids, size_t n, bool tree,
                    struct pid_list *out)
{
    int root = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (size_t i = 0; i < n; i++) {
        pid_list_add(out, pids[i]);
        if (tree && root >= 0 && proc_tree_find(t, root, pids[i]) == 0)
            for (size_t k = 0; k < t->found.n; k++)
                pid_list_add(out, t->found.ids[k]);
    }
    fd_close(root);
    pid_list_sort(out);
}

void proc_tree_free(struct proc_tree *t)
{
    pid_list_free(&t->found);
    pid_list_free(&t->tids);
    pid_list_free(&t->all);
    str_free(&t->scratch);
    *t = (struct proc_tree){0};
}

/* --- /proc/stat ------------------------------------------------------------------------------ */

uint64_t proc_cpu_total(const union proc_cpu_ticks *cpu)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < CPU_COLUMNS; i++)
        sum += cpu->column[i];
    return sum;
}

enum { SEEN_CPU = 1, SEEN_ALL = 127 };

struct stat_reading {
    struct proc_host h;
    unsigned seen;
};

/* Of the long "intr" line only the first number, the total, is needed.  The lines of CPUs come
 * first. */
static bool take_stat_line(char *line, void *arg)
{
    struct stat_reading *r = arg;
    struct proc_host *h = &r->h;
    const struct proc_key key[] = {{"intr", &h->interrupts},       {"ctxt", &h->switches},
                                   {"btime", &h->boot_s},          {"processes", &h->forks},
                                   {"procs_running", &h->running}, {"procs_blocked", &h->blocked}};
    struct keys k = {.key = key, .n = COUNT(key)};
    union proc_cpu_ticks cpu = {0};
    const char *p = line + 3;
    size_t n = 0;

    if (strncmp(line, "cpu", 3) != 0) {
        take_key(line, &k);
        r->seen |= k.seen * 2;
        return true;
    }
    if (*p != ' ') { /* one CPU */
        h->online_cpus += isdigit((unsigned char)*p) != 0;
        return true;
    }
    /* kernels 2.6.x added the columns after iowait one by one: a missing one is 0 */
    while (n < CPU_COLUMNS && proc_number(&p, &cpu.column[n]))
        n++;
    if (n < 4)
        return true;
    h->cpu = cpu;
    r->seen |= SEEN_CPU;
    return true;
}

int proc_host_read(int root_fd, struct proc_host *out, struct err *e)
{
    struct stat_reading r = {0};
    int rc = proc_each_line(root_fd, "stat", take_stat_line, &r);

    *out = r.h;
    if (rc)
        return err_sys(e, rc, "cannot read the system's stat file");
    if (out->online_cpus && r.seen == SEEN_ALL)
        return 0;
    return err_set(e, ERR_FAILED, "the system's stat file %s",
                   !(r.seen & SEEN_CPU)    ? "lacks the cpu line"
                   : out->online_cpus == 0 ? "lacks the lines of single CPUs"
                                           : "lacks one of its counters");
}
