/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See record.h.
 */
#include "base/record.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const size_t sizes[] = {
    [RECORD_BOOL] = sizeof(bool),         [RECORD_INT] = sizeof(int),
    [RECORD_UNSIGNED] = sizeof(unsigned), [RECORD_I64] = sizeof(int64_t),
    [RECORD_U64] = sizeof(uint64_t),      [RECORD_DOUBLE] = sizeof(double)};

/* No number, or numbers. */
static bool is_one(const struct record_field *f)
{
    return f->type >= RECORD_TEXT;
}

size_t record_count(const struct record_field *f)
{
    return is_one(f) ? 1 : f->size / sizes[f->type];
}

void *record_at(const struct record_field *f, const void *record, size_t i)
{
    return (char *)(uintptr_t)record + f->offset + (is_one(f) ? 0 : i * sizes[f->type]);
}

/* A whole number as it is; of u64 the same bits. */
static int64_t whole(const struct record_field *f, const void *at)
{
    switch (f->type) {
    case RECORD_BOOL: return *(const bool *)at;
    case RECORD_INT: return *(const int *)at;
    case RECORD_UNSIGNED: return *(const unsigned *)at;
    default: return *(const int64_t *)at;
    }
}

static void set_whole(const struct record_field *f, void *at, int64_t v)
{
    switch (f->type) {
    case RECORD_BOOL: *(bool *)at = v != 0; break;
    case RECORD_INT: *(int *)at = v < INT_MIN ? INT_MIN : v > INT_MAX ? INT_MAX : (int)v; break;
    case RECORD_UNSIGNED:
        *(unsigned *)at = v < 0 ? 0 : v > UINT_MAX ? UINT_MAX : (unsigned)v;
        break;
    default: *(int64_t *)at = v;
    }
}

void record_copy(const struct record *r, void *to, const void *from)
{
    for (size_t i = 0; i < r->n; i++)
        memcpy(record_at(&r->field[i], to, 0), record_at(&r->field[i], from, 0), r->field[i].size);
}

/* a < b */
static bool below(const struct record_field *f, const void *a, const void *b)
{
    return f->type == RECORD_DOUBLE ? *(const double *)a < *(const double *)b
           : f->type == RECORD_U64  ? *(const uint64_t *)a < *(const uint64_t *)b
                                    : whole(f, a) < whole(f, b);
}

static void merge_one(const struct record_field *f, void *to, const void *from)
{
    static const int64_t none;
    static const double no_number;
    const void *zero = f->type == RECORD_DOUBLE ? (const void *)&no_number : (const void *)&none;
    bool take = false;

    if (f->merge == RECORD_KEEP)
        take = f->type == RECORD_TEXT     ? !*(const char *)to
               : f->type == RECORD_STRING ? !*(const char *const *)to
               : f->type == RECORD_DOUBLE ? *(const double *)to == 0
                                          : whole(f, to) == 0;
    else if (f->merge == RECORD_SUM && f->type == RECORD_DOUBLE)
        *(double *)to += *(const double *)from;
    else if (f->merge == RECORD_SUM)
        set_whole(f, to, (int64_t)((uint64_t)whole(f, to) + (uint64_t)whole(f, from)));
    else if (f->merge == RECORD_MOST)
        take = below(f, to, from);
    else if (f->merge == RECORD_LEAST)
        take = !(f->type != RECORD_U64 && below(f, from, zero)) &&
               ((f->type != RECORD_U64 && below(f, to, zero)) || below(f, from, to));
    if (take)
        memcpy(to, from, is_one(f) ? f->size : sizes[f->type]);
}

void record_merge(const struct record *r, void *to, const void *from)
{
    for (const struct record_field *f = r->field; f < r->field + r->n; f++)
        if (f->type == RECORD_INSIDE)
            record_merge(f->of, record_at(f, to, 0), record_at(f, from, 0));
        else
            for (size_t k = 0; f->merge != RECORD_NONE && k < record_count(f); k++)
                merge_one(f, record_at(f, to, k), record_at(f, from, k));
}

void record_write(const struct record *r, struct str *out, const void *record)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct record_field *f = &r->field[i];
        for (size_t k = 0; f->name && !is_one(f) && k < record_count(f); k++) {
            const void *at = record_at(f, record, k);
            if (k == 0)
                str_printf(out, " %s=", f->name);
            else
                str_adds(out, ",");
            if (f->type == RECORD_DOUBLE)
                str_printf(out, "%.17g", *(const double *)at);
            else if (f->type == RECORD_U64)
                str_printf(out, "%llu", (ull) * (const uint64_t *)at);
            else
                str_printf(out, "%lld", (long long)whole(f, at));
        }
    }
}

#define NUMBER_MOST (((int64_t)1 << 62) - 1)

static void parse_one(const struct record_field *f, void *record, const char *text)
{
    for (size_t k = 0; k < record_count(f); k++) {
        void *at = record_at(f, record, k);
        char *end;
        if (f->type == RECORD_DOUBLE) {
            *(double *)at = strtod(text, &end);
        } else if (f->type == RECORD_U64) {
            *(uint64_t *)at = strtoull(text, &end, 10);
        } else {
            int64_t v = strtoll(text, &end, 10);
            set_whole(f, at, v < -NUMBER_MOST ? -NUMBER_MOST : v > NUMBER_MOST ? NUMBER_MOST : v);
        }
        if (*end != ',')
            return;
        text = end + 1;
    }
}

void record_parse(const struct record *r, void *record, const char *text)
{
    while (*(text += strspn(text, " "))) {
        size_t len = strcspn(text, "= ");
        for (size_t i = 0; text[len] == '=' && i < r->n; i++) {
            const struct record_field *f = &r->field[i];
            if (f->name && !is_one(f) && strlen(f->name) == len && memcmp(f->name, text, len) == 0)
                parse_one(f, record, text + len + 1);
        }
        text += strcspn(text, " ");
    }
}
