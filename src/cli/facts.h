/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a result file says about where it was made: the machine, the kernel, our libraries.  Facts
 * that cannot be had carry a reason.
 */
#ifndef SB_CLI_FACTS_H
#define SB_CLI_FACTS_H

#include "report/report.h"

#define FACTS_MOST 16

struct facts {
    struct report_fact fact[FACTS_MOST];
    size_t n;
};

void facts_read(struct facts *v);
void facts_free(struct facts *v);

#endif
