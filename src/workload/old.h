/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/workload: a rule that cpu and threads share under --compat=0.4 and M0.  There
 * --max-requests=0 was no "unlimited" for these two tests: they did nothing.  It was mended in May
 * 2015, which is the last 0.5.
 */
#ifndef SB_WORKLOAD_OLD_H
#define SB_WORKLOAD_OLD_H

#include "base/log.h"
#include "workload/builtin.h"

/* True when the test runs no event; a note says so. */
static inline bool old_no_events(const struct builtin_env *env)
{
    const struct generation_facts *g = env->generation;

    if (!g->old || g->form == FORM_0_5 || env->max_events)
        return false;
    log_stderr("NOTE: with --compat=%s this test runs no event when --max-requests is 0, as it did",
               g->name);
    return true;
}

#endif
