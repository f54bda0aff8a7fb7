/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines of a text file with and without a last newline, and every file that is none.
 */
#include "base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test_golden.h"

static struct str out;

static char directory[] = "/tmp/text_file_test.XXXXXX";

static char *file(const char *name, const char *bytes, size_t n)
{
    char *path = mem_printf("%s/%s", directory, name);
    FILE *f = fopen(path, "w");

    CHECK(f && fwrite(bytes, 1, n, f) == n);
    if (f)
        fclose(f);
    return path;
}

/* Its lines with their numbers. */
static void read_lines(const char *text)
{
    char *path = file("lines", text, strlen(text));
    struct text_file t;
    struct err e = {0};

    CHECK_INT(text_file_read(&t, path, 0, &e), 0);
    for (const char *line; (line = text_file_line(&t));)
        str_printf(&out, "%d %s\n", (int)t.line, line);
    CHECK(!text_file_line(&t));
    str_adds(&out, "-\n");
    text_file_free(&t);
    unlink(path);
    free(path);
}

static void check_refused(const char *path, const char *why)
{
    struct text_file t;
    struct err e = {0};

    CHECK_INT(text_file_read(&t, path, 20, &e), -1);
    CHECK_STR(e.msg, why);
    CHECK_INT(e.kind, ERR_USAGE);
    text_file_free(&t);
}

static void bytes_that_are_no_text(void)
{
    char *nul = file("nul", "a=1\nb\0=2\n", 9);
    char *big = mem_alloc(TEXT_FILE_MOST + 1), *path;
    struct text_file t;
    struct err e = {0};

    check_refused(nul, "a NUL byte on line 2");
    memset(big, '\n', TEXT_FILE_MOST + 1);
    path = file("big", big, TEXT_FILE_MOST);
    CHECK_INT(text_file_read(&t, path, 0, &e), 0);
    CHECK_INT(t.len, TEXT_FILE_MOST);
    text_file_free(&t);
    free(path);
    path = file("big", big, TEXT_FILE_MOST + 1);
    check_refused(path, "no end within 1048576 bytes, 1048577 lines");
    unlink(path);
    unlink(nul);
    free(path);
    free(nul);
    free(big);
}

static void devices(void)
{
    struct text_file t;
    struct err e = {0};

    check_refused("/dev/zero", "it is a device, not a file");
    check_refused("/dev/full", "it is a device, not a file");
    check_refused("/tmp", "Is a directory");
    check_refused("/nosuch/file", "No such file or directory");
    CHECK_INT(text_file_read(&t, "/dev/null", 0, &e), 0);
    CHECK(!text_file_line(&t));
    text_file_free(&t);
}

static void fifos(void)
{
    char *path = mem_printf("%s/fifo", directory), *line;
    struct text_file t;
    struct err e = {0};
    int fd[2];

    CHECK_INT(mkfifo(path, 0600), 0);
    check_refused(path, "a FIFO to which nobody wrote within 20 ms");
    unlink(path);
    free(path);
    CHECK_INT(pipe(fd), 0); /* as <(command) of a shell */
    CHECK_INT(write(fd[1], "a\nb\n", 4), 4);
    close(fd[1]);
    path = mem_printf("/dev/fd/%d", fd[0]);
    CHECK_INT(text_file_read(&t, path, 20, &e), 0);
    line = text_file_line(&t);
    CHECK_STR(line ? line : "(none)", "a");
    text_file_free(&t);
    close(fd[0]);
    free(path);
}

TEST_MAIN(text_file_test)
{
    CHECK(mkdtemp(directory));
    golden_each("|a|a\n|\n\nb\r\n|\xef\xbb\xbfx\ny|\xef\xbb\xbf|\xef\xbbx|a\nb", read_lines);
    golden(&out, "lines of files");
    bytes_that_are_no_text();
    devices();
    fifos();
    CHECK_INT(rmdir(directory), 0);
    str_free(&out);
    golden_done("text_file");
    return test_done("text_file_test");
}
