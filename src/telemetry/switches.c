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

static void fill_request(union message *m, uint32_t seq, uint16_t type, uint8_t cmd, uint16_t attr,
                         const void *data, size_t n)
{
    struct genlmsghdr genl = {.cmd = cmd, .version = TASKSTATS_GENL_VERSION};
    struct nlattr head = {.nla_len = (uint16_t)(ATTR_DATA + n), .nla_type = attr};
    size_t len = GENL_BODY + NLA_ALIGN(ATTR_DATA + n);

    memset(m->bytes, 0, len);
    m->h = (struct nlmsghdr){.nlmsg_len = (uint32_t)len,
                             .nlmsg_type = type,
                             .nlmsg_flags = NLM_F_REQUEST,
                             .nlmsg_seq = seq};
    memcpy(m->bytes + NLMSG_HDRLEN, &genl, sizeof genl);
    memcpy(m->bytes + GENL_BODY, &head, sizeof head);
    memcpy(m->bytes + GENL_BODY + ATTR_DATA, data, n);
}

/* Sends *m and replaces it with the reply of the same number; *len is the reply's length. */
static int send_request(struct taskstats_link *t, union message *m, size_t *len)
{
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    uint32_t seq = m->h.nlmsg_seq;
    ssize_t got;
    int error;

    if (sendto(t->fd, m->bytes, m->h.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        return errno;
    do { /* ignores a late answer to an earlier question */
        got = recv(t->fd, m->bytes, sizeof m->bytes, 0);
        if (got < 0 && errno != EINTR)
            return errno;
    } while (got < (ssize_t)NLMSG_HDRLEN || m->h.nlmsg_seq != seq);
    if (m->h.nlmsg_len > (size_t)got)
        return EBADMSG;
    *len = m->h.nlmsg_len;
    if (m->h.nlmsg_type != NLMSG_ERROR)
        return 0;
    if (*len < NLMSG_HDRLEN + sizeof error)
        return EBADMSG;
    memcpy(&error, m->bytes + NLMSG_HDRLEN, sizeof error);
    return error < 0 ? -error : EBADMSG;
}

/* The payload of the first attribute of that type in p[0..n), or NULL; its length in *len. */
static const char *find_attr(const char *p, size_t n, uint16_t type, size_t *len)
{
    struct nlattr head;
    size_t step;

    while (n >= sizeof head) {
        memcpy(&head, p, sizeof head);
        if (head.nla_len < ATTR_DATA || head.nla_len > n)
            return NULL;
        if ((head.nla_type & NLA_TYPE_MASK) == type) {
            *len = head.nla_len - (size_t)ATTR_DATA;
            return p + ATTR_DATA;
        }
        step = NLA_ALIGN((size_t)head.nla_len);
        if (step > n)
            return NULL;
        p += step;
        n -= step;
    }
    return NULL;
}

static int find_family(struct taskstats_link *t)
{
    union message m;
    const char *id;
    size_t len, n;
    int rc;

    fill_request(&m, ++t->seq, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
                 TASKSTATS_GENL_NAME, sizeof TASKSTATS_GENL_NAME);
    rc = send_request(t, &m, &len);
    if (rc)
        return rc;
    if (len < GENL_BODY ||
        !(id = find_attr(m.bytes + GENL_BODY, len - GENL_BODY, CTRL_ATTR_FAMILY_ID, &n)) ||
        n < sizeof t->family)
        return EBADMSG;
    memcpy(&t->family, id, sizeof t->family);
    return 0;
}

int taskstats_read(struct taskstats_link *t, pid_t pid, struct switch_counts *out, bool *has_runq)
{
    uint32_t tgid = (uint32_t)pid;
    struct taskstats stats = {0};
    const char *body, *text;
    union message m;
    size_t len, n;
    int rc;

    fill_request(&m, ++t->seq, t->family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_TGID, &tgid,
                 sizeof tgid);
    rc = send_request(t, &m, &len);
    if (rc)
        return rc;
    body = m.bytes + GENL_BODY;
    if (len < GENL_BODY ||
        !(text = find_attr(body, len - GENL_BODY, TASKSTATS_TYPE_AGGR_TGID, &n)) ||
        !(text = find_attr(text, n, TASKSTATS_TYPE_STATS, &n)) ||
        n < offsetof(struct taskstats, nivcsw) + sizeof stats.nivcsw)
        return EBADMSG;
    memcpy(&stats, text, n < sizeof stats ? n : sizeof stats);
    *has_runq = stats.cpu_count > 0;
    *out = (struct switch_counts){
        .vol = stats.nvcsw, .invol = stats.nivcsw, .runq_wait_ns = stats.cpu_delay_total};
    return 0;
}

enum { PROBE_SLEEPS = 32, PROBE_PATIENCE = 2000 };

static void *switch_and_end(void *arg)
{
    struct timespec us = {.tv_nsec = 1000};
    pid_t *tid = arg;

    *tid = (pid_t)syscall(SYS_gettid);
    for (int i = 0; i < PROBE_SLEEPS; i++)
        nanosleep(&us, NULL);
    return NULL;
}

/* pthread_join returns a little before the kernel has released the thread. */
static bool wait_until_gone(pid_t tid)
{
    struct timespec pause = {.tv_nsec = 50000};

    for (int i = 0; i < PROBE_PATIENCE; i++) {
        if (syscall(SYS_tgkill, getpid(), tid, 0) != 0)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* Ends a thread and compares.  getrusage() includes ended threads; if it shows more switches than a
 * later reading of taskstats, taskstats does not include them.  Other threads of ours can only add
 * to the later reading. */
static bool keeps_ended(struct taskstats_link *t)
{
    struct switch_counts after;
    struct rusage own;
    pthread_t thread;
    pid_t tid;
    bool has_runq;

    if (pthread_create(&thread, NULL, switch_and_end, &tid) != 0)
        return false;
    pthread_join(thread, NULL);
    if (!wait_until_gone(tid))
        return false;
    getrusage(RUSAGE_SELF, &own);
    return taskstats_read(t, getpid(), &after, &has_runq) == 0 &&
           after.vol >= (uint64_t)own.ru_nvcsw;
}

int taskstats_open(struct taskstats_link *t, bool probe, char *why, size_t why_size)
{
    /* answers come at once; never hang on a lost one */
    struct timeval patience = {.tv_usec = 200000};
    struct switch_counts own;
    bool has_runq;
    int rc = 0;

    *t =
        (struct taskstats_link){.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC)};
    if (t->fd < 0)
        rc = errno;
    else
        setsockopt(t->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (!rc)
        rc = find_family(t);
    if (!rc) /* is it permitted? */
        rc = taskstats_read(t, getpid(), &own, &has_runq);
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
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
}

static void grow(uint64_t *total, uint64_t *last, uint64_t now, bool whole)
{
    if (whole) /* a thread that was ending was counted twice: stays until the sum has caught up */
        *total = now > *total ? now : *total;
    else
        *total += now > *last ? now - *last : 0;
    *last = now;
}

void switch_sum_add(struct switch_sum *s, const struct switch_counts *now, bool keeps_ended)
{
    bool whole = keeps_ended || !s->any;

    grow(&s->total.vol, &s->last.vol, now->vol, whole);
    grow(&s->total.invol, &s->last.invol, now->invol, whole);
    grow(&s->total.runq_wait_ns, &s->last.runq_wait_ns, now->runq_wait_ns, true);
    s->any = true;
}

/* --- thread by thread -------------------------------------------------------------------- */

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
