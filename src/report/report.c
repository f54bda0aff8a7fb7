/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See report.h.
 */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "report/metrics.h"
#include "report/writer.h"

static const struct writer writers[] = {
    {"text", " .txt .text .log ", &write_text, 0, WRITER_WARMUP},
    {"csv", " .csv ", &write_csv, CSV_INTERVALS, 0},
    {"summary-csv", " .summary.csv ", &write_csv, CSV_SUMMARY, 0},
    {"checkpoints-csv", " .checkpoints.csv ", &write_csv, CSV_CHECKPOINTS, 0},
    {"steps-csv", " .steps.csv ", &write_csv, CSV_STEPS, 0},
    {"stages-csv", " .stages.csv ", &write_csv, CSV_STAGES, 0},
    {"ranks-csv", " .ranks.csv ", &write_csv, CSV_RANKS, 0},
    {"hosts-csv", " .hosts.csv ", &write_csv, CSV_HOSTS, 0},
    {"json", " .json ", &write_json, 0, WRITER_RECORD},
    {"jsonl", " .jsonl .ndjson ", &write_jsonl, 0, WRITER_RECORD},
    {"html", " .html .htm ", &write_html, 0, WRITER_RECORD},
    {"hlog", " .hlog ", &write_hlog, 0, 0},
    {"prometheus", " .prom ", &write_metrics, METRICS_PROMETHEUS, WRITER_REPLACES},
    {"openmetrics", " .om ", &write_metrics, METRICS_OPENMETRICS, WRITER_REPLACES},
};
enum { WRITERS = sizeof writers / sizeof *writers, OPENMETRICS = WRITERS - 1 };

struct report_files {
    struct report_file *file;
    size_t n;
    bool open;
};

void report_formats(struct str *out)
{
    for (size_t i = 0; i < WRITERS; i++)
        str_printf(out, "%s%s", i ? ", " : "", writers[i].name);
}

static int unknown(const char *name, const char *what, struct err *e)
{
    const char *format = strchr(name, ':')    ? name
                         : strrchr(name, '.') ? strrchr(name, '.') + 1
                                              : name;
    char *word = mem_strndup(format, strcspn(format, ":"));
    struct str all = STR_INIT;
    struct near n;

    report_formats(&all);
    err_set(e, ERR_USAGE,
            "Invalid value for --report-file: '%s' (%s; formats are %s, as FORMAT:PATH or "
            "by the suffix)",
            name, what, str_cstr(&all));
    near_begin(&n, word);
    for (size_t i = 0; i < WRITERS; i++)
        near_offer(&n, writers[i].name);
    near_suggest(&n, e);
    str_free(&all);
    free(word);
    return -1;
}

/* "FORMAT:PATH" when what comes before the colon is a format; a path may have colons too. */
static int read_name(struct report_file *f, const char *name, struct err *e)
{
    const char *colon = strchr(name, ':'), *slash;
    size_t len = colon ? (size_t)(colon - name) : 0, longest = 0;

    for (size_t i = 0; colon && i < WRITERS; i++)
        if (strlen(writers[i].name) == len && strncmp(writers[i].name, name, len) == 0)
            f->writer = &writers[i];
    if (!f->writer && colon && !memchr(name, '/', len) && !memchr(name, '.', len))
        return unknown(name, "no such format", e);
    f->path = mem_strdup(f->writer ? colon + 1 : name);
    slash = strrchr(name, '/');
    len = strlen(slash ? slash + 1 : name);
    /* the longest suffix counts: run.summary.csv ends in .csv too */
    for (size_t i = 0; !strcmp(f->path, name) && i < WRITERS; i++)
        for (const char *s = writers[i].suffixes + 1; *s; s += strcspn(s, " ") + 1) {
            size_t n = strcspn(s, " ");
            if (n > longest && n <= len && strncmp(name + strlen(name) - n, s, n) == 0) {
                f->writer = &writers[i];
                longest = n;
            }
        }
    if (!f->writer)
        return unknown(name, "its suffix names no format", e);
    if (!*f->path)
        return err_set(e, ERR_USAGE, "Invalid value for --report-file: '%s' (no file is named)",
                       name);
    if (out_check(f->path, f->writer->flags & WRITER_REPLACES, e))
        return err_add(e, "--report-file=%s", name);
    return 0;
}

