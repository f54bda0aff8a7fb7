/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See probe.h.
 */
#include "telemetry/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "telemetry/perf.h"
#include "telemetry/remote.h"

struct probe {
    struct probe_config config;
    struct perf_count *perf;   /* NULL: not attached */
    struct syscalls *syscalls; /* NULL: not attached */
    struct host *host;         /* NULL: not requested */
    long cpus;                 /* online, at the last reading of their counters */
    char governor[32];
};

struct probe *probe_new(const struct probe_config *config)
{
    struct probe *p = mem_alloc(sizeof *p);

    p->config = *config;
    if (config->host && !config->remote) {
        p->host = host_open("/proc", "/sys");
        host_governor("/sys", p->governor, sizeof p->governor);
    }
    p->cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (config->events && config->system)
        p->perf = perf_count_open(config->event, config->events,
                                  &(struct perf_whom){.system = true, .keep = config->keep});
    return p;
}

void probe_free(struct probe *p)
{
    if (!p)
        return;
    perf_count_close(p->perf);
    syscalls_close(p->syscalls);
    host_close(p->host);
    free(p);
}

void probe_attach(struct probe *p, const struct perf_whom *whom)
{
    if (p->perf && !p->config.system)
        perf_count_again(&p->perf, p->config.event, p->config.events, whom);
    else if (p->config.events && !p->config.system)
        p->perf = perf_count_open(p->config.event, p->config.events, whom);
    if (p->syscalls)
        syscalls_again(&p->syscalls, whom->pids, whom->n, whom->tree);
    else if (p->config.syscalls)
        p->syscalls = syscalls_open(whom->pids, whom->n, whom->tree);
    if (p->host && whom->n)
        host_attach(p->host, whom->pids[0]);
}

const struct perf_count *probe_counters(const struct probe *p)
{
    return p->perf;
}

const char *probe_syscalls_why(const struct probe *p)
{
    return p->syscalls ? syscalls_why(p->syscalls) : "the server's processes are not known";
}

void probe_read(struct probe *p, const struct sample *server, struct probe_reading *out)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    *out = (struct probe_reading){0};
    if (p->config.remote) { /* the server was read just before, and all came with it */
        const struct stream_reading *last = &remote_told(p->config.remote)->last;
        out->perf = last->perf;
        out->host = last->host;
        out->syscalls = last->syscalls;
    }
    /* the counter of a CPU that goes away stops for good, and a new CPU has none */
    if (cpus != p->cpus && p->perf && p->config.system)
        perf_count_again(&p->perf, p->config.event, p->config.events,
                         &(struct perf_whom){.system = true});
    p->cpus = cpus;
    if (p->perf)
        perf_count_read(p->perf, server, &out->perf);
    if (p->syscalls)
        syscalls_read(p->syscalls, &out->syscalls);
    if (p->host)
        host_read(p->host, &out->host);
    probe_read_status(p, &out->status); /* last: it may have to wait for the server */
}

const struct status_source *probe_status(const struct probe *p)
{
    return p ? p->config.status : NULL;
}

void probe_list(void *probe)
{
    const struct status_source *from = probe_status(probe);

    if (from && from->list)
        from->list(from->arg);
}

void probe_read_status(const struct probe *p, struct status_reading *out)
{
    if (p->config.status)
        p->config.status->read(p->config.status->arg, out);
}

/* Makes all figures missing, for one reason. */
static void no_events(struct perf_delta *d, size_t n, const char *why)
{
    static const struct perf_reading none;

    perf_figures_diff(NULL, 0, &none, &none, d);
    for (size_t i = 0; i < n; i++)
        d->f[i].why = why;
}

/* Why the server's processes have no figures. */
static const char *no_server(const struct probe *p, const struct sample_delta *server)
{
    return server->wall_ns <= 0 ? "the load had ended before this interval"
           : server->broken && server->processes
               ? "another process took the server's place in this interval"
           : p->config.remote && strncmp(server->reason, "no reading", 10) == 0
               ? "no reading from the server's host"
               : "a process of the server has ended";
}

/* Without a server, it is not the processes that figures lack. */
static bool lacks_figures(const struct sample_delta *server)
{
    return server && (server->broken || !server->have);
}

