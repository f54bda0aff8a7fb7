/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The facts about the load generator's host in a result file: the machine, the kernel, our
 * libraries, with the names and types of the result files.  An unknown fact has a reason.
 */
#ifndef SB_SESSION_FACTS_H
#define SB_SESSION_FACTS_H

#include "report/run_info.h"
#include "telemetry/environment.h"

#define FACTS_MAX     16
#define FACTS_DRIVERS 4

struct facts {
    struct report_fact fact[FACTS_MAX];
    size_t n;
    char library[FACTS_DRIVERS][32]; /* "mysql_library": the name of a driver's fact */
};

/* `host` is the record of this host (environment_host), which is borrowed.  `v` stays where it is:
 * it points to its own names. */
void facts_read(struct facts *v, const struct environment *host);

#endif
