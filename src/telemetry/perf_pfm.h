/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Looks up names in libpfm4 for perf_names.h, and is the only code that uses the library.  In a
 * program built without it, these functions find no name.  One thread at a time.  Private to
 * src/telemetry
 */
#ifndef SB_TELEMETRY_PERF_PFM_H
#define SB_TELEMETRY_PERF_PFM_H

#include <stdbool.h>

#include "telemetry/perf_spec.h"

/* True and *s filled (all but its name) when the library knows the event, modifiers included. */
bool perf_pfm_find(const char *event, struct perf_spec *s);

/* Calls fn for the names of the events of this CPU; for none without the library. */
void perf_pfm_each(void (*fn)(const char *name, void *arg), void *arg);

/* "yes" or "no" */
const char *perf_pfm_version(void);

#endif
