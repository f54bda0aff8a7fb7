/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How ranks meet: see cluster_state.h.
 */
#include "cluster/cluster_state.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MAGIC "sysbench cluster"

void handshake_nonce(unsigned char nonce[HANDSHAKE_NONCE])
{
    if (getentropy(nonce, HANDSHAKE_NONCE))
        abort(); /* every kernel that this program runs on has it */
}

void handshake_host(char out[HANDSHAKE_NAME])
{
    struct utsname u;

    snprintf(out, HANDSHAKE_NAME, "%s", uname(&u) == 0 ? u.nodename : "");
}

/* Of one kernel: the boot id; and clocks of two time namespaces differ. */
void handshake_clock(char out[HANDSHAKE_NAME])
{
    char boot[64] = "", space[64] = "";
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    ssize_t n = readlink("/proc/self/ns/time", space, sizeof space - 1);

    if (f) {
        if (!fgets(boot, sizeof boot, f))
            boot[0] = '\0';
        fclose(f);
    }
    boot[strcspn(boot, "\n")] = '\0';
    space[n > 0 ? n : 0] = '\0';
    snprintf(out, HANDSHAKE_NAME, "%s%s%s", boot, *boot ? " " : "", *boot ? space : "");
}

/* --- proofs --- */

static void prove(const char *who, const char *secret, const unsigned char nonce[HANDSHAKE_NONCE],
                  const void *text, size_t n, unsigned char out[SHA256_SIZE])
{
    struct str p = STR_INIT;

    put_str(&p, who);
    put_bytes(&p, nonce, HANDSHAKE_NONCE);
    put_bytes(&p, text, n);
    hmac_sha256(secret, p.s, p.len, out);
    str_free(&p);
}

/* Appends the proof of what is there. */
static void put_proof(struct str *p, const char *who, const char *secret,
                      const unsigned char nonce[HANDSHAKE_NONCE])
{
    unsigned char proof[SHA256_SIZE];

    prove(who, secret, nonce, p->s, p->len, proof);
    put_bytes(p, proof, sizeof proof);
}

/* Reads so many bytes; others are bad. */
static bool get_exactly(struct get *g, unsigned char *out, size_t size)
{
    size_t n;
    const void *p = get_bytes(g, &n);

    if (!p || n != size)
        return false;
    memcpy(out, p, size);
    return true;
}

/* Reads the proof that follows.  False: there is none, or more than it. */
static bool get_proof(struct get *g, const struct str *s, const char *who, const char *secret,
                      const unsigned char nonce[HANDSHAKE_NONCE], bool *right)
{
    unsigned char proof[SHA256_SIZE], given[SHA256_SIZE];
    size_t n = (size_t)(g->p - (const unsigned char *)s->s);

    if (g->bad || !get_exactly(g, given, sizeof given) || !get_end(g))
        return false;
    prove(who, secret, nonce, s->s, n, proof);
    *right = sha256_same(proof, given);
    return true;
}

void handshake_seal(struct frame_seal *leader, struct frame_seal *member, const char *secret,
                    const unsigned char leader_nonce[HANDSHAKE_NONCE],
                    const unsigned char member_nonce[HANDSHAKE_NONCE])
{
    unsigned char key[SHA256_SIZE];

    *leader = *member = (struct frame_seal){.on = true};
    prove("frames of the leader", secret, leader_nonce, member_nonce, HANDSHAKE_NONCE, key);
    memcpy(leader->key, key, sizeof leader->key);
    prove("frames of the member", secret, leader_nonce, member_nonce, HANDSHAKE_NONCE, key);
    memcpy(member->key, key, sizeof member->key);
}

/* --- messages --- */

void handshake_put_hello(struct str *p, const unsigned char nonce[HANDSHAKE_NONCE])
{
    put_str(p, MAGIC);
    put_i64(p, HANDSHAKE_PROTOCOL);
    put_bytes(p, nonce, HANDSHAKE_NONCE);
}

bool handshake_get_hello(const struct str *s, unsigned char nonce[HANDSHAKE_NONCE])
{
    struct get g = get_of(s->s, s->len);
    char magic[sizeof MAGIC];

    get_str(&g, magic, sizeof magic);
    get_i64(&g); /* the leader compares: the message that says so is its own */
    return strcmp(magic, MAGIC) == 0 && get_exactly(&g, nonce, HANDSHAKE_NONCE);
}

