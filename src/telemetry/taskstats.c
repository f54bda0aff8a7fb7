/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See taskstats.h.  A request is a netlink header, a generic netlink header and one attribute; the
 * reply is the same with nested attributes.  The reply's struct taskstats may be longer or shorter
 * than ours: its fields never move, and new ones are added at the end.
 */
#include "telemetry/taskstats.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

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

int taskstats_read(struct taskstats_link *t, pid_t pid, struct taskstats_process *out)
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
    *out = (struct taskstats_process){
        .vol_switches = stats.nvcsw,
        .invol_switches = stats.nivcsw,
        .runs = stats.cpu_count,
        .runq_wait_ns = stats.cpu_delay_total,
        .run_ns = (int64_t)stats.cpu_run_virtual_total,
        .user_us = stats.ac_utime,
        .sys_us = stats.ac_stime,
    };
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

/*
 * Ends a thread and compares.  getrusage() includes ended threads; if it shows more switches than a
 * later reading of taskstats, taskstats does not include them.  Other threads of ours can only add
 * to the later reading.
 */
static bool counts_ended(struct taskstats_link *t)
{
    struct taskstats_process after;
    struct rusage own;
    pthread_t thread;
    pid_t tid;

    if (pthread_create(&thread, NULL, switch_and_end, &tid) != 0)
        return false;
    pthread_join(thread, NULL);
    if (!wait_until_gone(tid))
        return false;
    getrusage(RUSAGE_SELF, &own);
    return taskstats_read(t, getpid(), &after) == 0 && after.vol_switches >= (uint64_t)own.ru_nvcsw;
}

static int note_refusal(struct taskstats_link *t, int errnum, char *why, size_t why_size)
{
    if (errnum == EPERM || errnum == EACCES)
        snprintf(why, why_size, "taskstats needs CAP_NET_ADMIN");
    else if (errnum == ENOENT)
        snprintf(why, why_size, "this kernel or network namespace has no taskstats");
    else
        snprintf(why, why_size, "taskstats: %s", strerror(errnum));
    taskstats_close(t);
    return -1;
}

/* Opening reads our own process once, to learn whether taskstats is permitted. */
static int open_and_read(struct taskstats_link *t, struct taskstats_process *own, char *why,
                         size_t why_size)
{
    struct timeval patience = {.tv_usec =
                                   200000}; /* answers come at once; never hang on a lost one */
    int rc;

    *t = (struct taskstats_link){.fd = -1};
    t->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
    if (t->fd < 0)
        return note_refusal(t, errno, why, why_size);
    setsockopt(t->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    rc = find_family(t);
    if (!rc)
        rc = taskstats_read(t, getpid(), own);
    if (rc)
        return note_refusal(t, rc, why, why_size);
    t->counts_runs = own->runs > 0;
    return 0;
}

int taskstats_open_quick(struct taskstats_link *t, char *why, size_t why_size)
{
    struct taskstats_process own;

    return open_and_read(t, &own, why, why_size);
}

int taskstats_self(struct taskstats_process *out, char *why, size_t why_size)
{
    struct taskstats_link t;

    if (open_and_read(&t, out, why, why_size))
        return -1;
    taskstats_close(&t);
    return 0;
}

int taskstats_open(struct taskstats_link *t, char *why, size_t why_size)
{
    if (taskstats_open_quick(t, why, why_size))
        return -1;
    t->counts_ended = counts_ended(t);
    return 0;
}

void taskstats_close(struct taskstats_link *t)
{
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
}
