/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lists of values: "a|b|c" of a row.  This file checks whether a value is one of them, writes the
 * complaint when it is not, and the text for --help.
 */
#include "opt/opt_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"

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

static size_t count(const char *choices)
{
    size_t n = 1;

    for (; *choices; choices++)
        n += *choices == '|';
    return n;
}

/* Appends to a complaint the values that may have been meant. */
static int suggest(const struct opt *r, const char *part, size_t n, struct err *e)
{
    struct near near;
    char *word = mem_strndup(part, n);

    near_begin(&near, word);
    near_offer_choices(&near, r->choices);
    if (near.names < count(r->choices)) /* all of them would be no help */
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
