/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The requests that `pstime --stream` reads on the server's host.  Every line but the empty one
 * and "syscalls on" has an answer, and the end of the input ends it.  Reading the record of the
 * environment takes milliseconds and depends on nothing of the request, so it is left out.
 */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "ps/pstime.h"

static void one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *answer = NULL;
    size_t n = 0;
    FILE *in, *out, *was_in = stdin, *was_out = stdout;

    if (size > 0 && size <= 512 && !strstr(text, "environment ")) {
        in = fmemopen((void *)(uintptr_t)data, size, "r");
        out = open_memstream(&answer, &n);
        FUZZ_CHECK(in && out);
        stdin = in;
        stdout = out;
        FUZZ_CHECK(ps_serve() == 0);
        stdin = was_in;
        stdout = was_out;
        fclose(in);
        fclose(out);
        FUZZ_CHECK(n > 0 && answer[n - 1] == '\n' && strncmp(answer, "pstime-stream 1 ", 16) == 0);
        free(answer);
    }
    free(text);
}

const struct fuzz_target fuzz_pstime_stream = {"pstime_stream", one};
