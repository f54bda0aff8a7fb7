/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The line of a step, the block of the report, the JSON and the table of a search.
 */
#include "report/text_blocks.h"

#include "base/test.h"
#include "report/json.h"

static struct find_record r = {.objective = {.bound = {{FIND_TIME, FIND_RESPONSE, 99, true, 20e6}},
                                             .n = 1,
                                             .text = "p99<20ms"},
                               .step = {{.rate = 100,
                                         .brief = true,
                                         .from = NS_PER_SEC,
                                         .length = 2 * NS_PER_SEC,
                                         .offered = 200,
                                         .done = 200,
                                         .value = {18.3e6},
                                         .lag_p99 = 0.2e6,
                                         .server_busy_pct = 12.5,
                                         .client_busy_pct = NAN,
                                         .holds = true},
                                        {.rate = 1414,
                                         .from = 4 * NS_PER_SEC,
                                         .length = 10 * NS_PER_SEC,
                                         .offered = 14140,
                                         .done = 14140,
                                         .value = {18.3e6},
                                         .lag_p99 = 0.2e6,
                                         .server_busy_pct = 80,
                                         .client_busy_pct = 10,
                                         .holds = true},
                                        {.rate = 1450,
                                         .from = 15 * NS_PER_SEC,
                                         .length = 10 * NS_PER_SEC,
                                         .offered = 14500,
                                         .done = 14355,
                                         .waiting = 100,
                                         .value = {31.2e6},
                                         .lag_p99 = NAN,
                                         .server_busy_pct = 98.7,
                                         .client_busy_pct = 10,
                                         .why = "p99 31.2 ms, not < 20.0 ms",
                                         .limit = FIND_LIMIT_SERVER_CPU,
                                         .cause = "the server used 99% of its 2 CPUs; give it "
                                                  "more CPUs"}},
                               .nsteps = 3,
                               .end = FIND_FOUND,
                               .held = 1414,
                               .confirmed = 2,
                               .not_held = 1450,
                               .failed = &r.step[2]};
static const struct snapshot search = {.find = &r};

