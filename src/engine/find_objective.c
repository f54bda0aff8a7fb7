/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See find_objective.h.  A bound is cut at its comparison: what is measured on the left, the limit
 * on the right.
 */
#include "engine/find_objective.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"

#define TERM_MAX 64

/* A copy of [from, to) without the blanks around it; false: it does not fit. */
static bool trim(char out[TERM_MAX], const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    if (to - from >= TERM_MAX)
        return false;
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = '\0';
    return true;
}

static int refuse(const char *term, const char *why, struct err *e)
{
    return err_set(e, ERR_USAGE, "Invalid value for --tx-find: '%s' (%s)", term, why);
}

static int unknown(const char *term, struct err *e)
{
    return refuse(term,
                  "bounds such as p99<20ms, avg<=5ms, lag<1ms, errors<1%, errors<5/s or "
                  "cpu<80%, joined by commas",
                  e);
}

/* "p99.9" -> 99.9, "avg" -> FIND_MEAN, "max" -> FIND_MAX. */
static bool read_point(const char *word, double *point)
{
    struct err ignored = {0};

    if (strcmp(word, "avg") == 0 || strcmp(word, "mean") == 0)
        *point = FIND_MEAN;
    else if (strcmp(word, "max") == 0)
        *point = FIND_MAX;
    else
        return word[0] == 'p' && isdigit((unsigned char)word[1]) &&
               units_double(word + 1, 1e-9, 100, point, &ignored) == 0;
    return true;
}

static bool read_time(const char *name, struct find_bound *b)
{
    static const char *const series[] = {"response", "service", "lag"};

    b->what = FIND_TIME;
    b->series = FIND_RESPONSE;
    if (strcmp(name, "lag") == 0) {
        b->series = FIND_LAG;
        b->point = 99;
        return true;
    }
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        size_t n = strlen(series[i]);
        if (strncmp(name, series[i], n) != 0 || !strchr(" -_", name[n]) || !name[n])
            continue;
        b->series = (enum find_series)i;
        name += n + 1;
        break;
    }
    return read_point(name, &b->point);
}

/* What is measured; false: nothing of that name is. */
static bool read_name(const char *name, struct find_bound *b)
{
    static const struct {
        const char *name;
        enum find_what what;
    } words[] = {{"errors", FIND_ERRORS_PCT},     {"cpu", FIND_SERVER_CPU},
                 {"server cpu", FIND_SERVER_CPU}, {"server-cpu", FIND_SERVER_CPU},
                 {"server_cpu", FIND_SERVER_CPU}, {"client cpu", FIND_CLIENT_CPU},
                 {"client-cpu", FIND_CLIENT_CPU}, {"client_cpu", FIND_CLIENT_CPU}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(name, words[i].name) != 0)
            continue;
        b->what = words[i].what;
        return true;
    }
    return read_time(name, b);
}

static int read_duration(const char *term, const char *text, struct find_bound *b, struct err *e)
{
    size_t n = strlen(text);
    struct err why = {0};
    dur_ns limit;

    if (n == 0 || text[n - 1] != 's')
        return refuse(term, "a time needs a unit: us, ms or s", e);
    if (units_duration(text, NS_PER_MS, &limit, &why))
        return unknown(term, e);
    b->limit = (double)limit;
    return 0;
}

/* "5/s" -> 5 */
static bool read_count(const char *text, double *count)
{
    char number[TERM_MAX];
    size_t n = strlen(text);
    struct err ignored = {0};

    if (n < 3 || strcmp(text + n - 2, "/s") != 0)
        return false;
    trim(number, text, text + n - 2);
    return units_double(number, 0, 1e12, count, &ignored) == 0;
}

static int read_limit(const char *term, const char *text, struct find_bound *b, struct err *e)
{
    size_t n = strlen(text);
    struct err ignored = {0};

    if (b->what == FIND_TIME) {
        if (read_duration(term, text, b, e))
            return -1;
    } else if (b->what == FIND_ERRORS_PCT && read_count(text, &b->limit)) {
        b->what = FIND_ERRORS_RATE;
    } else if (n == 0 || text[n - 1] != '%') {
        return refuse(
            term, b->what == FIND_ERRORS_PCT ? "errors need a unit: % or /s" : "CPU is in %", e);
    } else if (units_percent(text, 0, 100, &b->limit, &ignored)) {
        return unknown(term, e);
    }
    if (b->strict && b->limit == 0)
        return refuse(term, "nothing is less than 0: <=0 is none at all", e);
    return 0;
}

/* "5 ms" -> "5ms" */
static void squeeze(char *text)
{
    char *to = text;

    for (; *text; text++)
        if (!isspace((unsigned char)*text))
            *to++ = *text;
    *to = '\0';
}

static int read_bound(const char *term, struct find_bound *b, struct err *e)
{
    const char *less = strchr(term, '<');
    char name[TERM_MAX], limit[TERM_MAX];

    if (!less)
        return unknown(term, e);
    b->strict = less[1] != '=';
    if (!trim(name, term, less) || !read_name(name, b))
        return unknown(term, e);
    trim(limit, less + 1 + !b->strict, term + strlen(term));
    squeeze(limit);
    return read_limit(term, limit, b, e);
}

/* Where the term that begins here ends: at a comma, at ` and `, or with the text. */
static const char *term_end(const char *text, size_t *skip)
{
    const char *p = text;

    for (; *p && *p != ','; p++) {
        if (!isspace((unsigned char)*p) || strncasecmp(p + 1, "and", 3) != 0 ||
            !isspace((unsigned char)p[4]))
            continue;
        *skip = 5;
        return p;
    }
    *skip = *p == ',';
    return p;
}

static int add_term(struct find_objective *o, const char *from, const char *to, struct err *e)
{
    char term[TERM_MAX];

    if (!trim(term, from, to))
        return unknown(o->text, e);
    if (o->n == FIND_MAX_BOUNDS)
        return err_set(e, ERR_USAGE, "Invalid value for --tx-find: '%s' (at most %d bounds)",
                       o->text, FIND_MAX_BOUNDS);
    return read_bound(term, &o->bound[o->n++], e);
}

int find_objective_parse(struct find_objective *o, const char *text, struct err *e)
{
    size_t skip;

    memset(o, 0, sizeof *o);
    if (strlen(text) >= sizeof o->text)
        return err_set(e, ERR_USAGE, "Invalid value for --tx-find: longer than %zu characters",
                       sizeof o->text - 1);
    snprintf(o->text, sizeof o->text, "%s", text);
    do {
        const char *end = term_end(text, &skip);
        if (add_term(o, text, end, e))
            return -1;
        text = end + skip;
    } while (skip);
    return 0;
}
