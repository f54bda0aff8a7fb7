/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See ending.h.  The exiting threads are listed before and after the taskstats message.  If the two
 * lists are equal, the message counted exactly those threads twice.
 *
 * early_note: what is subtracted for such a thread is read before the message.  The thread still
 * runs: a later reading has switches that the message does not, and subtracting them would take
 * them from other threads.  What it did between the two readings stays counted, once.
 */
#include "telemetry/ending.h"

#include <string.h>

#include "telemetry/proc_pid.h"

enum { TRIES = 6 };

#define EXITING 0x4 /* PF_EXITING: the kernel's flags of a thread, in its stat */

static bool is_ending(int root_fd, pid_t pid, pid_t tid)
{
    struct proc_stat st;

    return proc_task_stat_read(root_fd, pid, tid, &st) == 0 && (st.flags & EXITING) &&
           st.state != 'Z' && st.state != 'X';
}

/* Lists the exiting threads in *tids. */
static void list_ending(int root_fd, pid_t pid, struct pid_list *tids)
{
    size_t n = 0;

    if (proc_list_tasks(root_fd, pid, tids))
        tids->n = 0;
    for (size_t i = 0; i < tids->n; i++)
        if (is_ending(root_fd, pid, tids->ids[i]))
            tids->ids[n++] = tids->ids[i];
    tids->n = n;
}

static void take(uint64_t *from, uint64_t what)
{
    *from -= what < *from ? what : *from;
}

/* Adds what one exiting thread has now (early_note). */
static bool add_thread(int root_fd, pid_t pid, pid_t tid, struct taskstats_process *sum)
{
    struct proc_schedstat sched;
    struct proc_status st;

    if (proc_status_read(root_fd, pid, tid, &st) || proc_schedstat_read(root_fd, pid, tid, &sched))
        return false;
    sum->vol_switches += st.vol_switches;
    sum->invol_switches += st.invol_switches;
    sum->runs += sched.runs;
    sum->runq_wait_ns += sched.wait_ns;
    sum->run_ns += (int64_t)sched.run_ns;
    return true;
}

static bool add_threads(int root_fd, pid_t pid, const struct pid_list *tids,
                        struct taskstats_process *sum)
{
    for (size_t i = 0; i < tids->n; i++)
        if (!add_thread(root_fd, pid, tids->ids[i], sum))
            return false;
    return true;
}

/* `counts_ended`: otherwise the message leaves out the switches of ended threads. */
static void take_all(struct taskstats_process *from, const struct taskstats_process *what,
                     bool counts_ended)
{
    if (counts_ended) {
        take(&from->vol_switches, what->vol_switches);
        take(&from->invol_switches, what->invol_switches);
    }
    take(&from->runs, what->runs);
    take(&from->runq_wait_ns, what->runq_wait_ns);
    from->run_ns -= what->run_ns;
}

static bool same_pids(const struct pid_list *a, const struct pid_list *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->ids, b->ids, a->n * sizeof *a->ids) == 0);
}

int ending_read_once(struct taskstats_link *link, int root_fd, pid_t pid,
                     struct taskstats_process *out)
{
    struct pid_list before = {0}, after = {0};
    bool good = false;
    int rc = 0;

    for (int i = 0; i < TRIES && rc == 0 && !good; i++) {
        struct taskstats_process twice = {0};
        list_ending(root_fd, pid, &before);
        good = add_threads(root_fd, pid, &before, &twice);
        rc = taskstats_read(link, pid, out);
        list_ending(root_fd, pid, &after);
        good = good && rc == 0 && same_pids(&before, &after);
        if (good)
            take_all(out, &twice, link->counts_ended);
    }
    pid_list_free(&before);
    pid_list_free(&after);
    return rc;
}
