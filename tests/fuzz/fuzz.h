/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A fuzz target: one function that reads any bytes as input of one kind.  entry.c calls it for
 * libFuzzer; fuzz_test.c calls all of them for the files in corpus/NAME, without clang.
 *
 * A target must not depend on files outside the input, nor on what ran before it.  What it promises
 * about the result is a FUZZ_CHECK; memory and undefined behaviour are the sanitizers' part.
 */
#ifndef SB_FUZZ_H
#define SB_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct fuzz_target {
    const char *name; /* the directory of its corpus */
    void (*one)(const uint8_t *data, size_t size);
};

extern const struct fuzz_target fuzz_options, fuzz_config, fuzz_option_file, fuzz_template,
    fuzz_pstime_stream, fuzz_rates, fuzz_remote_answer, fuzz_marks, fuzz_http, fuzz_cluster,
    fuzz_wire;

#define FUZZ_CHECK(cond)                                                                           \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #cond);                            \
            fflush(stdout);                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The input as a file without a name, for readers that take a path.  Write its path into `path`;
 * fuzz_file_close() when done. */
#define FUZZ_PATH 32
int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH]);
void fuzz_file_close(int fd);

/* A NUL-terminated copy; free() it. */
char *fuzz_text(const uint8_t *data, size_t size);

#endif
