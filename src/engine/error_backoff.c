/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See error_backoff.h.
 */
#include "engine/error_backoff.h"

#define FREE_ERRORS 2
#define FIRST_PAUSE NS_PER_MS

void error_backoff_init(struct error_backoff *b, uint32_t seed, int client)
{
    *b = (struct error_backoff){.paused = false};
    rng_seed_pair(&b->rng, seed, UINT64_C(0x6272616b65) << 24 | (uint64_t)client); /* "brake" */
}

static void count(struct error_backoff_stream *s, uint64_t successes)
{
    if (successes != s->successes)
        s->errors = 0;
    s->successes = successes;
    s->errors++;
}

/* Between half and all of it, as the back-off of a reconnect: clients that failed together do not
 * come back together. */
static dur_ns pause_of(struct error_backoff *b, const struct error_backoff_stream *s,
                       dur_ns longest)
{
    unsigned doublings = s->errors - FREE_ERRORS - 1;
    dur_ns whole = longest;

    if (s->errors <= FREE_ERRORS || longest == 0)
        return 0;
    if (doublings < 32 && (FIRST_PAUSE << doublings) < longest)
        whole = FIRST_PAUSE << doublings;
    return whole / 2 + (dur_ns)(rng_double(&b->rng) * (double)(whole / 2));
}

dur_ns error_backoff_statement(struct error_backoff *b, uint64_t successes, dur_ns longest)
{
    count(&b->statement, successes);
    dur_ns pause = pause_of(b, &b->statement, longest);
    b->paused = pause > 0;
    return pause;
}

dur_ns error_backoff_event(struct error_backoff *b, uint64_t successes, dur_ns longest)
{
    bool paused = b->paused;

    b->paused = false;
    count(&b->event, successes);
    return paused ? 0 : pause_of(b, &b->event, longest);
}
