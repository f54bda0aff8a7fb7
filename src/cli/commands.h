/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What each command word does with a loaded script or a built-in test, and what needs neither
 * (--version, the banner).
 */
#ifndef SB_CLI_COMMANDS_H
#define SB_CLI_COMMANDS_H

#include "cli/app.h"
#include "workload/builtin.h"

void command_version(const struct app *a, bool verbose);
void command_banner(const struct app *a);

/* Dispatches a->command for a built-in test (spec 1.6); as command_call. */
int command_call_builtin(struct app *a, const struct builtin *b, int *signal, struct err *e);

/* Dispatches a->command (spec 1.6).  0, or -1 with *e; *signal is set when a run was ended by one.
 */
int command_call(struct app *a, int *signal, struct err *e);

#endif
