/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Marks from a FIFO and from a signal, and values that are neither.
 */
#include "session/marking.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test_capture.h"
#include "base/test_golden.h"

#define PATIENCE (60 * NS_PER_SEC)

static char directory[] = "/tmp/sb-marking-XXXXXX";

static void await_marks(struct marks *m, size_t n)
{
    mono_ns until = clock_mono() + PATIENCE;

    while (marks_count(m) < n && clock_mono() < until)
        usleep(1000);
    CHECK_INT(marks_count(m), n);
}

static void check_value(const char *value)
{
    struct err e = {0};

    CHECK_INT(marking_check(value, &e), *e.msg ? -1 : 0);
    golden_line("%s: %s", value, e.msg);
}

static void test_check(void)
{
    CHECK_INT(close(open("file", O_CREAT | O_WRONLY, 0600)), 0);
    CHECK_INT(symlink("nowhere", "broken"), 0);
    CHECK_INT(mkfifo("fifo", 0600), 0);
    golden_each("SIGUSR1|SIGUSR2|sigusr1|file|/tmp|file/x|broken|new|./new|none/x|fifo",
                check_value);
    CHECK_INT(access("new", F_OK), -1); /* nothing was touched */
}

static void say(int fd, const char *text)
{
    CHECK_INT(write(fd, text, strlen(text)), strlen(text));
}

static void test_fifo(void)
{
    struct marking *m = marking_new();
    struct marks *list = marking_list(m);
    const char *path = "lines";
    mono_ns begin = clock_mono();
    struct stat st;
    struct err e = {0};
    int fd;

    CHECK_INT(marking_open(m, path, &e), 0);
    CHECK(stat(path, &st) == 0 && S_ISFIFO(st.st_mode) && (st.st_mode & 07777) == 0600);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    say(fd, "one\n\ntwo words\n");
    await_marks(list, 3);
    close(fd);
    fd = open(path, O_WRONLY | O_CLOEXEC); /* another writer */
    say(fd, "no end");
    await_marks(list, 4); /* nothing follows: that was the line */
    say(fd, "last");
    close(fd);
    marking_close(m); /* what came before the end counts */
    await_marks(list, 5);
    for (size_t i = 0; i < marks_count(list); i++) {
        CHECK_INT(marks_at(list, i)->source, MARK_FIFO);
        golden_line("mark %s", marks_at(list, i)->text);
        CHECK(marks_at(list, i)->at > begin && marks_at(list, i)->at < clock_mono());
    }
    CHECK_INT(access(path, F_OK), -1);
    marking_free(m);
}

static void test_long_line(void)
{
    struct marking *m = marking_new();
    char line[5000], cut[MARK_TEXT];
    struct err e = {0};
    int fd;

    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    CHECK_INT(marking_open(m, "long", &e), 0);
    fd = open("long", O_WRONLY | O_CLOEXEC);
    CHECK_INT(write(fd, line, sizeof line), sizeof line);
    say(fd, "next\n");
    close(fd);
    marking_close(m);
    await_marks(marking_list(m), 2);
    memset(cut, 'x', sizeof cut - 1);
    cut[sizeof cut - 1] = '\0';
    CHECK_STR(marks_at(marking_list(m), 0)->text, cut);
    CHECK_STR(marks_at(marking_list(m), 1)->text, "next");
    marking_free(m);
}

/* A FIFO that was there before stays. */
static void test_own_fifo(void)
{
    struct marking *m = marking_new();
    struct err e = {0};

    CHECK_INT(mkfifo("mine", 0600), 0);
    CHECK_INT(marking_open(m, "mine", &e), 0);
    marking_free(m);
    CHECK_INT(access("mine", F_OK), 0);
    m = marking_new();
    CHECK_INT(marking_open(m, "none/x", &e), -1);
    CHECK(strncmp(e.msg, "--mark-on: cannot create '", 26) == 0);
    marking_free(m);
}

/* What somebody put in the place of ours stays, too. */
static void test_replaced_fifo(void)
{
    struct marking *m = marking_new();
    struct err e = {0};
    int fd;

    CHECK_INT(marking_open(m, "ours", &e), 0);
    CHECK_INT(unlink("ours"), 0);
    fd = open("ours", O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0);
    close(fd);
    marking_free(m);
    CHECK_INT(unlink("ours"), 0);
    m = marking_new();
    CHECK_INT(marking_open(m, "ours", &e), 0);
    CHECK_INT(unlink("ours"), 0);
    marking_free(m);
    CHECK(access("ours", F_OK) != 0);
}

static void test_signal(void)
{
    struct marking *m = marking_new();
    struct marks *list = marking_list(m);
    struct err e = {0};
    sigset_t before, during, after;
    mono_ns at[3];

    pthread_sigmask(SIG_BLOCK, NULL, &before);
    CHECK_INT(marking_open(m, "SIGUSR1", &e), 0);
    pthread_sigmask(SIG_BLOCK, NULL, &during);
    CHECK(sigismember(&during, SIGUSR1)); /* so in all threads that start from now on */
    at[0] = clock_mono();
    for (size_t i = 1; i < 3; i++) {
        kill(getpid(), SIGUSR1);
        await_marks(list, i);
        at[i] = clock_mono();
        CHECK(marks_at(list, i - 1)->at > at[i - 1] && marks_at(list, i - 1)->at < at[i]);
        CHECK_INT(marks_at(list, i - 1)->source, MARK_SIGNAL);
        CHECK_STR(marks_at(list, i - 1)->text, "SIGUSR1");
    }
    marking_close(m);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    CHECK(!sigismember(&after, SIGUSR1) && !sigismember(&before, SIGUSR1));
    kill(getpid(), SIGUSR1); /* too late, and harmless */
    CHECK_INT(marks_count(list), 2);
    marking_free(m);
}

static void test_last(void)
{
    struct marking *m = marking_new();
    struct snapshot s = {0};
    struct err e = {0};

    CHECK_INT(marking_open(m, "", &e), 0); /* from scripts only */
    for (int i = 0; i < 3; i++)
        marks_add(marking_list(m), MARK_SCRIPT, 0, "x", 1);
    s.marks = marks_at(marking_list(m), 1); /* the first was reported before */
    s.nmarks = 1;                           /* and one came after the reading */
    capture();
    marking_last(m, &s);
    CHECK_STR(captured(), "");
    CHECK_INT(s.nmarks, 2);
    for (int i = 3; i < MARKS_MOST + 2; i++)
        marks_add(marking_list(m), MARK_SCRIPT, 0, "x", 1);
    capture();
    marking_last(m, &s);
    CHECK_STR(captured(), "WARNING: 2 marks were dropped: at most 10000 are kept\n");
    CHECK_INT(s.nmarks, MARKS_MOST - 1);
    marking_free(m);
    marking_free(NULL);
}

TEST_MAIN(marking_test)
{
    char *command, cwd[4096];

    CHECK(mkdtemp(directory) && getcwd(cwd, sizeof cwd) && chdir(directory) == 0);
    test_check();
    test_fifo();
    test_long_line();
    test_own_fifo();
    test_replaced_fifo();
    test_signal();
    test_last();
    command = mem_printf("rm -rf %s", directory);
    CHECK_INT(system(command), 0);
    free(command);
    CHECK_INT(chdir(cwd), 0);
    golden_done("marking_test");
    return test_done("marking_test");
}
