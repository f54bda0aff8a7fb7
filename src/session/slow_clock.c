/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See slow_clock.h.  The least of a few batches: a batch may lose its CPU.
 */
#include "session/slow_clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { BATCHES = 5, READINGS = 100, SLOW_NS = 200 };

dur_ns slow_clock_cost(void)
{
    dur_ns least = INT64_MAX;

    for (int i = 0; i < BATCHES; i++) {
        mono_ns begin = clock_mono(), end = begin;
        for (int k = 0; k < READINGS; k++)
            end = clock_mono();
        least = end - begin < least ? end - begin : least;
    }
    return least / READINGS;
}

static void add_source(struct str *out, const char *sys_root)
{
    char *path =
        mem_printf("%s/devices/system/clocksource/clocksource0/current_clocksource", sys_root);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char text[64] = "";
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (*text)
        str_printf(out, " (clock source %s)", text);
    if (fd >= 0)
        close(fd);
    free(path);
}

void slow_clock_warning(struct str *out, dur_ns cost, const char *sys_root)
{
    if (cost <= SLOW_NS)
        return;
    str_printf(out, "Reading the clock takes %lld ns", (long long)cost);
    add_source(out, sys_root);
    str_adds(out, ": short transactions look longer than they are, and the load generator needs "
                  "more CPU; the clock source tsc or kvm-clock is faster");
}
