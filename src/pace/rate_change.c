/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See rate_change.h.
 */
#include "pace/rate_change.h"

static dur_ns moved(const struct rate_change *c, rate_pos pos)
{
    rate_pos step = 2 * (rate_pos)c->micro, t;

    if (step == 0)
        return RATES_FAR;
    if (pos <= c->base)
        return c->at;
    t = (pos - c->base + step - 1) / step;
    return t > (rate_pos)(RATES_FAR - c->at) ? RATES_FAR : c->at + (dur_ns)t;
}

/* change_note: only of starts close to a change the instant before it is needed. */
dur_ns rate_change_start(const struct rate_change *c, dur_ns first, rate_pos pos)
{
    for (; c; c = c->before) {
        if (pos + RATE_ONE <= c->base)
            continue;
        if (pos < c->base + RATE_ONE) {
            dur_ns was = rate_change_start(c->before, first, pos);
            if (was < c->at)
                return was;
        }
        return moved(c, pos);
    }
    return first;
}

rate_pos rate_change_pos(const struct rate_change *c, dur_ns t)
{
    t = t > RATES_FAR ? RATES_FAR : t;
    return c->base + 2 * (rate_pos)c->micro * (rate_pos)(t - c->at);
}

uint64_t rate_change_due(const struct rate_change *c, dur_ns t)
{
    rate_pos pos = rate_change_pos(c, t);
    uint64_t n = (uint64_t)(pos / RATE_ONE) + 1;

    return c->micro && n > c->due ? n : c->due;
}
