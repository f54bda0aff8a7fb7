/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See clock_map.h.
 */
#include "cluster/clock_map.h"

#include <math.h>

static mono_ns along(mono_ns theirs, dur_ns passed, double rate)
{
    return theirs + passed + (dur_ns)llround((double)passed * rate);
}

static dur_ns needed(dur_ns wanted, double rate)
{
    return wanted - (dur_ns)llround((double)wanted * (rate / (1 + rate)));
}

struct clock_map clock_map_make(mono_ns own, dur_ns offset, double drift)
{
    return (struct clock_map){.own = own,
                              .theirs = own + offset,
                              .rate = drift,
                              .turn = own,
                              .theirs_at_turn = own + offset,
                              .settled = drift};
}

mono_ns clock_map_at(const struct clock_map *m, mono_ns own)
{
    return own < m->turn ? along(m->theirs, own - m->own, m->rate)
                         : along(m->theirs_at_turn, own - m->turn, m->settled);
}

mono_ns clock_map_own(const struct clock_map *m, mono_ns theirs)
{
    mono_ns own = theirs < m->theirs_at_turn
                      ? m->own + needed(theirs - m->theirs, m->rate)
                      : m->turn + needed(theirs - m->theirs_at_turn, m->settled);

    while (clock_map_at(m, own) < theirs)
        own++;
    while (clock_map_at(m, own - 1) >= theirs)
        own--;
    return own;
}

void clock_map_steer(struct clock_map *m, mono_ns own, dur_ns offset, double drift)
{
    mono_ns theirs = clock_map_at(m, own);
    double error = (double)(own + offset - theirs), slew = error / (double)CLOCK_MAP_HORIZON;

    slew = fmin(fmax(slew, -CLOCK_MAP_SLEW), CLOCK_MAP_SLEW);
    m->own = own;
    m->theirs = theirs;
    m->rate = drift + slew;
    m->settled = drift;
    m->turn = own + (slew == 0 ? 0 : (dur_ns)llround(error / slew));
    m->theirs_at_turn = along(theirs, m->turn - own, m->rate);
}
