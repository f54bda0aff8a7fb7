/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages are cut at the size of the buffer rather than allocated: "no memory" must still be
 * reported.
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Adds to the message. */
static int add(struct err *e, const char *fmt, va_list ap)
{
    size_t n = e ? strlen(e->msg) : 0;

    if (e)
        vsnprintf(e->msg + n, sizeof e->msg - n, fmt, ap);
    return -1;
}

static void begin(struct err *e, enum err_kind kind)
{
    if (e) {
        e->kind = kind;
        e->msg[0] = '\0';
    }
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
    va_list ap;

    begin(e, kind);
    va_start(ap, fmt);
    add(e, fmt, ap);
    va_end(ap);
    return -1;
}

int err_sys(struct err *e, int errnum, const char *fmt, ...)
{
    char text[128];
    va_list ap;

    begin(e, ERR_FAILED);
    va_start(ap, fmt);
    add(e, fmt, ap);
    va_end(ap);
    /* the GNU strerror_r: it may return a static string instead of filling the buffer */
    return err_append(e, ": %s", strerror_r(errnum, text, sizeof text));
}

int err_add(struct err *e, const char *fmt, ...)
{
    char old[sizeof e->msg];
    va_list ap;

    if (!e)
        return -1;
    memcpy(old, e->msg, sizeof old);
    va_start(ap, fmt);
    vsnprintf(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
    size_t n = strlen(e->msg);
    snprintf(e->msg + n, sizeof e->msg - n, ": %.*s", (int)(sizeof old - 3), old);
    return -1;
}

int err_append(struct err *e, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add(e, fmt, ap);
    va_end(ap);
    return -1;
}
