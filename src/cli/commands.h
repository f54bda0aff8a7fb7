/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What each command word does with a loaded script, and the two that need none (--help, --version).
 */
#ifndef SB_CLI_COMMANDS_H
#define SB_CLI_COMMANDS_H

#include "cli/app.h"

void command_help(const struct app *a);
void command_version(const struct app *a, bool verbose);
void command_banner(void);

/* Dispatches a->command (spec 1.6).  0, or -1 with *e; *signal is set when a run was ended by one. */
int command_call(struct app *a, int *signal, struct err *e);

#endif
