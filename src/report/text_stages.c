/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_stages.h.  The table is that of the phases between marks (text_phases.c), with the
 * planned starts of each stage and their accounts above it.  No label is one of the Rate block:
 * programs look for "offered:" or "sustained:" and mean the run.
 */
#include "report/text_stages.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/text_lines.h"
#include "report/text_phases.h"
#include "report/text_verdict.h"

#define LABEL  TEXT_LABEL
#define LISTED 8 /* stages that the target names */

/* One account of a stage. */
typedef uint64_t account(const struct snapshot *s);

static uint64_t offered(const struct snapshot *s)
{
    return s->rate.offered;
}

static uint64_t failed(const struct snapshot *s)
{
    return s->rate.failed;
}

static uint64_t dropped(const struct snapshot *s)
{
    return s->rate.dropped;
}

static uint64_t unfinished(const struct snapshot *s)
{
    return s->rate.unfinished;
}

static uint64_t late(const struct snapshot *s)
{
    return s->rate.late;
}

static const char *held(const struct snapshot_stage *v)
{
    return !v->judged ? "n/a" : v->unknown ? "not known" : v->sustained ? "yes" : "no";
}

static void add_lines(const struct text_phase_lines *l, struct str *out, size_t first, size_t n)
{
    static const struct {
        const char *label;
        account *get;
    } row[] = {{"planned starts:", offered},
               {"failed transactions:", failed},
               {"dropped transactions:", dropped},
               {"unfinished at the end:", unfinished},
               {"starts over 1 ms late:", late}};

    str_printf(out, LABEL, "target, per second:");
    for (size_t i = first; i < first + n; i++)
        str_printf(out, " %12.2f", l->stage[i].s->rate.target);
    str_printf(out, "\n" LABEL, "rate held:");
    for (size_t i = first; i < first + n; i++)
        str_printf(out, " %12s", held(&l->stage[i]));
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        str_printf(out, "\n" LABEL, row[k].label);
        for (size_t i = first; i < first + n; i++)
            str_printf(out, " %12llu", (unsigned long long)row[k].get(l->stage[i].s));
    }
    str_adds(out, "\n");
}

static void title(struct str *out, const struct snapshot_stage *v, size_t number)
{
    char label[24];

    snprintf(label, sizeof label, "%zu:", number);
    text_item(out, label, "%s, %.3f to %.3f s%s%s%s", v->text,
              dur_sec(v->s->elapsed_ns - v->s->interval_ns), dur_sec(v->s->elapsed_ns),
              !*v->why       ? ""
              : v->unknown   ? "; not known"
              : v->sustained ? "; held"
                             : "; not held",
              text_verdict_join(v->sustained, v->why), v->why);
}

void text_stages(struct str *out, const struct snapshot *s)
{
    struct text_phase_lines more = {.add = add_lines, .stage = s->stages};
    struct snapshot_phase *column;

    if (s->nstages < 2)
        return;
    column = mem_array(s->nstages, sizeof *column);
    str_adds(out, "Stages of the rate:\n");
    for (size_t i = 0; i < s->nstages; i++) {
        title(out, &s->stages[i], i + 1);
        column[i].s = s->stages[i].s;
    }
    text_phase_tables(out, column, s->nstages, &more);
    if (s->stages_lost)
        str_printf(out, LABEL "%zu\n", "further stages, not kept:", s->stages_lost);
    str_adds(out, "\n");
    free(column);
}

void text_stage_list(struct str *out, const struct snapshot *s)
{
    size_t n = s->nstages < LISTED ? s->nstages : LISTED;

    for (size_t i = 0; i < n; i++)
        str_printf(out, "%s%s", i ? ", " : "", s->stages[i].text);
    if (s->nstages + s->stages_lost > n)
        str_printf(out, " and %zu more", s->nstages + s->stages_lost - n);
}
