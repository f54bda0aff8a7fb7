/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See skew.h.
 */
#include "cluster/skew.h"

#include <math.h>

static dur_ns width(const struct skew_sample *b)
{
    return b->high - b->low;
}

static struct skew_sample *latest(struct skew *s)
{
    return &s->sample[(s->next + SKEW_SAMPLES - 1) % SKEW_SAMPLES];
}

/* The best sample of each stretch of time: the narrowest. */
static void keep(struct skew *s, const struct skew_sample *b)
{
    if (s->n && b->at / SKEW_SPACING == latest(s)->at / SKEW_SPACING) {
        if (width(b) <= width(latest(s)))
            *latest(s) = *b;
        return;
    }
    s->sample[s->next] = *b;
    s->next = (s->next + 1) % SKEW_SAMPLES;
    if (s->n < SKEW_SAMPLES)
        s->n++;
}

void skew_add(struct skew *s, mono_ns sent, mono_ns received, mono_ns answered, mono_ns back)
{
    struct skew_sample b = {
        .at = sent + (back - sent) / 2, .low = answered - back, .high = received - sent};

    if (back < sent || answered < received || b.high < b.low)
        return; /* no clock says that */
    s->taken++;
    keep(s, &b);
}

/* Both bounds, between `low` and `high`; contradicting bounds change places. */
struct range {
    double low, high;
};

static void narrow(struct range *r, double low, double high)
{
    r->low = fmax(r->low, low);
    r->high = fmin(r->high, high);
}

static struct range in_order(struct range r)
{
    return r.low <= r.high ? r : (struct range){r.high, r.low};
}

static void bind_drift(struct range *r, const struct skew_sample *a, const struct skew_sample *b)
{
    double apart = (double)(b->at - a->at);

    if (apart > 0)
        narrow(r, (double)(b->low - a->high) / apart, (double)(b->high - a->low) / apart);
    else if (apart < 0)
        bind_drift(r, b, a);
}

static void find_drift(const struct skew *s, struct skew_estimate *out)
{
    struct range r = {-SKEW_DRIFT_MAX, SKEW_DRIFT_MAX};

    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < i; j++)
            bind_drift(&r, &s->sample[i], &s->sample[j]);
    r = in_order(r);
    out->drift = (r.low + r.high) / 2;
    out->drift_error = (r.high - r.low) / 2;
}

static const struct skew_sample *best(const struct skew *s)
{
    const struct skew_sample *b = s->sample;

    for (size_t i = 1; i < s->n; i++)
        if (width(&s->sample[i]) < width(b))
            b = &s->sample[i];
    return b;
}

/* Offsets are compared as differences from that of one sample: those are small. */
static void find_offset(const struct skew *s, mono_ns now, dur_ns base, struct skew_estimate *out)
{
    struct range r = {-INFINITY, INFINITY};

    for (size_t i = 0; i < s->n; i++) {
        const struct skew_sample *b = &s->sample[i];
        double age = (double)(now - b->at), grown = out->drift * age;
        double doubt = out->drift_error * fabs(age);

        narrow(&r, (double)(b->low - base) + grown - doubt,
               (double)(b->high - base) + grown + doubt);
    }
    r = in_order(r);
    out->offset = base + (dur_ns)llround((r.low + r.high) / 2);
    out->uncertainty = (dur_ns)ceil((r.high - r.low) / 2) + 1;
}

bool skew_at(const struct skew *s, mono_ns now, struct skew_estimate *out)
{
    if (!s->n)
        return false;
    find_drift(s, out);
    find_offset(s, now, best(s)->low, out);
    out->round_trip = width(best(s));
    return true;
}
