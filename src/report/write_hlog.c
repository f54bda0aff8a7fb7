/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An HdrHistogram log, format version 1.3: a line for each interval and series, tagged with its
 * name, values in ns.  The lines of a tag add up to the run: the last line covers the time after
 * the last interval.  Interval_Max is in ms and times are relative to the start, as the readers
 * expect.  Checkpoints are not written, because they would count twice.
 *
 * A histogram of stats/hist.h in the format of HdrHistogram's readers.  It has their layout with 3
 * significant digits, lowest value 1 and highest value one hour in ns, so the counts are copied
 * unchanged.
 *
 * V2 encoding, as the published readers define it: big-endian header (cookie 0x1c849303 | 0x10,
 * length of the counts, normalizing offset 0, digits, lowest and highest value, ratio 1.0), then
 * the counts as ZigZag LEB128 numbers, a negative one standing for that many empty
 * buckets.  Compressed form: cookie 0x1c849304 | 0x10, length, a zlib stream (RFC 1950), in base64
 * (RFC 4648).  The stream holds stored blocks: the runs of empty buckets are packed already, and no
 * library is needed for the rest.
 */
#include "report/writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/text.h"

/* --- a histogram --- */

#define COOKIE            0x1c849313u
#define COMPRESSED_COOKIE 0x1c849314u
#define STORED_MAX        65535 /* of one block, RFC 1951 3.2.4 */

static void byte(struct str *out, unsigned v)
{
    char c = (char)v;

    str_add(out, &c, 1);
}

/* Big-endian, n bytes. */
static void number(struct str *out, uint64_t v, int n)
{
    while (n-- > 0)
        byte(out, (unsigned)(v >> (8 * n)) & 0xff);
}

/* A zlib stream of stored blocks. */
static void stored(struct str *out, const struct str *data)
{
    uint32_t low = 1, high = 0; /* Adler-32 */
    size_t at = 0;

    for (size_t i = 0; i < data->len; i++) {
        low = (low + (unsigned char)data->s[i]) % 65521;
        high = (high + low) % 65521;
    }
    byte(out, 0x78);
    byte(out, 0x01);
    do {
        size_t n = data->len - at < STORED_MAX ? data->len - at : STORED_MAX;
        byte(out, at + n == data->len);
        byte(out, n & 0xff);
        byte(out, (unsigned)(n >> 8));
        byte(out, ~n & 0xff);
        byte(out, (unsigned)(~n >> 8) & 0xff);
        str_add(out, data->s + at, n);
        at += n;
    } while (at < data->len);
    number(out, high << 16 | low, 4);
}

void hdr_compressed(struct str *out, const struct hist_counts *h)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const double ratio = 1.0;
    struct str payload = STR_INIT, plain = STR_INIT, zlib = STR_INIT, whole = STR_INIT;
    size_t used = h->size;
    int64_t empty = 0;
    uint64_t bits;

    while (used > 0 && h->count[used - 1] == 0)
        used--;
    for (size_t i = 0; i < used; i++) {
        if (h->count[i] == 0) {
            empty++;
            continue;
        }
        if (empty)
            str_zigzag(&payload, -empty);
        empty = 0;
        str_zigzag(&payload, (int64_t)h->count[i]);
    }
    memcpy(&bits, &ratio, sizeof bits);
    number(&plain, COOKIE, 4);
    number(&plain, payload.len, 4);
    number(&plain, 0, 4);
    number(&plain, 3, 4);
    number(&plain, 1, 8);
    number(&plain, (uint64_t)HIST_MAX_NS, 8);
    number(&plain, bits, 8);
    str_add(&plain, str_cstr(&payload), payload.len);
    stored(&zlib, &plain);
    number(&whole, COMPRESSED_COOKIE, 4);
    number(&whole, zlib.len, 4);
    str_add(&whole, zlib.s, zlib.len);
    for (size_t i = 0; i < whole.len; i += 3) { /* base64 */
        size_t n = whole.len - i < 3 ? whole.len - i : 3;
        uint32_t v = 0;
        char four[4] = {'=', '=', '=', '='};
        for (size_t k = 0; k < 3; k++)
            v = v << 8 | (k < n ? (unsigned char)whole.s[i + k] : 0);
        for (size_t k = 0; k <= n; k++)
            four[k] = digit[v >> (18 - 6 * k) & 63];
        str_add(out, four, 4);
    }
    str_free(&payload);
    str_free(&plain);
    str_free(&zlib);
    str_free(&whole);
}

