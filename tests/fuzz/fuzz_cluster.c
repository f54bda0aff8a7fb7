/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What comes from other ranks, or from somebody who claims to be one.  The first byte chooses:
 *
 *     f  a stream of frames, in pieces as long as the second byte says; pings and pongs are
 * answered h  HELLO   j  JOIN   w  WELCOME
 *
 * Nobody can prove a secret that the input does not contain.
 */
#include <string.h>

#include "cluster/cluster_state.h"
#include "cluster/codec.h"
#include "fuzz.h"

#define SECRET "6f1d9c0b of which the corpus knows nothing"
#define MOST   64 /* the longest payload */

static const unsigned char no_nonce[HANDSHAKE_NONCE];

/* --- frames --- */

static struct cluster *cluster_of(int rank)
{
    const struct cluster_spec terms = {.rank = rank, .size = 2, .secret = SECRET};
    struct cluster *c = cluster_new(&terms, "fuzz");

    atomic_store(&cluster_peer(c, rank ? 0 : 1)->alive, true);
    return c;
}

/* As if this rank had received the frame. */
static void receive(struct cluster *c, const struct frame_in *in)
{
    struct peer *p = cluster_peer(c, c->rank ? 0 : 1);
    struct cluster_clock_figures f;

    p->in.type = in->type;
    str_reset(&p->in.payload);
    str_add(&p->in.payload, str_cstr(&in->payload), in->payload.len);
    link_take(c, p, 1000 * NS_PER_SEC);
    if (cluster_clock_figures(c, 1, &f))
        FUZZ_CHECK(f.uncertainty >= 0 && f.round_trip >= 0);
    queue_clear(p);
}

static void frames(const uint8_t *data, size_t size, size_t piece)
{
    struct frame_in in = {.max = MOST};
    struct cluster *leader = cluster_of(0), *member = cluster_of(1);
    int rc = 0;

    while (size && rc >= 0) {
        const unsigned char *p = data;
        size_t n = size < piece ? size : piece;

        data += n;
        size -= n;
        while ((rc = frame_take(&in, &p, &n)) == 1) {
            FUZZ_CHECK(in.payload.len <= MOST);
            receive(leader, &in);
            receive(member, &in);
        }
        FUZZ_CHECK(rc < 0 || n == 0);
    }
    frame_in_fini(&in);
    cluster_drop(leader);
    cluster_drop(member);
}

/* --- the meeting --- */

static void words(int which, const struct str *s)
{
    unsigned char nonce[HANDSHAKE_NONCE];
    struct handshake_join j;
    struct handshake_accept w;
    bool right = false;

    if (which == 'h')
        handshake_get_hello(s, nonce);
    else if (which == 'w')
        FUZZ_CHECK(!handshake_get_accept(s, &w, SECRET, no_nonce));
    else if (handshake_get_join(s, &j, SECRET, no_nonce, &right))
        FUZZ_CHECK(!right && strlen(j.host) < sizeof j.host);
}

static void one(const uint8_t *data, size_t size)
{
    struct str s = STR_INIT;

    if (size < 2)
        return;
    if (data[0] == 'f') {
        frames(data + 2, size - 2, data[1] ? data[1] : 1);
        return;
    }
    str_add(&s, (const char *)data + 1, size - 1);
    words(data[0], &s);
    str_free(&s);
}

const struct fuzz_target fuzz_cluster = {"cluster", one};
