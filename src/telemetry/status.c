/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See status.h.
 */
#include "telemetry/status.h"

#include <stdio.h>

void status_diff(const struct status_name *name, size_t n, const struct status_reading *before,
                 const struct status_reading *after, struct status_delta *out)
{
    *out = (struct status_delta){.wall_ns = after->at - before->at};
    for (size_t i = 0; i < n; i++) {
        uint32_t bit = UINT32_C(1) << i;
        if (!(after->have & bit) || (!name[i].gauge && !(before->have & bit)))
            continue;
        if (!name[i].gauge && (out->wall_ns <= 0 || after->v[i] < before->v[i]))
            continue;
        out->v[i] = name[i].gauge ? after->v[i] : after->v[i] - before->v[i];
        out->have |= bit;
    }
    snprintf(out->why, sizeof out->why, "%s",
             after->why[0]      ? after->why
             : before->why[0]   ? before->why
             : out->wall_ns > 0 ? "the server does not have it, or it was reset"
                                : "the load had ended before this interval");
}
