/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the contract between report.c and a format: one file each (write_*.c),
 * listed in report.c and nowhere else.
 */
#ifndef SB_REPORT_WRITER_H
#define SB_REPORT_WRITER_H

#include "report/out.h"
#include "report/run_info.h"

struct report_file;

struct writer_ops {
    void (*begin)(struct report_file *f);
    void (*snapshot)(struct report_file *f, const struct snapshot *s);
    void (*end)(struct report_file *f, const struct report_end *end); /* frees f->state */
    void (*encode)(struct str *text); /* what is to be written, before it is; NULL: as it is */
};
extern const struct writer_ops write_text, write_csv, write_json, write_jsonl, write_html,
    write_hlog, write_metrics;

enum csv_table {
    CSV_INTERVALS,
    CSV_SUMMARY,
    CSV_CHECKPOINTS,
    CSV_STEPS,
    CSV_STAGES,
    CSV_RANKS,
    CSV_HOSTS
};

struct writer {
    const char *name;     /* in FORMAT:PATH */
    const char *suffixes; /* " .json " */
    const struct writer_ops *ops;
    int variant; /* enum csv_table, enum metrics_form */
    unsigned flags;
};
enum {
    WRITER_REPLACES = 1 << 0, /* writes with out_replace_all only; out is not opened */
    WRITER_RECORD = 1 << 1,   /* writes the record of the environment */
    WRITER_WARMUP = 1 << 2,   /* gets the intervals of a warm-up; the other writers do not */
};

struct report_file {
    const struct writer *writer;
    char *path;
    struct out out;
    const struct report_info *info;
    void *state;             /* the writer's */
    report_publish *publish; /* instead of a file: both formats of metrics */
    void *publish_arg;
    struct str text; /* scratch: empty between calls */
};

/* write_hlog.c: the histogram in the format of HdrHistogram's readers, in base64. */
void hdr_compressed(struct str *out, const struct hist_counts *h);

/* Appends f->text to the file and empties it. */
void report_file_flush(struct report_file *f);

#endif
