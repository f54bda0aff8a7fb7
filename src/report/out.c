/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See out.h.
 */
#include "report/out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

bool out_is_stdout(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return mem_strdup(".");
    return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

static int check_folder(const char *path, struct err *e)
{
    char *folder = folder_of(path);
    struct stat st;
    int rc = 0;

    if (stat(folder, &st))
        rc = err_sys(e, errno, "the folder of '%s'", path);
    else if (!S_ISDIR(st.st_mode))
        rc = err_set(e, ERR_USAGE, "'%s' is not a folder", folder);
    else if (access(folder, W_OK | X_OK))
        rc = err_sys(e, errno, "cannot write in the folder of '%s'", path);
    free(folder);
    return rc;
}

int out_check(const char *path, bool replaced, struct err *e)
{
    struct stat st;
    bool there = stat(path, &st) == 0;

    if (replaced && (out_is_stdout(path) || (there && !S_ISREG(st.st_mode))))
        return err_set(e, ERR_USAGE,
                       "'%s' is not a regular file: this format replaces the file at every report",
                       path);
    if (out_is_stdout(path))
        return 0;
    if (!there && errno != ENOENT)
        return err_sys(e, errno, "'%s'", path);
    if (there && S_ISDIR(st.st_mode))
        return err_set(e, ERR_USAGE, "'%s' is a folder", path);
    if (there && access(path, W_OK))
        return err_sys(e, errno, "cannot write to '%s'", path);
    return there && !replaced ? 0 : check_folder(path, e);
}

int out_open(struct out *o, const char *path, struct err *e)
{
    struct stat st;

    *o = (struct out){.path = path, .fd = STDOUT_FILENO};
    if (out_is_stdout(path))
        return 0;
    o->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (o->fd < 0)
        return err_sys(e, errno, "cannot open '%s'", path);
    o->regular = fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode);
    return 0;
}

void out_fail(struct out *o, int errnum)
{
    if (o->failed)
        return;
    o->failed = errnum ? errnum : EIO;
    log_alert("cannot write to '%s': %s; the run continues without it", o->path,
              strerror(o->failed));
}

/* Writes everything, or returns errno; *done says how much was written. */
static int write_at(const struct out *o, int fd, const char *text, size_t n, off_t at, size_t *done)
{
    *done = 0;
    while (*done < n) {
        ssize_t w = o->regular ? pwrite(fd, text + *done, n - *done, at + (off_t)*done)
                               : write(fd, text + *done, n - *done);
        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0 && errno == EAGAIN) { /* a non-blocking pipe is full */
            struct pollfd p = {.fd = fd, .events = POLLOUT};
            poll(&p, 1, -1);
            continue;
        }
        if (w <= 0)
            return w < 0 ? errno : ENOSPC;
        *done += (size_t)w;
    }
    return 0;
}

/* First writes what a script or a test left in stdio's buffer. */
static void before(const struct out *o)
{
    if (o->fd == STDOUT_FILENO)
        fflush(stdout);
}

int out_append(struct out *o, const char *text, size_t n)
{
    size_t done;
    int rc;

    if (o->failed || o->fd < 0)
        return -1;
    before(o);
    rc = write_at(o, o->fd, text, n, o->end, &done);
    if (rc == 0) {
        o->end += (off_t)n;
        return 0;
    }
    if (o->regular && ftruncate(o->fd, o->end)) {
        /* nothing better can be done: the last line is cut */
    }
    out_fail(o, rc);
    return -1;
}

int out_replace_end(struct out *o, off_t at, const char *text, size_t n, const char *fallback,
                    size_t keep)
{
    size_t done;
    int rc;

    if (o->failed || o->fd < 0)
        return -1;
    rc = write_at(o, o->fd, text, n, at, &done);
    if (rc == 0) {
        o->end = at + (off_t)n;
        if (ftruncate(o->fd, o->end) == 0)
            return 0;
        rc = errno;
    }
    /* the file already has these blocks, so a full disk does not matter */
    if (ftruncate(o->fd, at + (off_t)keep) == 0)
        write_at(o, o->fd, fallback, keep, at, &done);
    out_fail(o, rc);
    return -1;
}

int out_replace_all(struct out *o, const char *text, size_t n)
{
    struct out new = {.regular = true};
    char *name;
    size_t done;
    int fd, rc;

    if (o->failed)
        return -1;
    name = mem_printf("%s.%d.tmp", o->path, (int)getpid());
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    rc = fd < 0 ? errno : write_at(&new, fd, text, n, 0, &done);
    if (fd >= 0 && close(fd) && rc == 0)
        rc = errno;
    if (rc == 0 && rename(name, o->path))
        rc = errno;
    if (rc && fd >= 0)
        unlink(name);
    free(name);
    if (rc)
        out_fail(o, rc);
    return rc ? -1 : 0;
}

int out_close(struct out *o)
{
    if (o->fd >= 0 && o->fd != STDOUT_FILENO && close(o->fd))
        out_fail(o, errno);
    o->fd = -1;
    return o->failed ? -1 : 0;
}
