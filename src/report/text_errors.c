/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_errors.h.  The text of an error is at the end of its line, so that it may have any
 * length.  Times are in seconds since measuring began.
 */
#include "report/text_errors.h"

#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

const char *text_error_code(char buf[TEXT_ERROR_CODE_SIZE], const struct error_row *r)
{
    if (r->code && *r->sqlstate)
        snprintf(buf, TEXT_ERROR_CODE_SIZE, "%d (%s)", r->code, r->sqlstate);
    else if (r->code)
        snprintf(buf, TEXT_ERROR_CODE_SIZE, "%d", r->code);
    else
        snprintf(buf, TEXT_ERROR_CODE_SIZE, "%s", *r->sqlstate ? r->sqlstate : "no code");
    return buf;
}

bool text_error_is_usual(const struct error_row *r)
{
    static const char *const usual[] = {"deadlock", "lock-wait", "serialization", "duplicate"};

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(r->class, usual[i]) == 0)
            return true;
    return false;
}

static bool shows_errors(const struct snapshot *s)
{
    if (snapshot_tells_rate(s) || s->server.on || s->statements)
        return s->nby_code > 0;
    for (size_t i = 0; i < s->nby_code; i++)
        if (!text_error_is_usual(s->by_code[i].row))
            return true;
    return false;
}

static void one_error(struct str *out, const struct snapshot_error *e, size_t width)
{
    char code[TEXT_ERROR_CODE_SIZE];
    struct str text = STR_INIT;

    str_printf(out, "  %10llu %9.3f %9.3f  ", (ull)e->count, dur_sec(e->first_ns),
               dur_sec(e->last_ns));
    str_printf(&text, "%s %s: %s", e->row->class, text_error_code(code, e->row), e->row->text);
    text_wrap(out, str_cstr(&text), 34, 34, width);
    str_adds(out, "\n");
    str_free(&text);
}

void text_errors(struct str *out, const struct snapshot *s, enum text_detail detail)
{
    if (!shows_errors(s))
        return;
    str_adds(out, "Errors by code (times in s since the start):\n"
                  "       count     first      last  class and code\n");
    for (size_t i = 0; i < s->nby_code; i++)
        one_error(out, &s->by_code[i], detail == TEXT_FULL ? TEXT_UNBOUND : TEXT_WIDTH);
    str_adds(out, "\n");
}

/* --- outages --- */

/* "3.105 s after it", or that it did not come. */
static void delay(struct str *out, const char *label, const struct outage *o, mono_ns at)
{
    if (at)
        text_item(out, label, "after %.3f s", dur_sec(at - o->first_error));
    else
        text_item(out, label, "not before the end of the run");
}

static void connections(struct str *out, const struct snapshot_outages *v, const struct outage *o)
{
    const char *label = "  lost connections are back:";

    if (!o->lost)
        text_item(out, label, "none was lost");
    else if (o->connected)
        text_item(out, label, "after %.3f s (%u)", dur_sec(o->connected - o->first_error), o->lost);
    else
        text_item(out, label, "not before the end of the run (%u of %u are missing)", v->away,
                  o->lost);
}

static void accounts(struct str *out, const struct snapshot *s, const struct outage *o)
{
    const struct outage_counts *a = &o->before, *b = &o->after;

    if (!snapshot_tells_rate(s)) {
        text_item(out, "  meanwhile:", "%llu done, %llu failed", (ull)(b->done - a->done),
                  (ull)(b->failed - a->failed));
        return;
    }
    delay(out, "  transactions begin in time:", o, o->drained);
    text_item(out, "  meanwhile:",
              "%llu offered; %llu done, %llu of them late; %llu failed, %llu dropped",
              (ull)(b->offered - a->offered), (ull)(b->done - a->done), (ull)(b->late - a->late),
              (ull)(b->failed - a->failed), (ull)(b->dropped - a->dropped));
}

static void one_outage(struct str *out, const struct snapshot *s, size_t i)
{
    const struct snapshot_outages *v = s->outages;
    const struct outage *o = &v->row[i];
    char label[32];

    snprintf(label, sizeof label, "outage %zu:", i + 1);
    text_item(out, label, "first error at %.3f s (%llu error%s)", dur_sec(o->first_error - v->zero),
              (ull)o->errors, o->errors == 1 ? "" : "s");
    delay(out, "  first success:", o, o->success);
    text_item(out, "  longest time without success:", o->success ? "%.3f s" : "%.3f s, to the end",
              dur_sec(snapshot_silence(s, o)));
    connections(out, v, o);
    accounts(out, s, o);
}

static void cell(struct str *out, int64_t ns)
{
    if (ns < 0)
        str_printf(out, " %10s", "n/a");
    else
        str_printf(out, " %10.3f", dur_ms(ns));
}

static void latency(struct str *out, const char *label, const struct snapshot_series *v)
{
    str_printf(out, "    %-10s %10llu", label, (ull)v->n);
    cell(out, v->p50);
    cell(out, v->p95);
    cell(out, v->p99);
    cell(out, v->max);
    str_adds(out, "\n");
}

static void latencies(struct str *out, const struct snapshot_outages *v)
{
    str_adds(out, "    response time by planned start, ms:\n"
                  "    planned          done        p50        p95        p99    maximum\n");
    if (v->has_before)
        latency(out, "before", &v->before);
    latency(out, "during", &v->during);
    latency(out, "after", &v->after);
}

void text_outages(struct str *out, const struct snapshot *s)
{
    const struct snapshot_outages *v = s->outages;

    if (!v)
        return;
    str_adds(out,
             "Outages (an error of the server or a connection until the load is as before):\n");
    for (size_t i = 0; i < v->n; i++)
        one_outage(out, s, i);
    if (v->more)
        str_printf(out, "    and %zu more\n", v->more);
    if (snapshot_tells_rate(s))
        latencies(out, v);
    str_adds(out, "\n");
}

const char *text_error_words(const char *class)
{
    static const struct {
        const char *class, *words;
    } t[] = {{"connection", "no connection"},
             {"overload", "too many connections"},
             {"deadlock", "deadlocks"},
             {"lock-wait", "locks not granted in time"},
             {"serialization", "serialization failures"},
             {"duplicate", "duplicate keys"},
             {"read-only", "read-only server"},
             {"cluster", "cluster not ready"},
             {"cancelled", "cancelled statements"},
             {"shutdown", "server shutting down or starting"},
             {"statement-limit", "too many prepared statements"},
             {"missing", "missing table or database"},
             {"access", "access denied"},
             {"tls", "TLS"}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (strcmp(t[i].class, class) == 0)
            return t[i].words;
    return "errors";
}
