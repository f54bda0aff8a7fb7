/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of random numbers (group RANDOM) and the distribution that they describe.
 */
#ifndef SB_OPT_RANDOM_OPTIONS_H
#define SB_OPT_RANDOM_OPTIONS_H

#include "base/dist.h"
#include "base/err.h"
#include "opt/opt.h"

void random_options_declare(struct opts *o);

/* -1: one sentence. */
int random_options_read(struct dist_params *d, const struct opts *o, struct err *e);

#endif
