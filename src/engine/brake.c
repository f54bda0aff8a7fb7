/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See brake.h.
 */
#include "engine/brake.h"

#define FREE_ERRORS 2
#define FIRST_PAUSE NS_PER_MS

void brake_init(struct brake *b, uint32_t seed, int client)
{
    *b = (struct brake){.braked = false};
    rng_seed_pair(&b->rng, seed, UINT64_C(0x6272616b65) << 24 | (uint64_t)client); /* "brake" */
}

static void count(struct brake_stream *s, uint64_t successes)
{
    if (successes != s->successes)
        s->errors = 0;
    s->successes = successes;
    s->errors++;
}

/* Between half and all of it, as the back-off of a reconnect: clients that failed together do not
 * come back together. */
static dur_ns pause_of(struct brake *b, const struct brake_stream *s, dur_ns longest)
{
    unsigned doublings = s->errors - FREE_ERRORS - 1;
    dur_ns whole = longest;

    if (s->errors <= FREE_ERRORS || longest == 0)
        return 0;
    if (doublings < 32 && (FIRST_PAUSE << doublings) < longest)
        whole = FIRST_PAUSE << doublings;
    return whole / 2 + (dur_ns)(rng_double(&b->rng) * (double)(whole / 2));
}

dur_ns brake_statement(struct brake *b, uint64_t successes, dur_ns longest)
{
    dur_ns pause;

    count(&b->statement, successes);
    pause = pause_of(b, &b->statement, longest);
    b->braked = pause > 0;
    return pause;
}

dur_ns brake_event(struct brake *b, uint64_t successes, dur_ns longest)
{
    bool braked = b->braked;

    b->braked = false;
    count(&b->event, successes);
    return braked ? 0 : pause_of(b, &b->event, longest);
}
