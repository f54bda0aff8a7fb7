/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What happened to the machine (struct incidents in collect.h).  The monotonic clock stands still
 * while the system is suspended, the wall clock and the boot clock do not: a wall clock that is
 * ahead by the suspended time was not set.
 */
#include "engine/collect.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STEP    (100 * NS_PER_MS) /* less is what NTP slews, or a reading that lost its CPU */
#define STOPPED NS_PER_SEC

/* The least of a few differences: the thread may lose its CPU between two readings. */
static dur_ns ahead_of_mono(dur_ns (*clock)(void))
{
    dur_ns least = INT64_MAX;

    for (int k = 0; k < 3; k++) {
        mono_ns before = clock_mono();
        dur_ns d = clock() - before;
        least = d < least ? d : least;
    }
    return least;
}

void machine_read(struct machine_state *m, mono_ns now)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct proc_host host = {0};

    if (proc >= 0) {
        proc_host_read(proc, &host, NULL);
        close(proc);
    }
    *m = (struct machine_state){.at = now,
                                .wall_ahead = ahead_of_mono(clock_wall),
                                .suspended = ahead_of_mono(clock_boot),
                                .cpus = cpus > 0 ? (int)cpus : 1,
                                .cpu = host.cpu};
}

void incidents_keep(struct incidents *i, const struct snapshot_incident *v)
{
    if (i->n < SNAPSHOT_MAX_INCIDENTS)
        i->v[i->n++] = *v;
}

void incidents_look(struct incidents *i, const struct machine_state *now,
                    const struct sample *server)
{
    const struct machine_state *last = &i->last;
    dur_ns slept = now->suspended - last->suspended;
    dur_ns step = now->wall_ahead - last->wall_ahead - slept, ago;

    if (i->any && slept > STEP)
        incidents_add(i, .kind = INCIDENT_SUSPENDED, .at = now->at, .duration = slept);
    if (i->any && llabs(step) > STEP)
        incidents_add(i, .kind = INCIDENT_CLOCK_SET, .at = now->at, .duration = step);
    if (i->any && now->cpus != last->cpus)
        incidents_add(i, .kind = INCIDENT_CPUS, .at = now->at, .was = last->cpus, .is = now->cpus);
    if (i->any && server && server->found > i->found) {
        /* another host's readings may say anything; then it is now */
        if (__builtin_sub_overflow(server->at, server->changed, &ago) || ago < 0 || ago > now->at)
            ago = 0;
        incidents_add(i,
                      .kind = server->moved ? INCIDENT_SERVER_CHANGED : INCIDENT_SERVER_RESTARTED,
                      .at = now->at - ago, .was = server->was, .is = server->is);
    }
    if (server && server->found > i->found)
        i->found = server->found;
    i->last = *now;
    i->any = true;
}

void incidents_late(struct incidents *i, mono_ns now, dur_ns late)
{
    if (late >= STOPPED)
        incidents_add(i, .kind = INCIDENT_STOPPED, .at = now, .duration = late);
}

void late_begin(struct late_meter *m, const struct clock *clock)
{
    *m = (struct late_meter){
        .schedstat = clock ? -1 : open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)};
    late_add(m, 0);
}

dur_ns late_add(struct late_meter *m, dur_ns late)
{
    char text[96];
    long long ran = m->ran, waited = m->waited;
    ssize_t n = m->schedstat < 0 ? 0 : pread(m->schedstat, text, sizeof text - 1, 0);

    text[n > 0 ? n : 0] = '\0';
    if (sscanf(text, "%lld %lld", &ran, &waited) == 2)
        late -= ran - m->ran + waited - m->waited;
    m->ran = ran;
    m->waited = waited;
    late = late > 0 ? late : 0;
    m->late += late;
    return late;
}

void late_fini(struct late_meter *m)
{
    if (m->schedstat >= 0)
        close(m->schedstat);
    m->schedstat = -1;
}

static int by_time(const void *a, const void *b)
{
    const struct snapshot_incident *v = a, *w = b;

    if (v->at != w->at)
        return v->at < w->at ? -1 : 1;
    return (v->rank > w->rank) - (v->rank < w->rank);
}

void incidents_sort(struct incidents *i)
{
    qsort(i->v, i->n, sizeof *i->v, by_time);
}
