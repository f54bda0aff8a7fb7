/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of the run's environment (--report-environment) as text.
 */
#ifndef SB_REPORT_TEXT_ENVIRONMENT_H
#define SB_REPORT_TEXT_ENVIRONMENT_H

#include "base/str.h"

struct environment; /* telemetry/environment.h */

/* "Environment:" and a line for each item. */
void text_environment(struct str *out, const struct environment *e);

#endif
