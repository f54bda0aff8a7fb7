/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Error reporting.  The caller puts a struct err on its stack; a function that fails fills it with
 * a kind and a sentence that says what it attempted; callers further up put context in front.
 *
 *     if (sql_connect(...., e))
 *         return err_add(e, "client %d", id);       -> "client 7: cannot connect to ..."
 *
 * The kind says what happened; the program maps kinds to streams and exit statuses (cli/app.c).
 * Nothing here allocates or locks; any thread may call.
 */
#ifndef SB_BASE_ERR_H
#define SB_BASE_ERR_H

enum err_kind {
    ERR_NONE = 0,
    ERR_SYNTAX,   /* the command line cannot be read */
    ERR_USAGE,    /* the command line demands the impossible */
    ERR_FAILED,   /* a file, a server, a script or the system refused */
    ERR_REPORTED, /* as ERR_FAILED, but the sentence has been printed already */
    ERR_TIMEOUT,  /* something did not start or end in time */
    ERR_UNMET,    /* the run succeeded, but a condition that the user set was not met */
    ERR_OUTPUT,   /* a result could not be written */
};

struct err {
    enum err_kind kind;
    char msg[768];
};

#define SB_PRINTF(a, b) __attribute__((format(printf, a, b)))

/* Fills *e (NULL: the failure is not reported) and returns -1. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...) SB_PRINTF(3, 4);

/* As err_set with ERR_FAILED; appends ": " and the text of errno value `errnum`.  Returns -1. */
int err_sys(struct err *e, int errnum, const char *fmt, ...) SB_PRINTF(3, 4);

/* Puts "context: " in front of the existing message; returns -1. */
int err_add(struct err *e, const char *fmt, ...) SB_PRINTF(2, 3);

/* Appends text to the existing message; returns -1. */
int err_append(struct err *e, const char *fmt, ...) SB_PRINTF(2, 3);

#endif
