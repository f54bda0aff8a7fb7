/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See server.h.  Adds up a set of watched processes, each alone or with all its descendants; it
 * notices that one has ended, asks for its successor and adds that to the set.  Processes that have
 * ended stay in the set: their last totals are part of the sum.
 *
 * The counters of a process and its descendants are one sum that never decreases.  The figures of
 * ended children come from their parents' child times, which the kernel updates when a parent waits
 * (exactly, in 10 ms steps), or from the last readings if a parent does not wait.  Nothing is
 * counted twice or lost:
 *
 * Until a child has been waited for, its CPU time is its own; from then on it is part of its
 * parent's child times.  So the wait does not change the sum of own and child times over the tree.
 * But a reading takes time, and a child that ends meanwhile may be missing from both.  Therefore
 * the reading is repeated if a listed child could not be read or the root's child times changed.
 * Parents are read before children, so that even a failed last attempt is too small, never too
 * large; the sum then keeps its value until the kernel's has caught up.
 *
 * The kernel's list of children may omit living ones when others end while it is read, and beyond
 * PROC_TREE_DEEP processes it has no grandchildren.  So one that is not listed counts as ended only
 * when it is not there any more, or not its parent's.
 *
 * A restarted server is another process: its counters begin at zero, and its predecessor's end with
 * the last reading.  The sum of both only grows, so the figures of a run are differences as before,
 * except for what the old process did after its last reading.  A successor that began after the
 * last reading belongs to the run from its first instruction on.  One that was there before (the
 * clients went over to another server of this host) counts from its first reading on.
 */
#include "telemetry/server.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "telemetry/cgroup.h"
#include "telemetry/member.h"
#include "telemetry/proc.h"
#include "telemetry/remote.h"

enum { ATTEMPTS = 3, MAX_FOUND = 64 };

/* One process, with or without its descendants. */
struct proc_sum {
    struct member root;
    bool tree, alive;
    bool replaced;         /* it has ended, and another one is read in its place */
    struct member **child; /* ascending pid; pointers: it is sorted whenever new ones appear */
    size_t n;
    unsigned stamp; /* number of the present reading */
    struct proc_tree find;
    struct counts base;     /* child_* of the first reading: what had ended before */
    struct counts ended;    /* last readings of children that have ended since */
    uint64_t nended;        /* those */
    uint64_t gone;          /* sample.gone */
    struct cpu_split split; /* CPU time of the total */
    struct counts total;    /* the result; includes what ended children used */
    int processes;          /* alive at the last reading */
};

struct server {
    struct reader reader;
    struct proc_sum *sum;
    size_t n;
    struct str describe;
    struct remote *remote;       /* NULL: processes of this host */
    struct server_finder finder; /* find is NULL: ended processes are not replaced */
    dur_ns read_boot; /* clock_boot() of the last reading that missed no process; 0: none yet */
    unsigned found, whole;        /* as in the sample */
    unsigned found_before, ended; /* of the last reading */
    mono_ns changed;              /* as in the sample, and: */
    int was, is, moved;
    struct sample base; /* what successors had done before they were needed: not in the sum */
};

/* --- one process, with or without its descendants -------------------------------------------- */

/* 0 or an errno value (ESRCH: no such process).  proc_sum_fini releases in both cases. */
static int proc_sum_init(struct proc_sum *w, struct reader *r, pid_t pid, bool tree)
{
    *w = (struct proc_sum){.tree = tree};
    int rc = member_init(&w->root, r, pid);
    w->alive = rc == 0 && !w->root.ended;
    return rc ? rc : w->alive ? 0 : ESRCH;
}

static void drop_child(struct member *m)
{
    member_fini(m);
    free(m);
}

static void proc_sum_fini(struct proc_sum *w)
{
    for (size_t i = 0; i < w->n; i++)
        drop_child(w->child[i]);
    free(w->child);
    member_fini(&w->root);
    proc_tree_free(&w->find);
}

