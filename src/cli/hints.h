/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Suggestions after error messages about the words of a command line.  Private to src/cli
 *
 *     Cannot find benchmark 'oltp_readonly': no such built-in test, file or module; did you mean
 *         oltp_read_only?
 *     Unknown command: 4; did you mean --threads=4?
 *
 * The messages are stock's and unchanged, because scripts match them; the hints follow them.  A
 * hint is a guess: without a guess, it says where the names are listed.
 */
#ifndef SB_CLI_HINTS_H
#define SB_CLI_HINTS_H

#include "cli/app_state.h"

/* Of too many words, one may be the value of an option: appends what was meant.  False: nothing. */
bool hint_misplaced(const struct app *a, const char *word, struct err *e);
/* Reports a superfluous word.  Always -1. */
int hint_surplus(const struct app *a, const char *word, struct err *e);
/* Reports that there is no such test.  Always -1. */
int hint_test(const struct app *a, struct err *e);
/* Reports that there is no such command; the script, if it is one, is open.  Always -1. */
int hint_command(const struct app *a, struct err *e);

/* True for a word that follows the name of a test. */
bool hint_is_command(const char *word);

#endif
