/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A --config-file: any bytes are read or refused with a sentence that begins with the file, and
 * with its line where there is one.
 */
#include <string.h>

#include "cli/registry.h"
#include "fuzz.h"
#include "opt/opt.h"

/* A second file of the machine is no part of the input. */
static bool names_a_file(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    bool found = strcasestr(text, "file") != NULL;

    free(text);
    return found;
}

static void one(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    struct opts *o;
    struct err e = {0};
    int fd;

    if (names_a_file(data, size))
        return;
    fd = fuzz_file(data, size, path);
    o = opts_new();
    options_declare(o);
    if (opts_read_file(o, path, &e) == 0) {
        FUZZ_CHECK(!memchr(data, '\0', size));
        if (opts_finish(o, size % 2, &e) == 0)
            opts_check(o, &e);
    } else {
        FUZZ_CHECK(strncmp(e.msg, path, strlen(path)) == 0);
    }
    opts_free(o);
    fuzz_file_close(fd);
}

const struct fuzz_target fuzz_config = {"config", one};
