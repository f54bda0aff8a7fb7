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

struct writer {
    const char *name;     /* in FORMAT:PATH */
    const char *suffixes; /* " .json " */
    bool replaces;        /* writes with out_replace_all only; out is not opened */
    bool record;          /* writes the record of the environment */
    /* the reports that it needs */
    enum { WRITER_ANY, WRITER_INTERVALS, WRITER_CHECKPOINTS, WRITER_STEPS } needs;
    bool warmup; /* gets the intervals of a warm-up; the other writers do not */
    void (*begin)(struct report_file *f);
    void (*snapshot)(struct report_file *f, const struct snapshot *s);
    void (*end)(struct report_file *f, const struct report_end *end); /* frees f->state */
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

extern const struct writer writer_csv, writer_summary_csv, writer_checkpoints_csv, writer_steps_csv,
    writer_stages_csv, writer_ranks_csv, writer_hosts_csv, writer_json, writer_jsonl, writer_text,
    writer_hlog, writer_prometheus, writer_openmetrics;

/* write_hlog.c: the histogram in the format of HdrHistogram's readers, in base64. */
void hdr_compressed(struct str *out, const struct hist_counts *h);

/* Appends f->text to the file and empties it. */
void report_file_flush(struct report_file *f);

#endif
