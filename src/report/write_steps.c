/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The steps of --tx-find as a table (RFC 4180): a row for each step, written with the report that
 * follows it, the rest with the last one.  The figures of the objective have a column each, named
 * as the objective names them; times are in ms.  What a step does not have is empty.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/csv_cells.h"
#include "report/text.h"
#include "report/writer.h"

struct steps {
    size_t written;
    bool named; /* the line of names is there */
};

/* "lag p99.9" -> "lag_p99_9_ms" */
static void column(struct str *out, const struct find_bound *b)
{
    static const char *const unit[] = {[FIND_TIME] = "_ms",
                                       [FIND_ERRORS_PCT] = "_pct",
                                       [FIND_ERRORS_RATE] = "_per_s",
                                       [FIND_SERVER_CPU] = "_pct",
                                       [FIND_CLIENT_CPU] = "_pct"};
    char name[TEXT_FIND_SIZE];

    text_find_name(name, b);
    for (char *p = name; *p; p++)
        *p = strchr(" .", *p) ? '_' : *p == 'C' ? 'c' : *p == 'P' ? 'p' : *p == 'U' ? 'u' : *p;
    str_printf(out, ",%s%s", name, unit[b->what]);
}

static void names(struct str *out, const struct find_record *r)
{
    str_adds(out,
             "step,rate_per_s,brief,begin_s,seconds,offered,done,failed,dropped,errors,waiting,"
             "lag_ms,server_busy_pct,client_busy_pct");
    for (size_t i = 0; i < r->objective.n; i++)
        column(out, &r->objective.bound[i]);
    str_adds(out, ",holds,limit,why\n");
}

static void row(struct str *out, const struct find_record *r, size_t i)
{
    const struct find_step *s = &r->step[i];
    const uint64_t count[] = {s->offered, s->done, s->failed, s->dropped, s->errors, s->waiting};

    str_printf(out, "%zu", i + 1);
    csv_number(out, s->rate);
    str_adds(out, s->brief ? ",1" : ",0");
    csv_number(out, dur_sec(s->from));
    csv_number(out, dur_sec(s->length));
    for (size_t k = 0; k < sizeof count / sizeof *count; k++)
        csv_count(out, count[k]);
    csv_number(out, s->lag_p99 / 1e6);
    csv_number(out, s->server_busy_pct);
    csv_number(out, s->client_busy_pct);
    for (size_t k = 0; k < r->objective.n; k++)
        csv_number(out, r->objective.bound[k].what == FIND_TIME ? s->value[k] / 1e6 : s->value[k]);
    str_printf(out, ",%s,%s", s->unmeasured ? "" : s->holds ? "1" : "0", text_find_limit(s->limit));
    csv_text(out, s->why);
    str_adds(out, "\n");
}

static void begin(struct report_file *f)
{
    f->state = mem_alloc(sizeof(struct steps));
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    struct steps *t = f->state;
    size_t n = s->find ? atomic_load_explicit(&s->find->nsteps, memory_order_acquire) : 0;

    if (!s->find)
        return;
    if (!t->named)
        names(&f->text, s->find);
    t->named = true;
    while (t->written < n)
        row(&f->text, s->find, t->written++);
    if (f->text.len)
        report_file_flush(f);
}

static void end(struct report_file *f, const struct report_end *e)
{
    (void)e;
    free(f->state);
    f->state = NULL;
}

const struct writer writer_steps_csv = {.name = "steps-csv",
                                        .suffixes = " .steps.csv ",
                                        .needs = WRITER_STEPS,
                                        .begin = begin,
                                        .snapshot = snapshot,
                                        .end = end};
