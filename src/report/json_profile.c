/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The results of --server-profile as a JSON object: the text report's block, figure by figure.  A
 * missing figure is null, with its reason in "missing".
 */
#include "report/json.h"
#include "report/json_doc.h"

struct object {
    struct str *out, missing;
    bool first, first_missing;
};

static void absent(struct object *o, const char *name, const char *why)
{
    json_name(o->out, &o->first, name);
    str_adds(o->out, "null");
    json_name(&o->missing, &o->first_missing, name);
    json_string(&o->missing, why);
}

/* `why` NULL: there is one. */
static void number(struct object *o, const char *name, const char *why, double v)
{
    if (why) {
        absent(o, name, why);
        return;
    }
    json_name(o->out, &o->first, name);
    json_number(o->out, v);
}

static void count(struct object *o, const char *name, const char *why, uint64_t v)
{
    if (why) {
        absent(o, name, why);
        return;
    }
    json_name(o->out, &o->first, name);
    str_printf(o->out, "%llu", (unsigned long long)v);
}

static void list(struct object *o, const char *name, const char *const *text, size_t n)
{
    json_name(o->out, &o->first, name);
    for (size_t i = 0; i < n; i++) {
        str_adds(o->out, i ? "," : "[");
        json_string(o->out, text[i]);
    }
    str_adds(o->out, n ? "]" : "[]");
}

static void kinds_requested(struct object *o, const struct report_profile *p)
{
    static const char *const kind[] = {"cpu", "offcpu"};

    list(o, "kinds", kind + !p->cpu, (size_t)p->cpu + p->off_cpu);
    count(o, "frequency_hz", NULL, (uint64_t)p->hz);
    number(o, "window_start_s", NULL, dur_sec(p->start));
    number(o, "window_length_s", p->length > 0 ? NULL : "to the end of the run",
           dur_sec(p->length));
}

static void on_cpu(struct object *o, const struct report_profile *p)
{
    const char *why = p->why ? p->why : p->cpu ? NULL : "cpu was not asked for";

    count(o, "samples", why, p->samples);
    number(o, "sampled_cpu_s", why, p->hz ? (double)p->samples / p->hz : 0);
    count(o, "stacks", why, p->stacks);
}

static void off_cpu(struct object *o, const struct report_profile *p)
{
    const char *why = p->why ? p->why : p->off_cpu ? NULL : "offcpu was not asked for";

    number(o, "off_cpu_s", why, dur_sec(p->off_cpu_time));
    count(o, "off_cpu_threads", why, p->threads);
    count(o, "off_cpu_stacks", why, p->off_cpu_stacks);
    count(o, "switches", why, p->switches);
    count(o, "involuntary_switches", why, p->involuntary);
    count(o, "switches_with_stack", why, p->sampled);
}

static void quality(struct object *o, const struct report_profile *p)
{
    count(o, "unwound_by_frame_information", p->why ? p->why : p->no_cfi, p->by_cfi);
    count(o, "unwound_by_frame_pointers", p->why, p->by_pointers);
    count(o, "unwound_in_part", p->why, p->partial);
    count(o, "degraded_stacks", p->why, p->degraded);
    count(o, "lost_records", p->why, p->lost);
    count(o, "left_out_frames", p->why, p->truncated);
}

void json_doc_profile(struct str *out, const struct report_profile *p)
{
    struct object o = {.out = out, .missing = STR_INIT, .first = true, .first_missing = true};

    if (!p || !p->ended) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "{");
    kinds_requested(&o, p);
    if (p->why) {
        absent(&o, "name", p->why);
    } else {
        json_name(out, &o.first, "name");
        json_string(out, p->name);
    }
    number(&o, "watched_s", p->why, dur_sec(p->watched));
    on_cpu(&o, p);
    off_cpu(&o, p);
    quality(&o, p);
    number(&o, "profiler_cpu_s", p->why, dur_sec(p->cost));
    number(&o, "profiler_cpu_pct_of_one", p->why,
           p->watched > 0 ? 100 * dur_sec(p->cost) / dur_sec(p->watched) : 0);
    list(&o, "files", p->file, p->files);
    json_name(out, &o.first, "files_complete");
    str_adds(out, p->files_incomplete ? "false" : "true");
    json_name(out, &o.first, "missing");
    str_printf(out, "{%s}}", str_cstr(&o.missing));
    str_free(&o.missing);
}
