/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See report.h.
 */
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "report/writer.h"

static const struct writer *const writers[] = {
    &writer_text,       &writer_csv,        &writer_summary_csv, &writer_checkpoints_csv,
    &writer_steps_csv,  &writer_stages_csv, &writer_ranks_csv,   &writer_hosts_csv,
    &writer_json,       &writer_jsonl,      &writer_hlog,        &writer_prometheus,
    &writer_openmetrics};

#define WRITERS (sizeof writers / sizeof *writers)

struct report_files {
    struct report_file *file;
    size_t n;
    bool open;
};

void report_formats(struct str *out)
{
    for (size_t i = 0; i < WRITERS; i++)
        str_printf(out, "%s%s", i ? ", " : "", writers[i]->name);
}

/* The length of the suffix of `path` that is in a list " .a .b "; 0: none is. */
static size_t suffix_length(const char *path, const char *suffixes)
{
    const char *slash = strrchr(path, '/');
    size_t n = strlen(slash ? slash + 1 : path), m;

    for (suffixes += strspn(suffixes, " "); *suffixes; suffixes += strspn(suffixes, " ")) {
        m = strcspn(suffixes, " ");
        if (m <= n && strncmp(path + strlen(path) - m, suffixes, m) == 0)
            return m;
        suffixes += m;
    }
    return 0;
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
    err_set(
        e, ERR_USAGE,
        "Invalid value for --report-file: '%s' (%s; formats are %s, as FORMAT:PATH or by the suffix)",
        name, what, str_cstr(&all));
    near_begin(&n, word);
    for (size_t i = 0; i < WRITERS; i++)
        near_offer(&n, writers[i]->name);
    near_suggest(&n, e);
    str_free(&all);
    free(word);
    return -1;
}

/* "FORMAT:PATH" when what comes before the colon is a format; a path may have colons too. */
static int read_name(struct report_file *f, const char *name, struct err *e)
{
    const char *colon = strchr(name, ':'), *path = name;
    size_t len = colon ? (size_t)(colon - name) : 0, longest = 0;

    for (size_t i = 0; colon && i < WRITERS; i++)
        if (strlen(writers[i]->name) == len && strncmp(writers[i]->name, name, len) == 0)
            f->writer = writers[i];
    if (f->writer)
        path = colon + 1;
    else if (colon && !memchr(name, '/', len) && !memchr(name, '.', len))
        return unknown(name, "no such format", e);
    /* the longest suffix counts: run.summary.csv ends in .csv too */
    for (size_t i = 0; path == name && i < WRITERS; i++) {
        size_t n = suffix_length(path, writers[i]->suffixes);
        if (n > longest)
            f->writer = writers[i];
        longest = n > longest ? n : longest;
    }
    if (!f->writer)
        return unknown(name, "its suffix names no format", e);
    if (!*path)
        return err_set(e, ERR_USAGE, "Invalid value for --report-file: '%s' (no file is named)",
                       name);
    f->path = mem_strdup(path);
    if (out_check(path, f->writer->replaces, e))
        return err_add(e, "--report-file=%s", name);
    return 0;
}

int report_files_parse(struct report_files **out, char *const *name, size_t n, struct err *e)
{
    struct report_files *r = mem_alloc(sizeof *r);

    *out = NULL;
    r->file = mem_array(n, sizeof *r->file);
    for (; r->n < n; r->n++) {
        struct report_file *f = &r->file[r->n];
        f->out.fd = -1;
        if (read_name(f, name[r->n], e)) {
            r->n++;
            report_files_free(r);
            return -1;
        }
        for (size_t i = 0; i < r->n; i++) {
            if (out_same(r->file[i].path, f->path)) {
                err_set(e, ERR_USAGE, "Invalid value for --report-file: '%s' is named twice",
                        f->path);
                r->n++;
                report_files_free(r);
                return -1;
            }
        }
    }
    *out = r;
    return 0;
}

int report_files_claim(const struct report_files *r, struct outs *outs, struct err *e)
{
    for (size_t i = 0; i < r->n; i++)
        if (outs_add(outs, "report-file", r->file[i].path, e))
            return -1;
    return 0;
}

int report_files_check(const struct report_files *r, bool intervals, bool checkpoints,
                       struct err *e)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct report_file *f = &r->file[i];
        if (f->writer->needs == WRITER_INTERVALS && !intervals)
            return err_set(e, ERR_USAGE,
                           "--report-file=%s has a row for each interval: give --report-interval=N "
                           "too, or name the file FILE.summary.csv for a row of the whole run",
                           f->path);
        if (f->writer->needs == WRITER_CHECKPOINTS && !checkpoints)
            return err_set(e, ERR_USAGE,
                           "--report-file=%s has a row for each checkpoint: give "
                           "--report-checkpoints=LIST too",
                           f->path);
    }
    return 0;
}

int report_files_check_steps(const struct report_files *r, bool searching, struct err *e)
{
    for (size_t i = 0; i < r->n && !searching; i++)
        if (r->file[i].writer->needs == WRITER_STEPS)
            return err_set(e, ERR_USAGE,
                           "--report-file=%s has a row for each step of a search: give "
                           "--tx-find=OBJECTIVE too",
                           r->file[i].path);
    return 0;
}

void report_files_publish(struct report_files **r, report_publish *publish, void *arg)
{
    struct report_files *all = *r ? *r : mem_alloc(sizeof *all);

    all->file = mem_grow(all->file, all->n + 1, sizeof *all->file);
    all->file[all->n++] = (struct report_file){
        .writer = &writer_openmetrics, .out.fd = -1, .publish = publish, .publish_arg = arg};
    *r = all;
}

int report_files_open(struct report_files *r, const struct report_info *info, struct err *e)
{
    for (size_t i = 0; i < r->n; i++) {
        struct report_file *f = &r->file[i];
        f->info = info;
        if (f->publish)
            continue;
        if (f->writer->replaces)
            f->out = (struct out){.path = f->path, .fd = -1};
        else if (out_open(&f->out, f->path, e))
            return err_add(e, "--report-file");
    }
    for (size_t i = 0; i < r->n; i++)
        r->file[i].writer->begin(&r->file[i]);
    r->open = true;
    return 0;
}

void report_files_snapshot(struct report_files *r, const struct snapshot *s)
{
    for (size_t i = 0; r->open && i < r->n; i++)
        if (!s->warmup || r->file[i].writer->warmup)
            r->file[i].writer->snapshot(&r->file[i], s);
}

int report_files_close(struct report_files *r, const struct report_end *end)
{
    int rc = 0;

    if (!r->open)
        return 0;
    for (size_t i = 0; i < r->n; i++) {
        r->file[i].writer->end(&r->file[i], end);
        if (out_close(&r->file[i].out))
            rc = -1;
    }
    r->open = false;
    return rc;
}

bool report_files_want_record(const struct report_files *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->file[i].writer->record)
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
    if (f->text.len)
        out_append(&f->out, str_cstr(&f->text), f->text.len);
    str_reset(&f->text);
}
