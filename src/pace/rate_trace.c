/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A rate from a file, so that what happened on another day can happen again:
 *
 *     seconds,rate          seconds
 *     0,120                 0.000512
 *     60,180.5              0.004871
 *     120,0                 0.004902
 *
 * Two columns: from each instant on, the rate.  Before the first row it is 0; that of the last row
 * has no end, unless it is 0: then the trace ends there.  One column: a planned start each, equal
 * ones allowed.  A header line, blank lines and comments (#) are skipped.
 */
#include "pace/rate_pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text_file.h"

#define MOST_BYTES   ((size_t)64 << 20)
#define MOST_SECONDS 1e9

struct trace {
    struct rates *rates;
    struct rates_play play;
    int columns;   /* 0: no row yet */
    bool header;   /* a header line was skipped */
    dur_ns at;     /* of the last row */
    uint64_t rate; /* two columns: its rate */
    size_t room;
};

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r");
}

/* In ns of the run. */
static int read_instant(const struct trace *t, const char **text, dur_ns *out, struct err *e)
{
    uint64_t ns;
    const char *end = rates_decimal(*text, 9, &ns);

    if (!end)
        return err_set(e, ERR_USAGE,
                       "\"%.32s\" does not begin with seconds: digits, and at most nine after the "
                       "point",
                       *text);
    if ((double)ns / t->play.speed > MOST_SECONDS * 1e9)
        return err_set(e, ERR_USAGE, "\"%.32s\" is later than %.0f seconds", *text, MOST_SECONDS);
    *out = t->play.speed == 1 ? (dur_ns)ns : llround((double)ns / t->play.speed);
    *text = skip_blanks(end);
    return 0;
}

static int read_rate(const struct trace *t, const char *text, uint64_t *out, struct err *e)
{
    uint64_t micro = 0;
    const char *end = rates_decimal(text, 6, &micro);
    double scaled = (double)micro * t->play.scale;

    if (!end || *skip_blanks(end))
        return err_set(e, ERR_USAGE,
                       "\"%.32s\" is not a rate: digits, and at most six after the point", text);
    if (scaled > RATES_MOST * 1e6)
        return err_set(e, ERR_USAGE, "\"%.32s\" is more than %.0f per second%s", text, RATES_MOST,
                       t->play.scale == 1 ? "" : " with --tx-scale");
    *out = t->play.scale == 1 ? micro : (uint64_t)llround(scaled);
    return 0;
}

/* The rate from the last row until `until`. */
static void add_step(struct trace *t, dur_ns until)
{
    dur_ns len = until == MONO_NEVER ? MONO_NEVER : until - t->at;
    struct piece p = {.kind = PIECE_LINE, .a = t->rate, .b = t->rate, .len = len};

    if (len > 0)
        rates_add_piece(t->rates, p);
}

static int rate_row(struct trace *t, dur_ns at, const char *text, struct err *e)
{
    uint64_t rate = 0;

    if (read_rate(t, text, &rate, e))
        return -1;
    if (t->columns && at <= t->at)
        return err_set(e, ERR_USAGE, "it is not later than the row before it");
    add_step(t, at);
    t->at = at;
    t->rate = rate;
    return 0;
}

static int start_row(struct trace *t, dur_ns at, struct err *e)
{
    struct rates *r = t->rates;

    if (at < t->at)
        return err_set(e, ERR_USAGE, "it is earlier than the row before it");
    if (r->nstarts == t->room)
        r->starts = mem_grow(r->starts, t->room = t->room ? 2 * t->room : 1024, sizeof *r->starts);
    r->starts[r->nstarts++] = t->at = at;
    return 0;
}

static int read_row(struct trace *t, const char *text, struct err *e)
{
    int columns;
    dur_ns at = 0;

    if (!t->columns && !t->header && !strchr("0123456789.", *text)) {
        t->header = true;
        return 0;
    }
    if (read_instant(t, &text, &at, e))
        return -1;
    if (*text && *text != ',')
        return err_set(e, ERR_USAGE, "\"%.32s\" follows the seconds", text);
    columns = *text ? 2 : 1;
    if (t->columns && t->columns != columns)
        return err_set(e, ERR_USAGE, "it has %d column%s, the rows before it have %d", columns,
                       columns == 1 ? "" : "s", t->columns);
    if (columns == 1 ? start_row(t, at, e) : rate_row(t, at, skip_blanks(text + 1), e))
        return -1;
    t->columns = columns;
    return 0;
}

static int read_rows(struct trace *t, struct text_file *f, struct err *e)
{
    const char *line;

    while ((line = text_file_line(f)) != NULL) {
        line = skip_blanks(line);
        if (*line && *line != '#' && read_row(t, line, e))
            return err_add(e, "line %d", f->line);
    }
    return t->columns ? 0 : err_set(e, ERR_USAGE, "it has no rows");
}

/* Planned starts end a mean gap after the last one, as N starts at R per second take N/R. */
static int end_starts(struct trace *t, struct err *e)
{
    struct rates *r = t->rates;
    dur_ns last = r->starts[r->nstarts - 1], first = r->starts[0];
    dur_ns gap = r->nstarts > 1 ? (last - first) / (dur_ns)(r->nstarts - 1) : NS_PER_SEC;
    double scaled = t->play.scale * (double)r->nstarts;

    if (scaled > 1e9 || scaled < 1)
        return err_set(e, ERR_USAGE, "--tx-scale makes %zu planned starts %.12g", r->nstarts,
                       scaled);
    rates_add_piece(r, (struct piece){.kind = PIECE_STARTS,
                                      .b = (uint64_t)llround(t->play.scale * 1e6),
                                      .len = last + (gap > 0 ? gap : 1)});
    return 0;
}

static int end_steps(struct trace *t, struct err *e)
{
    if (t->rate > 0)
        add_step(t, MONO_NEVER);
    return t->rates->n ? 0 : err_set(e, ERR_USAGE, "it plans nothing");
}

int rate_trace_read(struct rates *r, const char *path, const struct rates_play *play, struct err *e)
{
    struct trace t = {.rates = r, .play = *play};
    struct text_file f;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int rc;

    if (!*path)
        return err_set(e, ERR_USAGE, "@ needs the name of a file: @trace.csv");
    rc = text_file_read_long(&f, path, MOST_BYTES, TEXT_FILE_WAIT_MS, e) || read_rows(&t, &f, e);
    text_file_free(&f);
    if (rc || (t.columns == 1 ? end_starts(&t, e) : end_steps(&t, e)))
        return err_add(e, "%s", path);
    rates_add_stage(r, 0, rates_at(r, 0), rates_at(r, t.at), name, strlen(name));
    return 0;
}
