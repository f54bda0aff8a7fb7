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
#include <string.h>

#include "base/mem.h"
#include "pace/rate_pieces.h"
#include "pace/rate_sine.h"

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

static rate_pos line_pos(const struct piece *p, dur_ns t)
{
    rate_pos even = 2 * (rate_pos)p->a * (rate_pos)t;

    if (p->a == p->b)
        return even;
    return p->b > p->a ? even + bend(p->b - p->a, t, p->len, false)
                       : even - bend(p->a - p->b, t, p->len, true);
}

static rate_pos square_pos(const struct piece *p, dur_ns t)
{
    dur_ns periods = t / p->period, rest = t % p->period;
    dur_ns low = periods * p->low + (rest < p->low ? rest : p->low);

    return 2 * ((rate_pos)p->a * (rate_pos)low + (rate_pos)p->b * (rate_pos)(t - low));
}

/* How many of the list are at or before t. */
static size_t starts_until(const struct rates *r, dur_ns t)
{
    size_t low = 0, high = r->nstarts;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->starts[middle] <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static rate_pos piece_pos(const struct rates *r, const struct piece *p, dur_ns t)
{
    switch (p->kind) {
    case PIECE_LINE: return line_pos(p, t);
    case PIECE_SQUARE: return square_pos(p, t);
    case PIECE_SINE: return rate_sine_pos(p, t);
    case PIECE_STARTS: break;
    }
    return (rate_pos)starts_until(r, p->from + t) * (rate_pos)p->b * (RATE_ONE / 1000000);
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
    return x / y + (x % y != 0);
}

static rate_pos far(rate_pos t)
{
    return t > (rate_pos)RATES_FAR ? (rate_pos)RATES_FAR : t;
}

static dur_ns line_reach(const struct rates *r, const struct piece *p, rate_pos pos)
{
    long double a = (long double)p->a, b = (long double)p->b, want = (long double)pos, root;

    if (p->a == p->b)
        return (dur_ns)far(divide_up(pos, 2 * (rate_pos)p->a));
    root = a * a + (b - a) * want / (long double)p->len;
    root = a + (root > 0 ? sqrtl(root) : 0);
    return settle(r, p, pos, root > 0 ? (dur_ns)(want / root) : p->len);
}

static dur_ns square_reach(const struct piece *p, rate_pos pos)
{
    rate_pos low = 2 * (rate_pos)p->a * (rate_pos)p->low;
    rate_pos period = low + 2 * (rate_pos)p->b * (rate_pos)(p->period - p->low);
    rate_pos n = pos / period, rest = pos % period;
    rate_pos t = rest < low ? divide_up(rest, 2 * (rate_pos)p->a)
                            : (rate_pos)p->low +
                                  (rest > low ? divide_up(rest - low, 2 * (rate_pos)p->b) : 0);

    return n > (rate_pos)(RATES_FAR / p->period) ? RATES_FAR
                                                 : (dur_ns)far(n * (rate_pos)p->period + t);
}

static dur_ns sine_reach(const struct rates *r, const struct piece *p, rate_pos pos)
{
    rate_pos period = 2 * (rate_pos)p->a * (rate_pos)p->period, n = pos / period;
    dur_ns before;

    if (n >= (rate_pos)(RATES_FAR / p->period))
        return RATES_FAR;
    before = (dur_ns)n * p->period;
    return settle(r, p, pos, before + rate_sine_guess(p, pos % period));
}

static dur_ns starts_reach(const struct rates *r, const struct piece *p, rate_pos pos)
{
    return r->starts[pos / ((rate_pos)p->b * (RATE_ONE / 1000000))] - p->from;
}

static bool stands_still(const struct piece *p)
{
    return p->kind != PIECE_STARTS && p->a == 0 && p->b == 0;
}

static dur_ns piece_reach(const struct rates *r, const struct piece *p, rate_pos pos)
{
    if (stands_still(p))
        return RATES_FAR;
    switch (p->kind) {
    case PIECE_LINE: return line_reach(r, p, pos);
    case PIECE_SQUARE: return square_reach(p, pos);
    case PIECE_SINE: return sine_reach(r, p, pos);
    case PIECE_STARTS: break;
    }
    return starts_reach(r, p, pos);
}

/* --- questions --- */

/* The last piece that begins at or before t, or at or below `pos`. */
static const struct piece *piece_at(const struct rates *r, dur_ns t)
{
    size_t low = 0, high = r->n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (r->piece[middle].from <= t)
            low = middle;
        else
            high = middle;
    }
    return &r->piece[low];
}

static const struct piece *piece_of(const struct rates *r, rate_pos pos)
{
    size_t low = 0, high = r->n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (r->piece[middle].base <= pos)
            low = middle;
        else
            high = middle;
    }
    return &r->piece[low];
}

rate_pos rates_pos(const struct rates *r, dur_ns t)
{
    const struct piece *p;

    if (t < 0)
        return 0; /* at 0 a trace may have several starts */
    if (t >= r->end)
        return r->total;
    t = t > RATES_FAR ? RATES_FAR : t;
    p = piece_at(r, t);
    return p->base + piece_pos(r, p, t - p->from);
}

dur_ns rates_reach(const struct rates *r, rate_pos pos)
{
    const struct piece *p = piece_of(r, pos);
    dur_ns t;

    if (r->end != MONO_NEVER && pos >= r->total)
        return RATES_FAR;
    t = piece_reach(r, p, pos - p->base);
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
    const struct piece *p = piece_at(r, t);
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

static double piece_most(const struct piece *p)
{
    uint64_t most = p->a > p->b ? p->a : p->b;

    return (double)(p->kind == PIECE_SINE ? p->a + p->b : most) / 1e6;
}

double rates_most(const struct rates *r)
{
    double most = 0;

    for (size_t i = 0; i < r->n; i++) {
        double v = rates_are_starts(r) ? rates_at(r, 0) : piece_most(&r->piece[i]);
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
