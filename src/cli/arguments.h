/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The command line, word by word.  Private to src/cli
 *
 *     sysbench [options] TEST COMMAND          1.0 and 1.1: the first two words
 *     sysbench [options] --test=TEST COMMAND   0.4 and 0.5: one word, wherever it stands
 *
 * Both forms work with each --compat.  With an old one, its rules hold for values (opt_rules), and
 * errors in the words are reported as it did.
 */
#ifndef SB_CLI_ARGUMENTS_H
#define SB_CLI_ARGUMENTS_H

#include "cli/app_state.h"

/* Fills a->opts, a->testname and a->command.  -1: one sentence. */
int arguments_read(struct app *a, struct err *e);

/* With an old --compat: is there a test, and a command that it knew?  Where one is missing, prints
 * the usage, as old programs did.  -1: one sentence, in their words. */
int arguments_check(const struct app *a, struct err *e);

/* Commands without a test: `version` in each generation, `help` in old ones. */
bool arguments_ask_version(const struct app *a);
bool arguments_ask_help(const struct app *a);

#endif
