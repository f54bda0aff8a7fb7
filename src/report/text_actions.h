/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the block "Commands" of the text report: what --do ran, how it ended, the
 * first lines of what it printed.
 */
#ifndef SB_REPORT_TEXT_ACTIONS_H
#define SB_REPORT_TEXT_ACTIONS_H

#include "base/str.h"
#include "report/action.h"

/* Nothing when n is 0. */
void text_actions(struct str *out, const struct report_action *a, size_t n);

#endif
