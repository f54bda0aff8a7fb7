/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader's side of the counters; see counters_note in the header for why `started` comes last.
 */
#include "stats/counters.h"

#include <stddef.h>

void counters_sum(const struct counters *c, size_t n, uint64_t sum[CNT_MAX])
{
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < CNT_MAX; k++) {
            if (k != CNT_STARTED)
                sum[k] += counters_get(&c[i], (enum counter)k);
        }
        sum[CNT_STARTED] += counters_get(&c[i], CNT_STARTED);
    }
}
