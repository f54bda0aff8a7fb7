/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rows made in C are those that sysbench-tx/oltp_tables.lua makes from the same stream: here
 * its steps, written with dist_string() and dist_default().  For every distribution, since each
 * takes another number of draws.
 */
#include "sql/load.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/test.h"

#define ELEVEN "###########-"

static const char c_template[] =
    ELEVEN ELEVEN ELEVEN ELEVEN ELEVEN ELEVEN ELEVEN ELEVEN ELEVEN "###########";
static const char pad_template[] = ELEVEN ELEVEN ELEVEN ELEVEN "###########";

static void expected(const struct dist_params *d, struct rng *r, uint64_t id, uint64_t rows,
                     enum load_form form, char *out)
{
    char c[120] = "", pad[60] = "";
    uint64_t k;

    dist_string(r, c_template, 119, c);
    dist_string(r, pad_template, 59, pad);
    k = dist_default(d, r, 1, rows);
    snprintf(out, LOAD_ROW_MAX,
             form == LOAD_TABS ? "%" PRIu64 "\t%" PRIu64 "\t%s\t%s\n"
                               : "(%" PRIu64 ", %" PRIu64 ", '%s', '%s')",
             id, k, c, pad);
}

static void check_rows(const char *type, uint64_t rows, enum load_form form)
{
    struct dist_spec spec = DIST_SPEC_DEFAULT;
    static struct load_rows l;
    struct dist_params d;
    struct load_maker m;
    struct rng r, walked;
    struct err e;
    char want[LOAD_ROW_MAX], got[LOAD_ROW_MAX];

    spec.type = type;
    CHECK_INT(dist_setup(&d, &spec, &e), 0);
    rng_seed_pair(&r, rows, 1);
    walked = r;
    load_rows_init(&l, &d, rows);
    load_maker_init(&m, &l, &r);
    for (uint64_t id = 1; id <= 1001; id++) {
        expected(&d, &walked, id, rows, form, want);
        got[load_row(&m, id, form, got)] = '\0';
        CHECK_STR(got, want);
    }
    load_rows_skip(&l, &r, 1001);
    CHECK(r.s[0] == walked.s[0] && r.s[1] == walked.s[1]);
}

/* The longest row there can be fits. */
static void test_longest(void)
{
    struct dist_spec spec = DIST_SPEC_DEFAULT;
    static struct load_rows l;
    struct dist_params d;
    struct load_maker m;
    struct rng r = {{1, 2}};
    struct err e;
    char out[LOAD_ROW_MAX];

    dist_setup(&d, &spec, &e);
    load_rows_init(&l, &d, UINT64_MAX);
    load_maker_init(&m, &l, &r);
    CHECK(load_row(&m, UINT64_MAX, LOAD_VALUES, out) < LOAD_ROW_MAX);
}

TEST_MAIN(load_rows_test)
{
    static const char *const types[] = {"uniform", "gaussian", "special", "pareto", "zipfian"};
    static const uint64_t sizes[] = {1, 1000, 3000000, UINT64_C(5000000000)};

    for (size_t t = 0; t < 5; t++) {
        for (size_t n = 0; n < 4; n++) {
            check_rows(types[t], sizes[n], LOAD_TABS);
            check_rows(types[t], sizes[n], LOAD_VALUES);
        }
    }
    test_longest();
    return test_done("load_rows_test");
}
