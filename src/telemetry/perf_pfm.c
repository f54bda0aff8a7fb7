/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See perf_pfm.h.  The library chooses its events by CPU model.  On a machine without counters it
 * may have none; then only generic names are available.
 */
#include "telemetry/perf_pfm.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifdef HAVE_LIBPFM

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>

/* The library keeps its own state: initializing it again costs nothing. */
static bool ready(void)
{
    return pfm_initialize() == PFM_SUCCESS;
}

bool perf_pfm_find(const char *event, struct perf_spec *s)
{
    struct perf_event_attr attr = {.size = sizeof attr};
    pfm_perf_encode_arg_t arg = {.size = sizeof arg, .attr = &attr};

    if (!ready() || pfm_get_os_event_encoding(event, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT,
                                              &arg) != PFM_SUCCESS)
        return false;
    s->type = attr.type;
    s->config = attr.config;
    s->config1 = attr.config1;
    s->config2 = attr.config2;
    s->no_user = attr.exclude_user;
    s->no_kernel = attr.exclude_kernel;
    return true;
}

static void each_of_pmu(pfm_pmu_t pmu, const char *pmu_name, void (*fn)(const char *, void *),
                        void *arg)
{
    pfm_pmu_info_t info = {.size = sizeof info};

    if (pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS || !info.is_present)
        return;
    for (int i = info.first_event; i >= 0; i = pfm_get_event_next(i)) {
        pfm_event_info_t ev = {.size = sizeof ev};
        char name[PERF_NAME_MAX];
        if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &ev) != PFM_SUCCESS)
            continue;
        snprintf(name, sizeof name, "%s::%s", pmu_name, ev.name);
        fn(name, arg);
    }
}

void perf_pfm_each(void (*fn)(const char *name, void *arg), void *arg)
{
    if (!ready())
        return;
    for (int pmu = PFM_PMU_NONE + 1; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) == PFM_SUCCESS && info.is_present)
            each_of_pmu((pfm_pmu_t)pmu, info.name, fn, arg);
    }
}

const char *perf_pfm_version(void)
{
    return "yes"; /* pfm_get_version() returns 4.0 for every version */
}

#else

bool perf_pfm_find(const char *event, struct perf_spec *s)
{
    (void)event;
    (void)s;
    return false;
}

void perf_pfm_each(void (*fn)(const char *name, void *arg), void *arg)
{
    (void)fn;
    (void)arg;
}

const char *perf_pfm_version(void)
{
    return "no";
}

#endif
