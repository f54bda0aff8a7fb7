/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Captures what a piece of a unit test writes to stdout, as a string: the first message is never
 * folded into one that was printed before.  Only tests include this.
 */
#ifndef SB_BASE_TEST_CAPTURE_H
#define SB_BASE_TEST_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"

static int capture_stdout = -1;
static FILE *capture_file;

/* Captures stdout from here on, up to captured(). */
static void capture(void)
{
    fflush(stdout);
    log_forget();
    capture_file = tmpfile();
    if (!capture_file)
        abort();
    capture_stdout = dup(STDOUT_FILENO);
    dup2(fileno(capture_file), STDOUT_FILENO);
}

/* The text that was written; valid until the next call. */
static const char *captured(void)
{
    static char seen[1 << 20];
    size_t n;

    fflush(stdout);
    dup2(capture_stdout, STDOUT_FILENO);
    close(capture_stdout);
    rewind(capture_file);
    n = fread(seen, 1, sizeof seen - 1, capture_file);
    seen[n] = '\0';
    fclose(capture_file);
    return seen;
}

#endif
