/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows of prepared statements as text, as the client library writes them (see mysql_wire.h).
 */
#include "sql/mysql_wire.h"

#include <float.h>
#include <math.h>
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sql/mysql_bytes.h"

#define TEXT_SIZE 400 /* of a number: 1.8e308 with decimals */

/* The shortest digits that read back as the same number (of a float: 6 at most), and where the
 * point is: behind the first for exponent 0.  Returns their number. */
static size_t shortest(double v, bool is_float, char d[40], int *exponent)
{
    char text[40];
    size_t n = 0;

    for (int precision = is_float ? 6 : fabs(v) < DBL_MIN ? 1 : 15;; precision++) {
        snprintf(text, sizeof text, "%.*e", precision - 1, v);
        if (is_float || precision == 17 || strtod(text, NULL) == v)
            break;
    }
    for (const char *t = text; *t != 'e'; t++)
        if (*t >= '0' && *t <= '9')
            d[n++] = *t;
    *exponent = atoi(strchr(text, 'e') + 1);
    while (n > 1 && d[n - 1] == '0')
        n--;
    return n;
}

/* As the server does: the shortest digits, without an exponent where the point is near them. */
static size_t write_double(char *out, double v, bool is_float)
{
    char d[40], *o = out;
    int exponent;
    size_t n = shortest(v, is_float, d, &exponent);

    if (signbit(v))
        *o++ = '-';
    if (exponent >= -15 && exponent < 0) {
        *o++ = '0';
        *o++ = '.';
        memset(o, '0', (size_t)(-exponent - 1));
        o += -exponent - 1;
        memcpy(o, d, n);
        o += n;
    } else if (exponent >= 0 && exponent < 15 + (n > 16)) {
        size_t whole = (size_t)exponent + 1;
        for (size_t i = 0; i < n || i < whole; i++) {
            if (i == whole)
                *o++ = '.';
            *o++ = i < n ? d[i] : '0';
        }
    } else {
        *o++ = d[0];
        if (n > 1)
            *o++ = '.';
        memcpy(o, d + 1, n - 1);
        o += n - 1;
        o += sprintf(o, "e%d", exponent);
    }
    return (size_t)(o - out);
}

/* As the server does for a column with so many decimals: of the shortest digits if they fit, and
 * zeros; else rounded. */
static size_t write_fixed(char *out, double v, int decimals)
{
    char d[40];
    int exponent;
    size_t n = shortest(v, false, d, &exponent);

    if ((int)n - 1 - exponent > decimals)
        return (size_t)snprintf(out, TEXT_SIZE, "%.*f", decimals, v);
    char *o = out;
    if (signbit(v))
        *o++ = '-';
    for (int power = exponent > 0 ? exponent : 0; power >= -decimals; power--) {
        int i = exponent - power;
        if (power == -1)
            *o++ = '.';
        *o++ = i >= 0 && i < (int)n ? d[i] : '0';
    }
    return (size_t)(o - out);
}

/* A fraction of a second with as many digits as the column has. */
static size_t write_fraction(const struct wire_column *c, char *out, uint32_t us)
{
    int digits = c->decimals > 6 ? 0 : c->decimals;

    if (digits == 0)
        return 0;
    for (int i = digits; i < 6; i++)
        us /= 10;
    return (size_t)sprintf(out, ".%0*u", digits, us);
}

static size_t write_time(const struct wire_column *c, char *out, const unsigned char *p, size_t n)
{
    size_t len = 0;

    if (c->type == MYSQL_TYPE_TIME) {
        unsigned hours = n >= 8 ? GET4(p + 1) * 24 + p[5] : 0;
        len = (size_t)sprintf(out, "%s%02u:%02u:%02u", n > 0 && p[0] ? "-" : "", hours,
                              n >= 8 ? p[6] : 0u, n >= 8 ? p[7] : 0u);
        return len + write_fraction(c, out + len, n >= 12 ? GET4(p + 8) : 0);
    }
    len = (size_t)sprintf(out, "%04u-%02u-%02u", n >= 4 ? GET2(p) : 0u, n >= 4 ? p[2] : 0u,
                          n >= 4 ? p[3] : 0u);
    if (c->type == MYSQL_TYPE_DATE)
        return len;
    len += (size_t)sprintf(out + len, " %02u:%02u:%02u", n >= 7 ? p[4] : 0u, n >= 7 ? p[5] : 0u,
                           n >= 7 ? p[6] : 0u);
    return len + write_fraction(c, out + len, n >= 11 ? GET4(p + 7) : 0);
}

