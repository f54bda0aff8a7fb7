/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The draws of dist.h.  The order of the floating point operations is part of the contract: another
 * order rounds differently once in some millions of draws, and a seeded run would change.
 */
#include "base/dist.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* a..b with stock's wrap-around: modulo 2^32 when both ends fit, else modulo 2^64. */
struct range {
    uint64_t mask;
    uint64_t last; /* b - a: the largest offset */
    double size;   /* the number of values; 0 when b is just below a, as stock has it */
};

static struct range range_of(uint64_t a, uint64_t b)
{
    uint64_t mask = (a | b) >> 32 ? UINT64_MAX : UINT32_MAX;
    uint64_t last = (b - a) & mask;

    return (struct range){mask, last, a <= b ? (double)last + 1 : (double)((last + 1) & mask)};
}

/* Drops the fraction of an offset.  Rounding may have raised the offset to the size of the
 * range. */
static uint64_t whole_offset(const struct range *g, double offset)
{
    return offset >= (double)g->last ? g->last : (uint64_t)offset;
}

uint64_t dist_uniform_64(struct rng *r, uint64_t a, uint64_t b)
{
    uint64_t size = b - a + 1, x; /* 0: all 2^64 values */

    if (!((b - a) >> 32))
        return a + (uint64_t)(rng_double(r) * (double)size);
    x = rng_next(r);
    return a + (size ? (uint64_t)(((unsigned __int128)x * size) >> 64) : x);
}

uint64_t dist_gaussian(const struct dist_params *p, struct rng *r, uint64_t a, uint64_t b)
{
    struct range g = range_of(a, b);
    double sum = 0;

    for (int i = 0; i < p->iter; i++)
        sum += rng_double(r) * g.size;
    if (g.size == 0)
        return a;
    return (a + whole_offset(&g, sum / p->iter)) & g.mask;
}

uint64_t dist_special(const struct dist_params *p, struct rng *r, uint64_t a, uint64_t b)
{
    struct range g = range_of(a, b);
    double t = (double)g.last, u = rng_double(r), sum = 0;

    if (u * (t * p->special_scale) < t) {
        for (int i = 0; i < p->iter; i++)
            sum += rng_double(r);
        return (a + whole_offset(&g, t * sum / p->iter)) & g.mask;
    }
    return (a + whole_offset(&g, u * (t * p->pct / 100.0 + 1) + (t / 2.0 - t * (p->pct / 200.0)))) &
           g.mask;
}

uint64_t dist_pareto(const struct dist_params *p, struct rng *r, uint64_t a, uint64_t b)
{
    struct range g = range_of(a, b);
    double offset = g.size * pow(rng_double(r), p->pareto_power);

    return g.size == 0 ? a : (a + whole_offset(&g, offset)) & g.mask;
}

/*
 * zipf_note.  h(x) = x^-theta; H(x) = (x^(1-theta) - 1)/(1 - theta) is its integral from 1 to x (ln
 * x for theta = 1).  A point u is drawn uniformly under the curve from zipf_start, which is H(1.5)
 * - h(1), to H(N + 0.5); x = H^-1(u) rounded gives k, whose piece of the area, from k - 0.5 to k +
 * 0.5, is a little more than h(k) because h is convex: the points within h(k) of the piece's upper
 * end are accepted, the others drawn again (fewer than 1 in 50).  The squeeze saves most draws that
 * last computation.
 */
static double zipf_h(double theta, double x)
{
    return exp(-theta * log(x));
}

static double zipf_H(double theta, double x)
{
    double ln = log(x), t = (1 - theta) * ln;

    return (fabs(t) > 1e-8 ? expm1(t) / t : 1 + t / 2) * ln; /* (e^t - 1)/t */
}

static double zipf_H_inverse(double theta, double u)
{
    double t = u * (1 - theta);

    t = t > -1 ? t : -1; /* H of a theta > 1 has an upper bound, which rounding must not cross */
    return exp((fabs(t) > 1e-8 ? log1p(t) / t : 1 - t / 2) * u); /* ln(1+t)/t */
}

