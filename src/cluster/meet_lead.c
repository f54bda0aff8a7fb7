/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The leader's part of a meeting: a guest for each connection that has not proved yet that it is a
 * member, and the members that have come.  A guest has GUEST_LIMIT for what it has to say; when
 * there are too many, the oldest goes.  A member whose connection ends before the meeting is over
 * has not come: another process may take its rank.
 *
 * One poll() waits for all of them.
 */
#include "cluster/meet.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "cluster/cluster_state.h"
#include "cluster/meet_socket.h"
#include "cluster/meet_words.h"

#define GUESTS       64
#define GUEST_LIMIT  (10 * NS_PER_SEC)
#define ACCEPT_PAUSE (NS_PER_SEC / 10) /* when the system has no descriptor for a connection */
#define SAID_MAX     10                /* sentences about refused connections */

struct guest {
    int fd; /* -1: free */
    mono_ns until;
    char place[MEET_PLACE];
    unsigned char nonce[MEET_NONCE];
    struct frame_in in;
};

struct meeting {
    const struct meet_terms *terms;
    int listener;
    mono_ns accept_again; /* no connection is accepted before */
    struct guest guest[GUESTS];
    struct cluster *cluster; /* its peers are the members that have come */
    char host[MEET_NAME], clock[MEET_NAME];
    int said;
    char refused[MEET_PLACE + 160]; /* the last one */
    struct pollfd *poll;
};

/* --- listening --- */

static int bound(int family, in_port_t port)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = port};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = port};
    const int on = 1, off = 0;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    rc = family == AF_INET6 ? bind(fd, (struct sockaddr *)&six, sizeof six)
                            : bind(fd, (struct sockaddr *)&four, sizeof four);
    if (rc == 0 && listen(fd, 128) == 0)
        return fd;
    close(fd);
    return -1;
}

static unsigned port_of(int fd)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof a;

    if (getsockname(fd, (struct sockaddr *)&a, &n))
        return 0;
    return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
                                         : ((struct sockaddr_in *)&a)->sin_port);
}

int meet_listen(const char *port, unsigned *port_out, struct err *e)
{
    in_port_t number = htons((in_port_t)atoi(port));
    int fd = bound(AF_INET6, number);

    if (fd < 0 && errno != EADDRINUSE && errno != EACCES)
        fd = bound(AF_INET, number); /* a host without IPv6 */
    if (fd < 0)
        return err_sys(e, errno, "cannot listen on port %s", port);
    if (port_out)
        *port_out = port_of(fd);
    return fd;
}

/* --- guests --- */

static void dismiss(struct guest *g)
{
    close(g->fd);
    g->fd = -1;
    frame_in_fini(&g->in);
    g->in = (struct frame_in){0};
}

/* Closes the connection without a word: a member that was merely slow tries again. */
static void turn_away(struct meeting *m, struct guest *g, const char *why)
{
    snprintf(m->refused, sizeof m->refused, "the last connection that was refused, from %s: %s",
             g->place, why);
    if (m->said < SAID_MAX)
        log_stderr("Refused a connection from %s: %s%s", g->place, why,
                   ++m->said == SAID_MAX ? " (further ones are not reported)" : "");
    dismiss(g);
}

/* The sentence goes to the guest, too: a member that hears it gives up. */
static void refuse(struct meeting *m, struct guest *g, const char *why)
{
    struct put p = {0};

    put_str(&p, why);
    meet_say(g->fd, FRAME_REFUSE, p.s.s, p.s.len);
    put_free(&p);
    turn_away(m, g, why);
}

static struct guest *free_guest(struct meeting *m)
{
    struct guest *oldest = m->guest;

    for (int i = 0; i < GUESTS; i++) {
        if (m->guest[i].fd < 0)
            return &m->guest[i];
        if (m->guest[i].until < oldest->until)
            oldest = &m->guest[i];
    }
    turn_away(m, oldest, "too many connections at once, and it said nothing");
    return oldest;
}

