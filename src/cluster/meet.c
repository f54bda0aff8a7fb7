/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How ranks meet over TCP (cluster_state.h has the messages).
 *
 * The leader has a `pending` entry for each connection that has not proved yet that it is a member,
 * and the members that have come; one poll() waits for all of them.  A pending connection has
 * PENDING_LIMIT for its message; when there are too many, the oldest goes.  One that sends anything
 * else, is too slow or comes twice is refused with a sentence on standard error, and the meeting
 * goes on.  A member whose connection ends before the meeting is over has not come: another process
 * may take its rank.
 *
 * A member tries all addresses of the leader in turn until the time is over, because the leader may
 * be started last, and its host may have addresses that this one cannot reach.  A leader that
 * rejects it ends the attempt: it will not think otherwise in a second.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "cluster/cluster_state.h"

#define PENDING       64
#define PENDING_LIMIT (10 * NS_PER_SEC)
#define ACCEPT_PAUSE  (NS_PER_SEC / 10) /* when the system has no descriptor for a connection */
#define REPORTED_MAX  10                /* sentences about refused connections */

struct pending {
    int fd; /* -1: free */
    mono_ns until;
    char place[HANDSHAKE_PLACE];
    unsigned char nonce[HANDSHAKE_NONCE];
    struct frame_in in;
};

struct meeting {
    const struct cluster_spec *terms;
    int listener;
    mono_ns accept_again; /* no connection is accepted before */
    struct pending pending[PENDING];
    struct cluster *cluster; /* its peers are the members that have come */
    char host[HANDSHAKE_NAME], clock[HANDSHAKE_NAME];
    int reported;
    char refused[HANDSHAKE_PLACE + 160]; /* the last one */
    struct pollfd *poll; /* listener, pending, members; descriptors below 0 are ignored */
};

/* --- listening --- */

/* An address of IPv4 begins as one of IPv6: family and port.  What follows is 0, any address. */
static int bound(int family, in_port_t port)
{
    struct sockaddr_in6 any = {.sin6_family = (sa_family_t)family, .sin6_port = port};
    const int on = 1, off = 0;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    socklen_t n = family == AF_INET6 ? sizeof any : sizeof(struct sockaddr_in);
    if (bind(fd, (struct sockaddr *)&any, n) == 0 && listen(fd, 128) == 0)
        return fd;
    close(fd);
    return -1;
}

int meet_listen(const char *port, unsigned *port_out, struct err *e)
{
    in_port_t number = htons((in_port_t)atoi(port));
    int fd = bound(AF_INET6, number);
    struct sockaddr_in6 a = {.sin6_port = 0};
    socklen_t n = sizeof a;

    if (fd < 0 && errno != EADDRINUSE && errno != EACCES)
        fd = bound(AF_INET, number); /* a host without IPv6 */
    if (fd < 0)
        return err_sys(e, errno, "cannot listen on port %s", port);
    getsockname(fd, (struct sockaddr *)&a, &n);
    if (port_out)
        *port_out = ntohs(a.sin6_port);
    return fd;
}

/* --- the leader: pending connections --- */

static void dismiss(struct pending *g)
{
    fd_close(g->fd);
    g->fd = -1;
    frame_in_fini(&g->in);
    g->in = (struct frame_in){0};
}

/* Closes the connection without a word: a member that was merely slow tries again. */
static void drop(struct meeting *m, struct pending *g, const char *why)
{
    snprintf(m->refused, sizeof m->refused, "the last connection that was refused, from %s: %s",
             g->place, why);
    if (m->reported < REPORTED_MAX)
        log_stderr("Refused a connection from %s: %s%s", g->place, why,
                   ++m->reported == REPORTED_MAX ? " (further ones are not reported)" : "");
    dismiss(g);
}

static void send_reject(int fd, const char *why)
{
    struct str p = STR_INIT;

    put_str(&p, why);
    handshake_send(fd, FRAME_REJECT, p.s, p.len);
    str_free(&p);
}

