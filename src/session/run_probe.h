/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of the group SERVER for all that is read besides the server's processes
 * (telemetry/probe.h), and the probe for them.
 */
#ifndef SB_SESSION_RUN_PROBE_H
#define SB_SESSION_RUN_PROBE_H

#include "base/err.h"
#include "session/server_options.h"
#include "telemetry/probe.h"

/* *out is NULL when there is nothing to read; `status` and `remote` (NULL: none) are borrowed;
 * `keep` is how many descriptors the clients will open.  -1: an option's value is wrong, one
 * sentence. */
int run_probe_new(struct probe **out, const struct server_options *o,
                  const struct status_source *status, struct remote *remote, size_t keep,
                  struct err *e);

/* The names of --server-events alone.  -1: one of them is unknown. */
int run_probe_check_events(const struct server_options *o, struct err *e);

#endif
