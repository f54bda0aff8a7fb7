/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_warmup.h.
 */
#include "report/text_warmup.h"

#include "report/text_lines.h"

static void trend(struct str *out, const struct snapshot_warmup *w)
{
    const char *what = w->rate ? "mean response time" : "transactions per second";

    if (w->has_trend)
        str_printf(out, "%s: %+.2f%% +- %.2f%% in 10 s, bound %.12g%%", what, w->change_pct,
                   w->error_pct, w->bound_pct);
    else
        str_adds(out, "no transaction ended in some of the last 10 s");
}

void text_warmed(struct str *out, const struct snapshot_warmup *w)
{
    str_printf(out, w->steady ? "steady after %.1f s (" : "not steady within %.1f s (",
               dur_sec(w->after));
    trend(out, w);
    str_adds(out, ")");
}

void text_warmup(struct str *out, const struct snapshot *s)
{
    struct str text = STR_INIT;

    if (!s->warmed.asked)
        return;
    text_warmed(&text, &s->warmed);
    str_adds(out, "Warm-up:\n");
    text_item(out, "until steady:", "%s", str_cstr(&text));
    str_adds(out, "\n");
    str_free(&text);
}
