/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the text of a value into the typed fields of its row.  A text that cannot be read leaves a
 * verdict in the row, which opts_check() reports.
 */
#include "opt/opt_table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

void opt_list_add(struct opt *r, const char *text, size_t n)
{
    r->list = mem_grow(r->list, r->nlist + 1, sizeof *r->list);
    r->list[r->nlist++] = mem_strndup(text, n);
}

/* Digits and one of K M G T, powers of 1024; "KB" and "KiB" mean the same as "K". */
static bool read_size(const char *text, int64_t *out)
{
    static const char letters[] = "kmgt";
    char *end;
    int64_t v, scale = 1;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    v = strtoll(text, &end, 10);
    if (errno)
        return false;
    if (*end) {
        const char *l = strchr(letters, tolower((unsigned char)*end));
        if (!l)
            return false;
        for (ptrdiff_t i = 0; i <= l - letters; i++)
            scale *= 1024;
        end++;
        if (*end == 'i')
            end++;
        if (*end == 'b' || *end == 'B')
            end++;
        if (*end)
            return false;
    }
    return !__builtin_mul_overflow(v, scale, out);
}

/* Digits, at most one point among them, and one of k K M G, powers of 1000.  "m" is refused: it may
 * mean a minute. */
static bool read_count(const char *text, double *out)
{
    static const char letters[] = "kKMG";
    static const double scale[] = {1e3, 1e3, 1e6, 1e9};
    size_t n = strspn(text, "0123456789.");
    const char *letter = text[n] ? strchr(letters, text[n]) : NULL;
    char *end;

    if (n == 0 || !letter || text[n + 1])
        return false;
    *out = strtod(text, &end) * scale[letter - letters];
    return end == text + n;
}

static bool read_int(const char *text, bool count, int64_t *out)
{
    char *end;
    double d;

    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (count && read_count(text, &d) && d == rint(d) && d <= INT32_MAX) {
        *out = (int64_t)d;
        return true;
    }
    if (end == text || *end || errno || v < INT32_MIN || v > INT32_MAX)
        return false;
    *out = v;
    return true;
}

/* Of a list. */
static bool read_first_int(const char *text, bool count, int64_t *out)
{
    char item[64];
    size_t n = strcspn(text, ",");

    if (n >= sizeof item)
        return false;
    snprintf(item, sizeof item, "%.*s", (int)n, text);
    return read_int(item, count, out);
}

dur_ns opt_unit(unsigned flags)
{
    return flags & OPT_MICROS ? NS_PER_US : flags & OPT_MILLIS ? NS_PER_MS : NS_PER_SEC;
}

/* "0.5", "90s", "500ms", in the unit of the row. */
static bool read_time(unsigned flags, const char *text, double *out)
{
    dur_ns d;

    if (!(flags & OPT_TIME) || units_duration(text, opt_unit(flags), &d, NULL))
        return false;
    *out = (double)d / (double)opt_unit(flags);
    return true;
}

/* 1e3, but not 0x10, which is a slip more often than a number. */
static bool read_double(const char *text, bool count, double *out)
{
    char *end;

    if (count && read_count(text, out))
        return true;
    errno = 0;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out) && !strpbrk(text, "xX");
}

int opt_bool_word(const char *text)
{
    static const char *const on[] = {"on", "true", "1"}, *const off[] = {"off", "false", "0"};

    for (size_t i = 0; i < 3; i++) {
        if (strcmp(text, on[i]) == 0)
            return 1;
        if (strcmp(text, off[i]) == 0)
            return 0;
    }
    return -1;
}

static bool same_words(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((a[i] == '_' ? '-' : tolower((unsigned char)a[i])) !=
            (b[i] == '_' ? '-' : tolower((unsigned char)b[i])))
            return false;
    return true;
}

bool opt_same_word(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && same_words(a, b, strlen(a));
}

/* One of the modes of a BOOL with choices: 1, or 0 when it is the first of them.  -1: none. */
static int mode_word(const char *choices, const char *text)
{
    for (int first = 1; *choices; first = 0) {
        size_t n = strcspn(choices, "|");
        if (n == strlen(text) && same_words(choices, text, n))
            return !first;
        choices += n + (choices[n] == '|');
    }
    return -1;
}

bool opt_is_mode(const struct opt *r, const char *value)
{
    return r->choices && mode_word(r->choices, value) >= 0;
}

bool opt_beyond_number(unsigned flags, const char *value)
{
    double v;

    return flags & OPT_OR_TEXT && (strpbrk(value, ":,(@") || /* "50-20", but not "1e-3" */
                                   (isdigit((unsigned char)*value) && strchr(value, '-') &&
                                    !read_double(value, true, &v)));
}

bool opt_is_more(const struct opt *r, const char *value)
{
    return r->type == OPT_BOOL && r->flags & OPT_OPEN && *value == '+';
}