static void accept_connection(struct meeting *m)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof a;
    int fd = accept4(m->listener, (struct sockaddr *)&a, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct pending *g = m->pending;
    struct str p = STR_INIT;

    if (fd < 0) {
        if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
            return;
        /* it stays in the listener's queue, which poll() would report without a pause */
        snprintf(m->refused, sizeof m->refused, "cannot accept a connection: %s", strerror(errno));
        m->accept_again = clock_mono() + ACCEPT_PAUSE;
        return;
    }
    for (int i = 0; i < PENDING && g->fd >= 0; i++) /* a free one, or the oldest */
        if (m->pending[i].fd < 0 || m->pending[i].until < g->until)
            g = &m->pending[i];
    if (g->fd >= 0)
        drop(m, g, "too many connections at once, and it said nothing");
    g->fd = fd;
    g->until = clock_mono() + PENDING_LIMIT;
    g->in.max = HANDSHAKE_LONGEST;
    handshake_place((struct sockaddr *)&a, n, g->place);
    handshake_nonce(g->nonce);
    handshake_prepare(fd);
    handshake_put_hello(&p, g->nonce);
    if (!handshake_send(fd, FRAME_HELLO, p.s, p.len))
        dismiss(g);
    str_free(&p);
}

/* Says what is wrong with it; NULL: nothing. */
static const char *judge(const struct meeting *m, const struct handshake_join *j, bool right,
                         char *buf, size_t size)
{
    if (j->protocol != HANDSHAKE_PROTOCOL)
        snprintf(buf, size, "it is another version of sysbench (protocol %d instead of %d)",
                 j->protocol, HANDSHAKE_PROTOCOL);
    else if (!right)
        snprintf(buf, size, "its secret (SYSBENCH_CLUSTER_SECRET) is not the leader's");
    else if (j->size != m->terms->size)
        snprintf(buf, size, "--cluster-size=%d there, %d at the leader", j->size, m->terms->size);
    else if (j->rank < 1 || j->rank >= j->size)
        snprintf(buf, size, "there is no member with --cluster-rank=%d", j->rank);
    else if (cluster_peer(m->cluster, j->rank)->fd >= 0)
        snprintf(buf, size, "rank %d has joined already, from %s", j->rank,
                 cluster_peer(m->cluster, j->rank)->host);
    else
        return NULL;
    return buf;
}

static void receive_pending(struct meeting *m, struct pending *g)
{
    struct handshake_join j = {0};
    int rc = handshake_receive(g->fd, &g->in);
    bool right = false;
    char buf[128];
    const char *why;

    if (rc == 0)
        return;
    if (rc == -1)
        why = "it closed the connection without joining";
    else if (rc == -2 || g->in.type != FRAME_JOIN ||
             !handshake_get_join(&g->in.payload, &j, m->terms->secret, g->nonce, &right))
        why = "it is not a rank of sysbench";
    else
        why = judge(m, &j, right, buf, sizeof buf);
    if (why) { /* a member that gets the sentence gives up */
        send_reject(g->fd, why);
        drop(m, g, why);
    } else { /* the connection becomes that of a member */
        struct peer *p = cluster_peer(m->cluster, j.rank);
        struct handshake_accept a = {.same_clock = !m->terms->trial && *m->clock &&
                                                   strcmp(m->clock, j.clock) == 0};
        struct str text = STR_INIT;
        memcpy(a.host, m->host, sizeof a.host);
        handshake_put_accept(&text, &a, m->terms->secret, j.nonce);
        if (handshake_send(g->fd, FRAME_ACCEPT, text.s, text.len)) {
            p->fd = g->fd;
            p->host = mem_strdup(j.host);
            p->same_clock = a.same_clock;
            handshake_seal(&p->seal, &p->in.seal, m->terms->secret, g->nonce, j.nonce);
            g->fd = -1;
        }
        dismiss(g);
        str_free(&text);
    }
}

