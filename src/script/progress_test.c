/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The progress line: its text, when it is drawn, that it leaves nothing behind; and the lines that
 * a file gets.
 */
#include "script/loading.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/test.h"

/*
 * What has been drawn, read until it is as long as what is wanted: the kernel hands it over in its
 * own time.  What is too much shows at once or in the next look.
 */
static const char *drawn(int master, char *buf, size_t size, size_t wanted)
{
    struct pollfd p = {.fd = master, .events = POLLIN};
    size_t have = 0;

    while (have < size - 1 && poll(&p, 1, have < wanted ? 60000 : 0) == 1) {
        ssize_t n = read(master, buf + have, size - 1 - have);
        if (n <= 0)
            break;
        have += (size_t)n;
    }
    buf[have] = '\0';
    return buf;
}

#define CHECK_DRAWN(want) CHECK_STR(drawn(master, buf, sizeof buf, strlen(want)), want)

static void test_text(void)
{
    struct progress p = {.begun = 100, .done = 250000, .planned = 1000000};
    char text[160];

    progress_text(&p, 100 + 2 * NS_PER_SEC, text, sizeof text);
    CHECK_STR(text, "250000 of 1000000 rows (25 %), 125000 rows/s, 6 s left");
    p.done = 0;
    progress_text(&p, 100 + 2 * NS_PER_SEC, text, sizeof text);
    CHECK_STR(text, "0 of 1000000 rows (0 %), 0 rows/s");
    p.planned = 0;
    progress_text(&p, 100, text, sizeof text);
    CHECK_STR(text, "0 of 0 rows (0 %), 0 rows/s");
}

static void test_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK), terminal;
    struct progress p;
    char buf[256];
    mono_ns t = NS_PER_SEC;

    if (master < 0 || grantpt(master) || unlockpt(master) ||
        (terminal = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0) {
        printf("progress_test: no pseudo-terminal here, drawing is not tested\n");
        return;
    }
    progress_init(&p, terminal);
    progress_add(&p, 0, 4000, t);
    progress_add(&p, 1000, 0, t + NS_PER_SEC - 1);
    CHECK_DRAWN(""); /* the first second is silent */
    progress_add(&p, 1000, 0, t + NS_PER_SEC);
    CHECK_DRAWN("\r2000 of 4000 rows (50 %), 2000 rows/s, 1 s left\033[K");
    progress_add(&p, 1000, 0, t + NS_PER_SEC + NS_PER_MS);
    CHECK_DRAWN(""); /* not again so soon */
    progress_hide(&p);
    CHECK_DRAWN("\r\033[K");
    progress_hide(&p);
    CHECK_DRAWN("");
    progress_fini(&p);
    close(terminal);
    close(master);
}

/* Nothing in the first ten seconds, then a line every ten. */
static void test_file(void)
{
    struct progress p;
    int fd[2];
    char buf[256];
    ssize_t n;

    CHECK_INT(pipe(fd), 0);
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
    progress_init(&p, fd[1]);
    progress_add(&p, 0, 100, NS_PER_SEC);
    progress_add(&p, 10, 0, 11 * NS_PER_SEC - 1);
    CHECK_INT(read(fd[0], buf, sizeof buf), -1);
    progress_add(&p, 10, 0, 11 * NS_PER_SEC);
    progress_add(&p, 10, 0, 21 * NS_PER_SEC - 1);
    progress_add(&p, 10, 0, 21 * NS_PER_SEC);
    progress_hide(&p);
    progress_fini(&p);
    n = read(fd[0], buf, sizeof buf - 1);
    buf[n > 0 ? n : 0] = '\0';
    CHECK_STR(buf, "20 of 100 rows (20 %), 2 rows/s, 40 s left\n"
                   "40 of 100 rows (40 %), 2 rows/s, 30 s left\n");
    close(fd[0]);
    close(fd[1]);
}

TEST_MAIN(progress_test)
{
    test_text();
    test_terminal();
    test_file();
    return test_done("progress_test");
}