/* A number of so many bytes. */
static size_t write_number(const struct wire_column *c, char *out, uint64_t v, size_t bytes)
{
    size_t shift = 64 - 8 * bytes;
    double d;
    float f;

    if (c->type == MYSQL_TYPE_FLOAT || c->type == MYSQL_TYPE_DOUBLE) {
        if (bytes == sizeof f) {
            memcpy(&f, &(uint32_t){(uint32_t)v}, sizeof f);
            d = (double)f;
        } else {
            memcpy(&d, &v, sizeof d);
        }
        return !isfinite(d)       ? (size_t)sprintf(out, "0")
               : c->decimals < 31 ? write_fixed(out, d, c->decimals)
                                  : write_double(out, d, bytes == sizeof f);
    }
    if (c->is_unsigned)
        return (size_t)sprintf(out, "%llu", (unsigned long long)v);
    return (size_t)sprintf(out, "%lld", (long long)((int64_t)(v << shift) >> shift));
}

/* Bytes of a number; 0: the value has a length before it. */
static size_t fixed_size(unsigned type)
{
    switch (type) {
    case MYSQL_TYPE_TINY: return 1;
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_YEAR: return 2;
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_FLOAT: return 4;
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_DOUBLE: return 8;
    default: return 0;
    }
}

/* The value at *p as text; false: the row is too short for it. */
static bool take_value(const struct wire_column *c, const unsigned char **p,
                       const unsigned char *end, char *text, sql_value *out)
{
    uint64_t n = fixed_size(c->type);
    size_t len;

    if ((n == 0 && !get_number(p, end, &n)) || n > (size_t)(end - *p))
        return false;
    const unsigned char *value = *p;
    *p += n;
    switch (c->type) {
    case MYSQL_TYPE_TIME:
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_TIMESTAMP: len = write_time(c, text, value, n); break;
    default:
        if (fixed_size(c->type) == 0) {
            *out = (sql_value){.len = (uint32_t)n, .ptr = (const char *)value};
            return true;
        }
        len = write_number(c, text, get(value, n), n);
        if (c->zerofill && len < c->width && c->width < TEXT_SIZE && *text != '-') {
            memmove(text + c->width - len, text, len);
            memset(text, '0', c->width - len);
            len = c->width;
        }
    }
    *out = (sql_value){.len = (uint32_t)len, .ptr = text};
    return true;
}

bool wire_fetch(struct wire *w, const struct wire_stmt *s, sql_value *values, bool *malformed)
{
    uint32_t n = w->ncolumns;

    *malformed = false;
    if (w->row >= w->end)
        return false;
    if (w->room) /* the values stay where they are until the next call */
        wire_leave_room(w);
    w->text = mem_grow(w->text, (size_t)n + 1, TEXT_SIZE);
    const unsigned char *p = w->bytes + w->row, *end = p + GET4(p - HEADER), *nulls = p + 1;
    size_t definition = w->definitions;
    w->row = behind(w->bytes, w->row) + HEADER;
    p += 1 + (n + 9) / 8; /* they are there: take_rows() */
    for (uint32_t i = 0; i < n; i++) {
        struct wire_column c = definition ? wire_next_column(w, &definition) : s->columns[i];
        values[i] = (sql_value){0};
        if (nulls[(i + 2) / 8] & 1u << (i + 2) % 8 || c.type == MYSQL_TYPE_NULL)
            continue;
        *malformed = !take_value(&c, &p, end, w->text + (size_t)i * TEXT_SIZE, &values[i]);
        if (*malformed)
            return false;
    }
    return true;
}
