/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For unit tests that read a made-up tree of files (a /proc, a /sys): writes one file of it, and
 * creates the directories above it within the tree.  Only *_test.c files include this.
 */
#ifndef SB_BASE_TEST_TREE_H
#define SB_BASE_TEST_TREE_H

#include <limits.h>
#include <sys/stat.h>

#include "base/test.h"

static inline void test_tree_put(const char *tree, const char *path, const char *text)
{
    char full[PATH_MAX];
    FILE *f;

    snprintf(full, sizeof full, "%s/%s", tree, path);
    for (char *p = full + strlen(tree) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        mkdir(full, 0755);
    }
    f = fopen(full, "w");
    CHECK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
}

#endif
