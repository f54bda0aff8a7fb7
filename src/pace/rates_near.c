/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a text that is no rate was probably meant to be:
 *
 *     500:60s,               a comma too many
 *     500:60s;100:5s         another separator
 *     500:60s, 100:5s        blanks
 *     60s:500                the length first
 *     1,000                  one number
 *
 * The parser (rates_parse.c) asks only about a stage that it has refused.  None of these texts is
 * a rate, so nothing here can refuse a good one.
 */
#include "pace/rate_pieces.h"

#include <string.h>

#include "base/units.h"

#define TEXT 40 /* bytes of a number or a length that are looked at */

static bool is_empty(const char *spec, const char *stage, size_t len, struct err *e)
{
    if (len > 0 || !*spec)
        return false;
    err_set(e, ERR_USAGE, "no stage stands %s",
            stage == spec     ? "before the comma"
            : stage[0] == ',' ? "between two commas"
                              : "after the last comma");
    return true;
}

static bool has_blanks(const char *stage, size_t len, struct err *e)
{
    for (size_t i = 0; i < len; i++) {
        if (!strchr(" \t;", stage[i]))
            continue;
        err_set(e, ERR_USAGE,
                stage[i] == ';' ? "stages are separated by commas, not by ';'"
                                : "stages are written without blanks");
        return true;
    }
    return false;
}

static bool copy(char out[TEXT], const char *text, size_t len)
{
    if (len >= TEXT)
        return false;
    memcpy(out, text, len);
    out[len] = '\0';
    return true;
}

/* LENGTH:R and LENGTH:R1-R2 */
static bool is_turned(const char *stage, size_t len, struct err *e)
{
    const char *colon = memchr(stage, ':', len);
    char length[TEXT], rate[TEXT];
    double number;
    dur_ns ns;

    if (!colon || !copy(length, stage, (size_t)(colon - stage)) ||
        !copy(rate, colon + 1, (size_t)(stage + len - colon) - 1))
        return false;
    if (!*rate || rate[strspn(rate, "0123456789.kMG-")] ||
        units_duration(length, NS_PER_SEC, &ns, NULL) || rates_number(length, &number, NULL) == 0)
        return false;
    err_set(e, ERR_USAGE, "the rate comes before its length: %s:%s", rate, length);
    return true;
}

/* "1,000": groups of three digits, and no length anywhere. */
static bool is_one_number(const char *spec, struct err *e)
{
    const char *group = strchr(spec, ',');

    if (!group || spec[strspn(spec, "0123456789,")])
        return false;
    for (; group; group = strchr(group + 1, ','))
        if (strcspn(group + 1, ",") != 3)
            return false;
    err_set(e, ERR_USAGE,
            "only the last stage may lack its length; one number is written without commas");
    return true;
}

void rates_explain(const char *spec, const char *stage, size_t len, struct err *e)
{
    if (is_empty(spec, stage, len, e) || has_blanks(stage, len, e) || is_turned(stage, len, e))
        return;
    is_one_number(spec, e);
}
