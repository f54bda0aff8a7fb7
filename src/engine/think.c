/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Think time: a client pauses after each transaction as a person would, holding its connection.
 * Drawn from a stream of its own, so that the keys a script draws from a seed stay the same with
 * and without it.
 */
#include "engine/run_state.h"

#include <math.h>

void think_setup(struct client *c, uint32_t seed)
{
    rng_seed_pair(&c->think, seed,
                  UINT64_C(0x7468696e6b) << 24 | (uint64_t)c->number); /* "think" */
}

/* Exponential by inversion: -mean * ln(1 - u). */
static dur_ns draw(struct client *c)
{
    const struct plan *p = c->run->plan;

    return p->think_exp ? (dur_ns)(-(double)p->think * log1p(-rng_double(&c->think))) : p->think;
}

void think_pause(struct client *c)
{
    mono_ns last = atomic_load_explicit(&c->last, memory_order_relaxed);

    if (c->begun && !run_stopped(c->run))
        client_await(c, last + draw(c), &c->word);
}
