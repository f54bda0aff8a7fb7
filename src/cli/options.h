/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All general option groups together, each declared by the module that reads it.
 */
#ifndef SB_CLI_OPTIONS_H
#define SB_CLI_OPTIONS_H

#include "opt/opt.h"

/* Adds all general groups to an empty table. */
void options_declare(struct opts *o);

#endif
