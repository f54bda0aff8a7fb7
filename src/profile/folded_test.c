/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Folded stacks: the order, sums, refused lines, and two lists combined.
 */
#include "profile/folded.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/test.h"

static void add(struct folded *f, const char *stack, uint64_t weight)
{
    folded_add(f, stack, strlen(stack), weight, 0);
}

static void check_text(const struct folded *f, const char *want)
{
    struct str s = STR_INIT;

    folded_write(f, &s);
    CHECK_STR(str_cstr(&s), want);
    str_free(&s);
}

static void test_order_and_sums(void)
{
    struct folded f = {0};

    add(&f, "main;b", 1);
    add(&f, "main;a;c", 2);
    /* a blank sorts before ';' as a letter, but is part of another name */
    add(&f, "main (x);a", 3);
    add(&f, "main", 4);
    add(&f, "main;b", 5);
    add(&f, "main;none", 0);
    folded_finish(&f);
    check_text(&f, "main 4\nmain;a;c 2\nmain;b 6\nmain (x);a 3\n");
    folded_free(&f);
    folded_finish(&f);
    check_text(&f, "");
}

static int read_text(struct folded *f, const char *text, struct err *e)
{
    char path[] = "/tmp/folded_test.XXXXXX";
    int fd = mkstemp(path), rc;

    *f = (struct folded){0};
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    rc = folded_read(f, path, e);
    unlink(path);
    return rc;
}

static void test_reading(void)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"a;b 1\nno weight\n", "line 2 does not end in a weight"},
        {"a;b\n", "line 1 has no stack and weight"},
        {"a;b 1\n\n# comment\na -1\n", "line 4 does not end in a weight"},
        {" 1\n", "line 1 has no stack and weight"},
        {"a 1\n  5\n", "line 2 has no stack and weight"},
        {"a 1x\n", "line 1 does not end in a weight"},
        {"a nan\n", "line 1 does not end in a weight"},
        {"a 1e30\n", "line 1 does not end in a weight"},
        {"a 99999999999999999999\n", "line 1 does not end in a weight"},
    };
    struct folded f;
    struct err e = {0};

    CHECK_INT(
        read_text(&f, "# made by hand\nx;operator new(unsigned long) 7\r\nx;y 1.6\n\nx;y 1", &e),
        0);
    check_text(&f, "x;operator new(unsigned long) 7\nx;y 3\n");
    folded_free(&f);
    /* more than a double can count, and a sum that nothing can */
    CHECK_INT(read_text(&f, "a 9007199254740993\nb 18446744073709551615\nb 2", &e), 0);
    check_text(&f, "a 9007199254740993\nb 18446744073709551615\n");
    folded_free(&f);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_INT(read_text(&f, bad[i].text, &e), -1);
        CHECK(strstr(e.msg, bad[i].why) != NULL);
        CHECK(strstr(e.msg, "'/tmp/folded_test.") != NULL);
        folded_free(&f);
    }
    CHECK_INT(folded_read(&f, "/nonexistent/x", &e), -1);
    CHECK_STR(e.msg, "cannot open '/nonexistent/x': No such file or directory");
}

static void test_join(void)
{
    struct folded before = {0}, after = {0}, both;

    add(&before, "m;gone", 3);
    add(&before, "m;stays", 5);
    add(&after, "m;new", 2);
    add(&after, "m;stays", 8);
    folded_finish(&before);
    folded_finish(&after);
    folded_join(&both, &before, &after);
    CHECK_INT(both.n, 3);
    CHECK_INT(both.row[0].before, 3);
    CHECK_STR(both.row[2].stack, "m;stays");
    CHECK_INT(both.row[2].weight, 8);
    CHECK_INT(both.row[2].before, 5);
    check_text(&both, "m;new 2\nm;stays 8\n");
    folded_free(&before);
    folded_free(&after);
    folded_free(&both);
}

/* The window is read as it was written; comments of other tools are ignored. */
static void test_window(void)
{
    static const struct {
        const char *text;
        double window_s;
    } t[] = {
        {"# window_s=10.002500 unit=us\na;b 3\n", 10.0025},
        {"# window_s=0.5 unit=samples\na;b 3\n", 0.5},
        {"a;b 3\n", 0},
        {"# window 5 s\na;b 3\n", 0},
        {"# window_s=-1 unit=us\na;b 3\n", 0},
        {"# window_s=nan unit=us\na;b 3\n", 0},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct folded f = {0};
        struct err e = {0};
        CHECK_INT(read_text(&f, t[i].text, &e), 0);
        CHECK_NEAR(f.window_s, t[i].window_s, 0);
        check_text(&f, i == 0   ? t[0].text
                       : i == 1 ? "# window_s=0.500000 unit=samples\na;b 3\n"
                                : "a;b 3\n");
        folded_free(&f);
    }
}

TEST_MAIN(folded_test)
{
    test_window();
    test_order_and_sums();
    test_reading();
    test_join();
    return test_done("folded");
}
