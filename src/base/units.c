/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See units.h.  Numbers with a unit are digits and at most one point: what follows them is the
 * unit, looked up in a table, so "1e3us" or "0x10K" cannot be misread as something else.
 */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes a value within the bounds. */
static int take(double *out, double v, const char *text, double min, double max, struct err *e)
{
    if (v >= min && v <= max) {
        *out = v;
        return 0;
    }
    if (isinf(max))
        return err_set(e, ERR_USAGE, "\"%s\" is out of range: at least %.15g is needed", text, min);
    if (isinf(min))
        return err_set(e, ERR_USAGE, "\"%s\" is out of range: at most %.15g is allowed", text, max);
    return err_set(e, ERR_USAGE, "\"%s\" is out of range: between %.15g and %.15g is allowed", text,
                   min, max);
}

int units_int(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e)
{
    const char *digits = *text == '-' || *text == '+' ? text + 1 : text;

    if (!*digits || strspn(digits, "0123456789") != strlen(digits))
        return err_set(e, ERR_USAGE, "\"%s\" is not a whole number", text);
    errno = 0;
    long long v = strtoll(text, NULL, 10);
    if (errno == ERANGE || v < min || v > max)
        return err_set(e, ERR_USAGE, "\"%s\" is out of range: between %lld and %lld is allowed",
                       text, (long long)min, (long long)max);
    *out = v;
    return 0;
}

int units_double(const char *text, double min, double max, double *out, struct err *e)
{
    char *end = NULL;
    double v = 0;

    if (*text && !isspace((unsigned char)*text))
        v = strtod(text, &end);
    if (!end || end == text || *end || !isfinite(v) || strpbrk(text, "xX"))
        return err_set(e, ERR_USAGE, "\"%s\" is not a finite number", text);
    return take(out, v, text, min, max, e);
}

/* A number of digits and at most one point at the start of the text; what follows it, or NULL. */
static const char *plain_number(const char *text, double *v)
{
    size_t n = strspn(text, "0123456789.");
    char *end;

    if (n == 0)
        return NULL;
    *v = strtod(text, &end);
    /* strtod stops at a second point, and goes on where an exponent or 0x follows */
    return end == text + n ? end : NULL;
}

int units_duration(const char *text, dur_ns unit, dur_ns *out, struct err *e)
{
    static const struct {
        const char *name;
        dur_ns ns;
    } units[] = {
        {"ns", 1},
        {"us", NS_PER_US},
        {"\xc2\xb5s", NS_PER_US}, /* the micro sign in UTF-8 */
        {"ms", NS_PER_MS},
        {"s", NS_PER_SEC},
        {"m", 60 * NS_PER_SEC},
        {"min", 60 * NS_PER_SEC},
        {"h", 3600 * NS_PER_SEC},
        {"d", 86400 * NS_PER_SEC},
    };
    double v = 0, ns;
    const char *suffix = plain_number(text, &v);

    if (suffix && *suffix) {
        unit = 0;
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            if (strcmp(suffix, units[i].name) == 0)
                unit = units[i].ns;
        }
    }
    if (!suffix || !unit)
        return err_set(
            e, ERR_USAGE,
            "\"%s\" is not a duration: a number, optionally with ns, us, ms, s, m, h or d", text);
    ns = rint(v * (double)unit);
    if (!(ns < 0x1.0p63))
        return err_set(e, ERR_USAGE, "\"%s\" is too long for a duration", text);
    *out = (dur_ns)ns;
    return 0;
}

int units_percent(const char *text, double min, double max, double *pct, struct err *e)
{
    double v = 0;
    const char *suffix = plain_number(text, &v);

    if (!suffix || (*suffix && strcmp(suffix, "%") != 0) || !isfinite(v))
        return err_set(e, ERR_USAGE, "\"%s\" is not a percentage: a number, optionally with %%",
                       text);
    return take(pct, v, text, min, max, e);
}

/* Three significant digits of a number from 1 up to some thousands. */
static void three_digits(char *buf, size_t size, double v, const char *unit)
{
    int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0; /* as it will be rounded */

    snprintf(buf, size, "%.*f %s", decimals, v, unit);
}

static void format_ns(char *buf, size_t size, uint64_t ns)
{
    uint64_t s = (ns + NS_PER_SEC / 2) / NS_PER_SEC;

    if (ns < 1000)
        snprintf(buf, size, "%d ns", (int)ns);
    else if (ns < 999500)
        three_digits(buf, size, (double)ns / 1e3, "us");
    else if (ns < 999500000)
        three_digits(buf, size, (double)ns / 1e6, "ms");
    else if (ns < UINT64_C(59950000000))
        three_digits(buf, size, (double)ns / 1e9, "s");
    else if (s < 3600)
        snprintf(buf, size, "%dm%02ds", (int)(s / 60), (int)(s % 60));
    else
        snprintf(buf, size, "%lluh%02dm", (unsigned long long)((s + 30) / 3600),
                 (int)((s + 30) / 60 % 60));
}

const char *units_format_duration(char buf[UNITS_TEXT_SIZE], dur_ns d)
{
    buf[0] = '-';
    if (d < 0)
        format_ns(buf + 1, UNITS_TEXT_SIZE - 1, 0 - (uint64_t)d);
    else
        format_ns(buf, UNITS_TEXT_SIZE, (uint64_t)d);
    return buf;
}
