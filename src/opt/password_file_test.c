/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which files are password files and which are not: the longest, and FIFOs.  (All else:
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
}

static void test_no_file(void)
{
    struct opts *o = options(NULL);
    struct err e = {0};

    CHECK_INT(opt_set(o, "mysql-password", "y", NULL), 0);
    CHECK_INT(password_file_read(o, "mysql-password", &e), 0);
    CHECK_STR(opt_str(o, "mysql-password"), "y");
    opts_free(o);
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
    test_no_file();
    test_fifo();
    unlink(path);
    return test_done("password_file_test");
}
