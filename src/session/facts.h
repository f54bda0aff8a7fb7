/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The facts about the load generator's host in a result file: the machine, the kernel, our
 * libraries, with the names and types of the result files.  An unknown fact has a reason.
 */
#ifndef SB_SESSION_FACTS_H
#define SB_SESSION_FACTS_H

#include "report/run_info.h"
#include "telemetry/environment.h"

#define FACTS_MAX 16

struct facts {
    struct report_fact fact[FACTS_MAX];
    size_t n;
};

/* `host` is the record of this host (environment_host), which is borrowed. */
void facts_read(struct facts *v, const struct environment *host);

#endif
