/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How much power the machine uses: the energy counters of the CPU packages and their memory (RAPL,
 * /sys/class/powercap), and what a laptop draws from its battery (/sys/class/power_supply).
 *
 * A counter counts microjoules up to a range of its own, then begins again at 0; energy_add() makes
 * a sum of it that never decreases.  Between two readings a counter may wrap once.  If so much time
 * has passed that it may have wrapped twice, the sum is not known: `gaps` tells the two readings
 * apart.  The zones are looked for once.  One thread at a time.
 */
#ifndef SB_TELEMETRY_POWER_H
#define SB_TELEMETRY_POWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

enum power_kind { POWER_CPU, POWER_MEMORY, POWER_KINDS };

/* One counter, and what it has counted since it was first read. */
struct energy {
    uint64_t range_uj; /* its largest value */
    uint64_t last_uj, sum_uj;
    mono_ns at; /* of last_uj; 0: it has not been read */
};

/* Adds the new value; false: it may have wrapped more than once since the last one, and only what
 * comes from now on is added. */
bool energy_add(struct energy *e, uint64_t now_uj, mono_ns at);

struct power_reading {
    unsigned have;                   /* 1 << enum power_kind */
    unsigned gaps;                   /* so often the sums lack something */
    uint64_t energy_uj[POWER_KINDS]; /* since power_open, over all packages */
    uint64_t battery_uw;             /* gauge, over all batteries; */
    bool discharging;                /* false: no battery supplies the machine */
};

struct power; /* opaque */

/* `sys_fd` is /sys outside tests, and is used by each reading; -1: there is nothing to read. */
struct power *power_open(int sys_fd);
void power_close(struct power *p); /* NULL is allowed */

void power_read(struct power *p, mono_ns at, struct power_reading *out);

#endif
