/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options that choose the form of reports and where results go.
 */
#ifndef SB_SESSION_RESULT_OPTIONS_H
#define SB_SESSION_RESULT_OPTIONS_H

#include "opt/opt.h"

/* Rows of the group LOG. */
void result_options(struct opts *o);

#endif
