/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of what is read beside the server's processes (telemetry/probe.h), and the probe made
 * of them.
 */
#ifndef SB_CLI_RUN_PROBE_H
#define SB_CLI_RUN_PROBE_H

#include <stdbool.h>

#include "base/err.h"
#include "opt/opt.h"
#include "telemetry/probe.h"

void run_probe_options(struct opts *o);

/* Does anything that was asked for need to know which process the server is? */
bool run_probe_wants_server(const struct opts *o);

/* *out is NULL when nothing was asked for; `status` and `via` (NULL: none) are borrowed.  -1: an
 * option's value cannot be, one sentence. */
int run_probe_new(struct probe **out, const struct opts *o, const struct status_source *status,
                  struct via *via, struct err *e);

/* The names of --server-events alone.  -1: one of them is unknown. */
int run_probe_check_events(const struct opts *o, struct err *e);

/* --server-status */
bool run_probe_wants_status(const struct opts *o);

#endif
