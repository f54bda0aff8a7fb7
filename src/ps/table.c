/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See table.h.  Processes are members of the telemetry floor, read the same way as the server of a
 * benchmark.  A thread's exact CPU time is in its schedstat, which lags by up to one timer tick for
 * a thread that is running.
 */
#include "ps/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "telemetry/cpu_split.h"
#include "telemetry/member.h"
#include "telemetry/proc_file.h"

/* One process or thread, with its last two readings. */
struct entry {
    pid_t pid, tid;
    uint64_t start_ticks;
    uid_t uid;
    char name[PROC_COMM_MAX];
    struct str command;
    struct member *member; /* of a process */
    struct cpu_split split;
    struct counts was, is;
    int64_t was_user_ns, was_cpu_ns;
    mono_ns was_at, at;
    bool twice;     /* there is a reading before the last one */
    unsigned stamp; /* of the sample that saw it last */
};

struct ps_table {
    const struct ps_select *select;
    struct reader reader;
    struct entry **entry; /* ascending pid, tid */
    size_t n, cap;
    struct pid_list pids, tids;
    unsigned stamp;
    struct ps_row *row;
    size_t rows;
};

int ps_table_open(struct ps_table **out, const char *proc_root, const struct ps_select *select,
                  struct err *e)
{
    struct ps_table *t = mem_alloc(sizeof *t);

    *out = NULL;
    t->select = select;
    if (reader_open(&t->reader, proc_root, e)) {
        free(t);
        return -1;
    }
    *out = t;
    return 0;
}

static void entry_free(struct entry *x)
{
    if (x->member)
        member_fini(x->member);
    free(x->member);
    str_free(&x->command);
    free(x);
}

void ps_table_close(struct ps_table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++)
        entry_free(t->entry[i]);
    free(t->entry);
    free(t->row);
    pid_list_free(&t->pids);
    pid_list_free(&t->tids);
    reader_close(&t->reader);
    free(t);
}

/* --- identity ---------------------------------------------------------------------- */

/* The arguments as one line that is safe to show. */
static void read_command(struct ps_table *t, struct entry *x)
{
    char path[40];

    snprintf(path, sizeof path, "%d/cmdline", (int)x->pid);
    if (proc_read_all(t->reader.root_fd, path, &x->command) != 0 || x->command.len == 0) {
        str_reset(&x->command);
        str_printf(&x->command, "[%s]", x->name);
        return;
    }
    while (x->command.len && x->command.s[x->command.len - 1] == '\0')
        x->command.len--;
    for (size_t i = 0; i < x->command.len; i++)
        if (!x->command.s[i])
            x->command.s[i] = ' ';
    str_printable(x->command.s, x->command.len, '?', "");
    x->command.s[x->command.len] = '\0';
}

static void read_owner(struct ps_table *t, struct entry *x)
{
    struct stat st;
    char path[20];

    snprintf(path, sizeof path, "%d", (int)x->pid);
    if (fstatat(t->reader.root_fd, path, &st, 0) == 0)
        x->uid = st.st_uid;
}

/* The last part of the program's path: the first word of the command. */
static bool program_is(const struct entry *x, const char *name)
{
    const char *s = str_cstr(&x->command), *slash;
    size_t n = strcspn(s, " "), len = strlen(name);

    slash = memrchr(s, '/', n);
    if (slash) {
        n -= (size_t)(slash + 1 - s);
        s = slash + 1;
    }
    return n == len && memcmp(s, name, n) == 0;
}

static bool is_listed(const struct pid_list *list, pid_t pid)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->ids[i] == pid)
            return true;
    return false;
}

/* The kernel's name of a process is cut to 15 characters. */
static bool is_wanted(const struct ps_table *t, const struct entry *x)
{
    const struct ps_select *s = t->select;
    struct proc_stat st;

    if (s->pids.n == 0 && s->names == 0)
        return proc_stat_read(t->reader.root_fd, x->pid, &st) == 0 && !proc_stat_is_kernel(&st);
    if (is_listed(&s->pids, x->pid))
        return true;
    for (size_t i = 0; i < s->names; i++)
        if (strcmp(s->name[i], x->name) == 0 || program_is(x, s->name[i]))
            return true;
    return false;
}