static void diff_events(const struct probe *p, const struct probe_reading *before,
                        const struct probe_reading *after, const struct sample_delta *server,
                        struct probe_delta *out)
{
    const struct remote_told *told = p->config.remote ? remote_told(p->config.remote) : NULL;
    size_t n = p->config.events;

    out->event = p->config.event;
    if (told && told->events) { /* else it has never answered */
        n = told->events;
        out->event = told->event;
    } else if (!told && p->perf) {
        out->event = perf_count_spec(p->perf, &n);
    }
    out->events = n;
    out->system = p->config.system;
    out->derived = perf_figures_derived(out->event, n);
    out->how = told ? told->how : p->perf ? perf_count_how(p->perf) : "";
    out->events_cost_ns = after->perf.cost_ns;
    if (!p->perf && !told)
        no_events(&out->perf, n, "the server's processes are not known");
    else if (lacks_figures(server) && (told || !p->config.system))
        no_events(&out->perf, n, no_server(p, server));
    else
        perf_figures_diff(out->event, n, &before->perf, &after->perf, &out->perf);
    for (size_t i = 0; i < n && server && !out->system; i++)
        out->perf.f[i].lower = out->perf.f[i].have && server->lower & SAMPLE_CPU;
    for (size_t i = 0; i < n && server && server->processes == 0; i++)
        if (!out->perf.f[i].have && !out->event[i].why[0])
            out->perf.f[i].why = no_server(p, server);
}

void probe_diff(const struct probe *p, const struct probe_reading *before,
                const struct probe_reading *after, const struct sample_delta *server,
                struct probe_delta *out)
{
    *out = (struct probe_delta){.how = ""};
    if (p->config.events || p->config.remote_events)
        diff_events(p, before, after, server, out);
    if (p->config.syscalls) {
        struct syscalls_delta *d = &out->syscalls;
        out->has_syscalls = true;
        if (p->config.remote && !lacks_figures(server))
            d->why = remote_syscalls_why(p->config.remote);
        else if (!p->config.remote)
            d->why = probe_syscalls_why(p);
        if (!d->why && lacks_figures(server))
            d->why = no_server(p, server);
        if (!d->why)
            syscalls_diff(&before->syscalls, &after->syscalls, p->config.syscalls, d);
    }
    if (p->config.host) {
        out->has_host = true;
        out->governor = p->config.remote ? remote_told(p->config.remote)->governor : p->governor;
        host_diff(&before->host, &after->host, &out->host);
    }
    if (p->config.status) {
        out->statuses = p->config.status->n;
        out->status_name = p->config.status->name;
        out->has_waits = p->config.status->waits;
        out->quiet_waits = p->config.status->quiet && !after->status.waits.samples;
        status_diff(out->status_name, out->statuses, &before->status, &after->status, &out->status);
    }
}

/* --- status counters ------------------------------------------------------------------------- */

/* MySQL tells whole seconds. */
#define UP_SLACK 1.5

void status_join(struct status_lives *l, const struct status_name *name, size_t n, double up,
                 struct status_reading *r)
{
    bool restarted = r->have && l->any && up + UP_SLACK < l->up + dur_sec(r->at - l->at);

    /* What it told last is all that is known of the life that ended.  Counters that outlive a
     * restart (PostgreSQL saves them) go on from there. */
    l->lives += restarted;
    for (size_t i = 0; restarted && i < n; i++)
        if (name[i].gauge != STATUS_LEVEL && r->have >> i & 1 && r->v[i] < l->v[i])
            l->past[i] += l->v[i];
    if (r->have && l->answered && !restarted)
        l->whole++;
    if (r->have) {
        for (size_t i = 0; i < n; i++)
            l->v[i] = r->have >> i & 1 ? r->v[i] : l->v[i];
        l->have |= r->have;
        l->at = r->at;
        l->up = up;
        l->any = true;
    }
    l->answered = r->have != 0;
    for (size_t i = 0; i < n; i++)
        r->v[i] = l->v[i] + (name[i].gauge == STATUS_LEVEL ? 0 : l->past[i]);
    r->kept = l->have;
    r->lives = l->lives;
    r->whole = l->whole;
}

/* So many statements more or less say nothing. */
#define WORK_SLACK 100

/* The two workers of a parallel query, which live for 10 ms or more, are four transactions to
 * PostgreSQL, and no statement of ours says that there were any.  Of so many, divided by how often
 * sessions were looked at in a second, five looks see some. */
