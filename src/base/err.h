/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The one currency of failure.  Whoever asks puts a struct err on its stack; whoever fails
 * fills it with a kind (which decides the exit status, in cli/ and nowhere else) and a sentence
 * that says what was attempted on what; callers on the way up put context in front of it.
 *
 *     if (sql_connect(...., e))
 *         return err_add(e, "client %d", id);       -> "client 7: cannot connect to ..."
 *
 * Nothing here allocates or locks; any thread may call.
 */
#ifndef SB_BASE_ERR_H
#define SB_BASE_ERR_H

enum err_kind {
    ERR_NONE = 0,
    ERR_SYNTAX,      /* the command line cannot be read: the sentence goes to stderr, exit 1 */
    ERR_USAGE,       /* it asks for something that cannot be: "FATAL: " on stdout, exit 1 */
    ERR_FAILED,      /* the world refused: file, server, script: "FATAL: " on stdout, exit 1 */
    ERR_REPORTED,    /* as ERR_FAILED, but the sentence has been printed already */
    ERR_TIMEOUT,     /* forced shutdown, or clients that did not start in time: exit 2 */
    ERR_UNSUSTAINED, /* --tx-strict and the rate was not held: exit 3 */
    ERR_OUTPUT,      /* a report could not be written: exit 1 */
};

struct err {
    enum err_kind kind;
    char msg[768];
};

#define SB_PRINTF(a, b) __attribute__((format(printf, a, b)))

/* Fills *e (NULL is allowed: nobody wants to know) and returns -1. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...) SB_PRINTF(3, 4);

/* As err_set with ERR_FAILED, ": " and the text of errno value `errnum` appended.  Returns -1. */
int err_sys(struct err *e, int errnum, const char *fmt, ...) SB_PRINTF(3, 4);

/* Puts "context: " in front of the message that is there already; returns -1. */
int err_add(struct err *e, const char *fmt, ...) SB_PRINTF(2, 3);

/* Puts more text behind the message that is there already; returns -1. */
int err_append(struct err *e, const char *fmt, ...) SB_PRINTF(2, 3);

#endif
