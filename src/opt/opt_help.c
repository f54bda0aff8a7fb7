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

static bool in_help(const struct opt *r, enum opt_group g, const char *only)
{
    const char *at = only ? strstr(only, r->shown) : NULL;
    size_t n = strlen(r->shown);

    while (at && !(at[-1] == ' ' && at[n] == ' '))
        at = strstr(at + 1, r->shown);
    return r->group == g && !(r->flags & OPT_HIDDEN) && (!only || at);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct opt *const *)a)->name, (*(struct opt *const *)b)->name);
}

/* "--threads=N"; of a part "  ,step=N" */
static char *form_of(const struct opt *r)
{
    const char *mark = r->part ? r->part->mark : "";
    char last = *mark ? mark[strlen(mark) - 1] : '\0';

    if (!*mark)
        return mem_printf("--%s%s", r->shown, suffix_of(r));
    return mem_printf("  %s%s%s", last == '*' || last == ':' ? "" : ",", mark,
                      last == '='   ? suffix_of(r) + 1
                      : last == '*' ? "N"
                                    : "");
}

static void add_parts(const struct opts *o, const struct opt *of, struct opt **rows, size_t *n)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->row[i]->part && strcmp(o->row[i]->part->of, of->shown) == 0)
            rows[(*n)++] = o->row[i];
}

void opts_help(const struct opts *o, enum opt_group g, bool sorted, const char *only,
               struct str *out)
{
    struct opt **chosen = mem_array(o->n, sizeof *chosen), **rows = mem_array(o->n, sizeof *rows);
    size_t nchosen = 0, n = 0, widest = 0;

    for (size_t i = 0; i < o->n; i++)
        if (in_help(o->row[i], g, only))
            chosen[nchosen++] = o->row[i];
    if (sorted)
        qsort(chosen, nchosen, sizeof(struct opt *), by_name);
    for (size_t i = 0; i < nchosen; i++) {
        rows[n++] = chosen[i];
        if (!only)
            add_parts(o, chosen[i], rows, &n);
    }
    for (size_t i = 0; i < n; i++) {
        char *form = form_of(rows[i]);
        widest = strlen(form) > widest ? strlen(form) : widest;
        free(form);
    }
    for (size_t i = 0; i < n; i++) {
        char *form = form_of(rows[i]);
        str_printf(out, "  %-*s %s", (int)widest, form, rows[i]->help ? rows[i]->help : "");
        if (rows[i]->def)
            str_printf(out, " [%s]", rows[i]->def);
        str_adds(out, "\n");
        free(form);
    }
    free(chosen);
    free(rows);
}
