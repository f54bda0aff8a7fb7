/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The line of a step and the block of a search: which ends it can have, and what is known of the
 * answer then.
 */
#include "report/text_blocks.h"

#include <math.h>

#include "base/test_golden.h"
#include "report/json.h"
#include "report/test_fixture.h"

static struct find_record *r;
static struct str out;

/* Its steps, block, sentence and json. */
static void search(const char *title)
{
    const struct snapshot s = {.find = r};

    for (size_t i = 0; i < r->nsteps; i++) {
        text_find_step(&out, r, i, false);
        text_find_step(&out, r, i, true);
    }
    text_find(&out, r);
    text_find_answer(&out, r);
    str_adds(&out, "\n");
    json_object(&out, find_figures, &s, r);
    golden(&out, "%s", title);
}

static void begin(void)
{
    r = &fixture(SNAPSHOT_FINAL, 1)->find;
}

static void ends(void)
{
    begin();
    search("found");
    r->step[1].done--; /* more than the share may leave one */
    r->end = FIND_STOPPED;
    r->stopped = "by the time limit";
    r->confirmed = 0;
    r->held = 100;
    search("stopped, by a brief step");
    r->stopped = NULL;
    r->confirmed = 1;
    search("stopped by something");
    r->end = FIND_STUCK;
    search("stuck");
    r->end = FIND_UNJUDGED;
    strcpy(r->unjudged, "three rates changed nothing");
    r->held = 0;
    search("not judged");
    r->end = FIND_NONE;
    search("none");
}

/* Half of the rate takes twice as long, later or before. */
static void unsteady(void)
{
    begin();
    r->step[2].rate = 700;
    r->step[2].value[0] = 40e6;
    r->step[1].from = 3 * NS_PER_SEC;
    r->step[2].from = 40 * NS_PER_SEC;
    search("slower");
    r->step[1].from = 50 * NS_PER_SEC;
    search("faster");
    r->step[2].value[0] = 30e6;
    search("steady");
}

/* The line of the first rate that did not hold, where none is known. */
static void none_known(void)
{
    begin();
    r->end = FIND_STEPS;
    r->not_held = 0;
    r->failed = NULL;
    r->held = 1450;
    search("no higher rate was tried");
    r->held = 1414;
    search("a higher one failed once");
    r->step[2].holds = true;
    search("a higher one held");
    r->step[0].rate = 1450;
    r->step[2].holds = false;
    search("a higher one held once, briefly");
    r->step[0].brief = false; /* a rate above the answer that held and did not is told */
    search("disputed");
    r->nsteps = 0;
    r->held = 0;
    search("none was tried");
}

/* A CPU that could not be read: no verdict on the rate, and no limit. */
static void unmeasured(void)
{
    begin();
    r->step[0].holds = false;
    r->step[0].unmeasured = true;
    strcpy(r->step[0].why, "server CPU n/a: it has ended");
    r->nsteps = 1;
    r->end = FIND_UNMEASURED;
    r->held = r->not_held = r->confirmed = 0;
    r->failed = NULL;
    search("not measured");
}

static void values(void)
{
    static const struct {
        struct find_bound b;
        double v;
    } t[] = {{{FIND_TIME, FIND_LAG, 99.9, true, 0}, 123456},
             {{FIND_TIME, FIND_SERVICE, FIND_MEAN, true, 0}, 1.5e9},
             {{FIND_TIME, FIND_RESPONSE, FIND_MAX, true, 0}, NAN},
             {{FIND_ERRORS_PCT, 0, 0, true, 0}, 0.123},
             {{FIND_ERRORS_RATE, 0, 0, true, 0}, 12.34},
             {{FIND_CLIENT_CPU, 0, 0, true, 0}, 45.67}};
    static const double rate[] = {0.625, 999.5, 1234567};
    char buf[TEXT_FIND_SIZE];

    begin();
    r->objective.n = COUNT(t);
    for (size_t i = 0; i < COUNT(t); i++) {
        str_printf(&out, "%s\n", text_find_value(buf, &t[i].b, t[i].v));
        r->objective.bound[i] = t[i].b;
        r->step[0].value[i] = t[i].v;
    }
    for (size_t i = 0; i < COUNT(rate); i++)
        str_printf(&out, "%s\n", text_find_rate(buf, rate[i]));
    for (int i = 0; i <= FIND_LIMIT_CPU_WAIT; i++)
        str_printf(&out, "limit: %s\n", text_find_limit((enum find_limit)i));
    golden(&out, "values");
    search("an objective of everything");
}

TEST_MAIN(text_find_test)
{
    ends();
    unsteady();
    none_known();
    unmeasured();
    values();
    str_free(&out);
    golden_done("text_find");
    return test_done("text_find");
}
