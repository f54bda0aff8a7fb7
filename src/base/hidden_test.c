/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel marks the text's pages as left out of core files ("dd" among the flags of its
 * mapping), and the mapping is gone afterwards.
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/test.h"

/* The flags of the mapping that holds the address: " dd " or not; -1: there is none. */
static int left_out(const char *at)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[512];
    bool here = false;
    int result = -1;

    while (f && result < 0 && fgets(line, sizeof line, f)) {
        uintptr_t low, high;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &low, &high) == 2)
            here = (uintptr_t)at >= low && (uintptr_t)at < high;
        else if (here && strncmp(line, "VmFlags:", 8) == 0)
            result = strstr(line, " dd") != NULL;
    }
    if (f)
        fclose(f);
    return result;
}

TEST_MAIN(hidden_test)
{
    char *longer = mem_alloc(100001), *text;

    CHECK_INT(left_out(longer), 0);
    memset(longer, 'x', 100000);
    text = hidden_dup("sesame");
    CHECK_STR(text, "sesame");
    CHECK_INT(left_out(text), 1);
    hidden_free(text);
    text = hidden_dup(longer);
    CHECK_STR(text, longer);
    CHECK_INT(left_out(text), 1);
    CHECK_INT(left_out(text + 100000), 1);
    hidden_free(text);
    text = hidden_dup("");
    CHECK_STR(text, "");
    hidden_free(text);
    hidden_free(NULL);
    free(longer);
    return test_done("hidden_test");
}
