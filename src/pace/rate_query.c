/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See rates.h (exact_note).  A question goes to the piece that holds the instant or the start, by
 * bisection; within a piece the answer is a formula.  Where the formula has a root in it, it gives
 * a guess, and the integral itself, which is exact, decides between the neighbours of the guess.
 */
#include "pace/rates.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "pace/rate_pieces.h"

/* --- put together, piece by piece --- */

void rates_free(struct rates *r)
{
    if (!r)
        return;
    free(r->piece);
    free(r->stage);
    free(r->starts);
    free(r);
}

void rates_add_piece(struct rates *r, struct piece p)
{
    assert(r->end != MONO_NEVER && p.len > 0);
    r->piece = mem_append(r->piece, r->n, sizeof *r->piece);
    p.from = r->end;
    p.base = r->total;
    r->piece[r->n++] = p;
    r->end = MONO_NEVER;
    if (p.len == MONO_NEVER)
        return;
    r->total = rates_pos(r, p.from + p.len);
    r->end = p.from + p.len;
}

void rates_add_stage(struct rates *r, dur_ns from, double first, double last, const char *text,
                     size_t len)
{
    r->stage = mem_append(r->stage, r->nstages, sizeof *r->stage);
    struct rate_stage *s = &r->stage[r->nstages++];
    *s = (struct rate_stage){.from = from, .until = r->end, .first = first, .last = last};
    snprintf(s->text, sizeof s->text, "%.*s", (int)len, text);
}

struct rates *rates_constant(double rate)
{
    struct rates *r = mem_alloc(sizeof *r);
    uint64_t micro = rates_micro(rate);

    rates_add_piece(r,
                    (struct piece){.kind = PIECE_LINE, .a = micro, .b = micro, .len = MONO_NEVER});
    return r;
}

/* --- the integral of a sine ---
 *
 * A double would be off by whole starts after some hours, a long double by ns where the rate is
 * low; so the sine is a sum of its series in fixed point with 127 bits.  With rates in millionths
 * and times in ns, in halves (RATE_ONE):
 *
 *     integral = 2*a*t + (2*b*period/pi) * sin(pi*t/period)^2
 *
 * Over whole periods the second part is 0, so t is folded into half a period, where the argument of
 * the sine is at most pi/2.  A comment Qn says that a number is a multiple of 2^-n. */

typedef unsigned __int128 u128;

#define WIDE(high, low) ((u128)(high) << 64 | (low))
#define PI_Q126         WIDE(0xc90fdaa22168c234, 0xc4c6628b80dc1cd1)
#define INVERSE_PI_Q128 WIDE(0x517cc1b727220a94, 0xfe13abe8fa9a6ee0)

/* The upper half of the product. */
static u128 mul_high(u128 x, u128 y)
{
    u128 xl = (uint64_t)x, xh = x >> 64, yl = (uint64_t)y, yh = y >> 64;
    u128 low = xl * yl, m1 = xh * yl + (low >> 64), m2 = xl * yh + (uint64_t)m1;

    return xh * yh + (m1 >> 64) + (m2 >> 64);
}

/* sin(x), 0 <= x <= pi/2; both Q127. */
static u128 sine(u128 x)
{
    u128 square = mul_high(x, x), term = x, sum = x; /* square: Q126 */

    for (unsigned i = 2; term > 0; i += 2) {
        term = (mul_high(term, square) / (i * (i + 1))) << 2;
        sum = i & 2 ? sum - term : sum + term;
    }
    return sum;
}

/* The integral over the first t ns of the piece, to less than one RATE_ONE-th of a start. */
static rate_pos sine_pos(const struct piece *p, dur_ns t)
{
    dur_ns x = t % p->period;

    x = x > p->period - x ? p->period - x : x;
    /* of x/period, x <= period/2 < 2^62; Q127 */
    u128 period = (u128)p->period, high = ((u128)x << 64) / period, rest = ((u128)x << 64) % period;
    u128 s = sine(mul_high(high << 63 | (rest << 63) / period, PI_Q126) << 2); /* Q125 */
    u128 part = mul_high(mul_high(s, s), INVERSE_PI_Q128);                     /* Q126 */
    return 2 * (u128)p->a * (u128)t + mul_high(2 * (u128)p->b * (u128)p->period << 2, part);
}

/* Roughly where in its first period the integral reaches `pos`, which is less than a period's.
 * Newton's method between two bounds: where the rate is 0 it would leave the period. */
