/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A struct described by a table, one row per member, so that what is done to all of its members is
 * a loop and no list of names: adding up, text and back, bytes and back (cluster/codec.h).
 *
 *     static const struct record_field fields[] = {
 *         {RECORD_AT(struct disk, at), .name = "at"},
 *         RECORD_EACH(struct disk, RECORD_SUM, reads, writes),
 *         {RECORD_AT(struct disk, queue), .name = "queue", .merge = RECORD_MOST},
 *     };
 *     const struct record disk_record = RECORD("disk", fields);
 *
 * The type comes from the member itself.  An array of numbers is one field with several elements;
 * char[] is a text.  Pure functions; any thread may call.
 */
#ifndef SB_BASE_RECORD_H
#define SB_BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum record_type {
    RECORD_BOOL,
    RECORD_INT,
    RECORD_UNSIGNED,
    RECORD_I64,
    RECORD_U64,
    RECORD_DOUBLE,
    RECORD_TEXT,   /* char[] */
    RECORD_STRING, /* const char *, which the record does not own */
    RECORD_INSIDE  /* a struct that has a record of its own; as text it is left out */
};

/* What becomes of a member when another record is added to its own. */
enum record_merge {
    RECORD_NONE, /* nothing */
    RECORD_SUM,
    RECORD_MOST,
    RECORD_LEAST, /* of those that are not negative: -1 stands for none */
    RECORD_KEEP   /* its own, if there is one: neither 0 nor "" */
};

struct record;

struct record_field {
    const char *name; /* NULL: as text it is left out */
    uint32_t offset, size;
    enum record_type type;
    enum record_merge merge;
    unsigned group;          /* bit of the reading's `have` that says that it was read */
    const struct record *of; /* RECORD_INSIDE */
};

struct record {
    const char *name;
    const struct record_field *field;
    size_t n;
};

#define RECORD_TYPE(member)                                                                        \
    _Generic((member), bool: RECORD_BOOL, bool *: RECORD_BOOL, int: RECORD_INT, int *: RECORD_INT, \
             unsigned: RECORD_UNSIGNED, unsigned *: RECORD_UNSIGNED, int64_t: RECORD_I64,          \
             int64_t *: RECORD_I64, uint64_t: RECORD_U64, uint64_t *: RECORD_U64,                  \
             double: RECORD_DOUBLE, double *: RECORD_DOUBLE, char *: RECORD_TEXT,                  \
             const char *: RECORD_STRING)
#define RECORD_AT(of, member)                                                                      \
    .offset = offsetof(of, member), .size = sizeof(((of *)0)->member),                             \
    .type = RECORD_TYPE(((of *)0)->member)
#define RECORD_ROW(of, member, ...)                                                                \
    {                                                                                              \
        RECORD_AT(of, member), __VA_ARGS__                                                         \
    }
/* The rows of members that have one rule, which are called by their names: RECORD_EACH(struct disk,
 * RECORD_SUM, reads, writes).  Each scan by the preprocessor makes one more row of what is left. */
#define RECORD_EACH(of, rule, ...)                                                                 \
    RECORD_SCAN_16(RECORD_SCAN_16(RECORD_SCAN_16(RECORD_ONE(of, rule, __VA_ARGS__))))
#define RECORD_SCAN_16(...) RECORD_SCAN_4(RECORD_SCAN_4(RECORD_SCAN_4(RECORD_SCAN_4(__VA_ARGS__))))
#define RECORD_SCAN_4(...)  RECORD_SCAN(RECORD_SCAN(RECORD_SCAN(RECORD_SCAN(__VA_ARGS__))))
#define RECORD_SCAN(...)    __VA_ARGS__
#define RECORD_NOT_YET()
#define RECORD_MORE() RECORD_ONE
#define RECORD_ONE(of, rule, member, ...)                                                          \
    {RECORD_AT(of, member), .name = #member,                                                       \
     .merge = rule} __VA_OPT__(, RECORD_MORE RECORD_NOT_YET()()(of, rule, __VA_ARGS__))
#define RECORD_OF(outer, member, record)                                                           \
    .offset = offsetof(outer, member), .size = sizeof(((outer *)0)->member),                       \
    .type = RECORD_INSIDE, .of = record
#define RECORD(name, fields)                                                                       \
    {                                                                                              \
        name, fields, sizeof fields / sizeof *fields                                               \
    }

/* How many elements; 1 unless it is an array of numbers. */
size_t record_count(const struct record_field *f);

/* Element i. */
void *record_at(const struct record_field *f, const void *record, size_t i);

/* Every member of the table. */
void record_copy(const struct record *r, void *to, const void *from);

/* Adds `from` to `to` by the rule of each member. */
void record_merge(const struct record *r, void *to, const void *from);

/* Appends " name=1 name=2,3" for all numbers.  Texts may contain blanks and are left out. */
void record_write(const struct record *r, struct str *out, const void *record);

/* Such a text back into *record, by name: unknown names are ignored, members that are not in it
 * keep their values.  A number is bounded by its type, and a signed one by 2^62, so that the
 * difference of two that somebody else sent does not overflow. */
void record_parse(const struct record *r, void *record, const char *text);

#endif