/* Reads the text into the typed fields; r->bad says what is wrong with it. */
void opt_read_value(struct opt *r)
{
    const char *t = r->value ? r->value : "";
    bool number = r->type == OPT_INT || r->type == OPT_SIZE || r->type == OPT_DOUBLE, good = true;
    size_t n;

    r->bad = OPT_GOOD;
    r->ival = 0;
    r->dval = 0;
    while (r->nlist)
        free(r->list[--r->nlist]);
    if (!*t && r->type != OPT_BOOL) {
        /* 0, "", no elements: --name= is allowed where not only some numbers are valid; rows of
         * other types have a flag for it */
        if (r->value && r->given && (number ? r->min < r->max : !(r->flags & OPT_MAY_BE_EMPTY)))
            r->bad = OPT_EMPTY;
        return;
    }
    switch (r->type) {
    case OPT_BOOL: /* a flag, or for a row with choices one of its modes */
        r->ival = opt_bool_word(t);
        if (r->ival < 0 && r->choices) {
            r->ival = mode_word(r->choices, t);
            r->bad = r->ival < 0 ? OPT_NO_CHOICE : OPT_GOOD;
        }
        r->ival = r->ival == 1 || opt_is_more(r, t);
        break;
    case OPT_INT:
        good =
            (r->flags & OPT_OR_TEXT ? read_first_int : read_int)(t, r->flags & OPT_COUNT, &r->ival);
        r->dval = (double)r->ival;
        if (!good && read_time(r->flags, t, &r->dval)) {
            good = r->dval <= INT32_MAX;
            r->ival = good ? (int64_t)r->dval : 0;
        }
        break;
    case OPT_SIZE:
        good = read_size(t, &r->ival) || r->flags & OPT_LENIENT;
        r->dval = (double)r->ival;
        break;
    case OPT_DOUBLE:
        good = opt_beyond_number(r->flags, t) || read_double(t, r->flags & OPT_COUNT, &r->dval) ||
               read_time(r->flags, t, &r->dval);
        break;
    case OPT_LIST: /* empty elements are dropped: "x, y,,z" has three, without blanks */
        for (; *t; t += strcspn(t, ","), t += *t == ',') {
            t += strspn(t, " \t");
            for (n = strcspn(t, ","); n > 0 && strchr(" \t", t[n - 1]);)
                n--;
            if (n > 0)
                opt_list_add(r, t, n);
        }
        break;
    case OPT_STRING:
        if (r->flags & OPT_ADDS)
            opt_list_add(r, t, strlen(t));
        break;
    default: break;
    }
    if (!good)
        r->bad = OPT_UNREADABLE;
    if (r->bad == OPT_GOOD && r->min < r->max && (r->dval < r->min || r->dval > r->max))
        r->bad = OPT_OUT_OF_RANGE;
    if (!(r->flags & OPT_CHECKED_LATER) && opt_not_a_choice(r, &n))
        r->bad = OPT_NO_CHOICE;
}

int opt_complain_number(const struct opt *r, struct err *e)
{
    const char *t = r->value, *digits = t + (*t == '-' || *t == '+'), *form;
    size_t n = strspn(t, "0123456789.");
    bool whole = r->type == OPT_INT;
    double v;

    if (r->mark)
        err_set(e, ERR_SYNTAX, "Invalid value for --%s: '%s'", r->title, t);
    else
        err_set(e, ERR_SYNTAX, "Invalid value for the '%s' option: '%s'", r->name, t);
    if (r->flags & OPT_COUNT && n > 0 && t[n] && strchr("mg", t[n]) && !t[n + 1])
        return err_append(e, "; did you mean %.*s%c?", (int)n, t, toupper((unsigned char)t[n]));
    if (whole && ((r->flags & OPT_COUNT && read_count(t, &v) && v > INT32_MAX) ||
                  (*digits && digits[strspn(digits, "0123456789")] == '\0')))
        return err_append(e, " (at %s)", *t == '-' ? "least -2147483648" : "most 2147483647");
    if (r->type == OPT_SIZE)
        form = "a size, such as 4096, 16K or 2G,";
    else if (r->flags & OPT_OR_TEXT && !whole)
        form = "a number, such as 0.5, 10k or 1M, stages, such as 500:60s,900:60s, or a trace, "
               "such as @noon.csv,";
    else if (r->flags & OPT_COUNT)
        form =
            whole ? "a whole number, such as 500, 10k or 1M," : "a number, such as 0.5, 10k or 1M,";
    else if (r->flags & OPT_TIME)
        form = r->flags & OPT_MICROS   ? "a number of microseconds, or a time such as 50us or 2ms,"
               : r->flags & OPT_MILLIS ? "a number of milliseconds, or a time such as 500us or 2s,"
                                       : "a number of seconds, or a time such as 500ms, 90s or 5m,";
    else
        form = whole ? "a whole number without a unit" : "a number without a unit";
    return err_append(e, " (%s is needed)", form);
}