static void greet(struct meeting *m, int fd, const char *place)
{
    struct guest *g = free_guest(m);
    struct put p = {0};

    g->fd = fd;
    g->until = clock_mono() + GUEST_LIMIT;
    g->in.max = MEET_LONGEST;
    snprintf(g->place, sizeof g->place, "%s", place);
    meet_draw_nonce(g->nonce);
    meet_prepare(fd);
    meet_put_hello(&p, g->nonce);
    if (!meet_say(fd, FRAME_HELLO, p.s.s, p.s.len))
        dismiss(g);
    put_free(&p);
}

/* The connection stays in the listener's queue, which poll() would report without a pause. */
static void accept_later(struct meeting *m, int errnum)
{
    if (errnum == EAGAIN || errnum == EINTR || errnum == ECONNABORTED)
        return;
    snprintf(m->refused, sizeof m->refused, "cannot accept a connection: %s", strerror(errnum));
    m->accept_again = clock_mono() + ACCEPT_PAUSE;
}

static void accept_guest(struct meeting *m)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof a;
    int fd = accept4(m->listener, (struct sockaddr *)&a, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);
    char place[MEET_PLACE];

    if (fd < 0) {
        accept_later(m, errno);
        return;
    }
    meet_place((struct sockaddr *)&a, n, place);
    greet(m, fd, place);
}

