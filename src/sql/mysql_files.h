/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * MySQL's option files (my.cnf), read by us and not by the client library, so that both libraries
 * read the same, what is found can be shown with its place, and nothing is read unless somebody
 * asked.
 *
 *     [client]                 # to the end of the line
 *     host = db1               ; a line of comment
 *     password = "with # and blanks\tand escapes"
 *     compress
 *     !include /etc/more.cnf
 *     !includedir /etc/mysql/conf.d       # its *.cnf files, sorted by name
 *
 * Settings of the groups [client], [client-server], [client-mariadb] and [sysbench] come out, in
 * the order of the files: whoever applies them lets later ones win.  What the names mean is not
 * known here.
 */
#ifndef SB_SQL_MYSQL_FILES_H
#define SB_SQL_MYSQL_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What to read; "" or NULL: not asked for. */
struct mysql_files {
    const char *only;   /* this file and no other */
    bool standard;      /* /etc/my.cnf, /etc/mysql/my.cnf, ~/.my.cnf, where they exist */
    const char *extra;  /* this file; with the standard ones, before the one in the home folder */
    const char *suffix; /* groups of these names with it behind count too */
};

struct mysql_setting {
    char *name;  /* as written, but with '-' for '_' */
    char *value; /* NULL: the name stood alone */
    char *where; /* "FILE:LINE" */
    bool ours;   /* in [sysbench], or that with the suffix */
};

struct mysql_settings {
    struct mysql_setting *list;
    size_t n;
};

/* Reads them; *out is the caller's (mysql_settings_free), also after a failure.  -1: a file that
 * cannot be read, that everybody may write to, or a line that makes no sense. */
int mysql_files_read(const struct mysql_files *ask, struct mysql_settings *out, struct err *e);
void mysql_settings_free(struct mysql_settings *s);

#endif
