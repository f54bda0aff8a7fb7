/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads a rate that changes:
 *
 *     spec   stage,stage,...  or  @PATH
 *     stage  R:LENGTH | R1-R2:LENGTH | sine(MEAN,AMPLITUDE,PERIOD)[:LENGTH]
 *            | square(LOW,HIGH,PERIOD[,DUTY%])[:LENGTH] | spike(BASE,PEAK,EVERY,WIDTH)[:LENGTH]
 *
 * The last stage may lack its length: then it lasts to the end.  A message names the stage by its
 * number and text, because a spec may have a hundred of them.
 */
#include "pace/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text_file.h"
#include "base/units.h"
#include "pace/rate_pieces.h"

#define MOST_STAGES 10000
#define MOST_ARGS   4
#define SHOWN       64 /* bytes of a stage in a message */

/* One stage, cut into parts; all of them point into its text. */
struct part {
    char *shape;          /* NULL: a rate or a ramp */
    char *arg[MOST_ARGS]; /* of the shape; else the rate, or the two of a ramp */
    size_t nargs;
    char *length; /* NULL: none */
};

/* --- numbers --- */

/* Digits, at most one point, and at most `places` digits after it: the number in units of
 * 10^-places, exactly; what follows it.  NULL: no such number, or 2^63 and more. */
static const char *decimal(const char *text, unsigned places, uint64_t *out)
{
    bool any = false, point = false;
    uint64_t v = 0;

    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        point = point || *text == '.';
        if (*text == '.')
            continue;
        if ((point && places-- == 0) || v > (INT64_MAX - 9) / 10)
            return NULL;
        v = 10 * v + (uint64_t)(*text - '0');
        any = true;
    }
    for (; places > 0; places--) {
        if (v > INT64_MAX / 10)
            return NULL;
        v *= 10;
    }
    *out = v;
    return any ? text : NULL;
}

/* In whole millionths, exactly; 10k, 1M and 1G as in other options. */
static int read_rate(const char *text, uint64_t *micro, struct err *e)
{
    static const char letters[] = "kKMG";
    static const uint64_t thousands[] = {1000, 1000, 1000000, 1000000000};
    const char *end = decimal(text, 6, micro), *letter;
    uint64_t scale = 1;

    if (!end)
        return err_set(e, ERR_USAGE,
                       "\"%.32s\" is not a rate: a number such as 500, 0.5 or 10k, "
                       "with at most six digits after the point",
                       text);
    letter = *end ? strchr(letters, *end) : NULL;
    if (letter) {
        scale = thousands[letter - letters];
        end++;
    }
    if (*end)
        return err_set(e, ERR_USAGE, "\"%.32s\" is not a rate: a number such as 500, 0.5 or 10k",
                       text);
    if (*micro > (uint64_t)(RATES_MOST * 1e6) / scale)
        return err_set(e, ERR_USAGE, "\"%.32s\" is more than %.0f per second", text, RATES_MOST);
    *micro *= scale;
    return 0;
}

int rates_number(const char *text, double *rate, struct err *e)
{
    uint64_t micro = 0;

    if (read_rate(text, &micro, e))
        return -1;
    *rate = (double)micro / 1e6;
    return 0;
}

/* A length of 0 or of more than a year is a mistake. */
static int read_length(const char *text, dur_ns *out, struct err *e)
{
    if (units_duration(text, NS_PER_SEC, out, e))
        return -1;
    if (*out == 0)
        return err_set(e, ERR_USAGE, "\"%.32s\" is no time", text);
    if (*out > 366 * 86400 * NS_PER_SEC)
        return err_set(e, ERR_USAGE, "\"%.32s\" is longer than a year", text);
    return 0;
}

/* --- a stage --- */

static int line(struct piece *p, const struct part *s, struct err *e)
{
    p->kind = PIECE_LINE;
    if (read_rate(s->arg[0], &p->a, e))
        return -1;
    p->b = p->a;
    if (s->nargs == 1)
        return 0;
    if (read_rate(s->arg[1], &p->b, e))
        return -1;
    if (!s->length)
        return err_set(e, ERR_USAGE, "a ramp needs its length: %s-%s:60s", s->arg[0], s->arg[1]);
    return 0;
}

/* Of a shape the first three arguments have been read: two rates and a period. */
static int sine(struct piece *p, const struct part *s, struct err *e)
{
    p->kind = PIECE_SINE;
    if (p->b > p->a)
        return err_set(e, ERR_USAGE, "the amplitude %s is more than the mean %s", s->arg[1],
                       s->arg[0]);
    if (p->b == 0)
        p->kind = PIECE_LINE, p->b = p->a;
    return 0;
}

