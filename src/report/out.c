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
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

/* Three of the few file-scope variables: a signal handler gets no argument. */
static _Atomic int writing; /* to what may have to be waited for */
static _Atomic bool given_up, hurried;

bool out_is_stdout(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return mem_strdup(".");
    return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

/* May everybody create files in this directory, but only the owner remove them (/tmp)? */
static bool is_shared(const struct stat *directory)
{
    return directory->st_mode & S_ISVTX && directory->st_mode & S_IWOTH;
}

/* In a shared directory only we and the directory's owner are trusted, as Linux's sysctl
 * fs.protected_regular has it: what lies there may have been put there for us. */
static int check_owner(const char *path, const struct stat *directory, const struct stat *file,
                       struct err *e)
{
    if (!is_shared(directory) || file->st_uid == geteuid() || file->st_uid == directory->st_uid)
        return 0;
    return err_set(e, ERR_USAGE,
                   "'%s' is another user's %s in a directory that is open to everybody", path,
                   S_ISLNK(file->st_mode) ? "link" : "file");
}

/* A run keeps what it writes locked: a second one would mix its lines with those of the first. */
static int lock(int fd, const char *path, struct err *e)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return 0;
    return err_set(e, ERR_USAGE, "another run is writing to '%s'", path);
}

int out_check(const char *path, bool replaced, struct err *e)
{
    struct stat st, in, file;
    bool there = stat(path, &st) == 0;
    int rc = 0, fd, unseen;

    if (replaced && (out_is_stdout(path) || (there && !S_ISREG(st.st_mode))))
        return err_set(e, ERR_USAGE,
                       "'%s' is not a regular file: this format replaces the file at every report",
                       path);
    if (out_is_stdout(path))
        return 0;
    if (!there && errno != ENOENT)
        return err_sys(e, errno, "'%s'", path);
    char *directory = directory_of(path);
    unseen = stat(directory, &in) ? errno : 0;
    if (!unseen && lstat(path, &file) == 0)
        rc = check_owner(path, &in, &file, e);
    if (!rc && (!there || replaced) && unseen)
        rc = err_sys(e, unseen, "the directory of '%s'", path);
    else if (!rc && (!there || replaced) && !S_ISDIR(in.st_mode))
        rc = err_set(e, ERR_USAGE, "'%s' is not a directory", directory);
    else if (!rc && (!there || replaced) && access(directory, W_OK | X_OK))
        rc = err_sys(e, errno, "cannot write in the directory of '%s'", path);
    free(directory);
    if (rc)
        return -1;
    if (there && S_ISDIR(st.st_mode))
        return err_set(e, ERR_USAGE, "'%s' is a directory", path);
    if (there && access(path, W_OK))
        return err_sys(e, errno, "cannot write to '%s'", path);
    if (there && S_ISREG(st.st_mode) && (fd = open(path, O_WRONLY | O_CLOEXEC)) >= 0) {
        rc = lock(fd, path, e);
        close(fd);
        if (rc)
            return -1;
    }
    return 0;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool same_place(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool out_same(const char *a, const char *b)
{
    struct stat x, y;
    bool there = stat(a, &x) == 0, too = stat(b, &y) == 0, same;

    if (strcmp(a, b) == 0 || (out_is_stdout(a) && out_is_stdout(b)))
        return true;
    if (there || too)
        return there && too && same_place(&x, &y) && (S_ISREG(x.st_mode) || S_ISFIFO(x.st_mode));
    /* neither exists yet; a link that leads to nothing is refused when both are opened */
    char *in_a = directory_of(a);
    char *in_b = directory_of(b);
    same = strcmp(base_of(a), base_of(b)) == 0 && stat(in_a, &x) == 0 && stat(in_b, &y) == 0 &&
           same_place(&x, &y);
    free(in_a);
    free(in_b);
    return same;
}

/* Once for each wait, after a second. */
static void say_waiting(struct out *o, mono_ns from, mono_ns now, mono_ns limit)
{
    if (o->told || now - from <= NS_PER_SEC)
        return;
    o->told = true;
    log_stderr("Waiting up to %.0f s for the reader of '%s'", dur_sec(limit - now), o->path);
}

/* Opens without following a link that nobody can vouch for.  A link of ours cannot be exchanged by
 * others in a shared directory. */
static int open_safely(struct out *o, struct err *e)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;
    mono_ns began = clock_mono(), limit = began + OUT_FIFO_WAIT, now;
    char *name = directory_of(o->path);
    struct stat directory, link, file;
    bool shared = stat(name, &directory) == 0 && is_shared(&directory);

    free(name);
    if (shared && lstat(o->path, &link) == 0 && S_ISLNK(link.st_mode)) {
        if (check_owner(o->path, &directory, &link, e))
            return -1;
        shared = false; /* what it leads to is somewhere else */
    }
    flags |= shared ? O_NOFOLLOW : 0;
    /* a FIFO may get its reader later, but not too late */
    while ((o->fd = open(o->path, flags, 0640)) < 0 && errno == ENXIO &&
           (now = clock_mono()) < limit) {
        say_waiting(o, began, now, limit);
        poll(NULL, 0, 20);
    }
    o->told = false;
    if (o->fd < 0 && errno == ENXIO)
        return err_set(e, ERR_USAGE, "'%s' is a FIFO that nobody opened to read within %d s",
                       o->path, (int)(OUT_FIFO_WAIT / NS_PER_SEC));
    if (o->fd < 0 || fstat(o->fd, &file))
        return err_sys(e, errno, "cannot open '%s'", o->path);
    if (shared && check_owner(o->path, &directory, &file, e))
        return -1;
    o->regular = S_ISREG(file.st_mode);
    if (o->regular)
        fcntl(o->fd, F_SETFL, 0); /* others are waited for with a limit */
    if (o->regular && lock(o->fd, o->path, e))
        return -1;
    return o->regular && ftruncate(o->fd, 0) ? err_sys(e, errno, "cannot empty '%s'", o->path) : 0;
}

int out_open(struct out *o, const char *path, struct err *e)
{
    bool is_stdout = out_is_stdout(path);

    *o = (struct out){.path = path, .fd = is_stdout ? STDOUT_FILENO : -1};
    if (is_stdout || open_safely(o, e) == 0)
        return 0;
    fd_close(o->fd);
    o->fd = -1;
    return -1;
}

static const char *reason(const struct out *o)
{
    return o->failed == ETIMEDOUT   ? "its reader did not take all in time"
           : o->failed == ECANCELED ? "a signal ended the wait for its reader"
                                    : strerror(o->failed);
}

/* Reports, once, that writing failed with `errnum`. */
static void out_fail(struct out *o, int errnum)
{
    if (o->failed)
        return;
    o->failed = errnum ? errnum : EIO;
    log_alert("cannot write to '%s': %s; the run continues without it", o->path, reason(o));
}

void out_patient(struct out *o)
{
    atomic_store(&o->until, MONO_NEVER);
}

void out_ending(struct out *o)
{
    atomic_store(&o->until, clock_mono() + OUT_LAST);
}

void out_hurry(void)
{
    atomic_store(&hurried, true);
}

bool out_give_up(void)
{
    if (!atomic_load(&writing))
        return false;
    atomic_store(&given_up, true);
    return true;
}

/* Until the reader of `fd` takes something: 0.  `began`: the piece, `since`: it last took some. */
static int await_room(struct out *o, int fd, mono_ns began, mono_ns since)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    while (poll(&p, 1, 50) == 0) {
        mono_ns until = atomic_load(&o->until), now = clock_mono(), from = since, limit;
        if (fd == STDOUT_FILENO)
            continue;
        if (atomic_load(&given_up))
            return ECANCELED;
        if (until == MONO_NEVER)
            continue;
        if (until && from < until - OUT_LAST)
            from = until - OUT_LAST;
        limit = until ? until : began + OUT_LAST;
        limit = from + OUT_STALL < limit ? from + OUT_STALL : limit;
        if (now >= limit) {
            if (atomic_load(&hurried))
                atomic_store(&given_up, true);
            return ETIMEDOUT;
        }
        say_waiting(o, from, now, limit);
    }
    return 0;
}