/* Says what is wrong with it; NULL: nothing. */
static const char *judge(const struct meeting *m, const struct meet_join *j, bool right, char *buf,
                         size_t size)
{
    if (j->protocol != MEET_PROTOCOL)
        snprintf(buf, size, "it is another version of sysbench (protocol %d instead of %d)",
                 j->protocol, MEET_PROTOCOL);
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

static void welcome(struct meeting *m, struct guest *g, const struct meet_join *j)
{
    struct peer *p = cluster_peer(m->cluster, j->rank);
    struct meet_welcome w = {.same_clock =
                                 !m->terms->trial && *m->clock && strcmp(m->clock, j->clock) == 0};
    struct put text = {0};

    memcpy(w.host, m->host, sizeof w.host);
    meet_put_welcome(&text, &w, m->terms->secret, j->nonce);
    if (meet_say(g->fd, FRAME_WELCOME, text.s.s, text.s.len)) {
        p->fd = g->fd;
        p->host = mem_strdup(j->host);
        p->same_clock = w.same_clock;
        meet_seal(&p->seal, &p->in.seal, m->terms->secret, g->nonce, j->nonce);
        g->fd = -1;
        frame_in_fini(&g->in);
        g->in = (struct frame_in){0};
    } else {
        dismiss(g);
    }
    put_free(&text);
}

static void hear_join(struct meeting *m, struct guest *g)
{
    struct meet_join j = {0};
    bool right = false;
    char buf[128];
    const char *why;

    if (g->in.type != FRAME_JOIN ||
        !meet_get_join(&g->in.payload, &j, m->terms->secret, g->nonce, &right)) {
        refuse(m, g, "it is not a rank of sysbench");
        return;
    }
    why = judge(m, &j, right, buf, sizeof buf);
    if (why)
        refuse(m, g, why);
    else
        welcome(m, g, &j);
}

static void hear_guest(struct meeting *m, struct guest *g)
{
    int rc = meet_hear(g->fd, &g->in);

    if (rc == 1)
        hear_join(m, g);
    else if (rc == -1)
        refuse(m, g, "it closed the connection without joining");
    else if (rc == -2)
        refuse(m, g, "it is not a rank of sysbench");
}

/* --- members that have come --- */

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

static bool all_here(const struct meeting *m)
{
    FOR_PEERS(m->cluster, p)
    if (p->fd < 0)
        return false;
    return true;
}

static int say_absent(const struct meeting *m, struct err *e)
{
    char absent[128];
    size_t at = 0;
    int n = 0;

    FOR_PEERS(m->cluster, p)
    if (p->fd < 0 && n++ < 8)
        at += (size_t)snprintf(absent + at, sizeof absent - at, "%s%d", at ? ", " : "", p->rank);
    err_set(e, ERR_TIMEOUT, "rank%s %s%s of %d did not join within %g s (--cluster-timeout)",
            n == 1 ? "" : "s", absent, n > 8 ? " and others" : "", m->terms->size,
            dur_sec(m->terms->timeout));
    return *m->refused ? err_append(e, "; %s", m->refused) : -1;
}

/* Those who have come need not guess why there is no run. */
static int call_off(const struct meeting *m, const struct err *e)
{
    struct put p = {0};

    put_str(&p, e ? e->msg : "");
    FOR_PEERS(m->cluster, peer)
    if (peer->fd >= 0)
        meet_say(peer->fd, FRAME_REFUSE, p.s.s, p.s.len);
    put_free(&p);
    return -1;
}

/* --- the meeting --- */

/* Listener, guests, members; descriptors below 0 are ignored by poll(). */
static nfds_t fill(struct meeting *m)
{
    nfds_t n = 0;
    bool accepts = clock_mono() >= m->accept_again;

    m->poll[n++] = (struct pollfd){.fd = accepts ? m->listener : -1, .events = POLLIN};
    for (int i = 0; i < GUESTS; i++)
        m->poll[n++] = (struct pollfd){.fd = m->guest[i].fd, .events = POLLIN};
    FOR_PEERS(m->cluster, p)
    m->poll[n++] = (struct pollfd){.fd = p->fd, .events = POLLIN | POLLRDHUP};
    return n;
}

static void serve(struct meeting *m)
{
    const struct pollfd *f = m->poll + 1 + GUESTS;

    FOR_PEERS(m->cluster, p)
    {
        if (f->revents && p->fd >= 0)
            check_member(p);
        f++;
    }
    for (int i = 0; i < GUESTS; i++)
        if (m->poll[1 + i].revents && m->guest[i].fd >= 0)
            hear_guest(m, &m->guest[i]);
    if (m->poll[0].revents)
        accept_guest(m);
}

static mono_ns first_limit(const struct meeting *m, mono_ns until)
{
    if (m->poll[0].fd < 0 && m->accept_again < until)
        until = m->accept_again;
    for (int i = 0; i < GUESTS; i++)
        if (m->guest[i].fd >= 0 && m->guest[i].until < until)
            until = m->guest[i].until;
    return until;
}

static void dismiss_late(struct meeting *m)
{
    for (int i = 0; i < GUESTS; i++)
        if (m->guest[i].fd >= 0 && clock_mono() >= m->guest[i].until)
            turn_away(m, &m->guest[i], "it said nothing for 10 seconds");
}

static int gather(struct meeting *m, mono_ns until, struct err *e)
{
    while (!all_here(m)) {
        nfds_t n = fill(m);
        int rc = poll(m->poll, n, meet_timeout(first_limit(m, until)));

        if (rc < 0 && errno != EINTR) { /* EINVAL: of so many that the limit does not allow them */
            err_sys(e, errno == EINVAL ? EMFILE : errno, "cannot watch the connections of ranks");
            return call_off(m, e);
        }
        if (rc > 0)
            serve(m);
        dismiss_late(m);
        if (clock_mono() >= until && !all_here(m)) /* even while strangers keep coming */
            return say_absent(m, e) ? call_off(m, e) : 0;
    }
    return 0;
}

static void meeting_end(struct meeting *m)
{
    close(m->listener);
    for (int i = 0; i < GUESTS; i++)
        if (m->guest[i].fd >= 0)
            dismiss(&m->guest[i]);
    free(m->poll);
}

static int begin(struct cluster *c, struct err *e)
{
    FOR_PEERS(c, p)
    meet_say(p->fd, FRAME_READY, NULL, 0);
    return link_start(c, e);
}

int meet_lead(int listener, const struct meet_terms *t, struct cluster **out, struct err *e)
{
    struct meeting *m = mem_alloc(sizeof *m);
    int rc;

    *m = (struct meeting){.terms = t, .listener = listener};
    meet_host_name(m->host);
    meet_clock_name(m->clock);
    for (int i = 0; i < GUESTS; i++)
        m->guest[i].fd = -1;
    m->poll = mem_array(1 + GUESTS + (size_t)t->size, sizeof *m->poll);
    m->cluster = *out = cluster_new(t, m->host);
    rc = gather(m, clock_mono() + t->timeout, e);
    meeting_end(m);
    free(m);
    rc = rc ? rc : begin(*out, e);
    if (rc == 0 && cluster_settle(*out, clock_mono() + t->timeout, e)) {
        cluster_leave(*out);
        rc = -1;
    } else if (rc) {
        cluster_drop(*out);
    }
    if (rc)
        *out = NULL;
    return rc;
}