static int by_pid(const void *a, const void *b)
{
    const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Among the first n, which are sorted. */
static struct member *find_child(const struct proc_sum *w, size_t n, pid_t pid)
{
    struct member key = {.pid = pid}, *k = &key, **hit;

    hit = n ? bsearch(&k, w->child, n, sizeof k, by_pid) : NULL;
    return hit ? *hit : NULL;
}

/* Removes children without the present stamp: their last known figures stay in the sum. */
static void keep_ended(struct proc_sum *w)
{
    size_t kept = 0;

    for (size_t i = 0; i < w->n; i++) {
        struct member *m = w->child[i];
        if (m->stamp == w->stamp) {
            w->child[kept++] = m;
            continue;
        }
        w->nended++;
        for (size_t k = 0; k < COUNTS; k++)
            w->ended.count[k] += m->now.count[k];
        drop_child(m);
    }
    w->n = kept;
}

/* False: a child ended during the search, so its time may be missing from both its own figures
 * and its parent's. */
static bool read_children(struct proc_sum *w, struct reader *r)
{
    struct pid_list *list = &w->find.found;
    size_t known = w->n;
    bool all = true;

    if (proc_tree_find(&w->find, r->root_fd, w->root.pid) != 0)
        return false;
    if (++w->stamp == 0) /* 0 marks the dead */
        w->stamp = 1;
    for (size_t i = 0; i < list->n; i++) {
        struct member *m = find_child(w, known, list->ids[i]);
        /* the kernel's list may name a child twice when it changes under the reader */
        for (size_t k = known; !m && k < w->n; k++)
            m = w->child[k]->pid == list->ids[i] ? w->child[k] : NULL;
        if (!m && list->ids[i] != w->root.pid) {
            m = mem_alloc(sizeof *m);
            if (member_init(m, r, list->ids[i]) != 0) {
                drop_child(m);
                all = false;
                continue;
            }
            w->child = mem_append(w->child, w->n, sizeof(*w->child));
            w->child[w->n++] = m;
        }
        if (m)
            m->stamp = w->stamp;
    }
    for (size_t i = 0; i < known; i++) {
        struct member *m = w->child[i];
        struct proc_stat st;
        if (m->stamp != w->stamp && proc_stat_read(r->root_fd, m->pid, &st) == 0 &&
            st.start_ticks == m->start_ticks && st.ppid == m->ppid) {
            m->stamp = w->stamp;
            pid_list_add(list, m->pid);
        }
    }
    keep_ended(w);
    if (w->n > 1)
        qsort(w->child, w->n, sizeof w->child[0], by_pid);
    /* in the order of the list: parents first */
    for (size_t i = 0; i < list->n; i++) {
        struct member *m = find_child(w, w->n, list->ids[i]);
        int rc = m && m->stamp ? member_read(m, r, true) : 0;
        if (rc == ESRCH || rc == ESTALE) {
            m->stamp = 0;
            all = false;
        } else if (rc) {
            m->now.have = 0;
            reader_note(r, ~0u, "process %d: %s", (int)m->pid, strerror(rc));
        }
    }
    keep_ended(w);
    return all;
}

/* Reads the root and, in a tree, its descendants, until they agree.  0 or the root's errno value.
 */
static int read_all(struct proc_sum *w, struct reader *r)
{
    const struct member *root = &w->root;
    struct proc_stat st;

    for (int i = 0; i < ATTEMPTS; i++) {
        int rc = member_read(&w->root, r, false);
        if (rc)
            return rc;
        if (root->ended)
            return ESRCH;
        /* has the root waited for a child since it was read? */
        if (!w->tree ||
            (read_children(w, r) &&
             (!member_ran(root) || (proc_stat_read(r->root_fd, root->pid, &st) == 0 &&
                                    st.child_minor_faults == root->now.child_minor_faults &&
                                    st.child_utime + st.child_stime == root->child_ticks))))
            break;
    }
    return 0;
}

static void add_member(struct counts *sum, const struct counts *c, bool tree)
{
    for (size_t i = 0; i < COUNTS; i++)
        sum->count[i] += c->count[i];
    sum->have &= c->have;
    sum->lower |= c->lower;
    sum->utime += c->utime;
    sum->stime += c->stime;
    if (!tree)
        return;
    sum->child_minor_faults += c->child_minor_faults;
    sum->child_major_faults += c->child_major_faults;
    sum->child_cpu_ns += c->child_cpu_ns;
    sum->child_user_ns += c->child_user_ns;
    /* shared pages are nearly the same pages in every process of a tree: the largest share once */
    if (c->shared_bytes > sum->shared_bytes) {
        sum->rss_bytes -= sum->shared_bytes;
        sum->shared_bytes = c->shared_bytes;
    } else {
        sum->rss_bytes -= c->shared_bytes;
    }
}

/*
 * The best estimate of the user part of sum->cpu_ns, for living and ended processes.  A process
 * that has hardly run has next to no ticks: the share of all of them tells more.
 */
static int64_t user_of(const struct proc_sum *w, const struct reader *r, const struct counts *sum)
{
    double user = (double)sum->utime + (double)sum->child_user_ns / (double)r->tick_ns;
    double all =
        (double)sum->utime + (double)sum->stime + (double)sum->child_cpu_ns / (double)r->tick_ns;
    double share = all > 0 ? user / all : 0.5;
    int64_t lived = w->root.now.cpu_ns, ns = member_user_ns(&w->root, r, share);

    if (!w->tree)
        return ns;
    for (size_t i = 0; i < w->n; i++) {
        lived += w->child[i]->now.cpu_ns;
        ns += member_user_ns(w->child[i], r, share);
    }
    /* the rest: ended processes whose parents do not wait */
    return ns + sum->child_user_ns +
           (int64_t)(share * (double)(sum->cpu_ns - lived - sum->child_cpu_ns));
}

/*
 * Reads w->total.  If the process has ended or was replaced, w->alive becomes false, the reader's
 * reason says so, and w->total keeps its last values.
 */
static void proc_sum_read(struct proc_sum *w, struct reader *r)
{
    bool first = !w->root.was_read;
    struct counts sum = {.have = ~0u}, *t = &w->total;
    int rc = read_all(w, r);

    if (rc == ESRCH || rc == ESTALE) {
        w->alive = false;
        w->processes = 0;
        reader_note(r, ~0u, "%s (pid %d) has ended%s", w->root.comm, (int)w->root.pid,
                    rc == ESTALE ? ", the pid belongs to another process now" : "");
        return;
    }
    if (rc) {
        reader_note(r, ~0u, "process %d: %s", (int)w->root.pid, strerror(rc));
        t->have = 0;
        return;
    }
    w->processes = 1;
    add_member(&sum, &w->root.now, w->tree);
    for (size_t i = 0; i < w->n; i++) {
        add_member(&sum, &w->child[i]->now, w->tree);
        w->processes += !w->child[i]->ended;
    }
    if (first) { /* a child that ended during the first reading can only be in the base */
        w->base = sum;
        w->ended = (struct counts){0};
        w->nended = 0;
    }
    if (w->tree) { /* what ended children used */
        int64_t waited = sum.child_cpu_ns - w->base.child_cpu_ns;
        int64_t unwaited = w->ended.cpu_ns - waited; /* of children whose parent does not wait */
        sum.cpu_ns += sum.child_cpu_ns + (unwaited > 0 ? unwaited : 0);
        sum.minor_faults += sum.child_minor_faults;
        sum.major_faults += sum.child_major_faults;
        for (size_t i = COUNT_SWITCHES; i < COUNT_THROTTLED; i++)
            sum.count[i] += w->ended.count[i];
        w->gone = w->nended + sum.child_minor_faults - w->base.child_minor_faults;
        if (w->gone)
            reader_note(
                r, SAMPLE_SWITCHES | SAMPLE_RUNQ,
                "context switches, run-queue wait: activity of exited processes after the last "
                "sample is missing");
    }
    /* the sum becomes the result, except for counters that would fall */
    cpu_split_advance(&w->split, sum.cpu_ns, user_of(w, r, &sum));
    sum.cpu_ns = w->split.cpu_ns;
    sum.user_ns = w->split.user_ns;
    sum.sys_ns = sum.cpu_ns - sum.user_ns;
    for (size_t i = COUNT_FAULTS; i < COUNT_THROTTLED; i++)
        if (sum.count[i] < t->count[i])
            sum.count[i] = t->count[i];
    *t = sum;
}

/* --- the set --------------------------------------------------------------------------------- */

/* True when pids[i] is counted already: it is in the list twice, or descends from another one. */
static bool is_covered(const struct server *s, const pid_t *pids, size_t n, size_t i, bool tree)
{
    struct proc_stat st = {.ppid = pids[i]};

    if (pid_is_one_of(pids[i], pids, i))
        return true;
    for (int depth = 0; tree && depth < 64 && st.ppid > 0; depth++) {
        if (proc_stat_read(s->reader.root_fd, st.ppid, &st) != 0)
            break;
        if (st.ppid != pids[i] && pid_is_one_of(st.ppid, pids, n))
            return true;
    }
    return false;
}

static void name_processes(struct server *s)
{
    str_reset(&s->describe);
    for (size_t i = 0; i < s->n; i++) {
        const struct proc_sum *w = &s->sum[i];
        if (!w->replaced)
            str_printf(&s->describe, "%s%s (pid %d%s)", s->describe.len ? ", " : "", w->root.comm,
                       (int)w->root.pid, w->tree ? " and its children" : "");
    }
}

int server_open(struct server **out, const char *proc_root, const pid_t *pids, size_t n, bool tree,
                struct err *e)
{
    struct server *s = mem_alloc(sizeof *s);
    struct proc_status status;

    assert(n > 0);
    *out = NULL;
    if (reader_open(&s->reader, proc_root, e)) {
        free(s);
        return -1;
    }
    s->reader.shared_memory = tree;
    s->sum = mem_array(n, sizeof s->sum[0]);
    for (size_t i = 0; i < n; i++) {
        int pid = pids[i], rc;
        if (is_covered(s, pids, n, i, tree))
            continue;
        rc = proc_sum_init(&s->sum[s->n++], &s->reader, pid, tree);
        if (rc == ESRCH)
            err_set(e, ERR_FAILED, "no process %d that this user can see", pid);
        else if (rc)
            err_sys(e, rc, "cannot read process %d", pid);
        /* /proc/TID exists although it is not listed; a thread's id would give its process's
         * figures */
        else if (!proc_status_read(s->reader.root_fd, pid, 0, &status) && status.tgid != pid)
            rc = err_set(e, ERR_FAILED, "%d is a thread of process %d, name the process", pid,
                         (int)status.tgid);
        if (rc) {
            server_close(s);
            return -1;
        }
    }
    name_processes(s);
    *out = s;
    return 0;
}

struct server *server_of_remote(struct remote *remote)
{
    struct server *s = mem_alloc(sizeof *s);

    s->remote = remote;
    return s;
}

void server_follow(struct server *s, const struct server_finder *finder)
{
    if (!s->remote)
        s->finder = *finder;
}

int server_cpus(const struct server *s)
{
    return s->remote ? remote_told(s->remote)->cpus : 0;
}

double server_usable_cpus(const struct server *s)
{
    cpu_set_t set;
    struct quota q;

    for (size_t i = 0; i < s->n; i++) {
        pid_t pid = s->sum[i].root.pid;
        if (s->sum[i].replaced || sched_getaffinity(pid, sizeof set, &set) != 0)
            continue;
        double cpus = CPU_COUNT(&set);
        return !quota_read("/proc", pid, &q) && q.cpus < cpus ? q.cpus : cpus;
    }
    return 0;
}

void server_close(struct server *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        proc_sum_fini(&s->sum[i]);
    free(s->sum);
    str_free(&s->describe);
    if (!s->remote)
        reader_close(&s->reader);
    free(s);
}

/* Adds the totals of one process. */
static void add_total(struct sample *out, const struct proc_sum *w)
{
    const struct counts *t = &w->total;

    for (size_t i = 0; i < (w->alive ? COUNTS : COUNT_GAUGES); i++)
        out->count[i] += t->count[i];
    if (!w->replaced) /* of what ended before an interval, the interval has nothing */
        out->lower |= t->lower;
    out->gone += w->gone;
    out->kept &= t->have;
    if (!w->alive) {
        out->ended++;
        return;
    }
    out->have &= t->have;
    out->processes += w->processes;
}

/* An ended process without a successor; NULL: none. */
static struct proc_sum *missing(const struct server *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!s->sum[i].alive && !s->sum[i].replaced)
            return &s->sum[i];
    return NULL;
}

