/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Even arrivals are divided, not added up: a rate is m*2^e with a whole m < 2^53, so k*1e9/R and
 * its inverse are quotients of integers of less than 128 bits, and rounding up makes the two agree
 * on every ns. Poisson sums keep whole ns and the fraction apart: the error per gap is the gap's
 * own 53rd bit, whether the run has lasted a second or a day.
 */
#include "pace/arrivals.h"

#include <assert.h>
#include <math.h>

typedef unsigned __int128 u128;

enum {
    MANTISSA_BITS = 53,
    /* purposes of the two random streams; see rng_seed_pair */
    PURPOSE_GAPS = 0x67617073,
    PURPOSE_JITTER = 0x6a697474,
};

/* rate = *m * 2^(return value), *m a whole number of at most 53 bits. */
static int split_rate(double rate, uint64_t *m)
{
    int e;

    assert(rate > 0 && isfinite(rate));
    *m = (uint64_t)ldexp(frexp(rate, &e), MANTISSA_BITS);
    return e - MANTISSA_BITS;
}

static int bits(u128 x)
{
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;

    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

dur_ns arrivals_even(double rate, uint64_t k)
{
    uint64_t m;
    int e = split_rate(rate, &m);
    u128 num = (u128)k * (u128)NS_PER_SEC, den = m;

    if (k == 0)
        return 0;
    if (e > 0)
        den = e > 63 ? (u128)1 << 116 : den << e; /* both exceed k*1e9 < 2^94 */
    else if (bits(num) - e > 127)
        return ARRIVALS_FAR; /* >= 2^127 over less than 2^53 */
    else
        num <<= -e;
    num = num / den + (num % den != 0);
    return num > ARRIVALS_FAR ? ARRIVALS_FAR : (dur_ns)num;
}

uint64_t arrivals_due_even(double rate, dur_ns t)
{
    uint64_t m;
    int e = split_rate(rate, &m);
    u128 n = (u128)m * (u128)(t < 0 ? 0 : t);

    if (t <= 0)
        return t == 0; /* k = 0 is due at once */
    if (e <= 0)
        n = -e > 127 ? 0 : n >> -e; /* floor(floor(x/a)/b) = floor(x/(a*b)) */
    else if (bits(n) + e > 127)
        return UINT64_MAX;
    else
        n <<= e;
    n /= (u128)NS_PER_SEC;
    return n >= UINT64_MAX ? UINT64_MAX : (uint64_t)n + 1;
}

/* Aligned: the period of one client. */
static dur_ns period(const struct arrivals_spec *spec)
{
    double p = round(1e9 / spec->rate * spec->clients);

    return p < 1 ? 1 : p >= (double)ARRIVALS_FAR ? ARRIVALS_FAR : (dur_ns)p;
}

dur_ns arrivals_aligned(const struct arrivals_spec *spec, uint64_t k)
{
    uint64_t n = (uint64_t)spec->clients;
    dur_ns p = period(spec);
    u128 at = k < n ? (u128)k * (u128)p / n : (u128)(k / n + 1) * (u128)p;

    return at > ARRIVALS_FAR ? ARRIVALS_FAR : (dur_ns)at;
}

dur_ns arrivals_start(const struct arrivals_spec *spec, uint64_t k)
{
    return spec->rates ? rates_start(spec->rates, k) : arrivals_even(spec->rate, k);
}

uint64_t arrivals_due(const struct arrivals_spec *spec, dur_ns t)
{
    return spec->rates ? rates_due(spec->rates, t) : arrivals_due_even(spec->rate, t);
}

rate_pos arrivals_pos(const struct arrivals *a)
{
    return a->spec.shape == ARRIVAL_POISSON ? a->sum : (rate_pos)a->k * RATE_ONE;
}

/* Adds the next exponential gap to the sum. */
static void poisson_advance(struct arrivals *a)
{
    double one = -log1p(-rng_double(&a->gaps)), gap = one / a->spec.rate * 1e9 + a->fraction;
    double whole = floor(gap);

    a->sum += (rate_pos)(one * (double)RATE_ONE);
    if (a->spec.rates) {
        a->next = rates_reach(a->spec.rates, a->sum);
        return;
    }
    if (whole < (double)(ARRIVALS_FAR - a->next)) {
        a->next += (dur_ns)whole;
        a->fraction = gap - whole;
    } else {
        a->next = ARRIVALS_FAR; /* and it stays there */
    }
}

static void find_next(struct arrivals *a)
{
    switch (a->spec.shape) {
    case ARRIVAL_EVEN: a->next = arrivals_start(&a->spec, a->k); break;
    case ARRIVAL_POISSON: poisson_advance(a); break;
    case ARRIVAL_ALIGNED: a->next = arrivals_aligned(&a->spec, a->k); break;
    }
}

void arrivals_init(struct arrivals *a, const struct arrivals_spec *spec)
{
    assert(spec->rate > 0 && isfinite(spec->rate) && spec->jitter >= 0 &&
           spec->jitter <= ARRIVALS_FAR);
    assert(spec->shape != ARRIVAL_ALIGNED || (spec->clients > 0 && !spec->rates));
    a->spec = *spec;
    a->k = 0;
    a->next = 0;
    a->fraction = 0;
    a->sum = 0;
    rng_seed_pair(&a->gaps, spec->seed, PURPOSE_GAPS);
    find_next(a);
}

dur_ns arrivals_next(struct arrivals *a)
{
    dur_ns at = a->next + arrivals_jitter(&a->spec, a->k);

    a->k++;
    find_next(a);
    return at < 0 ? -at : at;
}

void arrivals_skip_even(struct arrivals *a, uint64_t k)
{
    assert(a->spec.shape == ARRIVAL_EVEN);
    a->k = k;
    find_next(a);
}

dur_ns arrivals_peek(const struct arrivals *a)
{
    return a->next;
}

dur_ns arrivals_jitter_window(const struct arrivals_spec *spec)
{
    if (spec->jitter == 0 && spec->shape == ARRIVAL_ALIGNED)
        return period(spec) / 10;
    return spec->jitter;
}

dur_ns arrivals_jitter(const struct arrivals_spec *spec, uint64_t k)
{
    uint64_t window = (uint64_t)arrivals_jitter_window(spec);
    struct rng r;

    if (window == 0 || (spec->shape == ARRIVAL_ALIGNED && k < (uint64_t)spec->clients))
        return 0;
    /* a stream for each k, of which one draw is used */
    rng_seed_pair(&r, spec->seed + PURPOSE_JITTER, k);
    return (dur_ns)(((u128)rng_next(&r) * window) >> 64) - (dur_ns)(window / 2);
}
