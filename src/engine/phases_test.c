/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Phases against the interval reports of the same run, on a held clock: each is the sum of the
 * intervals between two with marks.
 */
#include "engine/run_test.h"

#include "base/log.h"
#include "stats/marks.h"

#define MOST 200

struct timeline {
    struct load l;
    struct marks *marks;
    size_t n; /* interval reports; the final one follows */
    struct snapshot s[MOST];
    /* as the reports say: phase i is s[begins[i]] to s[ends[i] - 1] */
    size_t begins[MOST], ends[MOST], nphases;
    const char *at; /* marks come after these intervals: "..m.mm" */
};

/* Of the mark that comes within interval i: 'm', or 'e' at its very end. */
static char mark_in(const struct timeline *t, size_t i)
{
    return i > 0 && i <= strlen(t->at) ? t->at[i - 1] : '.';
}

/* A mark from before the start is in the first report, and not among the run's.  One at the very
 * end of an interval is in its report, and counts as one of the next. */
static bool is_marked(const struct timeline *t, size_t i)
{
    return (t->s[i].nmarks > (i == 0) && mark_in(t, i) != 'e') ||
           (i > 0 && mark_in(t, i - 1) == 'e');
}

static void add(struct timeline *t, size_t begin, size_t end)
{
    if (end > begin) {
        t->begins[t->nphases] = begin;
        t->ends[t->nphases++] = end;
    }
}

/* The time after the last interval report is in no phase. */
static void model(struct timeline *t)
{
    size_t begin = 0;

    for (size_t i = 0; i <= t->n; i++) {
        if (is_marked(t, i)) {
            add(t, begin, i);
            begin = i + 1;
        }
    }
    if (begin > 0)
        add(t, begin, t->n);
}

static void check_phase(const struct timeline *t, const struct snapshot_phase *p, size_t begin,
                        size_t end)
{
    uint64_t events = 0, samples = 0;

    for (size_t i = begin; i < end; i++) {
        events += t->s[i].events;
        samples += t->s[i].latency.n;
    }
    CHECK_INT(p->s->kind, SNAPSHOT_PHASE);
    CHECK_INT(p->s->events, events);
    CHECK_INT(p->s->latency.n, samples);
    CHECK(samples == 0 || (p->s->latency.p50 > 0 && p->s->latency.p50 <= p->s->latency.max));
    CHECK_INT(p->s->elapsed_ns, t->s[end - 1].elapsed_ns);
    CHECK_INT(p->s->elapsed_ns - p->s->interval_ns, begin ? t->s[begin - 1].elapsed_ns : 0);
    CHECK_INT(p->s->total[CNT_DONE], t->s[end - 1].total[CNT_DONE]);
    CHECK_INT(p->s->rate.oldest_ns, p->s->has_rate ? -1 : 0);
    CHECK(p->s->nmarks == 0 && !p->s->stock_hist && !p->s->hists.response);
    if (begin == 0) {
        CHECK_INT(p->nmarks, 0);
    } else {
        CHECK_INT(p->marks + p->nmarks - marks_at(t->marks, 0),
                  t->s[begin - 1].marks + t->s[begin - 1].nmarks - marks_at(t->marks, 0));
        CHECK(p->nmarks >= t->s[begin - 1].nmarks &&
              p->marks->at > t->s[begin - 1].at - t->s[begin - 1].elapsed_ns);
    }
}

static void note(struct load *l, const struct snapshot *s)
{
    struct timeline *t = (struct timeline *)l;
    struct snapshot *v = &t->s[t->n];

    if (s->kind == SNAPSHOT_INTERVAL && t->n < MOST - 1) {
        *v = *s;
        t->n++;
        if (mark_in(t, t->n) != '.') /* it comes within the next interval */
            marks_add(t->marks, MARK_SCRIPT,
                      test_now() + (mark_in(t, t->n) == 'm' ? 1 : NS_PER_SEC / 10 - MS / 2),
                      "change", 6);
    } else if (s->kind == SNAPSHOT_FINAL) {
        *v = *s;
        model(t);
        CHECK_INT(s->nphases, t->nphases);
        for (size_t i = 0; i < s->nphases && i < t->nphases; i++)
            check_phase(t, &s->phases[i], t->begins[i], t->ends[i]);
    }
}

static void before(struct load *l)
{
    struct timeline *t = (struct timeline *)l;

    marks_add(t->marks, MARK_SCRIPT, test_now(), "connected", 9);
}

static void with_marks(const char *at, double rate, struct plan p)
{
    struct timeline *t = calloc(1, sizeof *t);

    t->l = fresh();
    t->l.service = NS_PER_MS;
    t->l.started = before;
    t->l.watched = note;
    t->at = at;
    t->l.marks = t->marks = marks_new();
    p.rate = rate;
    p.keep_histograms = true;
    CHECK_INT(run(&t->l, &p), 0);
    marks_free(t->marks);
    free(t);
}

TEST_MAIN(phases_test)
{
    struct plan none, warm, odd;

    log_set_verbosity(-1);
    held = held_clock_new();
    none = warm = odd = base_plan(2, 0);
    none.report_interval = 0;
    warm.warmup = NS_PER_SEC / 5;
    odd.time_limit = NS_PER_SEC * 35 / 100;
    with_marks("", 0, base_plan(2, 0)); /* the mark before the start is none of the run's */
    with_marks(".m", 0, base_plan(2, 0));
    with_marks("m..mm..m", 500, base_plan(2, 0));
    with_marks(".e", 0, base_plan(2, 0));
    with_marks("e..em..e", 500, base_plan(2, 0));
    with_marks("........e", 500, base_plan(2, 0));
    with_marks("mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm", 0, base_plan(2, 0));
    with_marks("..m", 0, warm);
    /* in the last interval: none follows */
    with_marks("m.......m", 500, base_plan(2, 0));
    with_marks("m........m", 500, base_plan(2, 0));
    with_marks("m", 500, odd); /* half an interval at the end */
    with_marks("..m", 500, odd);
    with_marks("m", 0, none);
    held_clock_free(held);
    return test_done("phases");
}
