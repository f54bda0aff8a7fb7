/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When a slow clock is warned about, and the name of its source.
 */
#include "session/process.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test.h"

TEST_MAIN(slow_clock_test)
{
    char root[] = "/tmp/sb-clock-XXXXXX";
    char command[200];
    struct str out = STR_INIT;

    CHECK(slow_clock_cost() > 0);
    CHECK(mkdtemp(root) != NULL);
    slow_clock_warning(&out, 200, root);
    CHECK_STR(str_cstr(&out), "");
    slow_clock_warning(&out, 201, root); /* no such file */
    CHECK(strncmp(str_cstr(&out), "Reading the clock takes 201 ns: short", 37) == 0);
    str_reset(&out);
    snprintf(command, sizeof command,
             "mkdir -p %s/devices/system/clocksource/clocksource0 && echo hpet "
             ">%s/devices/system/clocksource/clocksource0/current_clocksource",
             root, root);
    CHECK_INT(system(command), 0);
    slow_clock_warning(&out, 1200, root);
    CHECK(strncmp(str_cstr(&out), "Reading the clock takes 1200 ns (clock source hpet): short",
                  58) == 0);
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK_INT(system(command), 0);
    str_free(&out);
    return test_done("slow_clock");
}