static dur_ns sine_guess(const struct piece *p, rate_pos pos)
{
    const long double pi = 3.14159265358979323846264338327950288L, period = (long double)p->period;
    const long double a = (long double)p->a, b = (long double)p->b, want = (long double)pos / 2;
    long double low = 0, high = period, x = want / a;

    for (int i = 0; i < 64 && high - low > 0.5L; i++) {
        long double phase = pi * x / period, s = sinl(phase), rate, next;
        long double over = a * x + b * period / pi * s * s - want;
        if (over > 0)
            high = x;
        else
            low = x;
        rate = a + b * sinl(2 * phase);
        next = rate > 0 ? x - over / rate : low;
        if (next > low && next < high && fabsl(next - x) < 0.25L)
            return (dur_ns)ceill(next);
        x = next > low && next < high ? next : (low + high) / 2;
    }
    return (dur_ns)ceill(x);
}

uint64_t rates_micro(double rate)
{
    return (uint64_t)llround(rate * 1e6);
}

double rates_round(double rate)
{
    return rint(rate * 1e6) / 1e6;
}

/* --- the integral of a piece over its first t ns --- */

/* floor(d*t*t/len), t <= len: the product itself would not fit. */
static rate_pos bend(uint64_t d, dur_ns t, dur_ns len, bool round_up)
{
    rate_pos x = (rate_pos)d * (rate_pos)t, whole = x / (rate_pos)len, rest = x % (rate_pos)len;
    rate_pos last = rest * (rate_pos)t;

    return whole * (rate_pos)t + last / (rate_pos)len + (round_up && last % (rate_pos)len);
}

static rate_pos piece_pos(const struct rates *r, const struct piece *p, dur_ns t)
{
    rate_pos even = 2 * (rate_pos)p->a * (rate_pos)t;
    size_t low = 0, high = r->nstarts;

    switch (p->kind) {
    case PIECE_LINE:
        if (p->a == p->b)
            return even;
        return p->b > p->a ? even + bend(p->b - p->a, t, p->len, false)
                           : even - bend(p->a - p->b, t, p->len, true);
    case PIECE_SQUARE: {
        dur_ns periods = t / p->period, rest = t % p->period;
        dur_ns at_a = periods * p->low + (rest < p->low ? rest : p->low);
        return 2 * ((rate_pos)p->a * (rate_pos)at_a + (rate_pos)p->b * (rate_pos)(t - at_a));
    }
    case PIECE_SINE: return sine_pos(p, t);
    case PIECE_STARTS: break;
    }
    while (low < high) { /* how many of the list are at or before t */
        size_t middle = low + (high - low) / 2;
        if (r->starts[middle] <= p->from + t)
            low = middle + 1;
        else
            high = middle;
    }
    return (rate_pos)low * (rate_pos)p->b * (RATE_ONE / 1000000);
}

/* --- its inverse --- */

/* The first t in [0, len] whose integral is not below `pos`, from a guess: steps that double until
 * they have passed it, then bisection. */
