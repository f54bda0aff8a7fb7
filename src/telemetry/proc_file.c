/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See proc_file.h.  One read(2) does not always return a whole file: status and net/tcp arrive in
 * pieces.
 */
#include "telemetry/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int open_at(int root_fd, const char *path, int *fd)
{
    *fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
    return *fd < 0 ? errno : 0;
}

static ssize_t read_some(int fd, char *buf, size_t n)
{
    ssize_t got;

    do
        got = read(fd, buf, n);
    while (got < 0 && errno == EINTR);
    return got;
}

int proc_read(int root_fd, const char *path, char *buf, size_t cap, size_t *len)
{
    ssize_t got = 1;
    int fd, rc = open_at(root_fd, path, &fd);

    *len = 0;
    buf[0] = '\0';
    if (rc)
        return rc;
    while (*len < cap - 1 && (got = read_some(fd, buf + *len, cap - 1 - *len)) > 0) {
        *len += (size_t)got;
        if (buf[*len - 1] == '\n') /* these files are one line: no need to read for the end */
            break;
    }
    rc = got < 0 ? errno : *len ? 0 : EBADMSG;
    close(fd);
    buf[*len] = '\0';
    return rc;
}

int proc_read_all(int root_fd, const char *path, struct str *b)
{
    char buf[4096];
    ssize_t got;
    int fd, rc = open_at(root_fd, path, &fd);

    str_reset(b);
    if (rc)
        return rc;
    while ((got = read_some(fd, buf, sizeof buf)) > 0)
        str_add(b, buf, (size_t)got);
    rc = got < 0 ? errno : 0;
    close(fd);
    return rc;
}

/*
 * Passes on the complete lines of buf[0..n), returns their length in bytes; false in *more: stop.
 */
static size_t give_lines(char *buf, size_t n, bool (*fn)(char *, void *), void *arg, bool *more)
{
    size_t done = 0;
    char *end;

    while (*more && (end = memchr(buf + done, '\n', n - done))) {
        *end = '\0';
        *more = fn(buf + done, arg);
        done = (size_t)(end - buf) + 1;
    }
    return done;
}

int proc_each_line(int root_fd, const char *path, bool (*fn)(char *line, void *arg), void *arg)
{
    char buf[4096];
    size_t n = 0, done;
    ssize_t got = 0;
    bool more = true, skipping = false;
    int fd, rc = open_at(root_fd, path, &fd);

    if (rc)
        return rc;
    while (more && (got = read_some(fd, buf + n, sizeof buf - 1 - n)) > 0) {
        n += (size_t)got;
        if (skipping) { /* the rest of a line that was passed on cut */
            char *end = memchr(buf, '\n', n);
            done = end ? (size_t)(end - buf) + 1 : n;
            skipping = !end;
            memmove(buf, buf + done, n -= done);
        }
        done = give_lines(buf, n, fn, arg, &more);
        memmove(buf, buf + done, n -= done);
        if (more && n > sizeof buf / 2) {
            buf[n] = '\0';
            more = fn(buf, arg);
            skipping = true;
            n = 0;
        }
    }
    rc = got < 0 ? errno : 0;
    close(fd);
    return rc;
}

bool proc_number(const char **p, uint64_t *value)
{
    const char *s = *p;
    uint64_t v = 0;
    bool negative;

    while (*s == ' ' || *s == '\t')
        s++;
    negative = *s == '-';
    s += negative;
    if (*s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return false;
    *value = negative ? 0 : v;
    *p = s;
    return true;
}

bool proc_whole_number(const char **p, uint64_t *value)
{
    return proc_number(p, value) && **p != '\0';
}

bool proc_is_gone(int errnum)
{
    return errnum == ENOENT || errnum == ESRCH;
}
