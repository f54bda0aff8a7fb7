/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What 0.4 and 0.5 did with a command line, where that differs from 1.0:
 *
 *     --debug=yes        off: only the bare option and "on" were on
 *     --max-time=60s     60 in 0.4.12: a number ended at the first character that was no digit
 *     --oltp-table-size  today's --table-size
 *
 * Scripts of that age must run, so such values mean what they meant; where the result is not what
 * was written, stderr says so.
 *
 * And options that are part of the value of another one now: --tx-find-step=10 of releases up
 * to 1.2 is --tx-find='p99<20ms,step=10'.  Such a part has a row with type and bounds as an option
 * has, but is no option: neither --help nor completions show it.  Its old name is accepted for one
 * release.
 */
#include "opt/opt_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

void opts_set_rules(struct opts *o, const struct opt_rules *rules, const char *whose)
{
    o->rules = *rules;
    free(o->whose);
    o->whose = mem_strdup(whose);
}

const char *opt_old_flag(const struct opts *o, const struct opt *r, const char *value)
{
    static const char *const off[] = {"", "off", "no", "false", "0", "disable", "disabled"};
    size_t i = 0;

    if (!o->rules.only_on || r->flags & OPT_OWN || strcmp(value, "on") == 0 ||
        opt_is_mode(r, value))
        return value;
    while (i < sizeof off / sizeof *off && strcasecmp(value, off[i]) != 0)
        i++;
    if (i == sizeof off / sizeof *off) /* it does not look like "off" */
        log_stderr("WARNING: --%s=%s means off, as in %s; to switch it on, write --%s=on", r->shown,
                   value, o->whose, r->shown);
    return "off";
}

const char *opt_old_number(const struct opts *o, const struct opt *r, const char *value,
                           struct str *buf)
{
    bool number = r->type == OPT_INT || r->type == OPT_DOUBLE;
    size_t sign = *value == '-' || *value == '+';
    size_t n = strspn(value + sign, r->type == OPT_INT ? "0123456789" : "0123456789.");

    if (o->rules.only_on && !*value && number)
        return "0"; /* even where 1.0 wants a value */
    if (!o->rules.leading_digits || !number || r->flags & OPT_OWN || n == 0 || !value[sign + n])
        return value;
    n += sign;
    if (strspn(value + sign, "0.") >= n - sign && strpbrk(value + n, "123456789"))
        return value; /* 0 is often "no limit", which nobody asks for with 0.5 */
    if (r->type == OPT_INT && r->flags & OPT_OR_TEXT && value[n] == ',')
        return value;
    if (r->flags & OPT_COUNT && strchr("kKMG", value[n]) && !value[n + 1])
        return value;
    str_add(buf, value, n);
    log_stderr("WARNING: --%s=%s means %s, as in %s: a number ends where its digits end", r->shown,
               value, str_cstr(buf), o->whose);
    return str_cstr(buf);
}

/* Names that have changed by more than the loss of "oltp-". */
static const struct {
    const char *old, *now;
} renamed[] = {
    {"tables_count", "tables"},      {"num_tables", "tables"},      {"dist_type", "rand_type"},
    {"dist_iter", "rand_spec_iter"}, {"dist_pct", "rand_spec_pct"}, {"dist_res", "rand_spec_res"},
    {"reconnect_mode", "reconnect"},
};

const struct opt *opt_old_name(const struct opts *o, const char *name)
{
    const char *rest = name + strlen("oltp-");

    if (strncmp(name, "oltp-", 5) != 0 && strncmp(name, "oltp_", 5) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (opt_same_word(rest, renamed[i].old))
            return opts_find(o, renamed[i].now);
    return opts_find(o, rest);
}

/* clang-format off */
static const struct opt_part parts[] = {
    {"lua-state",             "workers",         "lua-state="},
    {"worker-batch",          "workers",         "batch="},
    {"worker-warn",           "workers",         "warn="},
    {"error-backoff",         "trx-retries",     "backoff="},
    {"tx-find-step",          "tx-find",         "step="},
    {"tx-find-steps",         "tx-find",         "steps="},
    {"tx-find-confirm",       "tx-find",         "confirm="},
    {"tx-find-precision",     "tx-find",         "precision="},
    {"tx-scale",              "tx-rate",         "*"},
    {"tx-speed",              "tx-rate",         "speed="},
    {"server-host",           "server",          "host="},
    {"events-of",             "server-events",   "system:"},
    {"server-profile-file",   "server-profile",  "file="},
    {"server-profile-window", "server-profile",  "window="},
    {"server-profile-hz",     "server-profile",  "hz="},
    {"cluster-timeout",       "cluster",         "timeout="},
    {"cluster-silence",       "cluster",         "silence="},
    {"cluster-address",       "cluster",         "address="},
    {"db-ps-prepare",         "db-ps-mode",      "prepare="},
    {"prepare-resume",        "prepare-method",  "resume"},
    {"reconnect-rate",        "connect-timeout", "rate="},
    {"mysql-read-defaults",   "defaults-file",   "standard"},
    {"defaults-extra-file",   "defaults-file",   "extra="},
    {"defaults-group-suffix", "defaults-file",   "suffix="},
};
/* clang-format on */

const struct opt_part *opt_part_named(const char *name)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].old, name) == 0)
            return &parts[i];
    return NULL;
}

/* The length of the mark of a part, where one begins: "system:" at the beginning only, "*2" behind
 * the name of a trace, a word or "key=" behind a comma.  0: none begins here. */
static size_t mark_length(const struct opt_part *p, const char *value, size_t at)
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
            const struct opt_part *p = o->row[i]->part;
            if (p && strcmp(p->of, r->shown) == 0 && (*mark = mark_length(p, value, *at)) > 0)
                return o->row[i];
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
    if (part->part->mark[mark - 1] == ':') {
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

void opts_apply_old(struct opts *o)
{
    for (size_t i = 0; i < o->n; i++) {
        struct opt *r = o->row[i], *now = r->now && r->given ? opts_find(o, r->now) : NULL;
        const struct opt *used = NULL;
        if (now && !r->moved) {
            if (!o->rules.only_on)
                log_stderr("WARNING: --%s is deprecated, use --%s instead", r->shown, r->now);
            for (size_t k = 0; k < o->n && !used; k++) /* another old name of the same option */
                if (o->row[k]->moved && opts_find(o, o->row[k]->now) == now)
                    used = o->row[k];
            if (!now->given)
                opt_assign(now, r->value, true);
            else if (used && strcmp(used->value, r->value) != 0)
                log_stderr("WARNING: --%s=%s has no effect beside --%s=%s: both mean --%s",
                           r->shown, r->value, used->shown, used->value, r->now);
            r->moved = true;
        } else if (!r->now && r->part && r->given && !r->within && !r->moved) {
            /* the old name of a part: "--tx-find-step is part of --tx-find now: step=N" */
            const char *mark = r->part->mark, *of = r->part->of;
            char end = mark[strlen(mark) - 1];
            log_stderr("NOTE: --%s is part of --%s now: --%s=%s%s%s", r->shown, of, of,
                       end == '*' ? "@FILE" : "", mark,
                       end == ':'                 ? "EVENTS"
                       : end == '=' || end == '*' ? "N"
                                                  : "");
            r->moved = true;
        }
    }
}

void opts_list_old(struct opts *o)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->row[i]->flags & OPT_OLD)
            o->row[i]->flags &= ~(unsigned)OPT_HIDDEN;
}
