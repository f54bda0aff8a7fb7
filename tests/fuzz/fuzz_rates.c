/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A rate that changes: the text of --tx-rate, or the file behind @PATH when the first byte is '@';
 * then the second byte chooses how the trace is played.  What was understood has to be a schedule:
 * starts do not go back, and at each start one more is due than just before it.
 */
#include <math.h>

#include "fuzz.h"
#include "pace/rates.h"

#define LOOKS 40 /* starts that are looked at, each further on than the one before */

static void check_start(const struct rates *r, uint64_t k, dur_ns *before)
{
    dur_ns at = rates_start(r, k);

    FUZZ_CHECK(at >= *before && at <= RATES_FAR);
    *before = at;
    if (at == RATES_FAR)
        return;
    FUZZ_CHECK(at <= rates_end(r)); /* the first whole ns may be the end; no run gets there */
    if (at == rates_end(r))
        return;
    FUZZ_CHECK(rates_due(r, at) >= k + 1);
    FUZZ_CHECK(rates_due(r, at - 1) <= k);
    FUZZ_CHECK(rates_at(r, at) <= rates_most(r) * (1 + 1e-9));
}

static void check_stages(const struct rates *r)
{
    dur_ns from = 0;

    FUZZ_CHECK(rates_stages(r) > 0);
    for (size_t i = 0; i < rates_stages(r); i++) {
        const struct rate_stage *s = rates_stage(r, i);
        FUZZ_CHECK(s->from == from && s->until > from);
        FUZZ_CHECK(rates_due(r, s->from) >= rates_due(r, s->from - 1));
        from = s->until;
    }
    FUZZ_CHECK(from == rates_end(r));
}

static void check(const struct rates *r)
{
    double mean = rates_mean(r, MONO_NEVER);
    dur_ns before = 0;

    check_stages(r);
    FUZZ_CHECK(isfinite(mean) && mean >= 0 && mean <= rates_round(rates_most(r)) * (1 + 1e-9));
    for (uint64_t i = 0, k = 0; i < LOOKS; i++, k += 1 + k / 2)
        check_start(r, k, &before);
}

static void one(const uint8_t *data, size_t size)
{
    static const struct rates_play plays[] = {{1, 1}, {2.5, 1}, {1, 10}, {1e-6, 1e6}, {1e6, 1e-6}};
    const struct rates_play *play = &plays[size > 1 ? data[1] % (sizeof plays / sizeof *plays) : 0];
    bool trace = size > 1 && data[0] == '@';
    char path[FUZZ_PATH + 1] = "@";
    char *text = fuzz_text(data, size);
    int fd = trace ? fuzz_file(data + 2, size - 2, path + 1) : -1;
    struct err e = {0};
    struct rates *r = NULL;

    if (trace || *text != '@') /* a file of the machine is no part of the input */
        r = rates_parse(trace ? path : text, play, &e);
    FUZZ_CHECK(r || *e.msg || size == 1);
    if (r)
        check(r);
    rates_free(r);
    free(text);
    if (trace)
        fuzz_file_close(fd);
}

const struct fuzz_target fuzz_rates = {"rates", one};