static void line(size_t step, bool aligned, const char *want)
{
    struct str out = STR_INIT;

    text_find_step(&out, &r, step, aligned);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

static void steps(void)
{
    line(0, false,
         "step 1: 100/s for 2 s (brief): p99 18.3 ms, lag p99 0.200 ms, done 100.0 %: holds\n");
    line(1, false,
         "step 2: 1,414/s for 10 s: p99 18.3 ms, lag p99 0.200 ms, done 100.0 %: holds\n");
    line(1, true,
         "step   2:    1,414/s for   10 s: p99 18.3 ms, lag p99 0.200 ms, done 100.0 %: holds\n");
    r.step[1].done--; /* more than the share may leave one */
    line(1, false,
         "step 2: 1,414/s for 10 s: p99 18.3 ms, lag p99 0.200 ms, done 100.0 % (all but 1): "
         "holds\n");
    r.step[1].done++;
    line(2, false,
         "step 3: 1,450/s for 10 s: p99 31.2 ms, lag p99 n/a, done 99.0 %: does not hold "
         "(p99 31.2 ms, not < 20.0 ms; limit: server CPU)\n");
}

static void block(const char *want)
{
    struct str out = STR_INIT;

    text_find(&out, &r);
    CHECK_STR(str_cstr(&out), want);
    str_free(&out);
}

static void answers(void)
{
    struct str out = STR_INIT;

    block("Highest rate:\n"
          "    objective:                           p99<20ms\n"
          "    steps:                               3 (1 of them brief)\n"
          "    highest rate that held:              1,414 tps (confirmed 2 times)\n"
          "    lowest rate that failed:             1,450 tps (p99 31.2 ms, not < 20.0 ms)\n"
          "    limit:                               server CPU: the server used 99% of its\n"
          "                                         2 CPUs; give it more CPUs\n"
          "\n");
    text_find_answer(&out, &r);
    CHECK_STR(str_cstr(&out), "highest rate that held: 1,414 tps (confirmed 2 times), lowest "
                              "rate that failed: 1,450 tps (p99 31.2 ms, not < 20.0 ms)");
    str_free(&out);
}

static void early(void)
{
    r.end = FIND_STOPPED;
    r.stopped = "by the time limit";
    r.confirmed = 0;
    r.held = 100;
    block("Highest rate:\n"
          "    objective:                           p99<20ms\n"
          "    steps:                               3 (1 of them brief)\n"
          "    highest rate that held:              100 tps (by a brief step only)\n"
          "    lowest rate that failed:             1,450 tps (p99 31.2 ms, not < 20.0 ms)\n"
          "    limit:                               server CPU: the server used 99% of its\n"
          "                                         2 CPUs; give it more CPUs\n"
          "    ended early:                         by the time limit; the answer is what\n"
          "                                         was known\n"
          "\n");
}

/* Half of the rate takes twice as long, later or before. */
static void unsteady(void)
{
    struct str out = STR_INIT;
    struct find_record v = r;

    v.step[2].rate = 700;
    v.step[2].value[0] = 40e6;
    v.step[1].from = 3 * NS_PER_SEC;
    v.step[2].from = 40 * NS_PER_SEC;
    text_find(&out, &v);
    CHECK(strstr(str_cstr(&out),
                 "    not steady:                          p99 18.3 ms at 1,414 tps from second\n"
                 "                                         3.0 on, 40.0 ms at 700 tps from second\n"
                 "                                         40.0 on: it became slower meanwhile\n"));
    v.step[1].from = 50 * NS_PER_SEC;
    str_reset(&out);
    text_find(&out, &v);
    CHECK(strstr(str_cstr(&out), "became faster"));
    v.step[2].value[0] = 30e6;
    str_reset(&out);
    text_find(&out, &v);
    CHECK(!strstr(str_cstr(&out), "not steady"));
    str_free(&out);
}

/* The line of the first rate that did not hold, where none is known. */
static void unknown(double held, const char *want)
{
    struct str out = STR_INIT;

    r.held = held;
    text_find(&out, &r);
    CHECK(strstr(str_cstr(&out), want) != NULL);
    str_free(&out);
}

static void none_known(void)
{
    struct str out = STR_INIT;

    r.end = FIND_STEPS;
    r.not_held = 0;
    r.failed = NULL;
    r.confirmed = 2;
    unknown(1450, "that failed:             n/a (no higher rate was tried)\n");
    unknown(1414, "that failed:             n/a (1,450 tps held in 0 of 1 steps)\n");
    r.step[2].holds = true;
    unknown(1414, "that failed:             n/a (every higher rate that was tried\n");
    r.step[0].rate = 1450;
    r.step[2].holds = false;
    unknown(1414, "that failed:             n/a (1,450 tps held in 1 of 2 steps)\n");
    r.step[0].brief = false; /* a rate above the answer that held and did not is told */
    unknown(1414, "    disputed:                            1,450 tps (held in 1 of 2 steps)\n");
    r.nsteps = 0;
    unknown(0, "that failed:             n/a (none was tried)\n");
    r.held = 100;
    r.confirmed = 0;
    text_find_answer(&out, &r);
    CHECK_STR(str_cstr(&out), "highest rate that held: 100 tps (by a brief step only)");
    str_free(&out);
}

/* The verdict of a search is its answer: no rate was to be sustained. */
static void verdict(void)
{
    struct report_end end = {.measured = true,
                             .has_rate = true,
                             .searched = true,
                             .sustained = true,
                             .offered = 5,
                             .why = "highest rate that held: 1 tps"};
    struct str out = STR_INIT;

    json_doc_verdict(&out, &end);
    CHECK(strstr(str_cstr(&out), "\"sustained\":null,"));
    str_free(&out);
}

/* A CPU that could not be read: no verdict on the rate, and no limit. */
static void unmeasured(void)
{
    struct find_step *s = &r.step[0];
    struct str out = STR_INIT;

    *s = (struct find_step){.rate = 100,
                            .brief = true,
                            .length = 2 * NS_PER_SEC,
                            .offered = 200,
                            .done = 200,
                            .value = {18.3e6},
                            .lag_p99 = 0.2e6,
                            .server_busy_pct = NAN,
                            .client_busy_pct = NAN,
                            .unmeasured = true,
                            .why = "server CPU n/a: it has ended"};
    r.nsteps = 1;
    r.end = FIND_UNMEASURED;
    r.held = r.confirmed = 0;
    line(0, false,
         "step 1: 100/s for 2 s (brief): p99 18.3 ms, lag p99 0.200 ms, done 100.0 %: "
         "not judged (server CPU n/a: it has ended)\n");
    block("Highest rate:\n"
          "    objective:                           p99<20ms\n"
          "    steps:                               1 (1 of them brief)\n"
          "    highest rate that held:              none\n"
          "    lowest rate that failed:             n/a (none was judged)\n"
          "    ended early:                         server CPU n/a: it has ended\n"
          "\n");
    text_find_answer(&out, &r);
    CHECK_STR(str_cstr(&out), "no rate was judged: server CPU n/a: it has ended");
    str_free(&out);
    json_members(&out, step_figures, &search, &r.step[0]);
    CHECK(strstr(str_cstr(&out), "\"holds\":null,\"why\":\"server CPU n/a: it has ended\","
                                 "\"limit\":null") != NULL);
    str_free(&out);
    json_object(&out, find_figures, &search, &r);
    CHECK(strstr(str_cstr(&out), "\"result\":\"unmeasured\",\"held_per_s\":null") != NULL);
    str_free(&out);
}

static void limits(void)
{
    static const char *const want[] = {
        "", "latency", "server CPU", "client CPU", "no idle client", "errors", "waiting for a CPU"};

    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK_STR(text_find_limit((enum find_limit)i), want[i]);
}

static void values(void)
{
    static const struct {
        struct find_bound b;
        double v;
        const char *want;
    } t[] = {{{FIND_TIME, FIND_LAG, 99.9, true, 0}, 123456, "lag p99.9 0.123 ms"},
             {{FIND_TIME, FIND_SERVICE, FIND_MEAN, true, 0}, 1.5e9, "service avg 1500 ms"},
             {{FIND_TIME, FIND_RESPONSE, FIND_MAX, true, 0}, NAN, "max n/a"},
             {{FIND_ERRORS_PCT, 0, 0, true, 0}, 0.123, "errors 0.123 %"},
             {{FIND_ERRORS_RATE, 0, 0, true, 0}, 12.34, "errors 12.3/s"},
             {{FIND_CLIENT_CPU, 0, 0, true, 0}, 45.67, "client CPU 45.7 %"}};
    char buf[TEXT_FIND_SIZE];

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        CHECK_STR(text_find_value(buf, &t[i].b, t[i].v), t[i].want);
    CHECK_STR(text_find_rate(buf, 0.625), "0.625/s");
    CHECK_STR(text_find_rate(buf, 999.5), "999.5/s");
    CHECK_STR(text_find_rate(buf, 1234567), "1,234,567/s");
}

static void json(void)
{
    struct str out = STR_INIT;

    json_members(&out, step_figures, &search, &r.step[2]);
    CHECK_STR(str_cstr(&out),
              "\"step\":3,\"rate_per_s\":1450,\"brief\":false,\"begin_s\":15,\"seconds\":10,"
              "\"offered\":14500,\"done\":14355,\"failed\":0,\"dropped\":0,\"errors\":0,"
              "\"waiting\":100,\"lag_p99_s\":null,\"server_busy_pct\":98.7,"
              "\"client_busy_pct\":10,\"figures\":[{\"name\":\"p99\",\"unit\":\"s\","
              "\"value\":0.0312,\"limit\":0.02}],\"holds\":false,"
              "\"why\":\"p99 31.2 ms, not < 20.0 ms\",\"limit\":\"server CPU\"");
    str_free(&out);
    json_object(&out, find_figures, &search, &r);
    CHECK(strstr(str_cstr(&out),
                 "{\"objective\":\"p99<20ms\",\"result\":\"found\",\"held_per_s\":1414,"
                 "\"confirmed\":2,\"not_held_per_s\":1450,"
                 "\"why\":\"p99 31.2 ms, not < 20.0 ms\",\"limit\":\"server CPU\",\"steps\":[") ==
          str_cstr(&out));
    str_free(&out);
}

TEST_MAIN(text_find_test)
{
    steps();
    values();
    limits();
    json();
    answers();
    unsteady();
    early();
    none_known();
    verdict();
    unmeasured();
    return test_done("text_find");
}
