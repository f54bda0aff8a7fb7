/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See random_options.h.  Names, defaults and descriptions are stock's.
 */
#include "opt/random_options.h"

/* clang-format off */
static const struct opt_row random_rows[] = {
    {.name = "rand-type", .type = OPT_STRING, .def = "special",
     .help = "random numbers distribution {} to use by default",
     .flags = OPT_MAY_BE_EMPTY | OPT_CHECKED_LATER, .choices = DIST_NAMES},
    {.name = "rand-spec-iter", .type = OPT_INT, .def = "12",
     .help = "number of iterations used for numbers generation"},
    {.name = "rand-spec-pct", .type = OPT_INT, .def = "1",
     .help = "percentage of values to be treated as 'special' (for special distribution)"},
    {.name = "rand-spec-res", .type = OPT_INT, .def = "75",
     .help = "percentage of 'special' values to use (for special distribution)"},
    {.name = "rand-seed", .type = OPT_INT, .def = "0",
     .help = "seed for random number generator. When 0, the current time is used as an RNG seed."},
    {.name = "rand-pareto-h", .type = OPT_DOUBLE, .def = "0.2",
     .help = "shape parameter for the Pareto distribution"},
    {.name = "rand-zipfian-exp", .type = OPT_DOUBLE, .def = "0.8",
     .help = "shape parameter (exponent, theta) for the Zipfian distribution"},
};
/* clang-format on */

void random_options_declare(struct opts *o)
{
    opts_add(o, OPT_GROUP_RANDOM, random_rows, sizeof random_rows / sizeof *random_rows);
}

int random_options_read(struct dist_params *d, const struct opts *o, struct err *e)
{
    struct dist_spec spec = {
        .type = opt_str(o, "rand-type"),
        .iter = opt_int(o, "rand-spec-iter"),
        .pct = opt_int(o, "rand-spec-pct"),
        .res = opt_int(o, "rand-spec-res"),
        .pareto_h = opt_double(o, "rand-pareto-h"),
        .zipfian_exp = opt_double(o, "rand-zipfian-exp"),
    };

    return dist_setup(d, &spec, e) ? opt_explain(o, "rand-type", e) : 0;
}
