/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Units read and written: accepted and refused texts with their values and messages, and the texts
 * shown, including the values at which rounding changes the unit.
 */
#include "base/units.h"

#include "base/mem.h"
#include "base/test_golden.h"

static struct str out;
static enum { INT, ANY_INT, DOUBLE, DURATION, PERCENT } kind;

/* Its value, or the refusal: -1, ERR_USAGE, the result untouched. */
static void parse(const char *text)
{
    struct err e = {0};
    double v = 77;
    int64_t n = 77;
    int rc = kind == INT        ? units_int(text, 0, 10, &n, &e)
             : kind == ANY_INT  ? units_int(text, INT64_MIN, INT64_MAX, &n, &e)
             : kind == DOUBLE   ? units_double(text, 0, 1e6, &v, &e)
             : kind == DURATION ? units_duration(text, NS_PER_US, &n, &e)
                                : units_percent(text, 0, 100, &v, &e);

    if (rc)
        str_printf(&out, "%s\n", e.msg);
    else if (kind == DOUBLE || kind == PERCENT)
        str_printf(&out, "%s: %.17g\n", text, v);
    else
        str_printf(&out, "%s: %lld\n", text, (long long)n);
    CHECK(rc == 0 || (rc == -1 && e.kind == ERR_USAGE && v == 77 && n == 77));
}

static void parsed(void)
{
    static const char *const texts[] = {
        [INT] = "0|10|+7|007||-|+|+-5| 5|5 |1.5|10K|abc|0x10|1e3|11|-1|9223372036854775808|"
                "-9223372036854775809|99999999999999999999999999",
        [ANY_INT] = "-5|9223372036854775807|-9223372036854775808|9223372036854775808|"
                    "-9223372036854775809",
        [DOUBLE] = "0|2.5|0.1|.5|5.|1e3|1200|1e-320|| 1|1 |abc|10K|1,5|nan|inf|1e999|-1|-infinity|"
                   "1e7|--5|1e|0x10|0X1p3",
        [DURATION] = "250us|250\xc2\xb5s|250|0|7ns|0.4ns|1.5ms|.5|0.1s|10s|2m|2min|1h|1d||us|-1us|"
                     "+1us| 1us|1 us|1us |1.2.3s|.|1xs|1e3us|0x10us|inf|nan|5US|107000d|1e|"
                     "99999999999999999999999s|292y",
        [PERCENT] = "5%|0.1|100%||%|-5%|5%%|5 %|x|101|100.1%|nan|1e1%|5p"};

    for (kind = INT; kind <= PERCENT; kind++) {
        golden_each(texts[kind], parse);
        golden(&out, "kind %d", kind);
    }
}

/* Bounds and units that the table above lacks. */
static void others(void)
{
    static const dur_ns unit[] = {1, NS_PER_MS, NS_PER_SEC};
    static const double bound[][2] = {{0, INFINITY}, {-INFINITY, 2.5}, {5, 7}};
    struct err e;
    int64_t n;
    double d;

    for (size_t i = 0; i < COUNT(unit); i++) {
        CHECK_INT(units_duration("250", unit[i], &n, NULL), 0);
        CHECK_INT(n, 250 * unit[i]);
        CHECK_INT(units_double(i ? "3" : "-1", bound[i][0], bound[i][1], &d, &e), -1);
        str_printf(&out, "%s\n", e.msg);
    }
    CHECK_INT(units_int("0", 1, 1024, &n, &e), -1);
    err_add(&e, "--threads");
    str_printf(&out, "%s\n", e.msg);
    golden(&out, "messages");
}

static void format_duration(const char *ns)
{
    char buf[UNITS_TEXT_SIZE];

    str_printf(&out, "%s ns: %s\n", ns, units_format_duration(buf, strtoll(ns, NULL, 10)));
}

TEST_MAIN(units_test)
{
    parsed();
    others();
    golden_each("0|850|999|1000|9994|9995|12345|999499|999500|1250000|99949999|99950001|2000000000|"
                "59949999999|59960000000|125000000000|3599499999999|3599500000000|3725000000000|"
                "360000000000000|-1250000|9223372036854775807|-9223372036854775808",
                format_duration);
    golden(&out, "durations");
    str_free(&out);
    golden_done("units");
    return test_done("units_test");
}
