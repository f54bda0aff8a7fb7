/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What people read of the table: lists of values ("a|b|c" of a row), the complaint about a value
 * that is none of them, and help texts.  Wrappers parse the lines of --help: two blanks, "--", the
 * name as declared, the type, padding to the longest of the group plus one blank, the description,
 * the default in brackets.
 */
#include "opt/opt_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"

/* --- lists of values --- */

static bool in_choices(const struct opt *r, const char *text, size_t len)
{
    int (*compare)(const char *, const char *, size_t) =
        r->flags & OPT_ANY_CASE ? strncasecmp : strncmp;

    for (const char *choices = r->choices; *choices;) {
        size_t n = strcspn(choices, "|");
        if (n == len && compare(choices, text, n) == 0)
            return true;
        choices += n + (choices[n] == '|');
    }
    return false;
}

const char *opt_not_a_choice(const struct opt *r, size_t *n)
{
    const char *t = r->value ? r->value : "";

    if (!r->choices || r->flags & OPT_OPEN || r->type == OPT_BOOL)
        return NULL;
    if (r->type != OPT_LIST) {
        *n = strlen(t);
        return in_choices(r, t, *n) ? NULL : t;
    }
    for (; *t; t += *n + (t[*n] == ',')) {
        *n = strcspn(t, ",");
        if (*n && !in_choices(r, t, *n))
            return t;
    }
    return NULL;
}

/* "a|b|c" as people write it: "a, b, c". */
static void list_choices(const char *choices, const char *between, struct str *out)
{
    for (; *choices; choices++) {
        if (*choices == '|')
            str_adds(out, between);
        else
            str_add(out, choices, 1);
    }
}

/* The description with its list of values (opt.h). */
char *opt_help_text(const struct opt_row *row)
{
    const char *place = row->help && row->choices ? strstr(row->help, "{}") : NULL;
    const char *tight = row->help && row->choices ? strstr(row->help, "{,}") : NULL;
    struct str s = STR_INIT;

    place = place ? place : tight;
    if (!row->help || !row->choices || (!place && row->flags & OPT_OPEN))
        return row->help ? mem_strdup(row->help) : NULL;
    str_add(&s, row->help, place ? (size_t)(place - row->help) : strlen(row->help));
    str_adds(&s, place ? "{" : " {");
    list_choices(row->choices, tight ? "," : ", ", &s);
    str_adds(&s, "}");
    str_adds(&s, place ? strchr(place, '}') + 1 : "");
    return s.s;
}

/* Appends to a complaint the values that may have been meant. */
static int suggest(const struct opt *r, const char *part, size_t n, struct err *e)
{
    struct near near;
    char *word = mem_strndup(part, n);
    size_t all = 1;

    for (const char *c = r->choices; *c; c++)
        all += *c == '|';
    near_begin(&near, word);
    near_offer_choices(&near, r->choices);
    if (near.names < all) /* all of them would be no help */
        near_suggest(&near, e);
    free(word);
    return -1;
}

/* Appends the allowed values, then the suggestion. */
static int explain_part(const struct opt *r, const char *part, size_t n, struct err *e)
{
    struct str allowed = STR_INIT;

    list_choices(r->choices, ", ", &allowed);
    err_append(e, " (allowed: %s%s)", r->type == OPT_BOOL ? "on, off, " : "", str_cstr(&allowed));
    str_free(&allowed);
    return suggest(r, part, n, e);
}

int opt_complain_choice(const struct opt *r, struct err *e)
{
    const char *value = r->value ? r->value : "", *part = value;
    size_t n = strlen(value);

    if (r->type != OPT_BOOL)
        part = opt_not_a_choice(r, &n);
    err_set(e, ERR_USAGE, "Invalid value for --%s: '%s'", r->title, value);
    return explain_part(r, part, n, e);
}

bool opt_is_choice(const struct opts *o, const char *name)
{
    size_t n;

    return !opt_not_a_choice(opts_find(o, name), &n);
}

int opt_explain(const struct opts *o, const char *name, struct err *e)
{
    const struct opt *r = opts_find(o, name);
    size_t n;
    const char *part = opt_not_a_choice(r, &n);

    if (r->choices && r->flags & OPT_OPEN && r->value && !in_choices(r, r->value, strlen(r->value)))
        return suggest(r, r->value, strlen(r->value), e);
    return part ? explain_part(r, part, n, e) : -1;
}

/* --- help --- */

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

bool opt_is_among(const struct opt *r, const char *names)
{
    size_t n = strlen(r->shown);

    for (const char *at = strstr(names, r->shown); at; at = strstr(at + 1, r->shown))
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct opt *const *)a)->name, (*(struct opt *const *)b)->name);
}

/* "--threads=N"; of a part "  ,step=N" */
static char *form_of(const struct opt *r)
{
    const char *type = suffix[r->flags & OPT_SHOWN_AS_INT ? OPT_INT : r->type];
    const char *mark = r->mark ? r->mark : "";
    char last = *mark ? mark[strlen(mark) - 1] : '\0';

    if (!*mark)
        return mem_printf("--%s%s", r->shown, type);
    return mem_printf("  %s%s%s", last == '*' || last == ':' ? "" : ",", mark,
                      last == '='   ? type + 1
                      : last == '*' ? "N"
                                    : "");
}

void opts_help(const struct opts *o, enum opt_group g, bool sorted, const char *only,
               struct str *out)
{
    struct opt **chosen = mem_array(o->n, sizeof *chosen), **rows = mem_array(o->n, sizeof *rows);
    char **form = mem_array(o->n, sizeof *form);
    size_t nchosen = 0, n = 0, widest = 0;

    for (size_t i = 0; i < o->n; i++) {
        struct opt *r = o->row[i];
        if (r->group == g && !(r->flags & OPT_HIDDEN) && (!only || opt_is_among(r, only)))
            chosen[nchosen++] = r;
    }
    if (sorted)
        qsort(chosen, nchosen, sizeof(struct opt *), by_name);
    for (size_t i = 0; i < nchosen; i++) {
        rows[n++] = chosen[i];
        for (size_t k = 0; !only && k < o->n; k++) /* its parts */
            if (opt_is_part(o->row[k], chosen[i]))
                rows[n++] = o->row[k];
    }
    for (size_t i = 0; i < n; i++) {
        form[i] = form_of(rows[i]);
        widest = strlen(form[i]) > widest ? strlen(form[i]) : widest;
    }
    for (size_t i = 0; i < n; i++) {
        str_printf(out, "  %-*s %s", (int)widest, form[i], rows[i]->help ? rows[i]->help : "");
        if (rows[i]->def)
            str_printf(out, " [%s]", rows[i]->def);
        str_adds(out, "\n");
        free(form[i]);
    }
    free(chosen);
    free(rows);
    free(form);
}