void handshake_put_join(struct str *p, const struct handshake_join *j, const char *secret,
                        const unsigned char leader_nonce[HANDSHAKE_NONCE])
{
    put_str(p, MAGIC);
    put_i64(p, j->protocol);
    put_i64(p, j->rank);
    put_i64(p, j->size);
    put_str(p, j->host);
    put_str(p, j->clock);
    put_bytes(p, j->nonce, HANDSHAKE_NONCE);
    put_proof(p, "member", secret, leader_nonce);
}

bool handshake_get_join(const struct str *s, struct handshake_join *j, const char *secret,
                        const unsigned char leader_nonce[HANDSHAKE_NONCE], bool *right)
{
    struct get g = get_of(s->s, s->len);
    char magic[sizeof MAGIC];

    get_str(&g, magic, sizeof magic);
    j->protocol = (int)get_range(&g, 0, 1 << 20);
    if (g.bad || strcmp(magic, MAGIC) != 0)
        return false;
    if (j->protocol != HANDSHAKE_PROTOCOL)
        return true; /* what follows may be anything */
    j->rank = (int)get_range(&g, 0, 1 << 20);
    j->size = (int)get_range(&g, 0, 1 << 20);
    get_str(&g, j->host, sizeof j->host);
    get_str(&g, j->clock, sizeof j->clock);
    return get_exactly(&g, j->nonce, HANDSHAKE_NONCE) &&
           get_proof(&g, s, "member", secret, leader_nonce, right);
}

void handshake_put_accept(struct str *p, const struct handshake_accept *w, const char *secret,
                          const unsigned char member_nonce[HANDSHAKE_NONCE])
{
    put_str(p, w->host);
    put_bool(p, w->same_clock);
    put_proof(p, "leader", secret, member_nonce);
}

bool handshake_get_accept(const struct str *s, struct handshake_accept *w, const char *secret,
                          const unsigned char member_nonce[HANDSHAKE_NONCE])
{
    struct get g = get_of(s->s, s->len);
    bool right = false;

    get_str(&g, w->host, sizeof w->host);
    w->same_clock = get_bool(&g);
    return get_proof(&g, s, "leader", secret, member_nonce, &right) && right;
}

/* --- sockets --- */

void handshake_place(const struct sockaddr *a, socklen_t n, char out[HANDSHAKE_PLACE])
{
    char host[48], port[8];
    const char *mapped = "::ffff:"; /* an IPv4 connection to a socket of IPv6 */

    if (getnameinfo(a, n, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
        snprintf(out, HANDSHAKE_PLACE, "an unknown address");
    else if (strncmp(host, mapped, strlen(mapped)) == 0 && strchr(host, '.'))
        snprintf(out, HANDSHAKE_PLACE, "%s:%s", host + strlen(mapped), port);
    else if (a->sa_family == AF_INET6)
        snprintf(out, HANDSHAKE_PLACE, "[%s]:%s", host, port);
    else
        snprintf(out, HANDSHAKE_PLACE, "%s:%s", host, port);
}

void handshake_prepare(int fd)
{
    const int on = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

bool handshake_send(int fd, unsigned type, const void *payload, size_t n)
{
    struct frame *f = frame_new(type, payload, n);
    ssize_t sent = send(fd, f->bytes, f->size, MSG_NOSIGNAL | MSG_DONTWAIT);
    bool whole = sent == (ssize_t)f->size;

    free(f);
    return whole;
}

/* Never more than the rest of one frame, so that the next one stays in the socket. */
int handshake_receive(int fd, struct frame_in *in)
{
    unsigned char buf[4096];

    do {
        size_t want = frame_missing(in);
        ssize_t got = recv(fd, buf, want < sizeof buf ? want : sizeof buf, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return 0;
        if (got == 0)
            errno = 0;
        if (got <= 0)
            return -1;
        const unsigned char *p = buf;
        size_t n = (size_t)got;
        if (frame_take(in, &p, &n) < 0)
            return -2;
    } while (in->have);
    return 1;
}

int handshake_timeout(mono_ns until)
{
    dur_ns left = until - clock_mono();

    if (left <= 0)
        return 0;
    return left / NS_PER_MS < INT_MAX - 1 ? (int)(left / NS_PER_MS) + 1 : INT_MAX;
}

bool handshake_wait(int fd, short events, mono_ns until)
{
    struct pollfd f = {.fd = fd, .events = events};
    int rc;

    do
        rc = poll(&f, 1, handshake_timeout(until));
    while (rc <= 0 && clock_mono() < until);
    return rc > 0;
}