/* --- the leader: the meeting --- */

static void check_member(struct peer *p)
{
    char byte;
    ssize_t n = recv(p->fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    close(p->fd); /* it ended, or says what it may not say yet */
    p->fd = -1;
    free(p->host);
    p->host = NULL;
}

/* Waits until something happens, or the first limit; and deals with it.  -1: it cannot wait. */
static int meeting_turn(struct meeting *m, mono_ns until)
{
    struct pollfd *f = m->poll, *members;

    *f = (struct pollfd){.fd = m->listener, .events = POLLIN};
    if (clock_mono() < m->accept_again) {
        f->fd = -1;
        until = m->accept_again < until ? m->accept_again : until;
    }
    f++;
    for (struct pending *g = m->pending; g < m->pending + PENDING; g++) {
        *f++ = (struct pollfd){.fd = g->fd, .events = POLLIN};
        until = g->fd >= 0 && g->until < until ? g->until : until;
    }
    members = f;
    FOR_PEERS(m->cluster, p)
        *f++ = (struct pollfd){.fd = p->fd, .events = POLLIN | POLLRDHUP};
    int rc = poll(m->poll, (nfds_t)(f - m->poll), handshake_timeout(until));
    if (rc < 0 && errno != EINTR)
        return -1;
    if (rc > 0) {
        f = members;
        FOR_PEERS(m->cluster, p)
            if (f++->revents && p->fd >= 0)
                check_member(p);
        for (int i = 0; i < PENDING; i++)
            if (m->poll[1 + i].revents && m->pending[i].fd >= 0)
                receive_pending(m, &m->pending[i]);
        if (m->poll[0].revents)
            accept_connection(m);
    }
    for (int i = 0; i < PENDING; i++)
        if (m->pending[i].fd >= 0 && clock_mono() >= m->pending[i].until)
            drop(m, &m->pending[i], "it said nothing for 10 seconds");
    return 0;
}

/* 0: all members are there.  -1, and *e: which are not. */
static int check_absent(const struct meeting *m, struct err *e)
{
    char absent[128];
    size_t at = 0;
    int n = 0;

    FOR_PEERS(m->cluster, p) {
        if (p->fd >= 0 || n++ >= 8)
            continue;
        at += (size_t)snprintf(absent + at, sizeof absent - at, "%s%d", at ? ", " : "", p->rank);
    }
    if (!n)
        return 0;
    err_set(e, ERR_TIMEOUT, "rank%s %s%s of %d did not join within %g s (--cluster=timeout)",
            n == 1 ? "" : "s", absent, n > 8 ? " and others" : "", m->terms->size,
            dur_sec(m->terms->timeout));
    return *m->refused ? err_append(e, "; %s", m->refused) : -1;
}

static int gather(struct meeting *m, mono_ns until, struct err *e)
{
    struct err absent = {0};

    for (;;) {
        if (check_absent(m, &absent) == 0)
            return 0;
        if (clock_mono() >= until) { /* even while strangers keep coming */
            if (e)
                *e = absent;
            return -1;
        }
        if (meeting_turn(m, until)) /* EINVAL: of so many that the limit does not allow them */
            return err_sys(e, errno == EINVAL ? EMFILE : errno,
                           "cannot watch the connections of ranks");
    }
}

int meet_lead(int listener, const struct cluster_spec *t, struct cluster **out, struct err *e)
{
    struct meeting *m = mem_alloc(sizeof *m);
    struct cluster *c;

    *m = (struct meeting){.terms = t, .listener = listener};
    handshake_host(m->host);
    handshake_clock(m->clock);
    for (int i = 0; i < PENDING; i++)
        m->pending[i].fd = -1;
    m->poll = mem_array(1 + PENDING + (size_t)t->size, sizeof *m->poll);
    m->cluster = c = cluster_new(t, m->host);
    *out = NULL;
    int rc = gather(m, clock_mono() + t->timeout, e);
    FOR_PEERS(c, p)
        if (rc == 0)
            handshake_send(p->fd, FRAME_READY, NULL, 0);
        else if (p->fd >= 0)
            send_reject(p->fd, e ? e->msg : ""); /* those who have come need not guess why */
    close(m->listener);
    for (int i = 0; i < PENDING; i++)
        dismiss(&m->pending[i]);
    free(m->poll);
    free(m);
    if (rc) {
        cluster_drop(c);
        return -1;
    }
    if (cluster_start(c, t->timeout, e))
        return -1;
    *out = c;
    return 0;
}

/* --- a member --- */

#define CONNECT_LIMIT (2 * NS_PER_SEC)  /* for one address */
#define ANSWER_LIMIT  (10 * NS_PER_SEC) /* of a leader that is busy with others */
#define PAUSE         (NS_PER_SEC / 5)

struct joining {
    const struct cluster_spec *terms;
    mono_ns until;
    int fd;
    struct frame_in in;
    struct handshake_accept accept;
    struct frame_seal leader, member;
    char place[HANDSHAKE_PLACE]; /* of the leader, as tried last */
};

/* What became of an attempt. */
enum outcome { JOINED, AGAIN, REFUSED };

static mono_ns limit(const struct joining *j, dur_ns d)
{
    mono_ns at = clock_mono() + d;

    return at < j->until ? at : j->until;
}

static enum outcome closed(const struct joining *j, unsigned wanted, struct err *e)
{
    const char *why = errno ? strerror(errno) : "it closed the connection";

    err_set(e, ERR_FAILED,
            wanted == FRAME_READY ? "the leader at %s ended before all ranks had joined: %s"
                                  : "the leader at %s did not answer: %s",
            j->place, why);
    return wanted == FRAME_READY ? REFUSED : AGAIN;
}

static enum outcome no_leader(const struct joining *j, struct err *e)
{
    err_set(e, ERR_FAILED, "what listens at %s is not the leader of a benchmark", j->place);
    return AGAIN;
}

/* Waits for a frame of that type. */
static enum outcome await(struct joining *j, unsigned wanted, mono_ns until, struct err *e)
{
    int rc = 0;

    while (rc == 0 && handshake_wait(j->fd, POLLIN, until))
        rc = handshake_receive(j->fd, &j->in);
    if (rc == 0) {
        err_set(e, ERR_TIMEOUT, "the leader at %s did not answer in time", j->place);
        return AGAIN;
    }
    if (rc == -1)
        return closed(j, wanted, e);
    if (rc == 1 && j->in.type == wanted)
        return JOINED;
    if (rc == 1 && j->in.type == FRAME_REJECT) {
        struct get g = get_of(j->in.payload.s, j->in.payload.len);
        char why[600];
        get_str(&g, why, sizeof why);
        str_printable(why, strlen(why), '?'); /* whoever listens there has not proved anything */
        if (!*why)
            snprintf(why, sizeof why, "it gave no reason");
        if (wanted == FRAME_READY)
            err_set(e, ERR_FAILED, "the leader at %s gave up: %s", j->place, why);
        else
            err_set(e, ERR_FAILED, "the leader at %s refused rank %d: %s", j->place, j->terms->rank,
                    why);
        return REFUSED;
    }
    return no_leader(j, e);
}

/* Once connected. */
static enum outcome introduce(struct joining *j, struct err *e)
{
    struct handshake_join words = {
        .protocol = HANDSHAKE_PROTOCOL, .rank = j->terms->rank, .size = j->terms->size};
    unsigned char nonce[HANDSHAKE_NONCE];
    struct str p = STR_INIT;
    enum outcome o = await(j, FRAME_HELLO, limit(j, ANSWER_LIMIT), e);

    if (o != JOINED)
        return o;
    if (!handshake_get_hello(&j->in.payload, nonce))
        return no_leader(j, e);
    handshake_nonce(words.nonce);
    handshake_host(words.host);
    handshake_clock(words.clock);
    handshake_put_join(&p, &words, j->terms->secret, nonce);
    bool sent = handshake_send(j->fd, FRAME_JOIN, p.s, p.len);
    str_free(&p);
    if (!sent)
        return closed(j, FRAME_ACCEPT, e);
    o = await(j, FRAME_ACCEPT, limit(j, ANSWER_LIMIT), e);
    if (o != JOINED)
        return o;
    if (!handshake_get_accept(&j->in.payload, &j->accept, j->terms->secret, words.nonce)) {
        err_set(e, ERR_FAILED, "the leader at %s does not know the secret", j->place);
        return REFUSED;
    }
    handshake_seal(&j->leader, &j->member, j->terms->secret, nonce, words.nonce);
    return await(j, FRAME_READY, j->until, e);
}

static void hang_up(struct joining *j)
{
    fd_close(j->fd);
    j->fd = -1;
    frame_in_fini(&j->in);
    j->in = (struct frame_in){.max = HANDSHAKE_LONGEST};
}

static enum outcome try_host(struct joining *j, const char *host, const char *port, struct err *e)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *all;
    enum outcome o = AGAIN;
    int rc = getaddrinfo(host, port, &hints, &all);

    if (rc) {
        err_set(e, ERR_FAILED, "cannot find the leader's host %s: %s", host, gai_strerror(rc));
        return AGAIN;
    }
    for (const struct addrinfo *a = all; a && o == AGAIN; a = a->ai_next) {
        int errnum = 0;
        socklen_t n = sizeof errnum;
        hang_up(j);
        handshake_place(a->ai_addr, a->ai_addrlen, j->place);
        j->fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (j->fd < 0) {
            errnum = errno;
        } else {
            handshake_prepare(j->fd);
            if (connect(j->fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS)
                errnum = errno;
            else if (!handshake_wait(j->fd, POLLOUT, limit(j, CONNECT_LIMIT)))
                errnum = ETIMEDOUT;
            else if (getsockopt(j->fd, SOL_SOCKET, SO_ERROR, &errnum, &n))
                errnum = errno;
        }
        if (errnum)
            err_sys(e, errnum, "cannot connect to the leader at %s", j->place);
        else
            o = introduce(j, e);
        if (o != JOINED)
            hang_up(j);
    }
    freeaddrinfo(all);
    return o;
}

int meet_join(const char *const *hosts, size_t n, const char *port, const struct cluster_spec *t,
              struct cluster **out, struct err *e)
{
    struct joining j = {.terms = t, .until = clock_mono() + t->timeout, .fd = -1};
    struct err attempt = {0}; /* of the last one, when none has succeeded */
    char host[HANDSHAKE_NAME];
    enum outcome o = AGAIN;

    *out = NULL;
    do {
        for (size_t i = 0; i < n && o == AGAIN; i++)
            o = try_host(&j, hosts[i], port, &attempt);
        if (o == AGAIN)
            handshake_wait(-1, 0, limit(&j, PAUSE));
    } while (o == AGAIN && clock_mono() < j.until);
    if (o != JOINED) {
        if (o == AGAIN) {
            err_append(&attempt, "; gave up after %g s (--cluster=timeout)", dur_sec(t->timeout));
            attempt.kind = ERR_TIMEOUT;
        }
        if (e)
            *e = attempt;
        hang_up(&j);
        return -1;
    }
    handshake_host(host);
    struct cluster *c = cluster_new(t, host);
    struct peer *leader = cluster_peer(c, 0);
    leader->fd = j.fd;
    leader->host = mem_strdup(j.accept.host);
    leader->same_clock = j.accept.same_clock;
    leader->in.seal = j.leader;
    leader->seal = j.member;
    j.fd = -1;
    hang_up(&j);
    if (cluster_start(c, t->timeout, e))
        return -1;
    *out = c;
    return 0;
}
