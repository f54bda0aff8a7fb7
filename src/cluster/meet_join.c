/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A member's part of a meeting.  Until the time is over it tries all addresses of the leader in
 * turn, because the leader may be started last, and its host may have addresses that this one
 * cannot reach.  A leader that answers and refuses ends the attempt: it will not think otherwise
 * in a second.
 */
#include "cluster/meet.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cluster/cluster_state.h"
#include "cluster/meet_socket.h"
#include "cluster/meet_words.h"

#define CONNECT_LIMIT (2 * NS_PER_SEC)  /* for one address */
#define ANSWER_LIMIT  (10 * NS_PER_SEC) /* of a leader that is busy with others */
#define PAUSE         (NS_PER_SEC / 5)

struct joining {
    const struct meet_terms *terms;
    mono_ns until;
    int fd;
    struct frame_in in;
    struct meet_welcome welcome;
    struct frame_seal leader, member;
    char place[MEET_PLACE]; /* of the leader, as tried last */
};

/* What became of an attempt. */
enum outcome { JOINED, AGAIN, REFUSED };

static mono_ns limit(const struct joining *j, dur_ns d)
{
    mono_ns at = clock_mono() + d;

    return at < j->until ? at : j->until;
}

/* --- what the leader says --- */

static enum outcome say_refused(struct joining *j, unsigned wanted, struct err *e)
{
    struct get g = get_of(j->in.payload.s, j->in.payload.len);
    char why[600];

    get_str(&g, why, sizeof why);
    str_printable(why, strlen(why), '?', ""); /* whoever listens there has not proved anything */
    if (!*why)
        snprintf(why, sizeof why, "it gave no reason");
    if (wanted == FRAME_READY)
        err_set(e, ERR_FAILED, "the leader at %s gave up: %s", j->place, why);
    else
        err_set(e, ERR_FAILED, "the leader at %s refused rank %d: %s", j->place, j->terms->rank,
                why);
    return REFUSED;
}

static enum outcome say_closed(const struct joining *j, unsigned wanted, struct err *e)
{
    const char *why = errno ? strerror(errno) : "it closed the connection";

    err_set(e, ERR_FAILED,
            wanted == FRAME_READY ? "the leader at %s ended before all ranks had joined: %s"
                                  : "the leader at %s did not answer: %s",
            j->place, why);
    return wanted == FRAME_READY ? REFUSED : AGAIN;
}

/* Waits for a frame of that type. */
static enum outcome hear(struct joining *j, unsigned wanted, mono_ns until, struct err *e)
{
    int rc = 0;

    while (rc == 0 && meet_wait(j->fd, POLLIN, until))
        rc = meet_hear(j->fd, &j->in);
    if (rc == 0) {
        err_set(e, ERR_TIMEOUT, "the leader at %s did not answer in time", j->place);
        return AGAIN;
    }
    if (rc == -1)
        return say_closed(j, wanted, e);
    if (rc == 1 && j->in.type == wanted)
        return JOINED;
    if (rc == 1 && j->in.type == FRAME_REFUSE)
        return say_refused(j, wanted, e);
    err_set(e, ERR_FAILED, "what listens at %s is not the leader of a benchmark", j->place);
    return AGAIN;
}

static bool say_join(struct joining *j, const struct meet_join *words,
                     const unsigned char leader_nonce[MEET_NONCE])
{
    struct put p = {0};
    bool said;

    meet_put_join(&p, words, j->terms->secret, leader_nonce);
    said = meet_say(j->fd, FRAME_JOIN, p.s.s, p.s.len);
    put_free(&p);
    return said;
}

/* Once connected. */
static enum outcome introduce(struct joining *j, struct err *e)
{
    struct meet_join words = {
        .protocol = MEET_PROTOCOL, .rank = j->terms->rank, .size = j->terms->size};
    unsigned char nonce[MEET_NONCE];
    enum outcome o = hear(j, FRAME_HELLO, limit(j, ANSWER_LIMIT), e);

