/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See switches.h.  A request to taskstats is a netlink header, a generic netlink header and one
 * attribute; the reply is the same with nested attributes.  The reply's struct taskstats may be
 * longer or shorter than ours: its fields never move, and new ones are added at the end.
 *
 * A new thread of the process may get the id of an ended one.  Its counters start at 0, whereas a
 * thread's counters never decrease: lower counters reveal a new thread.
 */
#include "telemetry/switches.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "telemetry/proc.h"

/* Every message of ours and every answer fits; the union gives the alignment that headers need. */
union message {
    struct nlmsghdr h;
    char bytes[4096];
};

#define GENL_BODY (NLMSG_HDRLEN + GENL_HDRLEN)
#define ATTR_DATA 4 /* bytes of struct nlattr before the payload, a multiple of NLA_ALIGNTO */

/* Asks with one attribute, and waits for the answer.  0 or an errno value. */
static int ask(struct taskstats_link *t, uint16_t type, uint8_t cmd, uint16_t attr,
               const void *data, size_t n, union message *m)
{
    struct genlmsghdr genl = {.cmd = cmd, .version = TASKSTATS_GENL_VERSION};
    struct nlattr head = {.nla_len = (uint16_t)(ATTR_DATA + n), .nla_type = attr};
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    size_t len = GENL_BODY + NLA_ALIGN(ATTR_DATA + n);
    ssize_t got;
    int error;

    memset(m->bytes, 0, len);
    m->h = (struct nlmsghdr){.nlmsg_len = (uint32_t)len,
                             .nlmsg_type = type,
                             .nlmsg_flags = NLM_F_REQUEST,
                             .nlmsg_seq = ++t->seq};
    memcpy(m->bytes + NLMSG_HDRLEN, &genl, sizeof genl);
    memcpy(m->bytes + GENL_BODY, &head, sizeof head);
    memcpy(m->bytes + GENL_BODY + ATTR_DATA, data, n);
    if (sendto(t->fd, m->bytes, len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        return errno;
    do { /* ignores a late answer to an earlier question */
        got = recv(t->fd, m->bytes, sizeof m->bytes, 0);
        if (got < 0 && errno != EINTR)
            return errno;
    } while (got < (ssize_t)NLMSG_HDRLEN || m->h.nlmsg_seq != t->seq);
    if (m->h.nlmsg_len > (size_t)got || m->h.nlmsg_len < GENL_BODY)
        return EBADMSG;
    if (m->h.nlmsg_type != NLMSG_ERROR)
        return 0;
    memcpy(&error, m->bytes + NLMSG_HDRLEN, sizeof error);
    return error < 0 ? -error : EBADMSG;
}

/* The payload of the first attribute of that type in p[0..*n), or NULL; its length in *n. */
static const char *find_attr(const char *p, size_t *n, uint16_t type)
{
    size_t left = *n, step;
    struct nlattr head;

    for (; p && left >= sizeof head; p += step, left -= step) {
        memcpy(&head, p, sizeof head);
        if (head.nla_len < ATTR_DATA || head.nla_len > left)
            return NULL;
        if ((head.nla_type & NLA_TYPE_MASK) == type) {
            *n = head.nla_len - (size_t)ATTR_DATA;
            return p + ATTR_DATA;
        }
        step = NLA_ALIGN((size_t)head.nla_len);
        step = step < left ? step : left;
    }
    return NULL;
}

int taskstats_read(struct taskstats_link *t, pid_t pid, struct switch_counts *out)
{
    uint32_t tgid = (uint32_t)pid;
    struct taskstats stats = {0};
    union message m;
    int rc = ask(t, t->family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_TGID, &tgid, sizeof tgid, &m);

    if (rc)
        return rc;
    size_t n = m.h.nlmsg_len - GENL_BODY;
    const char *text = find_attr(m.bytes + GENL_BODY, &n, TASKSTATS_TYPE_AGGR_TGID);
    text = find_attr(text, &n, TASKSTATS_TYPE_STATS);
    if (!text || n < offsetof(struct taskstats, nivcsw) + sizeof stats.nivcsw)
        return EBADMSG;
    memcpy(&stats, text, n < sizeof stats ? n : sizeof stats);
    t->has_runq |= stats.cpu_count > 0;
    *out = (struct switch_counts){.vol = stats.nvcsw,
                                  .invol = stats.nivcsw,
                                  .runq_wait_ns = stats.cpu_delay_total,
                                  .run_ns = (int64_t)stats.cpu_run_virtual_total};
    return 0;
}

static void *switch_and_end(void *arg)
{
    enum { SLEEPS = 32 };
    struct timespec us = {.tv_nsec = 1000};
    pid_t *tid = arg;

    *tid = (pid_t)syscall(SYS_gettid);
    for (int i = 0; i < SLEEPS; i++)
        nanosleep(&us, NULL);
    return NULL;
}

/* Ends a thread and compares.  getrusage() includes ended threads; if it shows more switches than a
 * later reading of taskstats, taskstats does not include them.  Other threads of ours can only add
 * to the later reading. */
static bool keeps_ended(struct taskstats_link *t)
{
    struct timespec pause = {.tv_nsec = 50000};
    struct switch_counts after;
    struct rusage own;
    pthread_t thread;
    pid_t tid;

    if (pthread_create(&thread, NULL, switch_and_end, &tid) != 0)
        return false;
    pthread_join(thread, NULL); /* returns a little before the kernel has released the thread */
    for (int i = 0; syscall(SYS_tgkill, getpid(), tid, 0) == 0; i++) {
        if (i == 2000)
            return false;
        nanosleep(&pause, NULL);
    }
    getrusage(RUSAGE_SELF, &own);
    return taskstats_read(t, getpid(), &after) == 0 && after.vol >= (uint64_t)own.ru_nvcsw;
}

int taskstats_open(struct taskstats_link *t, bool probe, char *why, size_t why_size)
{
    /* answers come at once; never hang on a lost one */
    struct timeval patience = {.tv_usec = 200000};
    struct switch_counts own;
    union message m;
    int rc = 0;

    *t =
        (struct taskstats_link){.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC)};
    if (t->fd < 0)
        rc = errno;
    else
        setsockopt(t->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (!rc)
        rc = ask(t, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME,
                 sizeof TASKSTATS_GENL_NAME, &m);
    if (!rc) {
        size_t n = m.h.nlmsg_len - GENL_BODY;
        const char *id = find_attr(m.bytes + GENL_BODY, &n, CTRL_ATTR_FAMILY_ID);
        if (id && n >= sizeof t->family)
            memcpy(&t->family, id, sizeof t->family);
        /* is it permitted? */
        rc = t->family ? taskstats_read(t, getpid(), &own) : EBADMSG;
    }
    if (!rc) {
        t->keeps_ended = probe && keeps_ended(t);
        return 0;
    }
    if (rc == EPERM || rc == EACCES)
        snprintf(why, why_size, "taskstats needs CAP_NET_ADMIN");
    else if (rc == ENOENT)
        snprintf(why, why_size, "this kernel or network namespace has no taskstats");
    else
        snprintf(why, why_size, "taskstats: %s", strerror(rc));
    taskstats_close(t);
    return -1;
}

void taskstats_close(struct taskstats_link *t)
{
    fd_close(t->fd);
    t->fd = -1;
}

bool switch_sum_add(struct switch_sum *s, const struct switch_counts *now, int64_t cpu_before,
                    int64_t cpu_after, bool keeps_ended)
{
    const struct switch_counts *was = &s->last;
    struct switch_counts *total = &s->total;
    int64_t left_out = cpu_before - now->run_ns;

    if (cpu_after - now->run_ns < s->left_out)
        return false;
    if (left_out > s->left_out)
        s->left_out = left_out;
    if (keeps_ended || !s->any) {
        total->vol = now->vol > total->vol ? now->vol : total->vol;
        total->invol = now->invol > total->invol ? now->invol : total->invol;
    } else {
        total->vol += now->vol > was->vol ? now->vol - was->vol : 0;
        total->invol += now->invol > was->invol ? now->invol - was->invol : 0;
    }
    if (now->runq_wait_ns > total->runq_wait_ns)
        total->runq_wait_ns = now->runq_wait_ns;
    s->last = *now;
    s->any = true;
    return true;
}

/* --- thread by thread -------------------------------------------------------------------- */

struct task_seen {
    pid_t tid;
    struct switch_counts c;
};

static void add(struct switch_counts *sum, const struct switch_counts *c)
{
    sum->vol += c->vol;
    sum->invol += c->invol;
    sum->runq_wait_ns += c->runq_wait_ns;
}

static int read_task(struct task_memory *m, int root_fd, pid_t pid, pid_t tid,
                     struct switch_counts *c)
{
    struct proc_status st;
    uint64_t sched[3];
    int rc = proc_status_read(root_fd, pid, tid, &st);

    if (rc)
        return rc;
    *c = (struct switch_counts){.vol = st.vol_switches, .invol = st.invol_switches};
    if (m->no_runq)
        return 0;
    rc = proc_row_read(root_fd, pid, tid, "schedstat", sched);
    if (rc == 0)
        c->runq_wait_ns = sched[SCHEDSTAT_WAIT_NS];
    else if (!proc_is_gone(rc) || tid == pid)
        m->no_runq = true; /* this kernel has no such file, or the file has no figures */
    return 0;
}

int task_memory_read(struct task_memory *m, int root_fd, pid_t pid, uint64_t threads,
                     struct switch_counts *out, bool *has_runq)
{
    struct task_seen *old = m->seen, *seen;
    size_t n = 0, old_n = m->n;
    int rc = 0;

    if (threads > TASK_MEMORY_LIMIT)
        return E2BIG;
    m->tids.n = 0;
    if (threads != 1 || old_n > 1)
        rc = proc_list_tasks(root_fd, pid, &m->tids);
    else
        pid_list_add(&m->tids, pid);
    if (rc)
        return rc;
    /* The list may lack a living thread (switches.h): those of the last reading are asked, too. */
    for (size_t i = 0; i < old_n; i++)
        pid_list_add(&m->tids, old[i].tid);
    pid_list_sort(&m->tids);
    seen = mem_array(m->tids.n, sizeof *seen);
    for (size_t i = 0; i < m->tids.n && (!rc || proc_is_gone(rc)); i++) {
        seen[n].tid = m->tids.ids[i];
        rc = read_task(m, root_fd, pid, seen[n].tid, &seen[n].c);
        n += rc == 0;
    }
    if (n == 0 || (rc && !proc_is_gone(rc))) { /* a thread may end while we look */
        free(seen);
        return !rc || proc_is_gone(rc) ? ESRCH : rc;
    }
    /* those that have ended, or whose number another thread has now */
    for (size_t i = 0, k = 0; i < old_n; i++) {
        while (k < n && seen[k].tid < old[i].tid)
            k++;
        if (k < n && seen[k].tid == old[i].tid && seen[k].c.vol >= old[i].c.vol &&
            seen[k].c.invol >= old[i].c.invol)
            continue;
        add(&m->ended, &old[i].c);
        m->any_ended = true;
    }
    *out = m->ended;
    for (size_t i = 0; i < n; i++)
        add(out, &seen[i].c);
    *has_runq = !m->no_runq;
    free(old);
    m->seen = seen;
    m->n = n;
    return 0;
}

void task_memory_free(struct task_memory *m)
{
    free(m->seen);
    pid_list_free(&m->tids);
    *m = (struct task_memory){0};
}
