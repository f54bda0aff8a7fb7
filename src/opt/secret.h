/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The one place where passwords of options are masked.  An option whose name says that it holds one
 * gets the flag OPT_SECRET; a row with OPT_SECRET_WITHIN is of a connection string.  In any other
 * text ("--do=mysql --password=secret"), the text after "password=" is masked, and the password in
 * a URI.
 */
#ifndef SB_OPT_SECRET_H
#define SB_OPT_SECRET_H

#include "opt/mask.h"
#include "opt/opt.h"

/* Hides the passwords of OPT_SECRET and OPT_SECRET_WITHIN options in argv, which is what /proc, ps
 * and scripts (sysbench.cmdline.argv) see from then on.  Returns a copy of the arguments as typed,
 * to read the options from.  For main, as soon as the general options are declared. */
char **secret_hide(const struct opts *o, int argc, char **argv);
/* Hides them in the copy, too, once the options have been read. */
void secret_forget(const struct opts *o, char **copy);
void secret_free(char **copy);

/* The value of an option, or an argument of the command line, in a form that may be shown.  The
 * caller frees it.  Any other text: secret_shown_text. */
char *secret_shown(const struct opts *o, const char *option, const char *value);
char *secret_shown_arg(const struct opts *o, const char *arg);

#endif
