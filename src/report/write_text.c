/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures as standard output shows them, independent of the verbosity and the script's hooks
 * there: the options, the interval lines, the checkpoints and the final report.
 */
#include <string.h>

#include "report/writer.h"

static void begin(struct report_file *f)
{
    f->info->header(f->info->arg, &f->text);
    report_file_flush(f);
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    f->info->text(f->info->arg, s, &f->text);
    report_file_flush(f);
}

static void end(struct report_file *f, const struct report_end *e)
{
    if (strcmp(e->status, "completed") == 0)
        return;
    if (e->signal)
        str_printf(&f->text, "The run was ended by signal %d\n", e->signal);
    else
        str_printf(&f->text, "The run ended early: %s\n", e->error ? e->error : e->status);
    report_file_flush(f);
}

const struct writer writer_text = {.name = "text",
                                   .suffixes = " .txt .text .log ",
                                   .warmup = true,
                                   .begin = begin,
                                   .snapshot = snapshot,
                                   .end = end};