/* The high part ends each period, so that a run does not begin with it. */
static int square(struct piece *p, const struct part *s, struct err *e)
{
    double duty = 50;

    p->kind = PIECE_SQUARE;
    if (s->nargs > 3 && units_percent(s->arg[3], 0, 100, &duty, e))
        return -1;
    p->low = p->period - (dur_ns)((double)p->period * duty / 100);
    return 0;
}

static int spike(struct piece *p, const struct part *s, struct err *e)
{
    dur_ns width;

    p->kind = PIECE_SQUARE;
    if (read_length(s->arg[3], &width, e))
        return -1;
    p->low = p->period - width;
    return width <= p->period ? 0
                              : err_set(e, ERR_USAGE, "the width %s is more than the period %s",
                                        s->arg[3], s->arg[2]);
}

static const struct shape {
    const char *name, *form;
    size_t least, most;
    int (*read)(struct piece *p, const struct part *s, struct err *e);
} shapes[] = {
    {"sine", "sine(MEAN,AMPLITUDE,PERIOD)", 3, 3, sine},
    {"square", "square(LOW,HIGH,PERIOD[,DUTY%])", 3, 4, square},
    {"spike", "spike(BASE,PEAK,EVERY,WIDTH)", 4, 4, spike},
};

static int read_part(struct piece *p, struct part *s, char *text, struct err *e)
{
    char *open = strchr(text, '('), *colon, *dash;
    const struct shape *shape = shapes, *last = shapes + sizeof shapes / sizeof *shapes - 1;

    if (open) {
        /* Cuts "shape(a,b,c)" at its commas; `open` is its bracket. */
        char *close = strchr(open, ')');
        *open = '\0';
        s->shape = text;
        if (!close)
            return err_set(e, ERR_USAGE, "its bracket is not closed");
        if (close[1] && close[1] != ':')
            return err_set(e, ERR_USAGE, "after its bracket only :LENGTH may follow");
        s->length = close[1] ? close + 2 : NULL;
        *close = '\0';
        for (char *arg = open + 1; arg; s->nargs++) {
            char *comma = strchr(arg, ',');
            if (s->nargs < MOST_ARGS)
                s->arg[s->nargs] = arg;
            if (comma)
                *comma = '\0';
            arg = comma ? comma + 1 : NULL;
        }
    } else {
        colon = strchr(text, ':');
        if (colon) {
            *colon = '\0';
            s->length = colon + 1;
        }
        s->arg[s->nargs++] = text;
        dash = strchr(text, '-');
        if (dash && dash != text) {
            *dash = '\0';
            s->arg[s->nargs++] = dash + 1;
        }
    }
    if (s->length && read_length(s->length, &p->len, e))
        return -1;
    if (!s->shape)
        return line(p, s, e);
    while (shape < last && strcmp(s->shape, shape->name) != 0)
        shape++;
    if (strcmp(s->shape, shape->name) != 0)
        return err_set(e, ERR_USAGE, "there is no shape \"%.32s\": sine, square or spike",
                       s->shape);
    if (s->nargs < shape->least || s->nargs > shape->most)
        return err_set(e, ERR_USAGE, "it takes %s", shape->form);
    if (read_rate(s->arg[0], &p->a, e) || read_rate(s->arg[1], &p->b, e) ||
        read_length(s->arg[2], &p->period, e) || shape->read(p, s, e))
        return -1;
    /* a part without length is never reached: its rate is that of the other */
    if (p->kind == PIECE_SQUARE && p->low == p->period)
        p->b = p->a;
    if (p->kind == PIECE_SQUARE && p->low == 0)
        p->a = p->b;
    return 0;
}

static double mean_of(const struct piece *p)
{
    double a = (double)p->a / 1e6, b = (double)p->b / 1e6, low = (double)p->low;

    return p->kind == PIECE_SQUARE ? b + (a - b) * low / (double)p->period : a;
}

static int add_stage(struct rates *r, const char *text, size_t len, bool last, struct err *e)
{
    struct piece p = {.len = MONO_NEVER};
    struct part s = {0};
    char *copy = mem_strndup(text, len);
    int rc = read_part(&p, &s, copy, e);
    dur_ns from = r->end;

    if (rc == 0 && !s.length && !last)
        rc = err_set(e, ERR_USAGE, "only the last stage may lack its length");
    if (rc == 0) {
        size_t shown = s.length ? (size_t)(s.length - copy) - 1 : len;
        rates_add_piece(r, p);
        rates_add_stage(r, from, mean_of(&p),
                        p.kind == PIECE_LINE ? (double)p.b / 1e6 : mean_of(&p), text, shown);
    }
    free(copy);
    return rc;
}

