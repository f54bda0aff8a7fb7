/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What may have been meant: hints behind complaints about the words of a command line.
 *
 *     Cannot find benchmark 'oltp_readonly': no such built-in test, file or module; did you mean
 * oltp_read_only? Unknown command: 4; did you mean --threads=4?
 *
 * The complaints are stock's and stay whole, because scripts match them; the hints stand behind
 * them.  A hint is a guess: where there is nothing to guess, it says where the names are listed.
 */
#ifndef SB_CLI_HINTS_H
#define SB_CLI_HINTS_H

#include "cli/app.h"

/* The word is one too many.  Always -1. */
int hint_surplus(const struct app *a, const char *word, struct err *e);
/* There is no such test.  Always -1. */
int hint_test(const struct app *a, struct err *e);
/* There is no such command; the script, if it is one, is open.  Always -1. */
int hint_command(const struct app *a, struct err *e);

/* Is it a word that stands behind the name of a test? */
bool hint_is_command(const char *word);

#endif
