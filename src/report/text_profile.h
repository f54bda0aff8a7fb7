/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the block of --server-profile in the final report.
 */
#ifndef SB_REPORT_TEXT_PROFILE_H
#define SB_REPORT_TEXT_PROFILE_H

#include "base/str.h"
#include "report/profile_record.h"

/* Writes nothing while the profile has not ended (or was not requested). */
void text_profile(struct str *out, const struct report_profile *p);

#endif
