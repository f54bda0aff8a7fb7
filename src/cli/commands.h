/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The commands for a loaded script or a built-in test, and those that need neither (--version, the
 * banner).  Private to src/cli
 */
#ifndef SB_CLI_COMMANDS_H
#define SB_CLI_COMMANDS_H

#include "cli/app_state.h"
#include "workload/builtin.h"

void command_version(const struct app *a, bool verbose);
void command_banner(const struct app *a);

/* As command_call, for a built-in test. */
int command_call_builtin(struct app *a, const struct builtin *b, int *signal, struct err *e);

/* Executes a->command with a script.  0, or -1 with *e; *signal is set when a signal ended a
 * run. */
int command_call(struct app *a, int *signal, struct err *e);

#endif