/* The pieces of write_at(). */
static int write_pieces(struct out *o, int fd, const char *text, size_t n, off_t at, size_t *done)
{
    mono_ns began = o->regular ? 0 : clock_mono(), since = began;

    *done = 0;
    while (*done < n) {
        ssize_t w = o->regular ? pwrite(fd, text + *done, n - *done, at + (off_t)*done)
                               : write(fd, text + *done, n - *done);
        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0 && errno == EAGAIN) { /* a pipe is full */
            int rc = await_room(o, fd, began, since);
            if (rc)
                return rc;
            continue;
        }
        if (w <= 0)
            return w < 0 ? errno : ENOSPC;
        since = o->regular ? 0 : clock_mono();
        *done += (size_t)w;
    }
    return 0;
}

/* Writes everything, or returns errno; *done says how much was written. */
static int write_at(struct out *o, int fd, const char *text, size_t n, off_t at, size_t *done)
{
    bool waits = !o->regular && fd != STDOUT_FILENO;

    atomic_fetch_add(&writing, waits);
    int rc = write_pieces(o, fd, text, n, at, done);
    atomic_fetch_sub(&writing, waits);
    return rc;
}

int out_append(struct out *o, const char *text, size_t n)
{
    size_t done;

    if (o->failed || o->fd < 0)
        return -1;
    if (o->fd == STDOUT_FILENO)
        fflush(stdout); /* first what a script or a test left there */
    int rc = write_at(o, o->fd, text, n, o->end, &done);
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

    if (o->failed || o->fd < 0)
        return -1;
    int rc = write_at(o, o->fd, text, n, at, &done);
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
    struct stat st;
    bool there = stat(o->path, &st) == 0;
    size_t done;

    if (o->failed)
        return -1;
    char *name = mem_printf("%s.%d.tmp", o->path, (int)getpid());
    unlink(name); /* of a killed run of the same pid */
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
    if (fd >= 0 && there && fchmod(fd, st.st_mode & 0777)) {
        /* it keeps ours */
    }
    int rc = fd < 0 ? errno : write_at(&new, fd, text, n, 0, &done);
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
    struct stat st;

    if (o->failed && !o->closed) /* it was first said far above the report */
        log_stderr("ALERT: '%s' is incomplete: %s", o->path, reason(o));

    if (o->fd >= 0 && o->regular && !o->failed && fstat(o->fd, &st) == 0 && st.st_nlink == 0) {
        o->failed = ENOENT;
        log_alert("'%s' was removed while the run wrote it: what it held is lost", o->path);
    }
    if (o->fd >= 0 && o->fd != STDOUT_FILENO && close(o->fd))
        out_fail(o, errno);
    o->fd = -1;
    o->closed = true;
    return o->failed ? -1 : 0;
}

/* --- all of a run --- */

int outs_add(struct outs *o, const char *option, const char *path, struct err *e)
{
    struct stat a, b;

    if (!*path)
        return 0;
    /* `sysbench --report-file=x.txt >x.txt` */
    if (!out_is_stdout(path) && stat(path, &a) == 0 && fstat(STDOUT_FILENO, &b) == 0 &&
        S_ISREG(a.st_mode) && same_place(&a, &b))
        return err_set(e, ERR_USAGE, "--%s: standard output is redirected into '%s'", option, path);
    for (size_t i = 0; i < o->n; i++)
        if (out_same(o->list[i].path, path))
            return err_set(e, ERR_USAGE, "--%s and --%s name the same file: '%s'",
                           o->list[i].option, option, path);
    o->list = mem_grow(o->list, o->n + 1, sizeof *o->list);
    o->list[o->n++] = (struct outs_path){mem_strdup(option), mem_strdup(path)};
    return 0;
}

void outs_free(struct outs *o)
{
    for (size_t i = 0; i < o->n; i++) {
        free(o->list[i].option);
        free(o->list[i].path);
    }
    free(o->list);
    *o = (struct outs){0};
}
