/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Random draws over the integers a..b, from a stream that the caller owns.  Drop-in means
 * bit-identical: with arguments below 2^32 the results and the number of values taken from the
 * stream are those of sysbench 1.0, inverted ranges (a > b, arithmetic modulo 2^32) included.
 * Where stock fails, this module is right: ranges beyond 32 bits (stock cuts them), uniform,
 * gaussian and pareto over all of 0..2^32-1 (stock always returns a), and no result outside a <= b.
 *
 * With independent uniform u, u_i in [0,1), N = b - a + 1, t = b - a, fractions dropped:
 * - uniform: a + u*N; beyond 2^32 the high half of one 64-bit draw times N.
 * - gaussian: a + (sum of iter u_i*N)/iter; mean (a+b)/2, sd about N/sqrt(12*iter).
 * - special: if u*t*100/(100-res) < t: a + t*(sum of iter fresh u_i)/iter; else, with the same u,
 *   a + u*(t*pct/100 + 1) + t/2 - t*pct/200: res % of the values lie in the upper part of a window
 *   of pct % in the middle.
 * - pareto: a + N*u^p, p = ln h / ln(1-h); h = 0.2 puts 80 % of the values in the lowest 20 %.
 * - zipfian: P(a+k-1) ~ 1/k^theta for k = 1..N; rejection-inversion (Hoermann, Derflinger 1996).
 *
 * Beyond 2^53 the results of all but uniform have the resolution of a double.  struct dist_params
 * is constant after dist_setup(), any thread may use it; a struct rng is one thread's.
 */
#ifndef SB_BASE_DIST_H
#define SB_BASE_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"

/* In the order of the enum. */
#define DIST_NAMES "uniform|gaussian|special|pareto|zipfian"
enum dist_kind { DIST_UNIFORM, DIST_GAUSSIAN, DIST_SPECIAL, DIST_PARETO, DIST_ZIPFIAN };

/* As the user gives it. */
struct dist_spec {
    const char *type;   /* --rand-type: what dist_default() draws */
    int64_t iter;       /* --rand-spec-iter, 1 .. 1000000 */
    int64_t pct;        /* --rand-spec-pct, 0 .. 100 */
    int64_t res;        /* --rand-spec-res, 0 .. 100 */
    double pareto_h;    /* --rand-pareto-h, 0 < h < 1 */
    double zipfian_exp; /* --rand-zipfian-exp, >= 0 */
};

/* sysbench 1.0's defaults, and 1.1's for zipfian. */
#define DIST_SPEC_DEFAULT ((struct dist_spec){"special", 12, 1, 75, 0.2, 0.8})

struct dist_params {
    enum dist_kind kind;
    int iter;
    double pct;
    double special_scale; /* 100 / (100 - res), infinite for 100 */
    double pareto_power;
    double zipf_exp;
    double zipf_start;   /* where the first value's share of the area begins */
    double zipf_squeeze; /* accepted without further computation when this near to the integer */
};

/* 0, or -1 and a sentence that names the option. */
int dist_setup(struct dist_params *p, const struct dist_spec *spec, struct err *e);

/* Nearly all that scripts draw is below 2^32 and uniform: inline.  `size` is the number of values;
 * 0 when b is just below a, as stock has it. */
static inline uint32_t dist_uniform_32(struct rng *r, uint32_t a, uint32_t b)
{
    int64_t size = (int64_t)b - a + 1;

    if (__builtin_expect(size < 0, 0))
        size += INT64_C(1) << 32;
    return a + (uint32_t)(int64_t)(rng_double(r) * (double)size);
}

uint64_t dist_uniform_64(struct rng *r, uint64_t a, uint64_t b); /* one of them is 2^32 or more */

static inline uint64_t dist_uniform(const struct dist_params *p, struct rng *r, uint64_t a,
                                    uint64_t b)
{
    (void)p;
    return (a | b) >> 32 ? dist_uniform_64(r, a, b) : dist_uniform_32(r, (uint32_t)a, (uint32_t)b);
}

uint64_t dist_gaussian(const struct dist_params *p, struct rng *r, uint64_t a, uint64_t b);
uint64_t dist_special(const struct dist_params *p, struct rng *r, uint64_t a, uint64_t b);
uint64_t dist_pareto(const struct dist_params *p, struct rng *r, uint64_t a, uint64_t b);
uint64_t dist_zipfian(const struct dist_params *p, struct rng *r, uint64_t a, uint64_t b);

/* The distribution that --rand-type names. */
uint64_t dist_of_kind(const struct dist_params *p, struct rng *r, uint64_t a, uint64_t b);

static inline uint64_t dist_default(const struct dist_params *p, struct rng *r, uint64_t a,
                                    uint64_t b)
{
    return p->kind == DIST_UNIFORM ? dist_uniform(p, r, a, b) : dist_of_kind(p, r, a, b);
}

/* Turns a script's number into an argument of the functions above: drops the fraction, wraps a
 * negative number to 32 bits as stock does.  Stock wraps what exceeds 32 bits, too; here it is kept
 * up to the largest number that Lua writes in digits ("%.14g"), for scripts that put the result
 * into the text of a statement.  NaN and numbers over 2^64 become 0. */
#define DIST_LARGEST 99999999999999.0
uint64_t dist_argument(double number);

/* A cast to uint32_t does the same. */
static inline bool dist_below_32(double number)
{
    return number >= 0 && number < 0x1.0p32;
}

/* Copies len characters of fmt, '#' as a random digit, '@' as a letter a-z, one draw each.
 * No NUL is added: out needs len bytes, no more. */
void dist_string(struct rng *r, const char *fmt, size_t len, char *out);

/* A random length in min..max (min <= max, max bytes in out), then that many characters of
 * codes 48..122, one draw each.  Returns the length; no NUL is added. */
size_t dist_varstring(struct rng *r, size_t min, size_t max, char *out);

#endif
