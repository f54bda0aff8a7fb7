/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Values with parts: the step of --tx-find='p99<20ms,step=10' has a row with type and bounds as an
 * option has, which names the option and the mark (opt_row), but is no option: neither --help nor
 * completions show it by itself.  Releases up to 1.2 had an option of that name, which is accepted
 * for one release.
 */
#include "opt/opt_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

/* The length of the mark of a part, where one begins: "system:" at the beginning only, "*2" behind
 * the name of a trace, a word or "key=" behind a comma.  0: none begins here. */
static size_t mark_length(const struct opt *p, const char *value, size_t at)
{
    size_t n = strlen(p->mark), number = strspn(value + at + 1, "0123456789.e");
    bool begins = strncmp(value + at, p->mark, n) == 0;
    char end = value[at + n * begins];

    if (!begins)
        return 0;
    switch (p->mark[n - 1]) {
    case ':': return at == 0 ? n : 0;
    case '*': end = value[at + 1 + number]; return *value == '@' && number && (!end || end == ',');
    case '=': return at == 0 || value[at - 1] == ',' ? n : 0;
    default: return (at == 0 || value[at - 1] == ',') && (!end || end == ',') ? n : 0;
    }
}

/* The first part that begins in the value at `*at` or behind; NULL: there is none. */
static struct opt *next_part(const struct opts *o, const struct opt *r, const char *value,
                             size_t *at, size_t *mark)
{
    for (; value[*at]; ++*at)
        for (size_t i = 0; i < o->n; i++) {
            struct opt *p = o->row[i];
            if (opt_is_part(p, r) && (*mark = mark_length(p, value, *at)) > 0)
                return p;
        }
    return NULL;
}

char *opt_take_parts(struct opts *o, struct opt *r, const char *value)
{
    size_t at = 0, mark = 0;
    struct opt *part = next_part(o, r, value, &at, &mark);

    free(r->typed);
    r->typed = part ? mem_strdup(value) : NULL;
    if (!part)
        return mem_strdup(value);
    if (part->mark[mark - 1] == ':') {
        char *word = mem_strndup(value, mark - 1);
        part->within = true;
        opt_assign(part, word, true);
        free(word);
        return mem_strdup(value + mark);
    }
    char *rest = at ? mem_strndup(value, at - (value[at - 1] == ',')) : NULL;
    while (part) {
        struct opt *this = part;
        size_t from = at + mark;
        at = from;
        part = next_part(o, r, value, &at, &mark);
        char *text = mem_strndup(value + from, at - from - (at > from && value[at - 1] == ','));
        this->within = true;
        opt_assign(this, this->type == OPT_BOOL ? "on" : text, true);
        free(text);
    }
    return rest;
}

void opt_tell_whole(const struct opt *r)
{
    char end = r->mark[strlen(r->mark) - 1];

    log_stderr("NOTE: --%s is part of --%s now: --%s=%s%s%s", r->shown, r->of, r->of,
               end == '*' ? "@FILE" : "", r->mark,
               end == ':'                 ? "EVENTS"
               : end == '=' || end == '*' ? "N"
                                          : "");
}