static int read_stages(struct rates *r, const char *spec, struct err *e)
{
    for (const char *text = spec;; text++) {
        const char *end = text;
        int depth = 0;
        /* to the comma after the stage, not to one between brackets */
        for (; *end && (*end != ',' || depth > 0); end++)
            depth += (*end == '(') - (*end == ')');
        size_t len = (size_t)(end - text);
        if (r->nstages == MOST_STAGES)
            return err_set(e, ERR_USAGE, "more than %d stages", MOST_STAGES);
        if (add_stage(r, text, len, !*end, e))
            return err_add(e, "stage %zu, \"%.*s\"", r->nstages + 1,
                           (int)(len < SHOWN ? len : SHOWN), text);
        if (!*end)
            return 0;
        text = end;
    }
}

/* --- a trace ---
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

#define MOST_BYTES   ((size_t)64 << 20)
#define MOST_SECONDS 1e9

struct trace {
    struct rates *rates;
    struct rates_play play;
    int columns;   /* 0: no row yet */
    bool header;   /* a header line was skipped */
    dur_ns at;     /* of the last row */
    uint64_t rate; /* two columns: its rate */
};

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r");
}

/* In ns of the run. */
static int read_instant(const struct trace *t, const char **text, dur_ns *out, struct err *e)
{
    uint64_t ns;
    const char *end = decimal(*text, 9, &ns);

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

static int read_row_rate(const struct trace *t, const char *text, uint64_t *out, struct err *e)
{
    uint64_t micro = 0;
    const char *end = decimal(text, 6, &micro);
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

static int read_row(struct trace *t, const char *text, struct err *e)
{
    struct rates *r = t->rates;
    dur_ns at = 0;
    uint64_t rate = 0;

    if (!t->columns && !t->header && !strchr("0123456789.", *text)) {
        t->header = true;
        return 0;
    }
    if (read_instant(t, &text, &at, e))
        return -1;
    if (*text && *text != ',')
        return err_set(e, ERR_USAGE, "\"%.32s\" follows the seconds", text);
    int columns = *text ? 2 : 1;
    if (t->columns && t->columns != columns)
        return err_set(e, ERR_USAGE, "it has %d column%s, the rows before it have %d", columns,
                       columns == 1 ? "" : "s", t->columns);
    if (columns == 2) {
        if (read_row_rate(t, skip_blanks(text + 1), &rate, e))
            return -1;
        if (t->columns && at <= t->at)
            return err_set(e, ERR_USAGE, "it is not later than the row before it");
        add_step(t, at);
        t->rate = rate;
    } else {
        if (at < t->at)
            return err_set(e, ERR_USAGE, "it is earlier than the row before it");
        r->starts = mem_append(r->starts, r->nstarts, sizeof *r->starts);
        r->starts[r->nstarts++] = at;
    }
    t->at = at;
    t->columns = columns;
    return 0;
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

static int read_trace(struct rates *r, const char *path, const struct rates_play *play,
                      struct err *e)
{
    struct trace t = {.rates = r, .play = *play};
    struct text_file f;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *line;

    if (!*path)
        return err_set(e, ERR_USAGE, "@ needs the name of a file: @trace.csv");
    int rc = text_file_read_long(&f, path, MOST_BYTES, TEXT_FILE_WAIT_MS, e);
    while (rc == 0 && (line = text_file_line(&f)) != NULL) {
        line = skip_blanks(line);
        if (*line && *line != '#' && read_row(&t, line, e))
            rc = err_add(e, "line %d", f.line);
    }
    if (rc == 0 && !t.columns)
        rc = err_set(e, ERR_USAGE, "it has no rows");
    text_file_free(&f);
    if (rc == 0 && t.columns == 1) {
        rc = end_starts(&t, e);
    } else if (rc == 0) {
        if (t.rate > 0)
            add_step(&t, MONO_NEVER);
        rc = r->n ? 0 : err_set(e, ERR_USAGE, "it plans nothing");
    }
    if (rc)
        return err_add(e, "%s", path);
    rates_add_stage(r, 0, rates_at(r, 0), rates_at(r, t.at), name, strlen(name));
    return 0;
}

struct rates *rates_parse(const char *spec, const struct rates_play *play, struct err *e)
{
    struct rates *r = mem_alloc(sizeof *r);

    if (*spec == '@' ? read_trace(r, spec + 1, play, e) : read_stages(r, spec, e)) {
        rates_free(r);
        return NULL;
    }
    return r;
}
