/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The script's report hooks as an observer of a run.
 *
 * Stock keeps a Lua state for intermediate reports and one for checkpoints, and the script's top
 * level runs in each, with or without hooks: some scripts rely on it.
 */
#ifndef SB_SESSION_HOOKS_H
#define SB_SESSION_HOOKS_H

#include <stdbool.h>

#include "base/rng.h"
#include "script/script.h"
#include "session/observer.h"

struct hooks {
    struct script *script;       /* NULL: a built-in test, which has none */
    struct rng_seeder *seeder;   /* of the Lua states' random numbers */
    bool intervals, checkpoints; /* the run reports these: a Lua state for each */
    struct script_reporter *interval, *checkpoint;
};

extern const struct observer_ops hooks_observer; /* self: struct hooks */

bool hooks_has(const struct hooks *h, enum script_hook hook);

#endif