static size_t list_living(const struct server *s, pid_t pids[MAX_FOUND])
{
    size_t n = 0;

    for (size_t i = 0; i < s->n && n < MAX_FOUND; i++)
        if (s->sum[i].alive)
            pids[n++] = s->sum[i].root.pid;
    return n;
}

/* If a process has ended, looks for its successor, adds it and reads it. */
static void find_successors(struct server *s)
{
    pid_t pids[MAX_FOUND], living[MAX_FOUND];
    size_t n = 0, added = 0;
    bool tree = false;

    if (s->finder.find && missing(s))
        n = s->finder.find(s->finder.arg, pids, MAX_FOUND, &tree);
    for (size_t i = 0; i < n; i++) {
        struct proc_sum w, *old;
        dur_ns began; /* as clock_boot() counts; 0: not known */
        if (pid_is_one_of(pids[i], living, list_living(s, living)))
            continue;
        if (proc_sum_init(&w, &s->reader, pids[i], tree)) {
            proc_sum_fini(&w);
            continue;
        }
        proc_sum_read(&w, &s->reader);
        began = s->reader.live ? (dur_ns)w.root.start_ticks * s->reader.tick_ns : 0;
        bool anew = began + s->reader.tick_ns >= s->read_boot;
        if (!anew)
            add_total(&s->base, &w);
        s->sum = mem_grow(s->sum, s->n + 1, sizeof s->sum[0]);
        s->sum[s->n++] = w;
        added++;
        old = missing(s);
        if (old) {
            old->replaced = true;
            s->was = (int)old->root.pid;
            s->is = (int)w.root.pid;
            s->moved = !anew;
            s->changed = clock_mono() - (anew && began ? clock_boot() - began : 0);
        }
    }
    for (size_t i = 0; i < s->n; i++)
        if (!s->sum[i].alive && !s->sum[i].replaced)
            reader_note(&s->reader, ~0u, "%s (pid %d) has ended", s->sum[i].root.comm,
                        (int)s->sum[i].root.pid);
    if (!added)
        return;
    s->found++;
    name_processes(s);
    n = list_living(s, living);
    s->finder.found(s->finder.arg, living, n, tree);
}

