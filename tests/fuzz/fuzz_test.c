/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every target on every file of its corpus, in `make check`: what libFuzzer found once stays
 * mended. With arguments: TARGET FILE, one file.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/test.h"
#include "fuzz.h"

static const struct fuzz_target *const targets[] = {
    &fuzz_options,       &fuzz_config,  &fuzz_option_file,   &fuzz_template,
    &fuzz_pstime_stream, &fuzz_rates,   &fuzz_remote_answer, &fuzz_marks,
    &fuzz_http,          &fuzz_cluster, &fuzz_wire};

static void run_file(const struct fuzz_target *t, const char *path)
{
    FILE *f = fopen(path, "r");
    struct stat st;
    uint8_t *bytes;
    size_t n;

    CHECK(f && fstat(fileno(f), &st) == 0);
    if (!f)
        return;
    bytes = malloc((size_t)st.st_size + 1);
    FUZZ_CHECK(bytes);
    n = fread(bytes, 1, (size_t)st.st_size, f);
    fclose(f);
    t->one(bytes, n);
    free(bytes);
}

/* How many files its corpus has. */
static int run_corpus(const struct fuzz_target *t, const char *directory)
{
    char *corpus = mem_printf("%s/%s", directory, t->name);
    DIR *d = opendir(corpus);
    const struct dirent *entry;
    int files = 0;

    while (d && (entry = readdir(d)) != NULL) {
        char *path = mem_printf("%s/%s", corpus, entry->d_name);
        if (*entry->d_name != '.') {
            run_file(t, path);
            files++;
        }
        free(path);
    }
    if (d)
        closedir(d);
    free(corpus);
    return files;
}

int main(int argc, char **argv)
{
    const char *srcdir = getenv("srcdir");
    char *directory = mem_printf("%s/../tests/fuzz/corpus", srcdir ? srcdir : ".");
    int null = open("/dev/null", O_WRONLY);

    dup2(null, STDERR_FILENO); /* warnings about thousands of odd values */
    close(null);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (argc == 3 && strcmp(argv[1], targets[i]->name) == 0)
            run_file(targets[i], argv[2]);
        else if (argc != 3)
            TEST_REPORT(run_corpus(targets[i], directory) > 0, "%s: no corpus in %s",
                        targets[i]->name, directory);
    }
    free(directory);
    return test_done("fuzz_test");
}
