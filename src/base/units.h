/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Numbers with units: reads them from the command line, writes them for people.  Reading is strict:
 * the whole text must be consumed, blanks included, and the number must be finite and in range; a
 * load generator that reads "10K" as 10 measures something else than the user wanted.
 *
 * The readers return 0, or -1 with ERR_USAGE and a sentence that quotes the text ("\"10x\" is not a
 * duration ..."); the caller puts the option's name in front (err_add).  *out is untouched on
 * failure. Any thread may call.
 */
#ifndef SB_BASE_UNITS_H
#define SB_BASE_UNITS_H

#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"

/* A whole decimal number, sign allowed, min..max. */
int units_int(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e);

/* A number as strtod reads it (exponents and 0x... too), min..max; an infinite bound is no
 * bound. */
int units_double(const char *text, double min, double max, double *out, struct err *e);

/* "250us", "1.5ms", "10s", "2m" (or min), "1h", "1d", ns; without a unit in units of `unit`.  Not
 * negative. */
int units_duration(const char *text, dur_ns unit, dur_ns *out, struct err *e);

/* "5%", "0.1%", or the same without the sign: 5.0, 0.1; min..max percent. */
int units_percent(const char *text, double min, double max, double *pct, struct err *e);

/* For people: three significant digits and a suitable unit, "850 ns", "1.25 ms", "2m05s".  Returns
 * `buf`. */
#define UNITS_TEXT_SIZE 32
const char *units_format_duration(char buf[UNITS_TEXT_SIZE], dur_ns d);

#endif
