/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See outs.h.
 */
#include "report/outs.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "report/out.h"

/* `sysbench --report-file=x.txt >x.txt` */
static bool is_redirected_stdout(const char *path)
{
    struct stat a, b;

    return !out_is_stdout(path) && stat(path, &a) == 0 && fstat(STDOUT_FILENO, &b) == 0 &&
           S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int outs_add(struct outs *o, const char *option, const char *path, struct err *e)
{
    if (!*path)
        return 0;
    if (is_redirected_stdout(path))
        return err_set(e, ERR_USAGE, "--%s: standard output is redirected into '%s'", option, path);
    for (size_t i = 0; i < o->n; i++)
        if (out_same(o->list[i].path, path))
            return err_set(e, ERR_USAGE, "--%s and --%s name the same file: '%s'",
                           o->list[i].option, option, path);
    o->list = mem_grow(o->list, o->n + 1, sizeof *o->list);
    o->list[o->n++] = (struct outs_path){mem_strdup(option), mem_strdup(path)};
    return 0;
}

void outs_free(struct outs *o)
{
    for (size_t i = 0; i < o->n; i++) {
        free(o->list[i].option);
        free(o->list[i].path);
    }
    free(o->list);
    *o = (struct outs){0};
}