uint64_t dist_zipfian(const struct dist_params *p, struct rng *r, uint64_t a, uint64_t b)
{
    struct range g = range_of(a, b);
    double end, k, u, x;

    if (g.size == 0)
        return a;
    end = zipf_H(p->zipf_exp, g.size + 0.5);
    do {
        u = end + rng_double(r) * (p->zipf_start - end);
        x = zipf_H_inverse(p->zipf_exp, u);
        k = floor(x + 0.5);
        k = k < 1 ? 1 : k > g.size ? g.size : k;
    } while (k - x > p->zipf_squeeze && u < zipf_H(p->zipf_exp, k + 0.5) - zipf_h(p->zipf_exp, k));
    return (a + whole_offset(&g, k - 1)) & g.mask;
}

uint64_t dist_of_kind(const struct dist_params *p, struct rng *r, uint64_t a, uint64_t b)
{
    switch (p->kind) {
    case DIST_UNIFORM: return dist_uniform(p, r, a, b);
    case DIST_GAUSSIAN: return dist_gaussian(p, r, a, b);
    case DIST_SPECIAL: return dist_special(p, r, a, b);
    case DIST_PARETO: return dist_pareto(p, r, a, b);
    case DIST_ZIPFIAN: return dist_zipfian(p, r, a, b);
    }
    assert(!"a kind that dist_setup does not make");
    return a;
}

static int check_integer(int64_t value, int64_t min, int64_t max, const char *option, struct err *e)
{
    if (value >= min && value <= max)
        return 0;
    return err_set(e, ERR_USAGE, "--%s must be between %lld and %lld, not %lld", option,
                   (long long)min, (long long)max, (long long)value);
}

int dist_setup(struct dist_params *p, const struct dist_spec *spec, struct err *e)
{
    double theta = spec->zipfian_exp;
    const char *names = DIST_NAMES;
    int kind = 0;

    while (*names && (strncmp(names, spec->type, strcspn(names, "|")) != 0 ||
                      strlen(spec->type) != strcspn(names, "|"))) {
        names += strcspn(names, "|");
        names += *names == '|';
        kind++;
    }
    if (!*names)
        return err_set(e, ERR_USAGE, "Invalid random numbers distribution: %s.", spec->type);
    if (check_integer(spec->iter, 1, 1000000, "rand-spec-iter", e) ||
        check_integer(spec->pct, 0, 100, "rand-spec-pct", e) ||
        check_integer(spec->res, 0, 100, "rand-spec-res", e))
        return -1;
    if (!(spec->pareto_h > 0 && spec->pareto_h < 1))
        return err_set(e, ERR_USAGE, "--rand-pareto-h must be > 0 and < 1, not %g", spec->pareto_h);
    if (!(theta >= 0) || !isfinite(theta))
        return err_set(e, ERR_USAGE, "--rand-zipfian-exp must be %s",
                       theta >= 0 ? "finite" : ">= 0");
    p->kind = (enum dist_kind)kind;
    p->iter = (int)spec->iter;
    p->pct = (double)spec->pct;
    p->special_scale = spec->res == 100 ? (double)INFINITY : 100.0 / (100.0 - (double)spec->res);
    p->pareto_power = log(spec->pareto_h) / log(1.0 - spec->pareto_h);
    p->zipf_exp = theta;
    p->zipf_start = zipf_H(theta, 1.5) - 1;
    p->zipf_squeeze = 2 - zipf_H_inverse(theta, zipf_H(theta, 2.5) - zipf_h(theta, 2));
    return 0;
}

uint64_t dist_argument(double number)
{
    if (number > DIST_LARGEST)
        return number < 0x1.0p64 ? (uint32_t)(uint64_t)number : 0;
    if (number >= 0)
        return (uint64_t)number;
    if (number > -0x1.0p63)
        return (uint32_t)(int64_t)number;
    return 0;
}

void dist_string(struct rng *r, const char *fmt, size_t len, char *out)
{
    for (size_t i = 0; i < len; i++) {
        char c = fmt[i];
        if (c == '#')
            c = (char)('0' + (int)(rng_double(r) * 10));
        else if (c == '@')
            c = (char)('a' + (int)(rng_double(r) * 26));
        out[i] = c;
    }
}

size_t dist_varstring(struct rng *r, size_t min, size_t max, char *out)
{
    enum { FIRST = '0', LAST = 'z' };

    assert(min <= max);
    size_t len = (size_t)dist_uniform(NULL, r, min, max);
    for (size_t i = 0; i < len; i++)
        out[i] = (char)(FIRST + (int)(rng_double(r) * (LAST - FIRST + 1)));
    return len;
}
