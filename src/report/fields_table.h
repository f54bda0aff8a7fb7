/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The internals of fields.h: a row has the offset of a figure in the struct of its section, or the
 * function that computes it.  For fields.c and fields_table.c only.  Private to src/report
 */
#ifndef SB_REPORT_FIELDS_TABLE_H
#define SB_REPORT_FIELDS_TABLE_H

#include "report/field.h"
#include "report/snapshot.h"

enum field_how {
    U64,
    UINT,      /* whole numbers */
    BYTES,     /* the same, of a test that counts bytes */
    NS,        /* int64_t ns, shown in s; negative: no sample */
    NS_DOUBLE, /* double ns, NaN: no sample */
    REAL,      /* double as it is */
    MS,        /* double ms, shown in s */
    KIB,       /* double KiB, shown in bytes */
    MHZ,       /* double MHz, shown in Hz */
    INT,       /* int, 0: not known */
    COMPUTED,  /* get(); NaN: does not exist */
    WHOLE      /* the same for whole numbers */
};

struct field_row {
    enum field_section section;
    const char *name;
    enum field_how how;
    size_t at;    /* in the section's struct */
    unsigned bit; /* SERVER, CLIENT: SAMPLE_*; HOST: HOST_* */
    double (*get)(const struct snapshot *s, const struct snapshot_server *v);
    const char *help;
    const char *why; /* COMPUTED, NS: why it may not exist; NULL: no_sample */
};

extern const struct field_row field_rows[]; /* sections in their order */
extern const size_t field_rows_count;

extern const char field_only_cumulative[];
extern const char field_no_transaction[], field_no_time[], field_no_power[];

#endif
