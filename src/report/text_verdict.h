/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The verdict on the rate, as the final report shows it.
 */
#ifndef SB_REPORT_TEXT_VERDICT_H
#define SB_REPORT_TEXT_VERDICT_H

#include <stdbool.h>

struct text_verdict {
    bool sustained, unknown; /* unknown: the run was too short to tell */
    const char *why;         /* reason or hint; "" */
    const char *interrupted; /* NULL or "": it was not */
    int since_stage;         /* the first stage that was not sustained, and what it was; 0: none */
    const char *since;
};

/* What stands between the word and its reason. */
const char *text_verdict_join(bool sustained, const char *why);

#endif
