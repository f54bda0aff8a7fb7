/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See meet_words.h.  A proof is an HMAC over everything that the message says and over the nonce of
 * the other side, with a word in front that tells who says it: so no message can stand for another,
 * and none can be used again.
 */
#include "cluster/meet_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MAGIC "sysbench cluster"

void meet_draw_nonce(unsigned char nonce[MEET_NONCE])
{
    if (getentropy(nonce, MEET_NONCE))
        abort(); /* every kernel that this program runs on has it */
}

void meet_host_name(char out[MEET_NAME])
{
    struct utsname u;

    snprintf(out, MEET_NAME, "%s", uname(&u) == 0 ? u.nodename : "");
}

/* Of one kernel: the boot id; and clocks of two time namespaces differ. */
void meet_clock_name(char out[MEET_NAME])
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
    snprintf(out, MEET_NAME, "%s%s%s", boot, *boot ? " " : "", *boot ? space : "");
}

/* --- proofs --- */

static void prove(const char *who, const char *secret, const unsigned char nonce[MEET_NONCE],
                  const void *text, size_t n, unsigned char out[SHA256_SIZE])
{
    struct put p = {0};

    put_str(&p, who);
    put_bytes(&p, nonce, MEET_NONCE);
    put_bytes(&p, text, n);
    hmac_sha256(secret, p.s.s, p.s.len, out);
    put_free(&p);
}

/* Appends the proof of what is there. */
static void put_proof(struct put *p, const char *who, const char *secret,
                      const unsigned char nonce[MEET_NONCE])
{
    unsigned char proof[SHA256_SIZE];

    prove(who, secret, nonce, p->s.s, p->s.len, proof);
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
                      const unsigned char nonce[MEET_NONCE], bool *right)
{
    unsigned char proof[SHA256_SIZE], given[SHA256_SIZE];
    size_t n = (size_t)(g->p - (const unsigned char *)s->s);

    if (g->bad || !get_exactly(g, given, sizeof given) || !get_end(g))
        return false;
    prove(who, secret, nonce, s->s, n, proof);
    *right = sha256_same(proof, given);
    return true;
}

void meet_seal(struct frame_seal *leader, struct frame_seal *member, const char *secret,
               const unsigned char leader_nonce[MEET_NONCE],
               const unsigned char member_nonce[MEET_NONCE])
{
    unsigned char key[SHA256_SIZE];

    *leader = *member = (struct frame_seal){.on = true};
    prove("frames of the leader", secret, leader_nonce, member_nonce, MEET_NONCE, key);
    memcpy(leader->key, key, sizeof leader->key);
    prove("frames of the member", secret, leader_nonce, member_nonce, MEET_NONCE, key);
    memcpy(member->key, key, sizeof member->key);
}

/* --- messages --- */

void meet_put_hello(struct put *p, const unsigned char nonce[MEET_NONCE])
{
    put_str(p, MAGIC);
    put_i64(p, MEET_PROTOCOL);
    put_bytes(p, nonce, MEET_NONCE);
}

bool meet_get_hello(const struct str *s, unsigned char nonce[MEET_NONCE])
{
    struct get g = get_of(s->s, s->len);
    char magic[sizeof MAGIC];

    get_str(&g, magic, sizeof magic);
    get_i64(&g); /* the leader compares: the message that says so is its own */
    return strcmp(magic, MAGIC) == 0 && get_exactly(&g, nonce, MEET_NONCE);
}

void meet_put_join(struct put *p, const struct meet_join *j, const char *secret,
                   const unsigned char leader_nonce[MEET_NONCE])
{
    put_str(p, MAGIC);
    put_i64(p, j->protocol);
    put_i64(p, j->rank);
    put_i64(p, j->size);
    put_str(p, j->host);
    put_str(p, j->clock);
    put_bytes(p, j->nonce, MEET_NONCE);
    put_proof(p, "member", secret, leader_nonce);
}

bool meet_get_join(const struct str *s, struct meet_join *j, const char *secret,
                   const unsigned char leader_nonce[MEET_NONCE], bool *right)
{
    struct get g = get_of(s->s, s->len);
    char magic[sizeof MAGIC];

    get_str(&g, magic, sizeof magic);
    j->protocol = (int)get_range(&g, 0, 1 << 20);
    if (g.bad || strcmp(magic, MAGIC) != 0)
        return false;
    if (j->protocol != MEET_PROTOCOL)
        return true; /* what follows may be anything */
    j->rank = (int)get_range(&g, 0, 1 << 20);
    j->size = (int)get_range(&g, 0, 1 << 20);
    get_str(&g, j->host, sizeof j->host);
    get_str(&g, j->clock, sizeof j->clock);
    return get_exactly(&g, j->nonce, MEET_NONCE) &&
           get_proof(&g, s, "member", secret, leader_nonce, right);
}

void meet_put_welcome(struct put *p, const struct meet_welcome *w, const char *secret,
                      const unsigned char member_nonce[MEET_NONCE])
{
    put_str(p, w->host);
    put_bool(p, w->same_clock);
    put_proof(p, "leader", secret, member_nonce);
}

bool meet_get_welcome(const struct str *s, struct meet_welcome *w, const char *secret,
                      const unsigned char member_nonce[MEET_NONCE])
{
    struct get g = get_of(s->s, s->len);
    bool right = false;

    get_str(&g, w->host, sizeof w->host);
    w->same_clock = get_bool(&g);
    return get_proof(&g, s, "leader", secret, member_nonce, &right) && right;
}
