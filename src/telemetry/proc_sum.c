/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See server_state.h.  The list of children holds pointers: it is sorted whenever new
 * ones appear, and a member has a few hundred bytes.
 */
#include "telemetry/server_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "telemetry/sample.h"

enum { ATTEMPTS = 3 };

int proc_sum_init(struct proc_sum *w, struct reader *r, pid_t pid, bool tree)
{
    int rc;

    *w = (struct proc_sum){.tree = tree};
    rc = member_init(&w->root, r, pid);
    w->alive = rc == 0 && !w->root.ended;
    return rc ? rc : w->alive ? 0 : ESRCH;
}

static void drop_child(struct member *m)
{
    member_fini(m);
    free(m);
}

void proc_sum_fini(struct proc_sum *w)
{
    for (size_t i = 0; i < w->n; i++)
        drop_child(w->child[i]);
    free(w->child);
    member_fini(&w->root);
    proc_tree_free(&w->find);
    *w = (struct proc_sum){0};
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

static bool add_child(struct proc_sum *w, struct reader *r, pid_t pid)
{
    struct member *m = mem_alloc(sizeof *m);

    if (member_init(m, r, pid) != 0) {
        drop_child(m);
        return false;
    }
    if (w->n == w->cap) {
        w->cap = w->cap ? w->cap * 2 : 16;
        w->child = mem_grow(w->child, w->cap, sizeof w->child[0]);
    }
    m->stamp = w->stamp;
    w->child[w->n++] = m;
    return true;
}

/* Adds the last known figures of a child that has ended. */
static void keep_ended(struct proc_sum *w, const struct member *m)
{
    w->any_ended = true;
    w->ended.cpu_ns += m->now.cpu_ns;
    w->ended.sw.vol += m->now.sw.vol;
    w->ended.sw.invol += m->now.sw.invol;
    w->ended.sw.runq_wait_ns += m->now.sw.runq_wait_ns;
}

/* Removes members that the current list does not contain, or that are marked as ended (stamp 0). */
static void keep_unlisted_ended(struct proc_sum *w)
{
    size_t kept = 0;

    for (size_t i = 0; i < w->n; i++) {
        if (w->child[i]->stamp == w->stamp) {
            w->child[kept++] = w->child[i];
        } else {
            keep_ended(w, w->child[i]);
            drop_child(w->child[i]);
        }
    }
    w->n = kept;
}

/* The kernel's list may name a child twice when it changes under the reader. */
static void sort_children(struct proc_sum *w)
{
    size_t kept = 1;

    if (w->n < 2)
        return;
    qsort(w->child, w->n, sizeof w->child[0], by_pid);
    for (size_t i = 1; i < w->n; i++) {
        if (w->child[i]->pid == w->child[kept - 1]->pid)
            drop_child(w->child[i]);
        else
            w->child[kept++] = w->child[i];
    }
    w->n = kept;
}

/* Updates w->child to the list just made; false if a listed process has ended already. */
static bool update_children(struct proc_sum *w, struct reader *r)
{
    size_t known = w->n;
    bool all = true;

    if (++w->stamp == 0) /* 0 marks the dead */
        w->stamp = 1;
    for (size_t i = 0; i < w->find.found.n; i++) {
        pid_t pid = w->find.found.ids[i];
        struct member *m = find_child(w, known, pid);
        if (m)
            m->stamp = w->stamp;
        else if (pid != w->root.pid)
            all &= add_child(w, r, pid);
    }
    keep_unlisted_ended(w);
    sort_children(w);
    return all;
}

/* False: a child ended during the search, so its time may be missing from both its own figures
 * and its parent's. */
static bool read_children(struct proc_sum *w, struct reader *r)
{
    bool all;
    int rc = proc_tree_find(&w->find, r->root_fd, w->root.pid);

    if (rc)
        return false;
    all = update_children(w, r);
    /* in the order of the list: parents first */
    for (size_t i = 0; i < w->find.found.n; i++) {
        struct member *m = find_child(w, w->n, w->find.found.ids[i]);
        if (!m || m->stamp == 0)
            continue;
        rc = member_read(m, r, true);
        if (rc == ESRCH || rc == ESTALE) {
            m->stamp = 0;
            all = false;
        } else if (rc) {
            m->now.have = 0;
            reader_note(r, ~0u, "process %d: %s", (int)m->pid, strerror(rc));
        }
    }
    keep_unlisted_ended(w);
    return all;
}

/* True when the root has waited for a child since it was read. */
static bool root_waited(const struct proc_sum *w, const struct reader *r)
{
    const struct counts *c = &w->root.now;
    struct proc_stat st;

    if (!member_ran(&w->root))
        return false;
    if (proc_stat_read(r->root_fd, w->root.pid, &st) != 0)
        return true;
    return st.child_minor_faults != c->child_minor_faults ||
           st.child_utime + st.child_stime != w->root.child_ticks;
}

static void add_member(struct counts *sum, const struct counts *c, bool tree)
{
    sum->have &= c->have;
    sum->lower |= c->lower;
    sum->cpu_ns += c->cpu_ns;
    sum->utime += c->utime;
    sum->stime += c->stime;
    sum->minor_faults += c->minor_faults;
    sum->major_faults += c->major_faults;
    sum->read_bytes += c->read_bytes;
    sum->write_bytes += c->write_bytes;
    sum->sw.vol += c->sw.vol;
    sum->sw.invol += c->sw.invol;
    sum->sw.runq_wait_ns += c->sw.runq_wait_ns;
    sum->threads += c->threads;
    sum->rss_bytes += c->rss_bytes;
    if (!tree)
        return;
    sum->child_cpu_ns += c->child_cpu_ns;
    sum->child_user_ns += c->child_user_ns;
    sum->child_minor_faults += c->child_minor_faults;
    sum->child_major_faults += c->child_major_faults;
    /* shared pages are nearly the same pages in every process of a tree: the largest share once */
    if (c->shared_bytes > sum->shared_bytes) {
        sum->rss_bytes -= sum->shared_bytes;
        sum->shared_bytes = c->shared_bytes;
    } else {
        sum->rss_bytes -= c->shared_bytes;
    }
}

/* Adds what ended children used to the figures of the living. */
static void add_ended(struct proc_sum *w, struct reader *r, struct counts *sum)
{
    int64_t waited = sum->child_cpu_ns - w->base.child_cpu_ns;
    int64_t unwaited = w->ended.cpu_ns - waited; /* of children whose parent does not wait */

    sum->cpu_ns += sum->child_cpu_ns + (unwaited > 0 ? unwaited : 0);
    sum->minor_faults += sum->child_minor_faults;
    sum->major_faults += sum->child_major_faults;
    sum->sw.vol += w->ended.sw.vol;
    sum->sw.invol += w->ended.sw.invol;
    sum->sw.runq_wait_ns += w->ended.sw.runq_wait_ns;
    if (w->any_ended || sum->child_minor_faults != w->base.child_minor_faults) {
        sum->lower |= sum->have & (SAMPLE_SWITCHES | SAMPLE_RUNQ);
        reader_note(
            r, SAMPLE_SWITCHES | SAMPLE_RUNQ,
            "context switches, run-queue wait: lower bounds, what an ended process did after "
            "it was last read is not known");
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

static uint64_t grown(uint64_t was, uint64_t is)
{
    return is > was ? is : was;
}

/* The sum becomes the result, except for counters that would fall. */
static void advance(struct proc_sum *w, const struct reader *r, const struct counts *sum)
{
    struct counts *t = &w->total, was = *t;

    cpu_split_advance(&w->split, sum->cpu_ns, user_of(w, r, sum));
    *t = *sum;
    t->minor_faults = grown(was.minor_faults, sum->minor_faults);
    t->major_faults = grown(was.major_faults, sum->major_faults);
    t->read_bytes = grown(was.read_bytes, sum->read_bytes);
    t->write_bytes = grown(was.write_bytes, sum->write_bytes);
    t->sw.vol = grown(was.sw.vol, sum->sw.vol);
    t->sw.invol = grown(was.sw.invol, sum->sw.invol);
    t->sw.runq_wait_ns = grown(was.sw.runq_wait_ns, sum->sw.runq_wait_ns);
}

/*
 * Reads the root and, in a tree, its descendants, until they agree.  0 or the root's errno value.
 */
static int read_all(struct proc_sum *w, struct reader *r)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        int rc = member_read(&w->root, r, false);
        if (rc)
            return rc;
        if (w->root.ended)
            return ESRCH;
        if (!w->tree || (read_children(w, r) && !root_waited(w, r)))
            break;
    }
    return 0;
}

void proc_sum_read(struct proc_sum *w, struct reader *r)
{
    bool first = !w->root.was_read;
    struct counts sum = {.have = ~0u};
    int rc = read_all(w, r);

    if (rc == ESRCH || rc == ESTALE) {
        w->alive = false;
        w->processes = 0;
        if (rc == ESTALE)
            reader_note(r, ~0u, "%s (pid %d) has ended, the pid belongs to another process now",
                        w->root.comm, (int)w->root.pid);
        else
            reader_note(r, ~0u, "%s (pid %d) has ended", w->root.comm, (int)w->root.pid);
        return;
    }
    if (rc) {
        reader_note(r, ~0u, "process %d: %s", (int)w->root.pid, strerror(rc));
        w->total.have = 0;
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
        w->any_ended = false;
    }
    if (w->tree)
        add_ended(w, r, &sum);
    advance(w, r, &sum);
}