/* --- reading ---------------------------------------------------------------------- */

static int thread_stat(struct ps_table *t, const struct entry *x, struct proc_stat *st)
{
    return proc_task_stat_read(t->reader.root_fd, x->pid, x->tid, st);
}

static bool read_thread(struct ps_table *t, struct entry *x)
{
    const struct reader *r = &t->reader;
    struct counts *c = &x->is;
    struct proc_stat st;
    struct proc_schedstat sched;
    struct proc_status status;
    int64_t user, sys;

    *c = (struct counts){0};
    x->at = clock_mono();
    if (thread_stat(t, x, &st) != 0 || st.start_ticks != x->start_ticks || proc_stat_ended(&st))
        return false;
    user = cpu_ticks_ns(st.utime, r->tick_ns);
    sys = cpu_ticks_ns(st.stime, r->tick_ns);
    c->cpu_ns = user + sys;
    c->have = SAMPLE_CPU;
    if (proc_schedstat_read(r->root_fd, x->pid, x->tid, &sched) == 0) {
        c->cpu_ns = (int64_t)sched.run_ns;
        c->sw.runq_wait_ns = sched.wait_ns;
        c->have |= SAMPLE_RUNQ;
    }
    if (proc_status_read(r->root_fd, x->pid, x->tid, &status) == 0) {
        c->sw.vol = status.vol_switches;
        c->sw.invol = status.invol_switches;
        c->have |= SAMPLE_SWITCHES;
    }
    cpu_split_advance(&x->split, c->cpu_ns,
                      cpu_split_user(c->cpu_ns, st.utime, st.stime, r->tick_ns, 0.5));
    return true;
}

static bool read_process(struct ps_table *t, struct entry *x)
{
    x->at = clock_mono();
    if (member_read(x->member, &t->reader, false) != 0 || x->member->ended)
        return false;
    x->is = x->member->now;
    cpu_split_advance(&x->split, x->is.cpu_ns, member_user_ns(x->member, &t->reader, 0.5));
    return true;
}

/* False: it has ended, or another process has the id now. */
static bool read_entry(struct ps_table *t, struct entry *x)
{
    x->was = x->is;
    x->was_at = x->at;
    x->was_cpu_ns = x->split.cpu_ns;
    x->was_user_ns = x->split.user_ns;
    return x->tid ? read_thread(t, x) : read_process(t, x);
}

static struct entry *new_entry(struct ps_table *t, pid_t pid, pid_t tid)
{
    struct entry *x = mem_alloc(sizeof *x);
    struct proc_stat st;
    bool ok;

    x->pid = pid;
    x->tid = tid;
    if (tid) {
        ok = thread_stat(t, x, &st) == 0;
        if (ok) {
            x->start_ticks = st.start_ticks;
            memcpy(x->name, st.comm, sizeof x->name);
        }
    } else {
        x->member = mem_alloc(sizeof *x->member);
        ok = member_init(x->member, &t->reader, pid) == 0;
        memcpy(x->name, x->member->comm, sizeof x->name);
    }
    if (ok) {
        read_command(t, x);
        read_owner(t, x);
    }
    if (!ok || (!tid && !is_wanted(t, x))) {
        entry_free(x);
        return NULL;
    }
    return x;
}