#define UNSEEN_WORK 2000

/* A bound that says next to nothing is not told: of much that the server counted late, or while our
 * statements were under way, or of which nobody knows how often it counted it. */
static void diff_work(const struct status_reading *before, const struct status_reading *after,
                      struct status_others *out)
{
    const struct status_others *early = &before->others, *late = &after->others;

    out->counted = late->counted - early->counted;
    const double looks = (double)(after->waits.samples - before->waits.samples),
                 unseen = late->background ? UNSEEN_WORK * dur_sec(after->at - before->at) : 0;
    out->least = fmax(floor(late->least - early->most - (unseen > 0 ? unseen / looks : 0)), 0);
    out->most = late->most - early->least;
    out->background = late->background;
    out->no_work =
        late->why                       ? late->why
        : !before->have || !after->have ? "the server did not answer"
        : before->lives != after->lives ? "the server was restarted"
        : early->no_work                ? early->no_work
        : late->no_work                 ? late->no_work
        : out->counted < 0 || out->most < -WORK_SLACK /* less than we alone did */
            ? "the server counted less than this run executed; was it reset?"
            : late->greeted > early->greeted ? "new connections executed the server's init_connect"
              : after->waits.workers
                  ? "the server counts those of its workers (parallel query, autovacuum) as well"
              : out->least <= 0 && out->most > WORK_SLACK + out->counted / 100
                  ? "the work of others could not be told from that of this run"
              : out->least > 0 && out->busy <= 0 && late->background
                  ? "the work of others could not be told from that of autovacuum"
                  : NULL;
}

void status_diff(const struct status_name *name, size_t n, const struct status_reading *before,
                 const struct status_reading *after, struct status_delta *out)
{
    bool restarted = before->lives != after->lives, several = after->whole > before->whole;
    const struct status_others *early = &before->others, *late = &after->others;

    *out = (struct status_delta){.wall_ns = after->at - before->at,
                                 .lower = several && (restarted || !after->have)};
    out->others = (struct status_others){.why = late->why,
                                         .connected = late->connected,
                                         .known = late->known - early->known,
                                         .active = late->active - early->active,
                                         .busy = late->busy - early->busy,
                                         .hidden = late->hidden - early->hidden};
    out->others.hides = out->others.hidden ? late->hides : NULL;
    diff_work(before, after, &out->others);
    if (out->others.known <= 0 && !out->others.why)
        out->others.why = "the server was not asked in this interval";
    waits_diff(&before->waits, &after->waits, &out->waits);
    for (size_t i = 0; i < n; i++) {
        bool gauge = name[i].gauge == STATUS_LEVEL;
        double was = gauge ? 0 : before->v[i];
        uint64_t known =
            gauge ? after->have : before->have & (out->lower ? after->kept : after->have);
        known &= UINT64_C(1) << i;
        out->no[i] = known ? NULL : after->no[i] ? after->no[i] : gauge ? NULL : before->no[i];
        if (!known ||
            (!gauge && ((restarted && !several) || out->wall_ns <= 0 || after->v[i] < was)))
            continue;
        out->v[i] = after->v[i] - was;
        out->have |= known;
    }
    snprintf(out->why, sizeof out->why, "%s",
             after->why[0]      ? after->why
             : before->why[0]   ? before->why
             : restarted        ? "the server was restarted"
             : out->wall_ns > 0 ? "the server does not have it, or it fell or was reset"
                                : "the load had ended before this interval");
}

void status_share(const struct status_name *name, size_t n, uint64_t transactions,
                  struct status_delta *d)
{
    for (size_t i = 0; i < n; i++) {
        if (name[i].gauge == STATUS_PER_S && status_has(d, i))
            d->v[i] /= dur_sec(d->wall_ns);
        if (name[i].gauge != STATUS_PER_TX || !status_has(d, i))
            continue;
        d->v[i] /= (double)transactions;
        if (!transactions) {
            d->have &= ~(UINT64_C(1) << i);
            d->no[i] = "no transaction was done";
        }
    }
}

const char *status_why(const struct status_delta *d, size_t i)
{
    return d->no[i] ? d->no[i] : *d->why ? d->why : "the server did not tell, or counted backwards";
}
