/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Passwords on their way in: hidden from the process list as soon as we run, or read from a file so
 * that they are never in it.
 */
#ifndef SB_CLI_SECRETS_H
#define SB_CLI_SECRETS_H

#include "base/err.h"
#include "opt/opt.h"

/* A copy of the arguments, to read the options from; in argv itself every password becomes "***",
 * which is what /proc, ps and scripts (sysbench.cmdline.argv) see from then on.  For main, first
 * thing. Hidden are the values of --mysql-password and --pgsql-password, and passwords within
 * --pgsql-db. */
char **secrets_hide(int argc, char **argv);
void secrets_free(char **copy);

/* An option's value as it may be shown: passwords, by the option's name or within a connection
 * string, are "***".  The caller's. */
char *secrets_shown(const char *option, const char *value);

/* The password in a file as the value of `option` ("mysql-password"), when its "-file" option names
 * one.  "-" is a line of standard input, asked for when that is a terminal.  Warns on stderr when
 * others may read the file.  -1: both options given, not readable, more than one line. */
int secrets_from_file(struct opts *o, const char *option, struct err *e);

#endif
