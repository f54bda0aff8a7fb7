/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See plan_deprecated.h.
 */
#include "engine/plan_deprecated.h"

#include <string.h>

#include "base/log.h"

/* An old name counts only with a value that differs from "not used"; then it overrides the new
 * one. */
void plan_apply_deprecated(struct opts *o)
{
    static const struct {
        const char *old, *now;
        int64_t above;
    } names[] = {
        {"num-threads", "threads", 1}, {"max-requests", "events", 0}, {"max-time", "time", 0}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int64_t v = opt_int(o, names[i].old);
        bool negative_counts = strcmp(names[i].old, "max-time") != 0;
        if (!opt_given(o, names[i].old) || !(v > names[i].above || (negative_counts && v < 0)))
            continue;
        log_print("WARNING: --%s is deprecated, use --%s instead\n", names[i].old, names[i].now);
        opt_set(o, names[i].now, opt_str(o, names[i].old), NULL);
    }
}

void plan_note_tx_rate(const struct plan *p, const struct opts *o, const char *command)
{
    if (!command || strcmp(command, "run") != 0)
        return;
    if (p->rate <= 0 || p->quiet_rate || opts_own_given(o, "tx-rate"))
        return;
    log_stderr(
        "NOTE: --tx-rate holds an even rate and adds lines to the reports (see "
        "sysbench-rate(7)); use --rate=N for the Poisson arrivals that it stood for in sysbench 1.0");
}
