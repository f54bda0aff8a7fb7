/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For unit tests that read a made-up tree of files (a /proc, a /sys): a directory of their own,
 * which is removed when the test ends.  Only *_test.c files include this.
 */
#ifndef SB_BASE_TEST_TREE_H
#define SB_BASE_TEST_TREE_H

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test.h"

static char test_tree[] = "/tmp/sb-tree-XXXXXX";
static pid_t test_tree_owner; /* no child of it removes the tree */

/* A path below the tree (""); of the last four calls. */
static inline const char *tree_path(const char *path)
{
    static char full[4][PATH_MAX];
    static unsigned n;

    n = (n + 1) % 4;
    snprintf(full[n], PATH_MAX, "%s%s%s", test_tree, *path ? "/" : "", path);
    return full[n];
}

/* With all that is below it. */
static inline void tree_remove(const char *path)
{
    char command[PATH_MAX + 10];

    snprintf(command, sizeof command, "rm -rf %s/%s", test_tree, path);
    CHECK_INT(system(command), 0);
}

static inline void test_tree_end(void)
{
    if (getpid() == test_tree_owner)
        tree_remove("");
}

static inline void tree_begin(void)
{
    CHECK(mkdtemp(test_tree) != NULL && chmod(test_tree, 0755) == 0);
    test_tree_owner = getpid();
    atexit(test_tree_end);
}

/* Writes a file, and creates the directories above it. */
__attribute__((format(printf, 2, 3))) static inline void tree_put(const char *path, const char *fmt,
                                                                  ...)
{
    char full[PATH_MAX];
    va_list ap;
    FILE *f;

    snprintf(full, sizeof full, "%s/%s", test_tree, path);
    for (char *p = full + sizeof test_tree; (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        mkdir(full, 0755);
    }
    f = fopen(full, "w");
    CHECK(f != NULL);
    if (!f)
        return;
    va_start(ap, fmt);
    CHECK(vfprintf(f, fmt, ap) >= 0);
    va_end(ap);
    CHECK_INT(fclose(f), 0);
}

#endif
