/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * HdrHistogram's text of a histogram.  The texts of the golden file were read by a reader of its
 * own for all four layers (base64, the zlib stream, the header, the counts); that of every run is
 * read by tests/include/report_hlog.py and, where it is installed, HdrHistogram's own.
 */
#include "report/writer.h"

#include "base/hash.h"
#include "base/test_golden.h"

TEST_MAIN(hdr_test)
{
    static const int64_t ns[] = {0, 1, 2, 2047, 2048, 1000000, INT64_C(3600000000000), 5};
    static struct hist_counts h;
    struct str out = STR_INIT, whole = STR_INIT;
    unsigned char sum[SHA256_SIZE];

    hist_counts_init(&h, HIST_BUCKETS);
    hdr_compressed(&out, &h);
    golden(&out, "empty");
    for (size_t i = 0; i < COUNT(ns); i++) { /* of the last one eight bytes, which is the most */
        hist_counts_put(&h, hist_index(ns[i]), i < 7 ? UINT64_C(1) << (10 * i) : UINT64_C(1) << 54);
        hdr_compressed(&out, &h);
        golden(&out, "%zu values", i + 1);
    }
    for (size_t i = 0; i < HIST_BUCKETS; i++) /* more than one block */
        hist_counts_put(&h, i, 1000000 + i);
    hdr_compressed(&whole, &h);
    sha256(whole.s, whole.len, sum);
    for (size_t i = 0; i < sizeof sum; i++)
        str_printf(&out, "%02x", sum[i]);
    golden(&out, "SHA-256 of all buckets");
    hist_counts_fini(&h);
    str_free(&out);
    str_free(&whole);
    golden_done("hdr");
    return test_done("hdr");
}
