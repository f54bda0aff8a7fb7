/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See screen.h.
 */
#include "session/screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_WIDTH = 80, LEAST_WIDTH = 20, MOST_WIDTH = 10000 };

/* Open MPI's mpirun puts a terminal of its own, which has no size, between itself and each rank,
 * wherever its output goes. */
static bool is_of_mpirun(void)
{
    struct winsize w;

    return getenv("OMPI_COMM_WORLD_SIZE") && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 &&
           w.ws_col == 0 && w.ws_row == 0;
}

bool screen_is_terminal(void)
{
    return isatty(STDOUT_FILENO) && !is_of_mpirun();
}

/* A sensible number, or 0. */
static size_t from_environment(void)
{
    const char *text = getenv("COLUMNS");
    char *end;
    long v;

    if (!text || !*text)
        return 0;
    v = strtol(text, &end, 10);
    return *end || v < LEAST_WIDTH || v > MOST_WIDTH ? 0 : (size_t)v;
}

static size_t from_terminal(void)
{
    struct winsize w;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

static bool may_colour(void)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

    return screen_is_terminal() && !(none && *none) && term && *term && strcmp(term, "dumb") != 0;
}

struct text_screen screen_ask(void *arg)
{
    size_t width = from_terminal();

    (void)arg;
    if (!width)
        width = from_environment();
    return (struct text_screen){.width = width ? width : DEFAULT_WIDTH, .colour = may_colour()};
}
