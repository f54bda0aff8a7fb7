/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See server.h.  Adds up a set of watched processes; proc_sum.h reads each one and its
 * descendants.  The totals of a process that has ended stay in the sum, and its successor is added
 * to the set (server_lives.c).
 */
#include "telemetry/server.h"

#include <assert.h>
#include <sched.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "telemetry/proc_file.h"
#include "telemetry/remote.h"
#include "telemetry/server_state.h"

static int open_failed(pid_t pid, int errnum, struct err *e)
{
    if (errnum == ESRCH)
        return err_set(e, ERR_FAILED, "no process %d that this user can see", (int)pid);
    return err_sys(e, errnum, "cannot read process %d", (int)pid);
}

static int open_watch(struct server *s, pid_t pid, bool tree, struct err *e)
{
    struct proc_sum *w = &s->sum[s->n++];
    struct proc_status status;
    int rc = proc_sum_init(w, &s->reader, pid, tree);

    if (rc)
        return open_failed(pid, rc, e);
    /* /proc/TID exists although it is not listed; a thread's id would give its process's figures */
    if (proc_status_read(s->reader.root_fd, pid, 0, &status) == 0 && status.tgid != pid)
        return err_set(e, ERR_FAILED, "%d is a thread of process %d, name the process", (int)pid,
                       (int)status.tgid);
    return 0;
}

static bool is_listed(pid_t pid, const pid_t *pids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

/* True when pids[i] is counted already: it is in the list twice, or descends from another one. */
static bool is_covered(const struct server *s, const pid_t *pids, size_t n, size_t i, bool tree)
{
    struct proc_stat st = {.ppid = pids[i]};

    if (is_listed(pids[i], pids, i))
        return true;
    for (int depth = 0; tree && depth < 64 && st.ppid > 0; depth++) {
        if (proc_stat_read(s->reader.root_fd, st.ppid, &st) != 0)
            break;
        if (st.ppid != pids[i] && is_listed(st.ppid, pids, n))
            return true;
    }
    return false;
}

void server_name(struct server *s)
{
    str_reset(&s->describe);
    for (size_t i = 0; i < s->n; i++) {
        const struct proc_sum *w = &s->sum[i];
        if (w->replaced)
            continue;
        str_printf(&s->describe, "%s%s (pid %d%s)", s->describe.len ? ", " : "", w->root.comm,
                   (int)w->root.pid, w->tree ? " and its children" : "");
    }
}

int server_open(struct server **out, const char *proc_root, const pid_t *pids, size_t n, bool tree,
                struct err *e)
{
    struct server *s = mem_alloc(sizeof *s);

    assert(n > 0);
    *out = NULL;
    if (reader_open(&s->reader, proc_root, e)) {
        free(s);
        return -1;
    }
    s->reader.shared_memory = tree;
    s->sum = mem_array(n, sizeof s->sum[0]);
    for (size_t i = 0; i < n; i++) {
        if (is_covered(s, pids, n, i, tree))
            continue;
        if (open_watch(s, pids[i], tree, e)) {
            server_close(s);
            return -1;
        }
    }
    server_name(s);
    *out = s;
    return 0;
}

struct server *server_of_remote(struct remote *remote)
{
    struct server *s = mem_alloc(sizeof *s);

    s->remote = remote;
    return s;
}

int server_cpus(const struct server *s)
{
    return s->remote ? remote_cpus(s->remote) : 0;
}

int server_usable_cpus(const struct server *s)
{
    cpu_set_t set;

    for (size_t i = 0; i < s->n; i++)
        if (!s->sum[i].replaced && sched_getaffinity(s->sum[i].root.pid, sizeof set, &set) == 0)
            return CPU_COUNT(&set);
    return 0;
}

void server_close(struct server *s)
{
    if (!s)
        return;
    if (s->remote) {
        free(s);
        return;
    }
    for (size_t i = 0; i < s->n; i++)
        proc_sum_fini(&s->sum[i]);
    free(s->sum);
    free(s->finder);
    str_free(&s->describe);
    reader_close(&s->reader);
    free(s);
}

void server_add_total(struct sample *out, const struct proc_sum *w)
{
    const struct counts *t = &w->total;

    out->cpu_ns += w->split.cpu_ns;
    out->user_ns += w->split.user_ns;
    out->vol_switches += t->sw.vol;
    out->invol_switches += t->sw.invol;
    out->runq_wait_ns += (int64_t)t->sw.runq_wait_ns;
    out->minor_faults += t->minor_faults;
    out->major_faults += t->major_faults;
    out->read_bytes += t->read_bytes;
    out->write_bytes += t->write_bytes;
    if (!w->replaced) /* of what ended before an interval, the interval has nothing */
        out->lower |= t->lower;
    out->kept &= t->have;
    if (!w->alive) {
        out->ended++;
        return;
    }
    out->have &= t->have;
    out->processes += w->processes;
    out->rss_bytes += t->rss_bytes;
    out->threads += t->threads;
}

static void read_watched(struct server *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->sum[i].alive)
            proc_sum_read(&s->sum[i], &s->reader);
}

static void finish_reading(struct server *s, struct sample *out)
{
    if (out->processes == 0)
        out->have = 0;
    out->lower &= out->have | out->kept;
    /* members that have not run since the last reading are skipped, and would not report their
     * reasons again */
    if (~out->have & SAMPLE_ALL)
        reader_note(&s->reader, ~out->have & SAMPLE_ALL, "not everything can be read");
    if (out->lower)
        reader_note(&s->reader, out->lower, "some figures are lower bounds");
    out->sys_ns = out->cpu_ns - out->user_ns;
    snprintf(out->reason, sizeof out->reason, "%s", s->reader.reason);
}

void server_read(struct server *s, struct sample *out)
{
    mono_ns begin = clock_mono(), end;

    if (s->remote) {
        struct stream_reading r;
        remote_read(s->remote, &r);
        *out = r.sample;
        return;
    }
    reader_begin(&s->reader);
    read_watched(s);
    server_find_successors(s);
    *out = (struct sample){.have = ~0u, .kept = ~0u};
    for (size_t i = 0; i < s->n; i++)
        server_add_total(out, &s->sum[i]);
    server_note_lives(s, out);
    finish_reading(s, out);
    end = clock_mono();
    out->at = begin + (end - begin) / 2;
    out->cost_ns = end - begin;
    if (!server_misses(s))
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
