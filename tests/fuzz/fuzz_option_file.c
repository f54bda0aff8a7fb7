/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * MySQL's option files (my.cnf): any bytes are read or refused, and what was read becomes options.
 */
#include <string.h>

#include "fuzz.h"
#include "opt/opt.h"
#include "sql/sql_options.h"

/* A file that this one includes is no part of the input. */
static bool includes(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    bool found = strstr(text, "!include") != NULL;

    free(text);
    return found;
}

static void one(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    struct opts *o;
    struct err e = {0};
    int fd;

    if (includes(data, size))
        return;
    fd = fuzz_file(data, size, path);
    o = opts_new();
    sql_options_declare(o);
    opt_set(o, "defaults-file", path, NULL);
    opt_set(o, "defaults-group-suffix", "-live", NULL);
    if (mysql_option_files(o, &e))
        FUZZ_CHECK(strstr(e.msg, path));
    opts_free(o);
    fuzz_file_close(fd);
}

const struct fuzz_target fuzz_option_file = {"option_file", one};
