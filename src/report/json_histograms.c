/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The histograms of a JSON document: the bounds and the count of each bucket that is not empty.
 */
#include "report/json.h"
#include "report/json_doc.h"

static void count(struct str *out, bool *first, const char *name, uint64_t v)
{
    json_name(out, first, name);
    str_printf(out, "%llu", (unsigned long long)v);
}

static void histogram(struct str *out, bool *outer, const char *name, const struct hist_counts *h)
{
    bool first = true;

    if (!h)
        return;
    json_name(out, outer, name);
    str_adds(out, "{");
    json_name(out, &first, "unit");
    json_string(out, "ns");
    count(out, &first, "samples", h->total);
    count(out, &first, "over_one_hour", h->clamped);
    json_name(out, &first, "buckets");
    str_adds(out, "[");
    first = true;
    for (size_t i = 0; i < h->size; i++) {
        if (!h->count[i])
            continue;
        str_printf(out, "%s[%lld,%lld,%llu]", first ? "" : ",", (long long)hist_bucket_low(i),
                   (long long)hist_bucket_high(i), (unsigned long long)h->count[i]);
        first = false;
    }
    str_adds(out, "]}");
}

void json_doc_histograms(struct str *out, const struct snapshot_hists *h)
{
    bool first = true;

    if (!h->response) {
        str_adds(out, "null");
        return;
    }
    str_adds(out, "{");
    histogram(out, &first, h->service ? "response" : "latency", h->response);
    histogram(out, &first, "service", h->service);
    histogram(out, &first, "lag", h->lag);
    str_adds(out, "}");
}
