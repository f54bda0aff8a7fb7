/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_marks.h.
 */
#include "report/text_marks.h"

dur_ns mark_elapsed(const struct snapshot *s, const struct mark *m)
{
    return m->at - (s->at - s->elapsed_ns);
}

void text_marks(struct str *out, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nmarks; i++)
        str_printf(out, "[ %.3fs ] mark: %s\n", dur_sec(mark_elapsed(s, &s->marks[i])),
                   s->marks[i].text);
}