static int by_id(const void *a, const void *b)
{
    const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static struct entry *find(const struct ps_table *t, size_t n, pid_t pid, pid_t tid)
{
    struct entry key = {.pid = pid, .tid = tid}, *k = &key, **hit;

    hit = n ? bsearch(&k, t->entry, n, sizeof k, by_id) : NULL;
    return hit ? *hit : NULL;
}

static void add(struct ps_table *t, struct entry *x)
{
    if (t->n == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 64;
        t->entry = mem_grow(t->entry, t->cap, sizeof *t->entry);
    }
    t->entry[t->n++] = x;
}

/* Reads an entry that is listed now, again or for the first time. */
static void visit(struct ps_table *t, size_t known, pid_t pid, pid_t tid)
{
    struct entry *x = find(t, known, pid, tid);

    if (x) {
        if (read_entry(t, x)) {
            x->twice = true;
            x->stamp = t->stamp;
            return;
        }
        /* stays with its old stamp; the id may have been given to a new one */
    }
    x = new_entry(t, pid, tid);
    if (!x)
        return;
    if (!read_entry(t, x)) {
        entry_free(x);
        return;
    }
    x->twice = false;
    x->stamp = t->stamp;
    add(t, x);
}

/* With a row for each thread, the process itself is only checked for being selected. */
static bool wants_threads_of(struct ps_table *t, pid_t pid)
{
    struct entry x = {.pid = pid};
    struct proc_stat st;
    bool wanted;

    if (proc_stat_read(t->reader.root_fd, pid, &st) != 0)
        return false;
    memcpy(x.name, st.comm, sizeof x.name);
    read_command(t, &x);
    wanted = is_wanted(t, &x);
    str_free(&x.command);
    return wanted;
}

static void visit_threads(struct ps_table *t, size_t known, pid_t pid)
{
    if (!wants_threads_of(t, pid) || proc_list_tasks(t->reader.root_fd, pid, &t->tids) != 0)
        return;
    for (size_t i = 0; i < t->tids.n; i++)
        visit(t, known, pid, t->tids.ids[i]);
}

static void drop_gone(struct ps_table *t)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->n; i++) {
        if (t->entry[i]->stamp == t->stamp)
            t->entry[kept++] = t->entry[i];
        else
            entry_free(t->entry[i]);
    }
    t->n = kept;
}

int ps_table_sample(struct ps_table *t, struct err *e)
{
    size_t known = t->n;
    int rc = proc_list_tasks(t->reader.root_fd, 0, &t->pids);

    if (rc)
        return err_sys(e, rc, "cannot list the processes");
    t->stamp++;
    reader_begin(&t->reader);
    for (size_t i = 0; i < t->pids.n; i++) {
        if (t->select->threads)
            visit_threads(t, known, t->pids.ids[i]);
        else if (t->select->pids.n == 0 || t->select->names ||
                 is_listed(&t->select->pids, t->pids.ids[i]))
            visit(t, known, t->pids.ids[i], 0);
    }
    drop_gone(t);
    if (t->n)
        qsort(t->entry, t->n, sizeof *t->entry, by_id);
    return 0;
}

static struct ps_row row_of(const struct entry *x)
{
    struct ps_row r = {
        .pid = x->pid,
        .tid = x->tid,
        .uid = x->uid,
        .command = str_cstr(&x->command),
        .wall_ns = x->at - x->was_at,
        .user_ns = x->split.user_ns - x->was_user_ns,
        .sys_ns = (x->split.cpu_ns - x->split.user_ns) - (x->was_cpu_ns - x->was_user_ns),
        .have = x->is.have & (x->was.have | SAMPLE_THREADS | SAMPLE_MEMORY),
        .lower = x->is.lower | x->was.lower,
        .vol_switches = x->is.sw.vol - x->was.sw.vol,
        .invol_switches = x->is.sw.invol - x->was.sw.invol,
        .runq_wait_ns = (int64_t)(x->is.sw.runq_wait_ns - x->was.sw.runq_wait_ns),
        .threads = x->is.threads,
        .rss_bytes = x->is.rss_bytes,
    };

    memcpy(r.name, x->name, sizeof r.name);
    return r;
}

struct ps_row *ps_table_rows(struct ps_table *t, size_t *n)
{
    t->row = mem_grow(t->row, t->n + 1, sizeof *t->row);
    t->rows = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->entry[i]->twice)
            t->row[t->rows++] = row_of(t->entry[i]);
    *n = t->rows;
    return t->row;
}

size_t ps_table_present(const struct ps_table *t)
{
    return t->n;
}

size_t ps_table_missing(const struct ps_table *t, pid_t *pids, size_t max)
{
    size_t n = 0;

    for (size_t i = 0; i < t->select->pids.n && n < max; i++) {
        bool there = false;
        for (size_t k = 0; k < t->n && !there; k++)
            there = t->entry[k]->pid == t->select->pids.ids[i];
        if (!there)
            pids[n++] = t->select->pids.ids[i];
    }
    return n;
}
