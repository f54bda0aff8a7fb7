/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every figure of a snapshot by name: one table that all formats for programs (csv, json, jsonl,
 * openmetrics) walk, so that they cannot disagree and a new figure is one line in fields_table.c.
 *
 * Names end in their unit: _s seconds, _per_s, _bytes, _pct per cent, _per_transaction; a name
 * without one is a number of things.  Times are seconds as doubles (a duration in ns comes back
 * exact).  A missing figure has a reason; a lower bound is marked as one.  Pure: no I/O, no state;
 * any thread may call.
 *
 * The names are interface: docs/results.md lists them, docs/schema has them all.
 */
#ifndef SB_REPORT_FIELDS_H
#define SB_REPORT_FIELDS_H

#include "report/field.h"
#include "report/snapshot.h"

/* Names of sections as JSON members and column prefixes: "" for FIELD_LOAD. */
const char *field_section_name(enum field_section section);

/* NULL: the snapshot has it.  Else why all of its figures are missing. */
const char *field_section_missing(const struct snapshot *s, enum field_section section);

/* True when `why` explains a figure that is missing only from this interval, false when the figure
 * is unavailable throughout. */
bool field_passing(const char *missing);

/* Why a figure that is made of several events is missing: the reason that all missing events
 * have. */
const char *field_not_derived(const struct probe_delta *p);

/* Calls f for each figure, sections in their order, always the same figures for the same list of
 * percentiles, events and counters of the server (those two sections are empty unless requested; a
 * server on another host that is not reached at first may change them).  The arguments of f are
 * valid during the call. */
typedef void field_visit(void *arg, const struct field *f);
void fields_each(const struct snapshot *s, field_visit *f, void *arg);

#endif