void server_read(struct server *s, struct sample *out)
{
    mono_ns begin = clock_mono(), end;

    if (s->remote) {
        *out = remote_read(s->remote)->sample;
        return;
    }
    reader_begin(&s->reader);
    for (size_t i = 0; i < s->n; i++)
        if (s->sum[i].alive)
            proc_sum_read(&s->sum[i], &s->reader);
    find_successors(s);
    *out = (struct sample){.have = ~0u, .kept = ~0u};
    for (size_t i = 0; i < s->n; i++)
        add_total(out, &s->sum[i]);
    for (size_t i = 0; i < COUNT_GAUGES; i++)
        out->count[i] -= s->base.count[i];
    if (s->read_boot && out->processes && out->ended == s->ended && s->found == s->found_before)
        s->whole++;
    s->ended = out->ended;
    s->found_before = out->found = s->found;
    out->whole = s->whole;
    out->changed = s->changed;
    out->was = s->was;
    out->is = s->is;
    out->moved = s->moved;
    if (out->processes == 0)
        out->have = 0;
    out->lower &= out->have | out->kept;
    /* members that have not run since the last reading are skipped, and would not report their
     * reasons again */
    if (~out->have & SAMPLE_ALL)
        reader_note(&s->reader, ~out->have & SAMPLE_ALL, "not everything can be read");
    if (out->lower)
        reader_note(&s->reader, out->lower, "some figures are lower bounds");
    snprintf(out->reason, sizeof out->reason, "%s", s->reader.reason);
    end = clock_mono();
    out->at = begin + (end - begin) / 2;
    out->cost_ns = end - begin;
    if (!missing(s))
        s->read_boot = clock_boot();
}

unsigned server_exact(const struct server *s)
{
    if (s->remote || s->n == 0 || s->reader.taskstats.fd < 0 || !s->reader.taskstats.keeps_ended)
        return 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->sum[i].tree)
            return 0;
    return SAMPLE_SWITCHES;
}

const char *server_describe(const struct server *s)
{
    return s->remote ? remote_describe(s->remote) : str_cstr(&s->describe);
}
