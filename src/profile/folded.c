/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See folded.h.  Rows are ordered as if ';' were smaller than any letter, so that all stacks that
 * share their outer frames are adjacent.
 */
#include "profile/folded.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void folded_add(struct folded *f, const char *stack, size_t len, uint64_t weight, uint64_t samples)
{
    f->row = mem_append(f->row, f->n, sizeof *f->row);
    f->row[f->n++] = (struct folded_row){mem_strndup(stack, len), weight, samples};
}

static int order_of(unsigned char c)
{
    return c == ';' ? 1 : c == '\0' ? 0 : c + 2;
}

static int by_stack(const void *pa, const void *pb)
{
    const char *a = ((const struct folded_row *)pa)->stack;
    const char *b = ((const struct folded_row *)pb)->stack;

    while (*a && *a == *b) {
        a++;
        b++;
    }
    return order_of((unsigned char)*a) - order_of((unsigned char)*b);
}

void folded_finish(struct folded *f)
{
    size_t kept = 0;

    if (f->n)
        qsort(f->row, f->n, sizeof *f->row, by_stack);
    for (size_t i = 0; i < f->n; i++) {
        if (kept && strcmp(f->row[kept - 1].stack, f->row[i].stack) == 0) {
            f->row[kept - 1].weight += f->row[i].weight;
            f->row[kept - 1].samples += f->row[i].samples;
            free(f->row[i].stack);
        } else {
            f->row[kept++] = f->row[i];
        }
    }
    f->n = kept;
}

void folded_write(const struct folded *f, struct str *out)
{
    if (f->window_s > 0 && f->unit) /* no digit at its end: tools would read it as a weight */
        str_printf(out, "# window_s=%.6f unit=%s%s%s\n", f->window_s, f->unit,
                   *f->estimate ? " " : "", f->estimate);
    for (size_t i = 0; i < f->n; i++)
        if (f->row[i].weight) {
            if (*f->estimate)
                str_printf(out, "# %llu samples:\n", (ull)f->row[i].samples);
            str_printf(out, "%s %llu\n", f->row[i].stack, (ull)f->row[i].weight);
        }
}

void folded_free(struct folded *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->row[i].stack);
    free(f->row);
    *f = (struct folded){0};
}