static dur_ns settle(const struct rates *r, const struct piece *p, rate_pos pos, dur_ns guess)
{
    dur_ns low = guess < 0 ? 0 : guess > p->len ? p->len : guess, high = low;

    for (dur_ns step = 1; low > 0 && piece_pos(r, p, low - 1) >= pos; step *= 2) {
        high = low - 1;
        low = low - 1 > step ? low - 1 - step : 0;
    }
    for (dur_ns step = 1; high < p->len && piece_pos(r, p, high) < pos; step *= 2) {
        low = high + 1;
        high = p->len - high > step ? high + step : p->len;
    }
    while (low < high) {
        dur_ns middle = low + (high - low) / 2;
        if (piece_pos(r, p, middle) >= pos)
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

static rate_pos divide_up(rate_pos x, rate_pos y)
{
    rate_pos q = x / y;

    return q + (q * y != x);
}

static rate_pos far(rate_pos t)
{
    return t > (rate_pos)RATES_FAR ? (rate_pos)RATES_FAR : t;
}

/* Of a piece that repeats. */
static dur_ns period_reach(const struct rates *r, const struct piece *p, rate_pos pos)
{
    rate_pos low = 2 * (rate_pos)p->a * (rate_pos)(p->kind == PIECE_SQUARE ? p->low : p->period);
    rate_pos period =
        low + (p->kind == PIECE_SQUARE ? 2 * (rate_pos)p->b * (rate_pos)(p->period - p->low) : 0);
    rate_pos n = pos / period, rest = pos % period, t;

    if (n > (rate_pos)(RATES_FAR / p->period))
        return RATES_FAR;
    if (p->kind == PIECE_SINE)
        return n == (rate_pos)(RATES_FAR / p->period)
                   ? RATES_FAR
                   : settle(r, p, pos, (dur_ns)n * p->period + sine_guess(p, rest));
    t = rest < low
            ? divide_up(rest, 2 * (rate_pos)p->a)
            : (rate_pos)p->low + (rest > low ? divide_up(rest - low, 2 * (rate_pos)p->b) : 0);
    return (dur_ns)far(n * (rate_pos)p->period + t);
}

static dur_ns piece_reach(const struct rates *r, const struct piece *p, rate_pos pos)
{
    long double a = (long double)p->a, b = (long double)p->b, want = (long double)pos, root;

    if (p->kind == PIECE_STARTS)
        return r->starts[pos / ((rate_pos)p->b * (RATE_ONE / 1000000))] - p->from;
    if (p->a == 0 && p->b == 0)
        return RATES_FAR; /* it stands still */
    if (p->kind != PIECE_LINE)
        return period_reach(r, p, pos);
    if (p->a == p->b)
        return (dur_ns)far(divide_up(pos, 2 * (rate_pos)p->a));
    root = a * a + (b - a) * want / (long double)p->len;
    root = a + (root > 0 ? sqrtl(root) : 0);
    return settle(r, p, pos, root > 0 ? (dur_ns)(want / root) : p->len);
}

/* --- questions --- */

/* The last piece that begins at or before t and at or below `pos`. */
static const struct piece *piece_at(const struct rates *r, dur_ns t, rate_pos pos)
{
    size_t low = 0, high = r->n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (r->piece[middle].from <= t && r->piece[middle].base <= pos)
            low = middle;
        else
            high = middle;
    }
    return &r->piece[low];
}

#define ANY_POS (~(rate_pos)0)

rate_pos rates_pos(const struct rates *r, dur_ns t)
{
    if (t < 0)
        return 0; /* at 0 a trace may have several starts */
    if (t >= r->end)
        return r->total;
    t = t > RATES_FAR ? RATES_FAR : t;
    const struct piece *p = piece_at(r, t, ANY_POS);
    return p->base + piece_pos(r, p, t - p->from);
}

dur_ns rates_reach(const struct rates *r, rate_pos pos)
{
    const struct piece *p = piece_at(r, MONO_NEVER, pos);

    if (r->end != MONO_NEVER && pos >= r->total)
        return RATES_FAR;
    dur_ns t = piece_reach(r, p, pos - p->base);
    return t > RATES_FAR - p->from ? RATES_FAR : p->from + t;
}

dur_ns rates_start(const struct rates *r, uint64_t k)
{
    return rates_reach(r, (rate_pos)k * RATE_ONE);
}

/* The integral at t says how many; one more is due where it is just k and does not stand still. */
uint64_t rates_due(const struct rates *r, dur_ns t)
{
    rate_pos pos = rates_pos(r, t);
    uint64_t k = (uint64_t)(pos / RATE_ONE);

    if (t < 0)
        return 0;
    return pos % RATE_ONE || rates_start(r, k) <= (t < RATES_FAR ? t : RATES_FAR - 1) ? k + 1 : k;
}

double rates_at(const struct rates *r, dur_ns t)
{
    const struct piece *p = piece_at(r, t, ANY_POS);
    double a = (double)p->a / 1e6, b = (double)p->b / 1e6, x = (double)(t - p->from);

    if (t < 0 || t >= r->end)
        return 0;
    switch (p->kind) {
    case PIECE_LINE: return p->a == p->b ? a : a + (b - a) * x / (double)p->len;
    case PIECE_SQUARE: return (t - p->from) % p->period < p->low ? a : b;
    case PIECE_SINE: return a + b * sin(2 * M_PI * fmod(x, (double)p->period) / (double)p->period);
    case PIECE_STARTS: break;
    }
    return (double)r->total / (double)RATE_ONE / dur_sec(p->len);
}

double rates_most(const struct rates *r)
{
    double most = 0;

    for (size_t i = 0; i < r->n; i++) {
        const struct piece *p = &r->piece[i];
        uint64_t micro = p->kind == PIECE_SINE ? p->a + p->b : p->a > p->b ? p->a : p->b;
        double v = rates_are_starts(r) ? rates_at(r, 0) : (double)micro / 1e6;
        most = v > most ? v : most;
    }
    return most;
}

double rates_mean(const struct rates *r, dur_ns until)
{
    const struct piece *last = &r->piece[r->n - 1];

    if (until > r->end)
        until = r->end;
    if (until == MONO_NEVER)
        until = last->from + (last->period ? last->period : NS_PER_SEC);
    if (until <= 0)
        return 0;
    return rates_round((double)rates_pos(r, until) / (double)RATE_ONE / dur_sec(until));
}

dur_ns rates_end(const struct rates *r)
{
    return r->end;
}

bool rates_are_starts(const struct rates *r)
{
    return r->n == 1 && r->piece[0].kind == PIECE_STARTS;
}

size_t rates_stages(const struct rates *r)
{
    return r->nstages;
}

const struct rate_stage *rates_stage(const struct rates *r, size_t i)
{
    assert(i < r->nstages);
    return &r->stage[i];
}
