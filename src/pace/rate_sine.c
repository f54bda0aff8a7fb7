/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See rate_sine.h.  With rates in millionths and times in ns, in halves (RATE_ONE):
 *
 *     integral = 2*a*t + (2*b*period/pi) * sin(pi*t/period)^2
 *
 * Over whole periods the second part is 0, so t is folded into half a period, where the argument of
 * the sine is at most pi/2.  A comment Qn says that a number is a multiple of 2^-n.
 */
#include "pace/rate_sine.h"

#include <math.h>

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

/* Of x/period, x <= period/2 < 2^62; Q127. */
static u128 fraction(dur_ns x, dur_ns period)
{
    u128 p = (u128)period, high = ((u128)x << 64) / p, rest = ((u128)x << 64) % p;

    return high << 63 | (rest << 63) / p;
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

rate_pos rate_sine_pos(const struct piece *p, dur_ns t)
{
    dur_ns x = t % p->period;
    u128 s, part;

    x = x > p->period - x ? p->period - x : x;
    s = sine(mul_high(fraction(x, p->period), PI_Q126) << 2); /* Q127 + Q126 - 128 = Q125 */
    part = mul_high(mul_high(s, s), INVERSE_PI_Q128);         /* Q126 */
    return 2 * (u128)p->a * (u128)t + mul_high(2 * (u128)p->b * (u128)p->period << 2, part);
}

/* Newton's method between two bounds: where the rate is 0 it would leave the period. */
dur_ns rate_sine_guess(const struct piece *p, rate_pos pos)
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
