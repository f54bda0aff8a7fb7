/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From MySQL's option files to our options: what a client's `host` or `ssl-mode` is called here.
 */
#ifndef SB_CLI_MYSQL_DEFAULTS_H
#define SB_CLI_MYSQL_DEFAULTS_H

#include "base/err.h"
#include "opt/opt.h"

/* Reads the files that --defaults-file, --defaults-extra-file and --mysql-read-defaults ask for and
 * gives their settings to the options that the user did not give himself; a host that he gave goes
 * before a socket of a file.  Nothing asked for: nothing read.  -1: a file or a line that is wrong,
 * an unknown name in [sysbench] (in the groups of all clients those are other programs'). */
int mysql_defaults_apply(struct opts *o, struct err *e);

#endif
