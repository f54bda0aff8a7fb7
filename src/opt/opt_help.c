/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes help texts from the table.  Wrappers parse these lines: two blanks, "--", the name as
 * declared, the type, padding to the longest of the group plus one blank, the description, the
 * default in brackets.
 */
#include "opt/opt_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const suffix[] = {
    [OPT_NULL] = "",
    [OPT_BOOL] = "[=on|off]",
    [OPT_INT] = "=N",
    [OPT_SIZE] = "=SIZE",
    [OPT_DOUBLE] = "=N",
    [OPT_STRING] = "=STRING",
    [OPT_LIST] = "=[LIST,...]",
    [OPT_FILE] = "=FILENAME",
};

static const char *suffix_of(const struct opt *r)
{
    return suffix[r->flags & OPT_SHOWN_AS_INT ? OPT_INT : r->type];
}

static bool in_help(const struct opt *r, enum opt_group g)
{
    return r->group == g && !(r->flags & OPT_HIDDEN);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct opt *const *)a)->name, (*(struct opt *const *)b)->name);
}

void opts_help(const struct opts *o, enum opt_group g, bool sorted, struct str *out)
{
    struct opt **rows = mem_array(o->n, sizeof *rows);
    size_t n = 0, widest = 0;

    for (size_t i = 0; i < o->n; i++) {
        if (in_help(o->row[i], g)) {
            size_t w = strlen(o->row[i]->shown) + strlen(suffix_of(o->row[i]));
            rows[n++] = o->row[i];
            widest = w > widest ? w : widest;
        }
    }
    if (sorted)
        qsort(rows, n, sizeof(struct opt *), by_name);
    for (size_t i = 0; i < n; i++) {
        const struct opt *r = rows[i];
        size_t used = strlen(r->shown) + strlen(suffix_of(r));
        str_printf(out, "  --%s%s%*s%s", r->shown, suffix_of(r), (int)(widest - used + 1), "",
                   r->help ? r->help : "");
        if (r->def)
            str_printf(out, " [%s]", r->def);
        str_adds(out, "\n");
    }
    free(rows);
}
