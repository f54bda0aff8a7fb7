/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_header.h.  With stock's options alone every line is stock's.
 */
#include "report/text_header.h"

#define OLD                                                                                        \
    .validation = "Additional request validation enabled.\n\n",                                    \
    .timer = "Initializing random number generator from timer.\n\n"
#define IGNORED "Random number generator seed is 0 and will be ignored\n\n"
#define STOCK                                                                                      \
    .validation = "Validation checks: on.\n\n", .timer = "",                                       \
    .unseeded = "Initializing random number generator from current time\n\n",                      \
    .started = "Threads started!\n"

/* All but `started` end with an empty line. */
static const struct words {
    const char *validation;
    const char *timer;    /* the seed is taken from the clock, by request */
    const char *unseeded; /* there is no seed */
    const char *started;
    bool jitter; /* the rate is shown with it */
} words[FORM_MAX] = {
    [FORM_1_0] = {STOCK},
    [FORM_1_1] = {STOCK},
    [FORM_0_4] = {OLD, .unseeded = "", .started = "Threads started!", .jitter = true},
    [FORM_0_4_HEAD] = {OLD, .unseeded = IGNORED, .started = "Threads started!", .jitter = true},
    [FORM_0_4_ORACLE] = {OLD, .unseeded = IGNORED, .started = "Threads started!", .jitter = true},
    [FORM_0_5_2011] = {OLD, .unseeded = IGNORED, .started = "Threads started!\n"},
    [FORM_0_5] = {OLD, .unseeded = IGNORED, .started = "Threads started!\n"},
};

static void rate_lines(struct str *out, const struct text_header *h)
{
    static const char *const shape[] = {
        [ARRIVAL_EVEN] = "even", [ARRIVAL_POISSON] = "Poisson", [ARRIVAL_ALIGNED] = "aligned"};

    if (h->old_rate && words[h->form].jitter)
        str_printf(out, "Target transaction rate: %.0f/sec, with jitter %.0f usec\n", h->rate,
                   (double)h->jitter / 1e3);
    else if (h->stock_rate || h->old_rate)
        str_printf(out, "Target transaction rate: %.0f/sec\n", h->rate);
    else if (h->rate_spec)
        str_printf(out,
                   "Target transaction rate: %s, mean %.6g/sec, %s arrivals, jitter %.12g usec\n",
                   h->rate_spec, h->rate, shape[h->arrival], (double)h->jitter / 1e3);
    else if (h->rate > 0)
        str_printf(out, "Target transaction rate: %.12g/sec, %s arrivals, jitter %.12g usec\n",
                   h->rate, shape[h->arrival], (double)h->jitter / 1e3);
}

static void seed_lines(struct str *out, const struct text_header *h)
{
    if (h->from_timer)
        str_adds(out, words[h->form].timer);
    if (h->seed)
        str_printf(out, "Initializing random number generator from seed (%d).\n\n", (int)h->seed);
    else
        str_adds(out, words[h->form].unseeded);
}

static void report_lines(struct str *out, const struct text_header *h)
{
    if (h->report_interval)
        str_printf(out, "Report intermediate results every %.12g second(s)\n",
                   dur_sec(h->report_interval));
    for (size_t i = 0; i < h->checkpoints; i++)
        str_printf(out, "%s%lld%s", i ? ", " : "Report checkpoint(s) at ",
                   (long long)(h->checkpoint[i] / NS_PER_SEC),
                   i + 1 == h->checkpoints ? " seconds\n" : "");
}

void text_header(struct str *out, const struct text_header *h)
{
    str_adds(out, "Running the test with following options:\n");
    str_printf(out, "Number of threads: %d\n", h->threads);
    if (h->workers)
        str_printf(out, "Carried by %d worker%s\n", h->workers, h->workers > 1 ? "s" : "");
    if (h->think)
        str_printf(out, "Think time: %.12g ms%s\n", dur_ms(h->think),
                   h->think_exponential ? " on average, exponential" : "");
    if (h->warmup_steady_pct > 0)
        str_printf(out, "Warmup until steady (%.12g%%), at most %llds\n", h->warmup_steady_pct,
                   (long long)(h->warmup / NS_PER_SEC));
    else if (h->warmup)
        str_printf(out, "Warmup time: %llds\n", (long long)(h->warmup / NS_PER_SEC));
    rate_lines(out, h);
    report_lines(out, h);
    if (h->debug)
        str_adds(out, "Debug mode enabled.\n\n");
    if (h->validate)
        str_adds(out, words[h->form].validation);
    seed_lines(out, h);
    if (h->forced)
        str_printf(out, "Forcing shutdown in %lld seconds\n",
                   (long long)(h->forced_after / NS_PER_SEC));
    str_adds(out, "\n");
}

const char *text_header_started(const struct text_header *h)
{
    return words[h->form].started;
}
