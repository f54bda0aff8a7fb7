/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See causes.h.
 */
#include "engine/causes.h"

#include <math.h>

const struct row *const causes[CAUSES] = {
    &cause_failures,    &cause_errors,    &cause_endless,    &cause_outages,    &cause_clients,
    &cause_script,      &cause_own_cpu,   &cause_server_cpu, &cause_machine,    &cause_bursts,
    &cause_stopped,     &cause_throttled, &cause_own_wait,   &cause_woken_late, &cause_locks,
    &cause_server_wait, &cause_silence,   &cause_inside,     &cause_log,        &cause_io,
    &cause_latch,       &cause_client,    &cause_sleep,      &cause_cpu,        &cause_grown,
};

/* The bound of the whole machine counts where it is much smaller than that of either process, or
 * tells much more of what is missing. */
static bool more_than_either(const struct account *a, double machine)
{
    double either = fmin(cause_own_cpu.bound(a), cause_server_cpu.bound(a)), target = a->r->target;

    return machine * APART < either ||
           (a->missed && (target - either) * APART < target - machine && machine < target);
}

/* A CPU that is used up makes transactions wait for it, and more clients would not help: it goes
 * before their bound, which has that waiting in it. */
const struct row *causes_smallest(const struct account *a, double least, double *bound)
{
    const struct row *found = NULL;
    double first = INFINITY;

    *bound = INFINITY;
    for (size_t i = 0; i < CAUSES; i++) {
        double b = causes[i]->bound ? causes[i]->bound(a) : (double)NAN;
        if (causes[i] == &cause_machine && least > 0)
            continue;
        if (causes[i] == &cause_machine && !more_than_either(a, b))
            continue;
        bool cpu = causes[i]->side != FIND_LIMIT_CLIENTS && b * USED_UP / 100 <= a->ended;
        double rank = cpu ? b * USED_UP / 100 : b;
        if (b > least && rank < first) { /* false for NaN */
            *bound = b;
            first = rank;
            found = causes[i];
        }
    }
    return found;
}