int report_files_parse(struct report_files **out, char *const *name, size_t n, struct err *e)
{
    *out = NULL;
    if (!n)
        return 0;
    struct report_files *r = mem_alloc(sizeof *r);
    r->file = mem_array(n, sizeof *r->file);
    while (r->n < n) {
        struct report_file *f = &r->file[r->n++];
        f->out.fd = -1;
        int rc = read_name(f, name[r->n - 1], e);
        for (size_t i = 0; rc == 0 && i + 1 < r->n; i++)
            if (out_same(r->file[i].path, f->path))
                rc = err_set(e, ERR_USAGE, "Invalid value for --report-file: '%s' is named twice",
                             f->path);
        if (rc) {
            report_files_free(r);
            return -1;
        }
    }
    *out = r;
    return 0;
}

int report_files_claim(const struct report_files *r, struct outs *outs, struct err *e)
{
    for (size_t i = 0; r && i < r->n; i++)
        if (outs_add(outs, "report-file", r->file[i].path, e))
            return -1;
    return 0;
}

int report_files_check(const struct report_files *r, bool intervals, bool checkpoints, bool steps,
                       struct err *e)
{
    const struct {
        bool given;
        enum csv_table table;
        const char *why;
    } t[] = {{intervals, CSV_INTERVALS,
              "interval: give --report-interval=N too, or name the file FILE.summary.csv for a row "
              "of the whole run"},
             {checkpoints, CSV_CHECKPOINTS, "checkpoint: give --report-checkpoints=LIST too"},
             {steps, CSV_STEPS, "step of a search: give --tx-find=OBJECTIVE too"}};

    for (size_t k = 0; k < sizeof t / sizeof *t; k++)
        for (size_t i = 0; r && !t[k].given && i < r->n; i++)
            if (r->file[i].writer->ops == &write_csv &&
                r->file[i].writer->variant == (int)t[k].table)
                return err_set(e, ERR_USAGE, "--report-file=%s has a row for each %s",
                               r->file[i].path, t[k].why);
    return 0;
}

void report_files_publish(struct report_files **r, report_publish *publish, void *arg)
{
    struct report_files *all = *r ? *r : mem_alloc(sizeof *all);

    all->file = mem_grow(all->file, all->n + 1, sizeof *all->file);
    all->file[all->n++] = (struct report_file){
        .writer = &writers[OPENMETRICS], .out.fd = -1, .publish = publish, .publish_arg = arg};
    *r = all;
}

int report_files_open(struct report_files *r, const struct report_info *info, struct err *e)
{
    if (!r)
        return 0;
    for (size_t i = 0; i < r->n; i++) {
        struct report_file *f = &r->file[i];
        f->info = info;
        if (f->publish)
            continue;
        if (f->writer->flags & WRITER_REPLACES)
            f->out = (struct out){.path = f->path, .fd = -1};
        else if (out_open(&f->out, f->path, e))
            return err_add(e, "--report-file");
    }
    for (size_t i = 0; i < r->n; i++)
        r->file[i].writer->ops->begin(&r->file[i]);
    r->open = true;
    return 0;
}

void report_files_snapshot(struct report_files *r, const struct snapshot *s)
{
    for (size_t i = 0; r && r->open && i < r->n; i++)
        if (!s->warmup || r->file[i].writer->flags & WRITER_WARMUP)
            r->file[i].writer->ops->snapshot(&r->file[i], s);
}

int report_files_close(struct report_files *r, const struct report_end *end)
{
    int rc = 0;

    if (!r || !r->open)
        return 0;
    for (size_t i = 0; i < r->n; i++) {
        out_ending(&r->file[i].out);
        r->file[i].writer->ops->end(&r->file[i], end);
        if (out_close(&r->file[i].out))
            rc = -1;
    }
    r->open = false;
    return rc;
}

bool report_files_want_record(const struct report_files *r)
{
    for (size_t i = 0; r && i < r->n; i++)
        if (r->file[i].writer->flags & WRITER_RECORD)
            return true;
    return false;
}

void report_files_free(struct report_files *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->n; i++) {
        out_close(&r->file[i].out);
        str_free(&r->file[i].text);
        free(r->file[i].path);
    }
    free(r->file);
    free(r);
}

void report_file_flush(struct report_file *f)
{
    if (f->writer->ops->encode)
        f->writer->ops->encode(&f->text);
    if (f->text.len)
        out_append(&f->out, str_cstr(&f->text), f->text.len);
    str_reset(&f->text);
}
