/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which files are password files and which are not.  (Terminals and pipes:
 * tests/t/cli_passwords.t.)
 */
#include "opt/secret.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test.h"

static char path[] = "/tmp/sb-password-XXXXXX";

static const struct opt_row rows[] = {
    {.name = "mysql-password", .type = OPT_STRING, .flags = OPT_MAY_BE_EMPTY},
    {.name = "mysql-password-file", .type = OPT_STRING},
};

static struct opts *options(const char *file)
{
    struct opts *o = opts_new();

    opts_add(o, OPT_GROUP_MYSQL, rows, 2);
    if (file)
        CHECK_INT(opt_set(o, "mysql-password-file", file, NULL), 0);
    return o;
}

static void write_password(const char *text, size_t len)
{
    FILE *f = fopen(path, "w");

    CHECK(f && fwrite(text, 1, len, f) == len);
    if (f)
        fclose(f);
}

static void check_good(const char *text, const char *password)
{
    struct opts *o = options(path);
    struct err e = {0};

    write_password(text, strlen(text));
    CHECK_INT(password_file_read(o, "mysql-password", &e), 0);
    CHECK_STR(opt_str(o, "mysql-password"), password);
    opts_free(o);
}

static void check_bad(const char *text, size_t len, const char *why)
{
    char *want =
        mem_printf("--mysql-password-file: '%s' does not contain a password: %s", path, why);
    struct opts *o = options(path);
    struct err e = {0};

    write_password(text, len);
    CHECK_INT(password_file_read(o, "mysql-password", &e), -1);
    CHECK_STR(e.msg, want);
    CHECK_STR(opt_str(o, "mysql-password"), "");
    opts_free(o);
    free(want);
}

static void test_contents(void)
{
    char longest[4098];

    check_good("sesame\n", "sesame");
    check_good("sesame", "sesame");
    check_good("sesame\r\n", "sesame");
    check_good("", "");
    check_good("\n", "");
    check_good(" two words \n", " two words ");
    memset(longest, 'x', sizeof longest);
    longest[4096] = '\0';
    check_good(longest, longest);
    longest[4096] = 'x';
    check_bad(longest, 4097, "it is longer than 4096 bytes");
    check_bad("one\ntwo\n", 8, "it has more than one line");
    check_bad("a\0b\n", 4, "it has a NUL byte in it");
}

static void test_unreadable(void)
{
    struct opts *o = options("/nowhere/at/all");
    struct err e = {0};

    CHECK_INT(password_file_read(o, "mysql-password", &e), -1);
    CHECK_STR(e.msg,
              "--mysql-password-file: cannot read '/nowhere/at/all': No such file or directory");
    opts_free(o);
}

static void test_both(void)
{
    struct opts *o = options(path);
    struct err e = {0};

    CHECK_INT(opts_set_arg(o, "--mysql-password=x", &e), 0);
    CHECK_INT(password_file_read(o, "mysql-password", &e), -1);
    CHECK_STR(e.msg, "--mysql-password and --mysql-password-file cannot be combined");
    opts_free(o);
    o = options(NULL); /* no file: the option's value stays */
    CHECK_INT(opt_set(o, "mysql-password", "y", NULL), 0);
    CHECK_INT(password_file_read(o, "mysql-password", &e), 0);
    CHECK_STR(opt_str(o, "mysql-password"), "y");
    opts_free(o);
}

/* Standard input: one line, what follows is left there. */
static void test_stdin(void)
{
    struct opts *o = options("-");
    struct err e = {0};
    int before = dup(STDIN_FILENO), fd[2];
    char rest[10] = "";

    CHECK_INT(pipe(fd), 0);
    CHECK_INT(write(fd[1], "sesame\nrest", 11), 11);
    dup2(fd[0], STDIN_FILENO);
    CHECK_INT(password_file_read(o, "mysql-password", &e), 0);
    CHECK_STR(opt_str(o, "mysql-password"), "sesame");
    CHECK_INT(read(STDIN_FILENO, rest, sizeof rest - 1), 4);
    CHECK_STR(rest, "rest");
    dup2(before, STDIN_FILENO);
    close(before);
    close(fd[0]);
    close(fd[1]);
    opts_free(o);
}

/* The text that password_file_read writes to stderr about a file of that mode. */
static const char *warning_for(mode_t mode)
{
    static char text[300];
    int before = dup(STDERR_FILENO);
    struct opts *o = options(path);
    struct err e = {0};
    FILE *f = tmpfile();

    if (!f)
        abort();
    write_password("sesame\n", 7);
    CHECK_INT(chmod(path, mode), 0);
    dup2(fileno(f), STDERR_FILENO);
    CHECK_INT(password_file_read(o, "mysql-password", &e), 0);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(f);
    memset(text, 0, sizeof text);
    CHECK(fread(text, 1, sizeof text - 1, f) < sizeof text - 1);
    fclose(f);
    opts_free(o);
    return text;
}

static void test_mode(void)
{
    char *want = mem_printf("WARNING: --mysql-password-file: '%s' is accessible to others (mode "
                            "0640); run chmod 600\n",
                            path);

    CHECK_STR(warning_for(0640), want);
    CHECK_STR(warning_for(0400), "");
    CHECK_STR(warning_for(0600), "");
    free(want);
}

static void *write_late(void *arg)
{
    int fd = open(arg, O_WRONLY); /* returns when the reader is there */

    usleep(200 * 1000); /* longer than the reader waits for a writer */
    CHECK_INT(write(fd, "sesame\n", 7), 7);
    close(fd);
    return NULL;
}

/* Without a writer an end comes; a slow writer is waited for. */
static void test_fifo(void)
{
    char fifo[] = "/tmp/sb-password-fifo-XXXXXX", want[200];
    struct opts *o;
    struct err e = {0};
    pthread_t t;

    close(mkstemp(fifo));
    unlink(fifo);
    CHECK_INT(mkfifo(fifo, 0600), 0);
    o = options(fifo);
    CHECK_INT(password_file_read_within(o, "mysql-password", 50, &e), -1);
    snprintf(want, sizeof want,
             "--mysql-password-file: cannot read '%s': a FIFO that nobody opened to write within "
             "50 ms",
             fifo);
    CHECK_STR(e.msg, want);
    CHECK_INT(pthread_create(&t, NULL, write_late, fifo), 0);
    CHECK_INT(password_file_read(o, "mysql-password", &e), 0);
    CHECK_STR(opt_str(o, "mysql-password"), "sesame");
    pthread_join(t, NULL);
    opts_free(o);
    unlink(fifo);
}

TEST_MAIN(password_file_test)
{
    int fd = mkstemp(path); /* for its owner only: no warning */

    CHECK(fd >= 0);
    close(fd);
    test_contents();
    test_unreadable();
    test_both();
    test_stdin();
    test_mode();
    test_fifo();
    unlink(path);
    return test_done("password_file_test");
}
