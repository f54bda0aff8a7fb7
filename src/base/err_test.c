/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Error messages: set, with the text of an errno value, with context in front and text appended,
 * and never longer than the buffer.
 */
#include "base/err.h"

#include <errno.h>

#include "base/test.h"

static void sentences(void)
{
    struct err e = {0};

    CHECK_INT(err_set(&e, ERR_USAGE, "no %s at %d", "file", 7), -1);
    CHECK_INT(e.kind, ERR_USAGE);
    CHECK_STR(e.msg, "no file at 7");
    CHECK_INT(err_add(&e, "client %d", 3), -1);
    CHECK_INT(err_append(&e, " of %d", 9), -1);
    CHECK_INT(e.kind, ERR_USAGE);
    CHECK_STR(e.msg, "client 3: no file at 7 of 9");
    CHECK_INT(err_set(&e, ERR_TIMEOUT, "anew"), -1);
    CHECK_INT(e.kind, ERR_TIMEOUT);
    CHECK_STR(e.msg, "anew");
}

static void of_the_system(void)
{
    struct err e = {0};

    CHECK_INT(err_sys(&e, ENOENT, "cannot open %s", "x"), -1);
    CHECK_INT(e.kind, ERR_FAILED);
    CHECK_STR(e.msg, "cannot open x: No such file or directory");
    err_sys(&e, 99999, "odd");
    CHECK_STR(e.msg, "odd: Unknown error 99999");
}

static void unwanted(void)
{
    CHECK_INT(err_set(NULL, ERR_FAILED, "x"), -1);
    CHECK_INT(err_sys(NULL, EINTR, "x"), -1);
    CHECK_INT(err_add(NULL, "x"), -1);
    CHECK_INT(err_append(NULL, "x"), -1);
}

/* A message that is too long loses its end; the context in front stays. */
static void too_long(void)
{
    struct err e = {0};
    char text[2000];

    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    err_set(&e, ERR_FAILED, "%s", text);
    CHECK_INT(strlen(e.msg), sizeof e.msg - 1);
    err_append(&e, "more");
    CHECK_INT(strlen(e.msg), sizeof e.msg - 1);
    err_sys(&e, EIO, "%s", text);
    CHECK_INT(strlen(e.msg), sizeof e.msg - 1);
    err_add(&e, "client 7");
    CHECK_INT(strncmp(e.msg, "client 7: aaa", 13), 0);
    CHECK_INT(strlen(e.msg), sizeof e.msg - 1);
    err_add(&e, "%s", text);
    CHECK_INT(strlen(e.msg), sizeof e.msg - 1);
}

TEST_MAIN(err_test)
{
    sentences();
    of_the_system();
    unwanted();
    too_long();
    return test_done("err");
}
