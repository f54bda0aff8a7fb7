/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See switches.h.  A new thread of the process may get the id of an ended one.  Its counters start
 * at 0, whereas a thread's counters never decrease: lower counters reveal a new thread.
 */
#include "telemetry/switches.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "telemetry/proc_file.h"

static uint64_t grown_by(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

/* The growth since the last reading, on kernels whose messages leave out ended threads. */
static void add_growth(struct switch_sum *s, const struct taskstats_process *now,
                       uint64_t under_way)
{
    uint64_t vol = grown_by(now->vol_switches, s->last.vol_switches);
    uint64_t invol = grown_by(now->invol_switches, s->last.invol_switches);
    uint64_t runs = grown_by(now->runs, s->last.runs);
    bool fell =
        now->vol_switches < s->last.vol_switches || now->invol_switches < s->last.invol_switches;

    if (fell || runs > vol + invol + under_way) {
        double all = (double)now->vol_switches + (double)now->invol_switches;
        double share = all > 0 ? (double)now->vol_switches / all : 1.0;
        vol = (uint64_t)((double)runs * share);
        invol = runs - vol;
        s->estimated = true;
    }
    s->total.vol += vol;
    s->total.invol += invol;
}

void switch_sum_add(struct switch_sum *s, const struct taskstats_process *now, bool counts_ended,
                    uint64_t under_way)
{
    struct switch_counts *t = &s->total;

    if (!s->any || counts_ended) {
        /* an exiting thread was counted twice for a moment: keep the sum until the count has
         * caught up */
        t->vol = now->vol_switches > t->vol ? now->vol_switches : t->vol;
        t->invol = now->invol_switches > t->invol ? now->invol_switches : t->invol;
    } else {
        add_growth(s, now, under_way);
    }
    if (now->runq_wait_ns > t->runq_wait_ns)
        t->runq_wait_ns = now->runq_wait_ns;
    s->last.runs = now->runs > s->last.runs ? now->runs : s->last.runs;
    s->last.vol_switches = now->vol_switches;
    s->last.invol_switches = now->invol_switches;
    s->any = true;
}

struct task_seen {
    pid_t tid;
    struct switch_counts c;
};

static void add_counts(struct switch_counts *sum, const struct switch_counts *c)
{
    sum->vol += c->vol;
    sum->invol += c->invol;
    sum->runq_wait_ns += c->runq_wait_ns;
}

static int read_task(struct task_memory *m, int root_fd, pid_t pid, pid_t tid,
                     struct switch_counts *c)
{
    struct proc_status st;
    struct proc_schedstat sched;
    int rc = proc_status_read(root_fd, pid, tid, &st);

    if (rc)
        return rc;
    *c = (struct switch_counts){.vol = st.vol_switches, .invol = st.invol_switches};
    if (m->no_runq)
        return 0;
    rc = proc_schedstat_read(root_fd, pid, tid, &sched);
    if (rc == 0)
        c->runq_wait_ns = sched.wait_ns;
    else if (!proc_is_gone(rc) || tid == pid)
        m->no_runq = true; /* this kernel has no such file, or the file has no figures */
    return 0;
}

/* Adds the threads of the old list that are gone to the sum of the ended ones. */
static void sum_ended(struct task_memory *m, const struct task_seen *now, size_t n)
{
    size_t k = 0;

    for (size_t i = 0; i < m->n; i++) {
        const struct switch_counts *old = &m->seen[i].c;
        while (k < n && now[k].tid < m->seen[i].tid)
            k++;
        if (k < n && now[k].tid == m->seen[i].tid && now[k].c.vol >= old->vol &&
            now[k].c.invol >= old->invol)
            continue;
        add_counts(&m->ended, old);
        m->any_ended = true;
    }
}

static int list_tasks(struct task_memory *m, int root_fd, pid_t pid, uint64_t threads)
{
    if (threads != 1 || m->n > 1)
        return proc_list_tasks(root_fd, pid, &m->tids);
    m->tids.n = 0;
    pid_list_add(&m->tids, pid);
    return 0;
}

/* Lists the present threads in m->next; *n is their number. */
static int read_tasks(struct task_memory *m, int root_fd, pid_t pid, size_t *n)
{
    *n = 0;
    if (m->tids.n > m->next_cap) {
        m->next = mem_grow(m->next, m->tids.n, sizeof m->next[0]);
        m->next_cap = m->tids.n;
    }
    for (size_t i = 0; i < m->tids.n; i++) {
        struct task_seen *t = &m->next[*n];
        int rc;

        t->tid = m->tids.ids[i];
        rc = read_task(m, root_fd, pid, t->tid, &t->c);
        if (rc == 0)
            ++*n;
        else if (!proc_is_gone(rc)) /* a thread may end while we look */
            return rc;
    }
    return *n ? 0 : ESRCH;
}

int task_memory_read(struct task_memory *m, int root_fd, pid_t pid, uint64_t threads,
                     struct switch_counts *out, bool *has_runq)
{
    struct task_seen *old = m->seen;
    size_t n, old_cap = m->cap;
    int rc;

    if (threads > TASK_MEMORY_LIMIT)
        return E2BIG;
    rc = list_tasks(m, root_fd, pid, threads);
    if (!rc)
        rc = read_tasks(m, root_fd, pid, &n);
    if (rc)
        return rc;
    sum_ended(m, m->next, n);
    *out = m->ended;
    for (size_t i = 0; i < n; i++)
        add_counts(out, &m->next[i].c);
    *has_runq = !m->no_runq;

    m->seen = m->next, m->n = n, m->cap = m->next_cap;
    m->next = old, m->next_cap = old_cap;
    return 0;
}

void task_memory_free(struct task_memory *m)
{
    free(m->seen);
    free(m->next);
    pid_list_free(&m->tids);
    *m = (struct task_memory){0};
}
