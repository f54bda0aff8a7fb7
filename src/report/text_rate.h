/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The part of text.h that stock does not have: what grows at the end of an interval line.
 */
#ifndef SB_REPORT_TEXT_RATE_H
#define SB_REPORT_TEXT_RATE_H

#include "base/str.h"
#include "report/snapshot.h"

void text_interval_additions(struct str *out, const struct snapshot *s);

#endif
