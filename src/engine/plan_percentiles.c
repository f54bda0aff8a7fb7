/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --percentile: which percentiles of the latency a run computes.
 */
#include "engine/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Digits with at most one point among them: no sign, exponent, blank or "inf". */
static bool read_decimal(const char *text, size_t len, double *out)
{
    char *end;

    if (len == 0 || strspn(text, "0123456789.") < len)
        return false;
    *out = strtod(text, &end);
    return end == text + len;
}

/* Stock's option is one whole number, with stock's error messages; ours may have a fraction. */
static int read_one_percentile(struct plan *p, const char *text, struct err *e)
{
    char *end;
    long long whole;
    double v;

    errno = 0;
    whole = strtoll(text, &end, 10);
    if (!errno && end != text && !*end && whole >= INT32_MIN && whole <= INT32_MAX)
        v = (double)whole;
    else if (!strchr(text, '.') || !read_decimal(text, strlen(text), &v))
        return err_set(
            e, ERR_SYNTAX,
            "Invalid value for the 'percentile' option: '%s' (a number from 0 to 100, or a "
            "list such as 50,95,99.9, is needed)",
            text);
    if (v < 0 || v > 100)
        return err_set(e, ERR_USAGE, "Invalid value for --percentile: %s (allowed: 0 to 100)",
                       text);
    p->percentile[0] = v;
    p->percentiles = v > 0;
    return 0;
}

/* Why an entry of a list is refused, as the end of the sentence. */
static int refuse_entry(const char *list, const char *entry, size_t len, const char *why,
                        struct err *e)
{
    if (len == 0)
        return err_set(e, ERR_USAGE, "Invalid value for --percentile: '%s' (an entry is empty)",
                       list);
    return err_set(e, ERR_USAGE, "Invalid value for --percentile: '%s' ('%.*s' %s)", list, (int)len,
                   entry, why);
}

static int add_percentile(struct plan *p, const char *list, const char *entry, size_t len,
                          struct err *e)
{
    double v;

    if (!read_decimal(entry, len, &v))
        return refuse_entry(list, entry, len, "is not a number", e);
    if (v == 0)
        return refuse_entry(list, entry, len,
                            "switches percentiles off and cannot be one of several", e);
    if (v > 100)
        return refuse_entry(list, entry, len, "is more than 100", e);
    for (size_t i = 0; i < p->percentiles; i++)
        if (p->percentile[i] == v)
            return refuse_entry(list, entry, len, "is there twice", e);
    if (p->percentiles == SNAPSHOT_MAX_PERCENTILES)
        return err_set(e, ERR_USAGE, "Invalid value for --percentile: '%s' (at most %d)", list,
                       SNAPSHOT_MAX_PERCENTILES);
    p->percentile[p->percentiles++] = v;
    return 0;
}

/* Reports of 0.4 and 0.5 have a line for one whole percentile. */
static int read_old_percentile(struct plan *p, const char *text, struct err *e)
{
    size_t n = strlen(text);
    int v = n <= 3 && strspn(text, "0123456789") == n ? atoi(text) : 0;

    if (v < 1 || v > 100)
        return err_set(e, ERR_USAGE,
                       "Invalid value for --percentile: %s (a whole number from 1 to 100, in "
                       "reports of sysbench %s)",
                       text, p->generation->version);
    p->percentile[0] = v;
    p->percentiles = 1;
    return 0;
}

int plan_read_percentiles(struct plan *p, const struct opts *o, struct err *e)
{
    const char *text = opt_str(o, "percentile"), *entry = text;

    if (!*text)
        return 0;
    if (p->generation->old)
        return read_old_percentile(p, text, e);
    if (!strchr(text, ','))
        return read_one_percentile(p, text, e);
    for (;;) {
        size_t len = strcspn(entry, ",");
        if (add_percentile(p, text, entry, len, e))
            return -1;
        if (!entry[len])
            return 0;
        entry += len + 1;
    }
}
