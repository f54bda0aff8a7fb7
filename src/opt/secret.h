/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The one place where passwords are masked, recognized, and read from files.  An option whose name
 * says that it holds one gets the flag OPT_SECRET; a row with OPT_SECRET_WITHIN is of a connection
 * string, one with OPT_COMMAND of a command.  In any other text ("--do=mysql --password=secret"),
 * the text after "password=" or "MYSQL_PWD=" is masked, the password in a URI, and those of
 * "mysql -psecret", "sshpass -p secret" and "curl -u user:secret".  The laboratory has the same
 * rules (sysbench_lab/plan/mask.py).  Any thread may call the functions that mask text.
 */
#ifndef SB_OPT_SECRET_H
#define SB_OPT_SECRET_H

#include "base/err.h"
#include "opt/mask.h"
#include "opt/opt.h"

/* Hides the passwords of OPT_SECRET and OPT_SECRET_WITHIN options in argv, and commands whole: argv
 * is what /proc, ps and scripts (sysbench.cmdline.argv) see from then on.  Returns a copy of the
 * arguments as typed, to read the options from.  For main, as soon as the general options are
 * declared. */
char **secret_hide(const struct opts *o, int argc, char **argv);
/* Hides the passwords in the copy, too, once the options have been read; the rest of a command
 * stays, for reports. */
void secret_forget(const struct opts *o, char **copy);
void secret_free(char **copy);

/* The value of an option, or an argument of the command line, in a form that may be shown.  The
 * caller frees it.  Any other text: secret_shown_text. */
char *secret_shown(const struct opts *o, const char *option, const char *value);
char *secret_shown_arg(const struct opts *o, const char *arg);

/* --- from files (--mysql-password-file, --pgsql-password-file): in no process list --- */

/* The password in a file as the value of `option` ("mysql-password"), when its "-file" option names
 * one.  "-" is a line of standard input, with a prompt when that is a terminal.  Warns on stderr
 * when others may read the file.  -1: both options given, not readable, more than one line. */
int password_file_read(struct opts *o, const char *option, struct err *e);

/* The same: how long to wait for somebody who opens a FIFO to write; 10 s in the function above. */
int password_file_read_within(struct opts *o, const char *option, int wait_ms, struct err *e);

#endif