/* --- the log --- */

enum { SERIES = 3 };

struct log {
    struct hist_counts written[SERIES]; /* the sum of all lines */
    struct hist_counts rest;
    bool begun;   /* the header is written */
    dur_ns until; /* end of the last line, since measuring began */
};

static void begin(struct report_file *f)
{
    struct log *l = mem_alloc(sizeof *l);

    for (int i = 0; i < SERIES; i++)
        hist_counts_init(&l->written[i], HIST_BUCKETS);
    hist_counts_init(&l->rest, HIST_BUCKETS);
    f->state = l;
}

/* With the first line: when measuring began is known then. */
static void header(struct report_file *f, wall_ns start)
{
    struct log *l = f->state;
    double s = (double)start / 1e9;

    if (l->begun)
        return;
    l->begun = true;
    str_printf(&f->text, "#[sysbench-tx %s, values in nanoseconds]\n", f->info->version);
    str_printf(&f->text, "#[Histogram log format version 1.3]\n");
    str_printf(&f->text, "#[StartTime: %.3f (seconds since epoch)]\n", s);
    str_printf(&f->text, "#[BaseTime: %.3f (seconds since epoch)]\n", s);
    str_adds(&f->text, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                       "\"Interval_Compressed_Histogram\"\n");
}

static void snapshot(struct report_file *f, const struct snapshot *s)
{
    const struct hist_counts *h[SERIES] = {s->hists.response, s->hists.service, s->hists.lag};
    const char *const tag[SERIES] = {h[1] ? "response" : "latency", "service", "lag"};
    struct log *l = f->state;

    if (s->kind == SNAPSHOT_CHECKPOINT)
        return;
    header(f, s->wall - s->elapsed_ns);
    for (size_t i = 0; i < s->nmarks; i++) /* a comment to readers of this format */
        str_printf(&f->text, "#[mark at %.3f: %s]\n", snapshot_since_s(s, s->marks[i].at),
                   s->marks[i].text);
    for (int i = 0; i < SERIES; i++) {
        const struct hist_counts *w = h[i];
        if (w && s->kind == SNAPSHOT_FINAL) { /* minus all that was written */
            hist_counts_diff(&l->rest, h[i], &l->written[i]);
            w = l->rest.total ? &l->rest : NULL;
        } else if (w) {
            hist_counts_merge(&l->written[i], h[i]);
        }
        if (!w)
            continue;
        str_printf(&f->text, "Tag=%s,%.3f,%.3f,%.6f,", tag[i], dur_sec(l->until),
                   s->elapsed_ns > l->until ? dur_sec(s->elapsed_ns - l->until) : 0,
                   hist_max(w) < 0 ? 0 : dur_ms(hist_max(w)));
        hdr_compressed(&f->text, w);
        str_adds(&f->text, "\n");
    }
    l->until = s->elapsed_ns;
    report_file_flush(f);
}

static void end(struct report_file *f, const struct report_end *e)
{
    struct log *l = f->state;

    header(f, e->wall);
    report_file_flush(f);
    for (int i = 0; i < SERIES; i++)
        hist_counts_fini(&l->written[i]);
    hist_counts_fini(&l->rest);
    free(l);
    f->state = NULL;
}

const struct writer_ops write_hlog = {begin, snapshot, end, NULL};
