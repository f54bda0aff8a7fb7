/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of vmstat(8) for the whole machine, and some that it lacks: bytes of disks and
 * network interfaces, pressure stall information, the CPUs' frequency and power, and how long a
 * quota stopped the server's control group; of the disks of its files (disks.h) those of iostat(1).
 *
 * A reading consists of cumulative counters and gauges; host_diff computes an interval's figures
 * from two readings.  A gauge is shown as it is at the end, and vmstat's gauges as the mean of the
 * readings in the interval, too: the reader keeps sums of them, which are subtracted like counters.
 * Figures come in groups (HOST_*): `have` says which ones were read, host_why why one was not.  A
 * reading takes about 0.1 ms.  One thread at a time.
 */
#ifndef SB_TELEMETRY_HOST_H
#define SB_TELEMETRY_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "telemetry/disks.h"
#include "telemetry/proc.h"

enum {
    HOST_STAT = 1 << 0, /* r b in cs us sy id wa st */
    HOST_MEMORY = 1 << 1,
    HOST_PAGING = 1 << 2, /* si so bi bo */
    HOST_DISK = 1 << 3,
    HOST_NET = 1 << 4,
    HOST_PRESSURE = 1 << 5,
    HOST_FREQUENCY = 1 << 6,
    HOST_THROTTLE = 1 << 7,
    HOST_POWER = 1 << 8, /* of a counter, or of a battery that supplies the machine */
    HOST_ALL = (1 << 9) - 1
};

/* --- power ----------------------------------------------------------------------------------- */

/*
 * How much power the machine uses: the energy counters of the CPU packages and their memory (RAPL,
 * /sys/class/powercap), and what a laptop draws from its battery (/sys/class/power_supply).
 *
 * A counter counts microjoules up to a range of its own, then begins again at 0; energy_add() makes
 * a sum of it that never decreases.  Between two readings a counter may wrap once.  If so much time
 * has passed that it may have wrapped twice, the sum is not known: `gaps` tells the two readings
 * apart.  The zones are looked for once.
 */

enum power_kind { POWER_CPU, POWER_MEMORY, POWER_KINDS };

/* One counter, and what it has counted since it was first read. */
struct energy {
    uint64_t range_uj; /* its largest value */
    uint64_t last_uj, sum_uj;
    mono_ns at; /* of last_uj; 0: it has not been read */
};

/* Adds the new value; false: it may have wrapped more than once since the last one, and only what
 * comes from now on is added. */
bool energy_add(struct energy *e, uint64_t now_uj, mono_ns at);

struct power_reading {
    unsigned have;                   /* 1 << enum power_kind */
    unsigned gaps;                   /* so often the sums lack something */
    uint64_t energy_uj[POWER_KINDS]; /* since power_open, over all packages */
    uint64_t battery_uw;             /* gauge, over all batteries; */
    bool discharging;                /* false: no battery supplies the machine */
};

struct power; /* opaque */

/* `sys_fd` is /sys outside tests, and is used by each reading; -1: there is nothing to read. */
struct power *power_open(int sys_fd);
void power_close(struct power *p); /* NULL is allowed */

void power_read(struct power *p, mono_ns at, struct power_reading *out);

/* --------------------------------------------------------------------------------------------- */

enum { HOST_PSI_CPU, HOST_PSI_IO, HOST_PSI_MEMORY, HOST_PSI };

/* Of all readings since host_open, for means. */
struct host_sums {
    uint64_t stats; /* readings in the next two */
    uint64_t running, blocked;
    uint64_t memories; /* readings in the next four */
    uint64_t swapped_kib, free_kib, buffers_kib, cache_kib;
    uint64_t batteries; /* readings in which a battery supplied the machine */
    uint64_t battery_uw;
};

struct host_reading {
    mono_ns at;
    unsigned have; /* HOST_* */
    struct proc_host stat;
    uint64_t swapped_kib, free_kib, buffers_kib,
        cache_kib; /* gauges; cache with reclaimable slab, as vmstat */
    uint64_t swapped_in_kib, swapped_out_kib, paged_in_kib, paged_out_kib;
    uint64_t disk_read_bytes,
        disk_written_bytes; /* disks, not their partitions or what lies on top of them */
    uint64_t net_received_bytes,
        net_sent_bytes;            /* interfaces with a device behind them; without loopback */
    uint64_t stalled_us[HOST_PSI]; /* some task waited for it */
    uint64_t frequency_khz;        /* gauge: mean over CPUs */
    uint64_t throttled_us, throttled_periods; /* of the server's control group */
    struct power_reading power;
    struct disk_reading disk[DISK_ROLES];
    struct host_sums sum;
    unsigned generation; /* sums and energies of another generation began anew: no difference */
};

struct record;                                  /* base/record.h */
extern const struct record host_reading_record; /* as text */

/* Rates per second, percentages of the interval; gauges as at its end. */
struct host_delta {
    dur_ns wall_ns;
    unsigned have;
    double running, blocked;        /* r, b: threads, without the reader itself */
    double swpd, free, buff, cache; /* KiB */
    double si, so, bi, bo;          /* KiB/s */
    double in, cs;                  /* per second */
    double us, sy, id, wa, st;      /* % of all CPUs; us with nice, sy with interrupts */
    double disk_read, disk_written, net_received, net_sent; /* bytes/s */
    double stalled_pct[HOST_PSI];
    double mhz;
    double throttled_pct; /* of the interval; several CPUs may add up to more than 100 */
    double throttled_periods;
    double running_mean, blocked_mean, swpd_mean, free_mean, buff_mean, cache_mean;
    double watts[POWER_KINDS], battery_watts; /* NaN: no such counter; mean of the readings */
    int cpus;                                 /* online at the end; 0: not known */
    struct disk_delta disk[DISK_ROLES];
};

struct host; /* opaque */

/* "/proc" and "/sys" outside tests.  Never fails: figures that cannot be read are absent. */
struct host *host_open(const char *proc_root, const char *sys_root);
void host_close(struct host *h); /* NULL is allowed */

/* The process whose control group and whose disks are read. */
void host_attach(struct host *h, pid_t server);

void host_read(struct host *h, struct host_reading *out);
void host_diff(const struct host_reading *before, const struct host_reading *after,
               struct host_delta *out);

/* Why one group of figures (one HOST_* bit) is absent, a constant. */
const char *host_why(unsigned group);

/* The governor of the first CPU, or "n/a". */
void host_governor(const char *sys_root, char *buf, size_t size);

#endif
