/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cli: the helps.  Wrappers parse the first one: its blocks, their order and the
 * form of its lines are stock's.
 *
 *     sysbench --help, -h              the general options that most runs use, on stdout
 *     sysbench --help=all              all general options
 *     sysbench TEST --help, TEST -h    the test's own options, and where the others are
 *     sysbench TEST help               the same without the latter, as stock has it (commands.c)
 *     sysbench                         on a terminal: a short usage, on stderr
 */
#ifndef SB_CLI_HELP_H
#define SB_CLI_HELP_H

#include "cli/app_state.h"

void help_general(const struct opts *o, bool all);

/* The output of the command `help` of a built-in test. */
void help_builtin(const struct opts *o, const char *name);

/* The help of a->testname, independent of the rest of the command line; the general one when there
 * is no such test.  -1: the script cannot be loaded. */
int help_test(const struct app *a, struct err *e);

/* A few lines for a user who only typed the name of the program. */
void help_usage(void);

/* The same in the grammar of 0.4 and 0.5, on standard output: what these programs printed after the
 * sentence about a command line that they could not read. */
void help_usage_old(void);

#endif
