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
        } else if (!r->now && r->mark && r->given && !r->within && !r->moved) {
            opt_tell_whole(r);
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
