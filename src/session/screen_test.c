/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Standard output as a screen: the environment's width where there is no terminal, and a real
 * (pseudo) terminal of a given width.
 */
#include "session/console.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/test.h"

static void no_terminal(void)
{
    static const struct {
        const char *columns;
        size_t width;
    } t[] = {{NULL, 80},  {"", 80},    {"132", 132},     {"20", 20},    {"19", 80},
             {"abc", 80}, {"99x", 80}, {"10000", 10000}, {"10001", 80}, {"-5", 80}};
    int old = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);

    dup2(null, STDOUT_FILENO);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        if (t[i].columns)
            setenv("COLUMNS", t[i].columns, 1);
        else
            unsetenv("COLUMNS");
        CHECK_INT(screen_ask(NULL).width, t[i].width);
        CHECK(!screen_ask(NULL).colour && !screen_is_terminal());
    }
    dup2(old, STDOUT_FILENO);
    close(old);
    close(null);
}

/* The first line of a terminal that `term` and `no_color` describe. */
static bool coloured(const char *term, const char *no_color)
{
    if (term)
        setenv("TERM", term, 1);
    else
        unsetenv("TERM");
    if (no_color)
        setenv("NO_COLOR", no_color, 1);
    else
        unsetenv("NO_COLOR");
    return screen_ask(NULL).colour;
}

static void terminal(void)
{
    struct winsize size = {.ws_row = 10, .ws_col = 101};
    int old = dup(STDOUT_FILENO), master = posix_openpt(O_RDWR | O_NOCTTY), slave;

    CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    CHECK(slave >= 0);
    CHECK_INT(ioctl(slave, TIOCSWINSZ, &size), 0);
    setenv("COLUMNS", "77", 1);
    fflush(stdout);
    dup2(slave, STDOUT_FILENO);
    CHECK(screen_is_terminal());
    CHECK_INT(screen_ask(NULL).width, 101); /* the terminal has precedence */
    CHECK(coloured("xterm", NULL) && coloured("xterm", ""));
    CHECK(!coloured("xterm", "1") && !coloured("dumb", NULL) && !coloured("", NULL) &&
          !coloured(NULL, NULL));
    size.ws_col = 0; /* unknown */
    ioctl(slave, TIOCSWINSZ, &size);
    CHECK_INT(screen_ask(NULL).width, 77);
    fflush(stdout);
    dup2(old, STDOUT_FILENO);
    close(old);
    close(slave);
    close(master);
}

TEST_MAIN(screen_test)
{
    no_terminal();
    terminal();
    return test_done("screen");
}
