/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Folded stacks: what can be read can be written, and read again with the same rows; and drawn.
 */
#include <string.h>

#include "fuzz.h"
#include "profile/folded.h"

/* A sum too large to be counted is the largest number. */
static uint64_t total(const struct folded *f)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < f->n; i++)
        if (__builtin_add_overflow(sum, f->row[i].weight, &sum))
            sum = UINT64_MAX;
    return sum;
}

static void check_again(const struct folded *f)
{
    struct folded again = {0};
    struct str text = STR_INIT;
    struct err e = {0};
    char path[FUZZ_PATH];
    int fd;

    folded_write(f, &text);
    fd = fuzz_file((const uint8_t *)str_cstr(&text), text.len, path);
    FUZZ_CHECK(folded_read(&again, path, &e) == 0);
    FUZZ_CHECK(total(&again) == total(f));
    fuzz_file_close(fd);
    folded_free(&again);
    str_free(&text);
}

static void one(const uint8_t *data, size_t size)
{
    struct folded f = {0}, joined = {0};
    struct err e = {0};
    char path[FUZZ_PATH];
    int fd = fuzz_file(data, size, path);

    if (folded_read(&f, path, &e) == 0) {
        for (size_t i = 1; i < f.n; i++)
            FUZZ_CHECK(strcmp(f.row[i - 1].stack, f.row[i].stack) != 0);
        check_again(&f);
        folded_join(&joined, &f, &f);
        FUZZ_CHECK(joined.n == f.n);
        folded_free(&joined);
    } else {
        FUZZ_CHECK(strstr(e.msg, path));
    }
    folded_free(&f);
    fuzz_file_close(fd);
}

const struct fuzz_target fuzz_folded = {"folded", one};