    if (o != JOINED)
        return o;
    meet_draw_nonce(words.nonce);
    meet_host_name(words.host);
    meet_clock_name(words.clock);
    if (!meet_get_hello(&j->in.payload, nonce)) {
        err_set(e, ERR_FAILED, "what listens at %s is not the leader of a benchmark", j->place);
        return AGAIN;
    }
    if (!say_join(j, &words, nonce))
        return say_closed(j, FRAME_WELCOME, e);
    o = hear(j, FRAME_WELCOME, limit(j, ANSWER_LIMIT), e);
    if (o != JOINED)
        return o;
    if (!meet_get_welcome(&j->in.payload, &j->welcome, j->terms->secret, words.nonce)) {
        err_set(e, ERR_FAILED, "the leader at %s does not know the secret", j->place);
        return REFUSED;
    }
    meet_seal(&j->leader, &j->member, j->terms->secret, nonce, words.nonce);
    return hear(j, FRAME_READY, j->until, e);
}

/* --- connecting --- */

static int say_unreachable(const struct joining *j, int errnum, struct err *e)
{
    return err_sys(e, errnum, "cannot connect to the leader at %s", j->place);
}

static int connect_to(struct joining *j, const struct addrinfo *a, struct err *e)
{
    int errnum = 0;
    socklen_t n = sizeof errnum;

    meet_place(a->ai_addr, a->ai_addrlen, j->place);
    j->fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (j->fd < 0)
        return say_unreachable(j, errno, e);
    meet_prepare(j->fd);
    if (connect(j->fd, a->ai_addr, a->ai_addrlen) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return say_unreachable(j, errno, e);
    if (!meet_wait(j->fd, POLLOUT, limit(j, CONNECT_LIMIT)))
        return say_unreachable(j, ETIMEDOUT, e);
    if (getsockopt(j->fd, SOL_SOCKET, SO_ERROR, &errnum, &n) || errnum)
        return say_unreachable(j, errnum ? errnum : errno, e);
    return 0;
}

static void hang_up(struct joining *j)
{
    if (j->fd >= 0)
        close(j->fd);
    j->fd = -1;
    frame_in_fini(&j->in);
    j->in = (struct frame_in){.max = MEET_LONGEST};
}

static enum outcome try_address(struct joining *j, const struct addrinfo *a, struct err *e)
{
    enum outcome o;

    hang_up(j);
    o = connect_to(j, a, e) ? AGAIN : introduce(j, e);
    if (o != JOINED)
        hang_up(j);
    return o;
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
    for (const struct addrinfo *a = all; a && o == AGAIN; a = a->ai_next)
        o = try_address(j, a, e);
    freeaddrinfo(all);
    return o;
}

/* *e: of the last attempt, when none has succeeded. */
static enum outcome try_all(struct joining *j, const char *const *hosts, size_t n, const char *port,
                            struct err *e)
{
    enum outcome o = AGAIN;

    do {
        for (size_t i = 0; i < n && o == AGAIN; i++)
            o = try_host(j, hosts[i], port, e);
        if (o == AGAIN)
            meet_wait(-1, 0, limit(j, PAUSE));
    } while (o == AGAIN && clock_mono() < j->until);
    return o;
}

static int begin(struct joining *j, struct cluster **out, struct err *e)
{
    char host[MEET_NAME];
    struct cluster *c;
    struct peer *leader;

    meet_host_name(host);
    c = cluster_new(j->terms, host);
    leader = cluster_peer(c, 0);
    leader->fd = j->fd;
    leader->host = mem_strdup(j->welcome.host);
    leader->same_clock = j->welcome.same_clock;
    leader->in.seal = j->leader;
    leader->seal = j->member;
    j->fd = -1;
    if (link_start(c, e)) {
        cluster_drop(c);
        return -1;
    }
    if (cluster_settle(c, clock_mono() + j->terms->timeout, e)) {
        cluster_leave(c);
        return -1;
    }
    *out = c;
    return 0;
}

int meet_join(const char *const *hosts, size_t n, const char *port, const struct meet_terms *t,
              struct cluster **out, struct err *e)
{
    struct joining j = {.terms = t, .until = clock_mono() + t->timeout, .fd = -1};
    struct err attempt = {0};
    enum outcome o = try_all(&j, hosts, n, port, &attempt);
    int rc = -1;

    *out = NULL;
    if (o == AGAIN) {
        err_append(&attempt, "; gave up after %g s (--cluster-timeout)", dur_sec(t->timeout));
        attempt.kind = ERR_TIMEOUT;
    }
    if (o == JOINED)
        rc = begin(&j, out, e);
    else if (e)
        *e = attempt;
    hang_up(&j);
    return rc;
}
