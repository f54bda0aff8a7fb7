/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The helps.  Wrappers parse the first one: its blocks, their order and the form of its lines are
 * stock's.
 *
 *     sysbench --help, -h              all general options, on stdout
 *     sysbench TEST --help, TEST -h    the test's own options, and where the others are
 *     sysbench TEST help               the same without the latter, as stock has it (commands.c)
 *     sysbench                         on a terminal: what can be typed, on stderr
 */
#ifndef SB_CLI_HELP_H
#define SB_CLI_HELP_H

#include "cli/app.h"
#include "workload/builtin.h"

void help_general(const struct opts *o);

/* What the command `help` of a built-in test prints. */
void help_builtin(const struct opts *o, const char *name);

/* The help of a->testname, whatever else the command line says; the general one when there is no
 * such test.  -1: the script cannot be loaded. */
int help_test(const struct app *a, struct err *e);

/* A few lines for who typed the name of the program and nothing else. */
void help_usage(void);

#endif
