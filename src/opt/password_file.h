/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Passwords from files (--mysql-password-file, --pgsql-password-file): such passwords appear in no
 * process list.
 */
#ifndef SB_OPT_PASSWORD_FILE_H
#define SB_OPT_PASSWORD_FILE_H

#include "base/err.h"
#include "opt/opt.h"

/* The password in a file as the value of `option` ("mysql-password"), when its "-file" option names
 * one.  "-" is a line of standard input, with a prompt when that is a terminal.  Warns on stderr
 * when others may read the file.  -1: both options given, not readable, more than one line. */
int password_file_read(struct opts *o, const char *option, struct err *e);

/* The same: how long to wait for somebody who opens a FIFO to write; 10 s in the function above. */
int password_file_read_within(struct opts *o, const char *option, int wait_ms, struct err *e);

#endif
