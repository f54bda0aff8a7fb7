/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines before a run, byte by byte: with stock's options alone, what each other option adds,
 * and the words of the old generations.
 */
#include "report/text_header.h"

#include "base/test.h"

#define FIRST   "Running the test with following options:\n"
#define IGNORED "Random number generator seed is 0 and will be ignored\n\n"
#define TIMER   "Initializing random number generator from timer.\n\n"
#define CLOCK   "Initializing random number generator from current time\n\n"

static const dur_ns checkpoint[] = {NS_PER_SEC, 10 * NS_PER_SEC, 3600 * NS_PER_SEC};

static const struct {
    struct text_header h;
    const char *want;
} t[] = {
    {{.threads = 1}, FIRST "Number of threads: 1\n" CLOCK "\n"},
    {{.threads = 8, .workers = 1}, FIRST "Number of threads: 8\nCarried by 1 worker\n" CLOCK "\n"},
    {{.threads = 8, .workers = 2}, FIRST "Number of threads: 8\nCarried by 2 workers\n" CLOCK "\n"},
    {{.threads = 1, .think = 20500000},
     FIRST "Number of threads: 1\nThink time: 20.5 ms\n" CLOCK "\n"},
    {{.threads = 1, .think = 1000000, .think_exponential = true},
     FIRST "Number of threads: 1\nThink time: 1 ms on average, exponential\n" CLOCK "\n"},
    {{.threads = 1, .warmup = 3 * NS_PER_SEC},
     FIRST "Number of threads: 1\nWarmup time: 3s\n" CLOCK "\n"},
    {{.threads = 1, .rate = 99.6, .stock_rate = true},
     FIRST "Number of threads: 1\nTarget transaction rate: 100/sec\n" CLOCK "\n"},
    {{.threads = 1, .rate = 99.6, .arrival = ARRIVAL_EVEN, .jitter = 1500},
     FIRST "Number of threads: 1\nTarget transaction rate: 99.6/sec, even arrivals, jitter 1.5 "
           "usec\n" CLOCK "\n"},
    {{.threads = 1, .rate = 1e6, .arrival = ARRIVAL_POISSON},
     FIRST "Number of threads: 1\nTarget transaction rate: 1000000/sec, Poisson arrivals, jitter 0 "
           "usec\n" CLOCK "\n"},
    {{.threads = 1, .rate = 5, .arrival = ARRIVAL_ALIGNED},
     FIRST "Number of threads: 1\nTarget transaction rate: 5/sec, aligned arrivals, jitter 0 "
           "usec\n" CLOCK "\n"},
    {{.form = FORM_0_4, .threads = 4}, FIRST "Number of threads: 4\n\n"},
    {{.form = FORM_0_4, .threads = 4, .from_timer = true},
     FIRST "Number of threads: 4\n" TIMER "\n"},
    {{.form = FORM_0_4, .threads = 4, .rate = 20, .old_rate = true},
     FIRST "Number of threads: 4\nTarget transaction rate: 20/sec, with jitter 0 usec\n\n"},
    {{.form = FORM_0_4_HEAD, .threads = 4, .rate = 20, .old_rate = true, .jitter = 400000000},
     FIRST
     "Number of threads: 4\nTarget transaction rate: 20/sec, with jitter 400000 usec\n" IGNORED
     "\n"},
    {{.form = FORM_0_4_ORACLE, .threads = 4, .rate = 20},
     FIRST
     "Number of threads: 4\nTarget transaction rate: 20/sec, even arrivals, jitter 0 usec\n" IGNORED
     "\n"},
    {{.form = FORM_0_5_2011, .threads = 4, .rate = 20, .stock_rate = true, .from_timer = true},
     FIRST "Number of threads: 4\nTarget transaction rate: 20/sec\n" TIMER IGNORED "\n"},
    {{.form = FORM_0_5, .threads = 4, .rate = 20, .old_rate = true, .seed = 3},
     FIRST "Number of threads: 4\nTarget transaction rate: 20/sec\n"
           "Initializing random number generator from seed (3).\n\n\n"},
    {{.form = FORM_0_5,
      .threads = 4,
      .report_interval = 10 * NS_PER_SEC,
      .checkpoint = checkpoint,
      .checkpoints = 2,
      .debug = true,
      .validate = true},
     FIRST "Number of threads: 4\nReport intermediate results every 10 second(s)\n"
           "Report checkpoint(s) at 1, 10 seconds\nDebug mode enabled.\n\n"
           "Additional request validation enabled.\n\n" IGNORED "\n"},
    {{.threads = 1, .report_interval = NS_PER_SEC / 2},
     FIRST "Number of threads: 1\nReport intermediate results every 0.5 second(s)\n" CLOCK "\n"},
    {{.threads = 1, .checkpoint = checkpoint, .checkpoints = 1},
     FIRST "Number of threads: 1\nReport checkpoint(s) at 1 seconds\n" CLOCK "\n"},
    {{.threads = 1, .checkpoint = checkpoint, .checkpoints = 3},
     FIRST "Number of threads: 1\nReport checkpoint(s) at 1, 10, 3600 seconds\n" CLOCK "\n"},
    {{.threads = 1, .debug = true, .validate = true, .seed = 42},
     FIRST "Number of threads: 1\nDebug mode enabled.\n\nValidation checks: on.\n\n"
           "Initializing random number generator from seed (42).\n\n\n"},
    {{.threads = 1, .forced = true, .forced_after = 15 * NS_PER_SEC},
     FIRST "Number of threads: 1\n" CLOCK "Forcing shutdown in 15 seconds\n\n"},
};

static void started(void)
{
    for (int f = 0; f < FORM_MAX; f++) {
        struct text_header h = {.form = (enum report_form)f};
        bool old_0_4 = f == FORM_0_4 || f == FORM_0_4_HEAD || f == FORM_0_4_ORACLE;
        CHECK_STR(text_header_started(&h), old_0_4 ? "Threads started!" : "Threads started!\n");
    }
}

TEST_MAIN(text_header_test)
{
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct str s = STR_INIT;
        text_header(&s, &t[i].h);
        CHECK_STR(str_cstr(&s), t[i].want);
        str_free(&s);
    }
    started();
    return test_done("text_header");
}
