/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: MySQL's option files (my.cnf), read here and not by the client library, so
 * that the result does not depend on the library, messages can name file and line, and no file is
 * read unless requested.
 *
 *     [client]                 # to the end of the line
 *     host = db1               ; a line of comment
 *     password = "with # and blanks\tand escapes"
 *     compress
 *     !include /etc/more.cnf
 *     !includedir /etc/mysql/conf.d       # its *.cnf files, sorted by name
 *
 * Returns the settings of the groups [client], [client-server], [client-mariadb] and [sysbench] in
 * the order of the files; the caller lets later ones override earlier ones and interprets them.
 */
#ifndef SB_SQL_MYSQL_FILES_H
#define SB_SQL_MYSQL_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What to read; "" or NULL: nothing. */
struct mysql_files {
    const char *only;   /* this file and no other */
    bool standard;      /* /etc/my.cnf, /etc/mysql/my.cnf, ~/.my.cnf, if they exist */
    const char *extra;  /* this file, too; read before the one in the home folder */
    const char *suffix; /* also read the groups with this suffix */
};

struct mysql_setting {
    char *name;  /* as written, but with '-' for '_' */
    char *value; /* NULL: the name stood alone */
    char *where; /* "FILE:LINE" */
    bool ours;   /* from [sysbench], or [sysbench] with the suffix */
};

struct mysql_settings {
    struct mysql_setting *list;
    size_t n;
};

/* The caller frees *out (mysql_settings_free), also after a failure.  -1: a file cannot be read or
 * is world-writable, or a line is invalid. */
int mysql_files_read(const struct mysql_files *request, struct mysql_settings *out, struct err *e);
void mysql_settings_free(struct mysql_settings *s);

#endif
