/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machine's columns: each from counters that all differ, a made-up tree that loses one file
 * after another, and the real machine against itself.
 */
#include "telemetry/host.h"

#include <math.h>

#include "base/mem.h"
#include "base/record.h"
#include "base/test_golden.h"
#include "base/test_timed.h"
#include "base/test_tree.h"
#include "telemetry/spin_test.h"

/* A figure that is not there is NaN, of either sign. */
static void figures(const char *what, const double *v, size_t n)
{
    str_printf(&golden_all, "  %s", what);
    for (size_t i = 0; i < n; i++)
        str_printf(&golden_all, isnan(v[i]) ? " nan" : " %.10g", v[i]);
    str_adds(&golden_all, "\n");
}
#define FIGURES(what, ...)                                                                         \
    figures(what, (const double[]){__VA_ARGS__},                                                   \
            sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void show(const char *title, const struct host_reading *b, const struct host_reading *a)
{
    struct host_delta d;

    host_diff(b, a, &d);
    golden_line("=== %s\nwall %lld, have %#x, %d CPUs", title, (long long)d.wall_ns, d.have,
                d.cpus);
    FIGURES("us sy id wa st", d.us, d.sy, d.id, d.wa, d.st);
    FIGURES("r b", d.running, d.blocked);
    FIGURES("swpd free buff cache", d.swpd, d.free, d.buff, d.cache);
    FIGURES("means of these six", d.running_mean, d.blocked_mean, d.swpd_mean, d.free_mean,
            d.buff_mean, d.cache_mean);
    FIGURES("in cs si so bi bo", d.in, d.cs, d.si, d.so, d.bi, d.bo);
    FIGURES("disk and network", d.disk_read, d.disk_written, d.net_received, d.net_sent);
    FIGURES("stalled, throttled", d.stalled_pct[0], d.stalled_pct[1], d.stalled_pct[2],
            d.throttled_pct, d.throttled_periods);
    FIGURES("MHz, watts", d.mhz, d.watts[POWER_CPU], d.watts[POWER_MEMORY], d.battery_watts);
}

/* Each number of the table by as much as its place in it. */
static void fill(struct host_reading *r, uint64_t from, uint64_t each)
{
    for (size_t i = 0; i < host_reading_record.n; i++)
        if (host_reading_record.field[i].type == RECORD_U64)
            *(uint64_t *)record_at(&host_reading_record.field[i], r, 0) = from + each * i;
}

/* Each figure from counters that all differ: 10 s, number i of the table grew by 10 i. */
static void differences(void)
{
    struct host_reading b = {.at = 1, .have = HOST_ALL, .power.have = 3}, a = b;

    fill(&b, 7000, 1);
    fill(&a, 7000, 11);
    a.at += 10 * NS_PER_SEC;
    a.have &= ~(unsigned)HOST_NET;
    a.stat.online_cpus = 64;
    show("each by another number", &b, &a);
    a.generation = 1; /* another reader's sums */
    a.stat.running = 0;
    a.at = b.at + 1;
    show("another reader, and none runs, not even it", &b, &a);
    a.at = b.at - 1;
    show("backwards", &b, &a);
    b = (struct host_reading){.at = NS_PER_SEC, .have = HOST_ALL, .disk_read_bytes = 512};
    a = b;
    show("no time at all", &b, &a);
    a.at += NS_PER_MS;
    show("less than a tick; from a peer that sends no sums, where nothing has watts", &b, &a);
    b.power.have = a.power.have = 1 << POWER_CPU;
    a.power.energy_uj[POWER_CPU] = 15000;
    show("watts of CPUs", &b, &a);
    a.power.gaps = 1;
    a.disk_read_bytes = 0;
    show("a counter that may have wrapped unseen, a disk that was taken away", &b, &a);
}

/* All that a made-up machine tells. */
static void read_machine(const char *title)
{
    struct host *h = host_open(tree_path("proc"), tree_path("sys"));
    struct str out = STR_INIT;
    struct host_reading r;

    host_read(h, &r);
    host_read(h, &r);
    host_close(h);
    CHECK(r.at > 0);
    r.at = 0;
    r.swapped_in_kib /= (uint64_t)sysconf(_SC_PAGESIZE) / 1024; /* pages again */
    r.swapped_out_kib /= (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    record_write(&host_reading_record, &out, &r);
    golden_line("=== %s\n%s", title, str_cstr(&out));
    str_free(&out);
}

/* A machine whose every counter is another number; then what is left when a file goes. */
static void readings(void)
{
    static const char *const file[][2] = {
        {"proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 1\ncpu1 1\nintr 21 1\nctxt 22\n"
                      "btime 23\nprocesses 24\nprocs_running 25\nprocs_blocked 26\n"},
        {"proc/meminfo", "MemFree: 31 kB\nBuffers: 32 kB\nCached: 33 kB\nSwapTotal: 100 kB\n"
                         "SwapFree: 66 kB\nSReclaimable: 35 kB\n"},
        {"proc/vmstat", "pgpgin 41\npgpgout 42\npswpin 43\npswpout 44\n"},
        {"proc/diskstats", "8 0 sda 1 2 51 4 5 6 52 8 9 10 11\n8 1 sda1 1 2 7 4 5 6 7 8\n"
                           "junk\n8 2 sdb 1 2\n259 0 nvme0n1 1 2 53 4 5 6 54 8\n"},
        {"proc/net/dev",
         "Inter-|   Receive\n face |bytes\n    lo: 9 9 9 9 9 9 9 9 9 9\n  eth0: 61 2 3 4 5 6 7 8 "
         "62 1\n  eth1: 63 2 3 4 5 6 7 8 64 1\n docker0: 7 2 3 4 5 6 7 8 7 1\n bad: 1 2\n"},
        {"proc/pressure/cpu", "some avg10=0.00 total=71\nfull avg10=0.00 total=9\n"},
        {"proc/pressure/io", "some avg10=0.00 total=72\n"},
        {"proc/pressure/memory", "some avg10=0.00 total=73\n"},
        {"sys/block/sda/device/x", ""},
        {"sys/block/nvme0n1/device/x", ""},
        {"sys/class/net/eth0/device/x", ""},
        {"sys/class/net/eth1/device/x", ""},
        {"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1000\n"},
        {"sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2000\n"},
    };
    static const char *const lost[][2] = {
        {"proc/stat", "cpu  1 2\n"},
        {"proc/meminfo", "MemFree: 1 kB\n"},
        {"proc/vmstat", "pgpgin 1\n"},
        {"proc/diskstats", "7 0 loop0 1 2 3 4 5 6 7 8\n"},
        {"proc/net/dev", "heading\n lo: 1 2 3 4 5 6 7 8 9\n"},
        {"proc/pressure/io", "full avg10=0 total=1\n"},
        {"proc/pressure/memory", "some avg10=0\n"},
    };
    char governor[32];

    for (size_t i = 0; i <= COUNT(lost); i++) {
        for (size_t k = 0; k < COUNT(file); k++)
            tree_put(file[k][0], "%s", file[k][1]);
        if (i)
            tree_put(lost[i - 1][0], "%s", lost[i - 1][1]);
        read_machine(i ? lost[i - 1][0] : "whole");
    }
    tree_put("proc/net/dev", "  eth9: 5 2 3 4 5 6 7 8 6 1\n  veth: 7 2 3 4 5 6 7 8 8 1\n");
    tree_put("proc/vmstat", "pgpgin 41\npgpgout 42\n");
    tree_put("sys/class/power_supply/BAT0/type", "Battery\n");
    tree_put("sys/class/power_supply/BAT0/status", "Discharging\n");
    tree_put("sys/class/power_supply/BAT0/power_now", "9\n");
    read_machine("a container: virtual interfaces alone; no swap; a battery and no counter");
    tree_put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    host_governor(tree_path("sys"), governor, sizeof governor);
    CHECK_STR(governor, "performance");
    /* nothing: every group is absent, and has a reason */
    tree_remove("proc");
    tree_remove("sys");
    read_machine("nothing");
    for (unsigned i = 0; 1u << i <= HOST_ALL + 1; i++)
        golden_line("%#x: %s", 1u << i, host_why(1u << i));
    host_close(NULL);
    host_governor("/nowhere", governor, sizeof governor);
    CHECK_STR(governor, "n/a");
}

/* The server's group, found through its cgroup file; version 1 counts in ns. */
static void check_throttle(void)
{
    static const char *const t[][4] = {{"v1 rw - cgroup cgroup rw,cpu,cpuacct", "3:cpu,cpuacct:/c",
                                        "v1/c/cpu.stat",
                                        "nr_throttled 4\nthrottled_time 7000999\n"},
                                       {"v2 rw - cgroup2 cgroup2 rw", "0::/c", "v2/c/cpu.stat",
                                        "nr_throttled 4\nthrottled_usec 7000\n"}};

    for (size_t i = 0; i < 2; i++) {
        struct host_reading r = {0};
        struct host *h = host_open(test_tree, "/nowhere");
        tree_put("self/mountinfo", "31 22 0:27 / %s/%s\n", test_tree, t[i][0]);
        tree_put("77/cgroup", "%s\n", t[i][1]);
        tree_put(t[i][2], "%s", t[i][3]);
        host_attach(h, 77);
        host_read(h, &r);
        host_close(h);
        CHECK_INT(r.have, HOST_THROTTLE);
        CHECK_INT(r.throttled_periods, 4);
        CHECK_INT(r.throttled_us, 7000);
    }
}

/* On this machine: shares add up to the whole, and a process that burns a CPU is visible. */
static void check_live(void)
{
    static const char *const args[] = {"spin", "--cpu=0.5", NULL};
    struct host *h = host_open("/proc", "/sys");
    struct host_reading b, a;
    struct host_delta d;
    struct spin spin = {0};

    CHECK(spin_start(&spin, args));
    host_read(h, &b);
    CHECK(spin_go(&spin) && spin_done(&spin));
    host_read(h, &a);
    spin_stop(&spin);
    host_diff(&b, &a, &d);
    CHECK(d.have & HOST_STAT && d.have & HOST_MEMORY && d.have & HOST_PAGING);
    CHECK_NEAR(d.us + d.sy + d.id + d.wa + d.st, 100, 0.5);
    /* 0.5 s of all CPUs' time, less a tick */
    CHECK_TIMED(d.us / 100 * dur_sec(d.wall_ns) * a.stat.online_cpus > 0.45);
    CHECK(d.cs > 0 && d.in > 0 && d.free > 0);
    host_close(h);
}

TEST_MAIN(host_test)
{
    close(STDIN_FILENO); /* 0 is the number of a file as any other */
    tree_begin();
    differences();
    readings();
    golden_done("host_test");
    check_throttle();
    TIMED(check_live);
    return timed_done("host");
}
