/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "Did you mean": keeps the three best of the names that are offered.  Best is the smallest number
 * of letters to insert, drop, change or swap with their neighbour, case left aside; a name that
 * begins with the given text counts as near.  One thread at a time.  Private to src/telemetry
 */
#ifndef SB_TELEMETRY_PERF_NEAR_H
#define SB_TELEMETRY_PERF_NEAR_H

#include <stddef.h>

#define PERF_NEAR_MAX  3
#define PERF_NEAR_NAME 80

struct perf_near {
    char want[PERF_NEAR_NAME];
    char name[PERF_NEAR_MAX][PERF_NEAR_NAME]; /* best first */
    size_t distance[PERF_NEAR_MAX];
    size_t n;
};

void perf_near_init(struct perf_near *p, const char *want);
void perf_near_offer(struct perf_near *p, const char *name);

/* Offers the entries of the folder dir_fd/path as prefix:ENTRY. */
void perf_near_folder(struct perf_near *p, int dir_fd, const char *path, const char *prefix);

/* "; near it: a, b" or "". */
void perf_near_text(const struct perf_near *p, char *buf, size_t size);

#endif
