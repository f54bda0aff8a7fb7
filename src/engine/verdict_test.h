/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tests/data/verdicts.txt has what these tests say: each row is looked up there, and an argument
 * prints them all.
 */
#ifndef SB_ENGINE_VERDICT_TEST_H
#define SB_ENGINE_VERDICT_TEST_H

#include <fcntl.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/test.h"
#include "report/text.h"
#include "telemetry/proc.h"

static void check_row(bool print, const char *name, const char *word, const char *why)
{
    static struct str rows = STR_INIT;
    const char *srcdir = getenv("srcdir");
    char row[1024], path[4096];

    snprintf(row, sizeof row, "| %s | %s%s%s |\n", name, word,
             text_verdict_join(strcmp(word, "yes") == 0, why), why);
    snprintf(path, sizeof path, "%s/../tests/data/verdicts.txt", srcdir ? srcdir : ".");
    if (rows.len == 0)
        CHECK_INT(proc_read_all(AT_FDCWD, path, &rows), 0);
    if (print)
        printf("%s", row);
    else if (!strstr(str_cstr(&rows), row))
        TEST_REPORT(0, "not in tests/data/verdicts.txt: %s", row);
}

#endif
