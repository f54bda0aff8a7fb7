/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Pings: a member's sign of life, what its clock is compared with the leader's by, and how the
 * leader learns the result.  A member sends BURST of them one after the other when it has joined,
 * each as soon as the one before was answered, and then one each second.
 *
 *     PING  version, sent, settled, offset, uncertainty, drift, round trip, samples
 *     PONG  version, sent, received, answered
 */
#include "cluster/cluster_state.h"

#include <math.h>
#include <stdlib.h>

#include "cluster/codec.h"

#define VERSION  1
#define BURST    32
#define INTERVAL NS_PER_SEC
/* Times and differences of an honest clock are far below; sums of them do not overflow. */
#define LARGEST (INT64_MAX / 8)

/* The leader's clock; in a trial, one that goes its own way. */
static mono_ns leader_time(const struct cluster *c, mono_ns t)
{
    const struct meet_trial *y = c->trial;

    return y ? t + y->ahead + (dur_ns)llround((double)(t - y->from) * y->drift) : t;
}

static void send_urgent(struct cluster *c, struct peer *p, unsigned type, struct put *m)
{
    pthread_mutex_lock(&c->lock);
    queue_urgent(p, type, m->s.s, m->s.len);
    pthread_mutex_unlock(&c->lock);
    put_free(m);
    queue_send(c, p);
}

/* --- the leader --- */

static void answer(struct cluster *c, struct peer *p, mono_ns sent, mono_ns received)
{
    struct put m = {0};

    put_u64(&m, VERSION);
    put_i64(&m, sent);
    put_i64(&m, leader_time(c, received));
    put_i64(&m, leader_time(c, clock_mono()));
    send_urgent(c, p, FRAME_PONG, &m);
}

static bool take_ping(struct cluster *c, struct peer *p, mono_ns now)
{
    struct get g = get_of(p->in.payload.s, p->in.payload.len);
    uint64_t version = get_u64(&g);
    mono_ns sent = get_range(&g, 0, LARGEST);
    bool settled = get_bool(&g);
    struct cluster_clock_figures f = {.same_clock = p->same_clock};

    f.offset = get_range(&g, -LARGEST, LARGEST);
    f.uncertainty = get_range(&g, 0, LARGEST);
    f.drift_ppm = get_double(&g);
    f.round_trip = get_range(&g, 0, LARGEST);
    f.samples = (unsigned)get_u64(&g);
    if (version != VERSION || !get_end(&g) || !isfinite(f.drift_ppm))
        return false;
    pthread_mutex_lock(&c->lock);
    p->settled = settled;
    p->figures = f;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    answer(c, p, sent, now);
    return true;
}

/* --- a member --- */

static void set_figures(struct cluster *c, struct peer *leader, const struct skew_estimate *x,
                        dur_ns off)
{
    struct cluster_clock_figures f = {
        .round_trip = x->round_trip, .samples = c->skew.taken, .same_clock = leader->same_clock};

    if (!leader->same_clock) {
        f.offset = x->offset;
        f.uncertainty = x->uncertainty + llabs(off);
        f.drift_ppm = x->drift * 1e6;
    }
    pthread_mutex_lock(&c->lock);
    leader->figures = f;
    leader->settled = c->burst <= 0;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

/* The clock is made when the first comparison is complete, and steered from then on. */
static dur_ns steer(struct cluster *c, mono_ns now, const struct skew_estimate *x)
{
    struct cluster_clock *k = atomic_load(&c->clock);

    if (!k && c->burst <= 0)
        atomic_store(&c->clock, cluster_clock_new(x->offset, x->drift));
    if (!k)
        return 0;
    cluster_clock_steer(k, now, x->offset, x->drift);
    return cluster_clock_at(k, now) - (now + x->offset);
}

static void send_ping(struct cluster *c, struct peer *leader)
{
    struct cluster_clock_figures f;
    struct put m = {0};

    pthread_mutex_lock(&c->lock);
    f = leader->figures;
    pthread_mutex_unlock(&c->lock);
    put_u64(&m, VERSION);
    put_i64(&m, clock_mono());
    put_bool(&m, c->burst <= 0);
    put_i64(&m, f.offset);
    put_i64(&m, f.uncertainty);
    put_double(&m, f.drift_ppm);
    put_i64(&m, f.round_trip);
    put_u64(&m, f.samples);
    send_urgent(c, leader, FRAME_PING, &m);
}

static bool take_pong(struct cluster *c, struct peer *leader, mono_ns now)
{
    struct get g = get_of(leader->in.payload.s, leader->in.payload.len);
    uint64_t version = get_u64(&g);
    mono_ns sent = get_range(&g, 0, now), received = get_range(&g, -LARGEST, LARGEST);
    mono_ns answered = get_range(&g, -LARGEST, LARGEST);
    struct skew_estimate x;

    if (version != VERSION || !get_end(&g))
        return false;
    skew_add(&c->skew, sent, received, answered, now);
    if (c->burst > 0)
        c->burst--;
    if (!skew_at(&c->skew, now, &x))
        return true;
    set_figures(c, leader, &x, leader->same_clock ? 0 : steer(c, now, &x));
    if (c->next_ping == MONO_NEVER) { /* of the burst; the last one tells the result */
        c->next_ping = c->burst > 0 ? MONO_NEVER : now + INTERVAL;
        send_ping(c, leader);
    }
    return true;
}

mono_ns pings_send(struct cluster *c, mono_ns now)
{
    if (c->rank == 0 || now < c->next_ping)
        return c->rank == 0 ? MONO_NEVER : c->next_ping;
    if (c->skew.taken == 0)
        c->burst = BURST;
    c->next_ping = c->burst > 0 ? MONO_NEVER : now + INTERVAL;
    if (atomic_load(&cluster_peer(c, 0)->alive))
        send_ping(c, cluster_peer(c, 0));
    return c->next_ping;
}

bool pings_take(struct cluster *c, struct peer *p, mono_ns now)
{
    if (p->in.type == FRAME_PING && c->rank == 0)
        return take_ping(c, p, now);
    return p->in.type == FRAME_PONG && c->rank != 0 && take_pong(c, p, now);
}
