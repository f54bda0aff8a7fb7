/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two outputs in one file, by whatever names; and files in a directory like /tmp that another user
 * has put there.  The latter needs root, who can make such files.
 */
#include "report/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test.h"

#define NOBODY 65534

static char directory[] = "/tmp/sb-outs-test-XXXXXX";

static void make_file(const char *name, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, mode);

    CHECK(fd >= 0 && write(fd, "old", 3) == 3);
    if (fd >= 0)
        close(fd);
}

/* Both in a list: "" or the complaint about the second. */
static const char *both(const char *first, const char *second)
{
    static struct err e;
    struct outs o = {0};

    e = (struct err){0};
    CHECK_INT(outs_add(&o, "report-file", first, &e), 0);
    if (outs_add(&o, "raw-log", second, &e) == 0)
        e.msg[0] = '\0';
    outs_free(&o);
    return e.msg;
}

static void same_and_other(void)
{
    static const char *const same = "--report-file and --raw-log name the same file: ";

    CHECK_INT(mkdir("sub", 0755), 0);
    CHECK_INT(symlink("sub", "link"), 0);
    CHECK_STR(both("a", "b"), "");
    CHECK_STR(both("a", ""), "");
    CHECK_STR(both("a", "a"), "--report-file and --raw-log name the same file: 'a'");
    CHECK(strncmp(both("a", "./a"), same, strlen(same)) == 0);
    CHECK(strncmp(both("sub/new", "link/../sub/./new"), same, strlen(same)) == 0);
    CHECK(strncmp(both("sub/new", "link/new"), same, strlen(same)) == 0);
    CHECK_STR(both("sub/new", "new"), "");
    make_file("a", 0600);
    CHECK_STR(both("a", "sub/a"), "");
    CHECK_INT(link("a", "hard"), 0);
    CHECK_INT(symlink("../a", "sub/soft"), 0);
    CHECK(strncmp(both("a", "hard"), same, strlen(same)) == 0);
    CHECK(strncmp(both("a", "sub/soft"), same, strlen(same)) == 0);
    CHECK_INT(mkfifo("fifo", 0600), 0);
    CHECK(strncmp(both("fifo", "./fifo"), same, strlen(same)) == 0);
    CHECK_STR(both("/dev/null", "/dev/../dev/null"), "");
    CHECK(strncmp(both("-", "/dev/stdout"), same, strlen(same)) == 0);
    CHECK_STR(both("-", "a"), "");
    unlink("hard");
    unlink("fifo");
    unlink("sub/soft");
    unlink("link");
    CHECK_INT(rmdir("sub"), 0);
    unlink("a");
}

static void redirected(void)
{
    int was = dup(STDOUT_FILENO), fd;

    make_file("into", 0600);
    fd = open("into", O_WRONLY);
    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    CHECK_STR(both("other", "./into"), "--raw-log: standard output is redirected into './into'");
    fflush(stdout);
    dup2(was, STDOUT_FILENO);
    close(was);
    close(fd);
    unlink("into");
}

static mode_t mode_of(const char *name)
{
    struct stat st = {0};

    CHECK_INT(stat(name, &st), 0);
    return st.st_mode & 07777;
}

static void modes(void)
{
    mode_t was = umask(022);
    struct err e = {0};
    struct out o;

    CHECK_INT(out_open(&o, "new", &e), 0);
    CHECK_INT(out_close(&o), 0);
    CHECK_INT(mode_of("new"), 0640);
    unlink("new");
    make_file("kept", 0644);
    o = (struct out){.path = "kept", .fd = -1};
    CHECK_INT(out_replace_all(&o, "x", 1), 0);
    CHECK_INT(mode_of("kept"), 0644);
    unlink("kept");
    o = (struct out){.path = "made", .fd = -1};
    CHECK_INT(out_replace_all(&o, "x", 1), 0);
    CHECK_INT(mode_of("made"), 0640);
    unlink("made");
    umask(was);
}

static void check_refused(const char *path, const char *what)
{
    char want[200];
    struct err e = {0};
    struct out o;

    snprintf(want, sizeof want,
             "'%s' is another user's %s in a directory that is open to everybody", path, what);
    CHECK_INT(out_check(path, false, &e), -1);
    CHECK_STR(e.msg, want);
    e = (struct err){0};
    CHECK_INT(out_open(&o, path, &e), -1);
    CHECK_STR(e.msg, want);
    CHECK_INT(o.fd, -1);
}

static off_t size_of(const char *name)
{
    struct stat st = {0};

    CHECK_INT(stat(name, &st), 0);
    return st.st_size;
}

/* Told once, by the log; nothing is written any more. */
static void full(void)
{
    struct err e = {0};
    struct out o;

    CHECK_INT(out_open(&o, "/dev/full", &e), 0);
    for (int i = 0; i < 2; i++)
        CHECK_INT(out_append(&o, "x", 1), -1);
    CHECK_INT(o.failed, ENOSPC);
    CHECK_INT(out_close(&o), -1);
}

/* Ours, and those of another user. */
static void shared_directory(void)
{
    struct err e = {0};
    struct out o;

    make_file("victim", 0600);
    CHECK_INT(mkdir("shared", 0777), 0);
    CHECK_INT(chmod("shared", 01777), 0);
    CHECK_INT(symlink("../victim", "shared/mine"), 0);
    CHECK_INT(out_open(&o, "shared/mine", &e), 0);
    out_close(&o);
    CHECK_INT(size_of("victim"), 0);
    if (geteuid() == 0) {
        make_file("victim", 0600);
        make_file("shared/theirs", 0666);
        CHECK_INT(chown("shared/theirs", NOBODY, NOBODY), 0);
        CHECK_INT(symlink("../victim", "shared/trap"), 0);
        CHECK_INT(lchown("shared/trap", NOBODY, NOBODY), 0);
        check_refused("shared/theirs", "file");
        check_refused("shared/trap", "link");
        CHECK_INT(size_of("victim"), 3); /* untouched */
        CHECK_INT(size_of("shared/theirs"), 3);
        CHECK_INT(chmod("shared", 0777),
                  0); /* who may remove it may do anything: the kernel's rule */
        CHECK_INT(out_check("shared/theirs", false, &e), 0);
    }
    unlink("shared/mine");
    unlink("shared/theirs");
    unlink("shared/trap");
    unlink("victim");
    CHECK_INT(rmdir("shared"), 0);
}

TEST_MAIN(out_test)
{
    CHECK(mkdtemp(directory) && chdir(directory) == 0);
    same_and_other();
    redirected();
    modes();
    full();
    shared_directory();
    CHECK_INT(chdir("/"), 0);
    CHECK_INT(rmdir(directory), 0);
    return test_done("out_test");
}
