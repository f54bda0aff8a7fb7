/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See status.h.
 */
#include "telemetry/status.h"

#include <stdio.h>
#include <string.h>

/* MySQL tells whole seconds. */
#define UP_SLACK 1.5

static bool is_restarted(const struct status_lives *l, const struct status_reading *r, double up)
{
    return l->any && up + UP_SLACK < l->up + dur_sec(r->at - l->at);
}

/* What it told last is all that is known of the life that ended.  Counters that outlive a restart
 * (PostgreSQL saves them) go on from there. */
static void begin_life(struct status_lives *l, const struct status_name *name, size_t n,
                       const struct status_reading *r)
{
    l->lives++;
    for (size_t i = 0; i < n; i++)
        if (!name[i].gauge && r->v[i] < l->v[i])
            l->past[i] += l->v[i];
}

void status_join(struct status_lives *l, const struct status_name *name, size_t n, double up,
                 struct status_reading *r)
{
    bool restarted = r->have && is_restarted(l, r, up);

    if (restarted)
        begin_life(l, name, n, r);
    if (r->have && l->answered && !restarted)
        l->whole++;
    if (r->have) {
        memcpy(l->v, r->v, sizeof l->v);
        l->have = r->have;
        l->at = r->at;
        l->up = up;
        l->any = true;
    }
    l->answered = r->have != 0;
    for (size_t i = 0; i < n; i++)
        r->v[i] = l->v[i] + (name[i].gauge ? 0 : l->past[i]);
    r->kept = l->have;
    r->lives = l->lives;
    r->whole = l->whole;
}

static void diff_one(const struct status_name *name, size_t i, const struct status_reading *before,
                     const struct status_reading *after, struct status_delta *out)
{
    uint32_t bit = UINT32_C(1) << i;
    uint32_t end = out->lower ? after->kept : after->have;

    if (name->gauge && after->have & bit) {
        out->v[i] = after->v[i];
    } else if (name->gauge || !(end & before->have & bit) || out->wall_ns <= 0 ||
               after->v[i] < before->v[i]) {
        return;
    } else {
        out->v[i] = after->v[i] - before->v[i];
    }
    out->have |= bit;
}

void status_diff(const struct status_name *name, size_t n, const struct status_reading *before,
                 const struct status_reading *after, struct status_delta *out)
{
    bool restarted = before->lives != after->lives, several = after->whole > before->whole;

    *out = (struct status_delta){.wall_ns = after->at - before->at,
                                 .lower = several && (restarted || !after->have)};
    for (size_t i = 0; i < n; i++)
        if (name[i].gauge || !restarted || several)
            diff_one(&name[i], i, before, after, out);
    snprintf(out->why, sizeof out->why, "%s",
             after->why[0]      ? after->why
             : before->why[0]   ? before->why
             : restarted        ? "the server was restarted"
             : out->wall_ns > 0 ? "the server does not have it, or it was reset"
                                : "the load had ended before this interval");
}
