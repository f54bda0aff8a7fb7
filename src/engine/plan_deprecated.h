/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options of the plan whose names have changed.
 */
#ifndef SB_ENGINE_PLAN_DEPRECATED_H
#define SB_ENGINE_PLAN_DEPRECATED_H

#include "engine/plan.h"
#include "opt/opt.h"

/* --num-threads, --max-requests and --max-time take effect under their new names, with a warning
 * on stdout, as do those that are not stock's (opts_apply_old), on stderr.  With an old --compat
 * there is no warning, and each value counts; otherwise 0 requests, 0 seconds and one thread are
 * "not given". */
void plan_apply_deprecated(struct opts *o);

/* --tx-rate was a deprecated alias of --rate in 1.0; here it holds a steady rate.  A run with it
 * and no other option of ours may mean either: says on stderr what it does now. */
void plan_note_tx_rate(const struct plan *p, const struct opts *o, const char *command);

#endif
