/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Captures what a piece of a unit test writes to stdout or stderr, as a string: the first message
 * is never folded into one that was printed before.  Only tests include this.
 */
#ifndef SB_BASE_TEST_CAPTURE_H
#define SB_BASE_TEST_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/test.h"

static int capture_before = -1, capture_fd;
static FILE *capture_file;

static void capture_from(int fd)
{
    fflush(stdout);
    log_forget();
    capture_file = tmpfile();
    if (!capture_file)
        abort();
    capture_fd = fd;
    capture_before = dup(fd);
    dup2(fileno(capture_file), fd);
}

/* Captures stdout from here on, up to captured(). */
static inline void capture(void)
{
    capture_from(STDOUT_FILENO);
}

/* The same for stderr. */
static inline void capture_errors(void)
{
    capture_from(STDERR_FILENO);
}

/* The text that was written; valid until the next call. */
static const char *captured(void)
{
    static char seen[1 << 20];
    size_t n;

    fflush(stdout);
    dup2(capture_before, capture_fd);
    close(capture_before);
    rewind(capture_file);
    n = fread(seen, 1, sizeof seen - 1, capture_file);
    seen[n] = '\0';
    fclose(capture_file);
    if (test_failures) /* what failed meanwhile was said here */
        fputs(seen, stderr);
    return seen;
}

/* What a child process that calls f wrote to stdout or stderr, and how it ended: as waitpid() has
 * it. */
static inline const char *captured_child(int *status, int fd, int (*f)(void))
{
    capture_from(fd);
    const pid_t pid = fork();
    if (pid == 0) {
        const int rc = f();
        fflush(stdout);
        _exit(rc);
    }
    CHECK_INT(waitpid(pid, status, 0), pid);
    return captured();
}

#endif
