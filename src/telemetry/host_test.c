/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machine's columns: each from counters that all differ, a made-up tree that loses one file
 * after another, and the real machine against itself.
 */
#include "telemetry/host.h"

#include <math.h>

#include "base/test_timed.h"
#include "base/test_tree.h"
#include "telemetry/spin_test.h"

/* Each figure from counters that all differ: 10 s, counter number i grew by 10 i. */
static void check_all(void)
{
    struct host_reading b = {.at = 1, .have = HOST_ALL}, a = {.at = 10 * NS_PER_SEC + 1};
    uint64_t *const counter[][2] = {
        {&b.stat.interrupts, &a.stat.interrupts},
        {&b.stat.switches, &a.stat.switches},
        {&b.swapped_in_kib, &a.swapped_in_kib},
        {&b.swapped_out_kib, &a.swapped_out_kib},
        {&b.paged_in_kib, &a.paged_in_kib},
        {&b.paged_out_kib, &a.paged_out_kib},
        {&b.disk_read_bytes, &a.disk_read_bytes},
        {&b.disk_written_bytes, &a.disk_written_bytes},
        {&b.net_received_bytes, &a.net_received_bytes},
        {&b.net_sent_bytes, &a.net_sent_bytes},
        {&b.stalled_us[0], &a.stalled_us[0]},
        {&b.stalled_us[1], &a.stalled_us[1]},
        {&b.stalled_us[2], &a.stalled_us[2]},
        {&b.throttled_us, &a.throttled_us},
        {&b.throttled_periods, &a.throttled_periods},
        {&b.power.energy_uj[POWER_CPU], &a.power.energy_uj[POWER_CPU]},
        {&b.power.energy_uj[POWER_MEMORY], &a.power.energy_uj[POWER_MEMORY]},
    };
    struct host_delta d;

    a.have = HOST_ALL & ~(unsigned)HOST_NET;
    for (size_t i = 0; i < sizeof counter / sizeof *counter; i++) {
        *counter[i][0] = 7000 + i;
        *counter[i][1] = 7000 + i + 10 * (i + 1);
    }
    for (size_t i = 0; i < CPU_COLUMNS; i++) {
        b.stat.cpu.column[i] = 100 * i;
        a.stat.cpu.column[i] = 100 * i + i + 1; /* 1 to 8: 36 in all */
    }
    a.stat.online_cpus = 64;
    a.stat.running = 5;
    a.stat.blocked = 6;
    a.swapped_kib = 11, a.free_kib = 12, a.buffers_kib = 13, a.cache_kib = 14;
    a.frequency_khz = 2500500;
    b.power.have = a.power.have = 3;
    b.sum = (struct host_sums){1, 10, 20, 2, 30, 40, 50, 60, 3, 70};
    a.sum = (struct host_sums){3, 20, 40, 6, 50, 80, 110, 140, 11, 8000070};
    host_diff(&b, &a, &d);
    CHECK_INT(d.wall_ns, 10 * NS_PER_SEC);
    CHECK_INT(d.have, HOST_ALL & ~HOST_NET);
    const double got[] = {d.in,
                          d.cs,
                          d.si,
                          d.so,
                          d.bi,
                          d.bo,
                          d.disk_read,
                          d.disk_written,
                          d.net_received,
                          d.net_sent,
                          d.stalled_pct[0] * 1e4,
                          d.stalled_pct[1] * 1e4,
                          d.stalled_pct[2] * 1e4,
                          d.throttled_pct * 1e4,
                          d.throttled_periods / 10,
                          d.watts[POWER_CPU] * 1e6,
                          d.watts[POWER_MEMORY] * 1e6};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
        CHECK_NEAR(got[i], i + 1, 1e-9);
    /* user nice system idle iowait irq softirq steal */
    CHECK_NEAR(d.us, 100 * 3 / 36.0, 1e-9);
    CHECK_NEAR(d.sy, 100 * (3 + 6 + 7) / 36.0, 1e-9);
    CHECK_NEAR(d.id, 100 * 4 / 36.0, 1e-9);
    CHECK_NEAR(d.wa, 100 * 5 / 36.0, 1e-9);
    CHECK_NEAR(d.st, 100 * 8 / 36.0, 1e-9);
    CHECK_INT(d.cpus, 64);
    CHECK_NEAR(d.running, 4, 0);
    CHECK_NEAR(d.blocked, 6, 0);
    CHECK_NEAR(d.swpd, 11, 0);
    CHECK_NEAR(d.free, 12, 0);
    CHECK_NEAR(d.buff, 13, 0);
    CHECK_NEAR(d.cache, 14, 0);
    CHECK_NEAR(d.mhz, 2500.5, 1e-9);
    CHECK_NEAR(d.running_mean, 5, 0);
    CHECK_NEAR(d.blocked_mean, 10, 0);
    CHECK_NEAR(d.swpd_mean, 5, 0);
    CHECK_NEAR(d.free_mean, 10, 0);
    CHECK_NEAR(d.buff_mean, 15, 0);
    CHECK_NEAR(d.cache_mean, 20, 0);
    CHECK_NEAR(d.battery_watts, 1, 1e-9);
    a.generation = 1; /* another reader's sums */
    host_diff(&b, &a, &d);
    CHECK(isnan(d.running_mean) && isnan(d.cache_mean));
    CHECK(isnan(d.watts[POWER_MEMORY]));
    a.stat.running = 0; /* not even the reader */
    a.at = b.at + 1;
    host_diff(&b, &a, &d);
    CHECK_NEAR(d.running, 0, 0);
    CHECK_INT(d.wall_ns, 1);
    a.at = b.at - 1;
    host_diff(&b, &a, &d);
    CHECK_INT(d.have, 0);
}

/* A machine whose every counter is another number; then what is left when a file goes. */
static void check_reading(void)
{
    static const struct {
        const char *file, *text; /* what it is replaced by */
        unsigned lost;
    } t[] = {
        {"proc/stat", "cpu  1 2\n", HOST_STAT | HOST_FREQUENCY},
        {"proc/meminfo", "MemFree: 1 kB\n", HOST_MEMORY},
        {"proc/vmstat", "pgpgin 1\n", HOST_PAGING},
        {"proc/diskstats", "7 0 loop0 1 2 3 4 5 6 7 8\n", HOST_DISK},
        {"proc/net/dev", "heading\n lo: 1 2 3 4 5 6 7 8 9\n", HOST_NET},
        {"proc/pressure/io", "full avg10=0 total=1\n", HOST_PRESSURE},
        {"proc/pressure/memory", "some avg10=0\n", HOST_PRESSURE},
    };
    const char *proc = tree_path("proc"), *sys = tree_path("sys");
    struct host_reading r;
    char governor[32];
    struct host *h;

    tree_put("sys/block/sda/device/x", "%s", "");
    tree_put("sys/block/nvme0n1/device/x", "%s", "");
    tree_put("sys/class/net/eth0/device/x", "%s", "");
    tree_put("sys/class/net/eth1/device/x", "%s", "");
    tree_put("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1000\n");
    tree_put("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2000\n");
    for (size_t i = 0; i <= sizeof t / sizeof *t; i++) {
        tree_put("proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 1\ncpu1 1\nintr 21 1\nctxt 22\n"
                              "btime 23\nprocesses 24\nprocs_running 25\nprocs_blocked 26\n");
        tree_put("proc/meminfo",
                 "MemFree: 31 kB\nBuffers: 32 kB\nCached: 33 kB\nSwapTotal: 100 kB\n"
                 "SwapFree: 66 kB\nSReclaimable: 35 kB\n");
        tree_put("proc/vmstat", "pgpgin 41\npgpgout 42\npswpin 43\npswpout 44\n");
        tree_put("proc/diskstats", "8 0 sda 1 2 51 4 5 6 52 8 9 10 11\n8 1 sda1 1 2 7 4 5 6 7 8\n"
                                   "junk\n8 2 sdb 1 2\n259 0 nvme0n1 1 2 53 4 5 6 54 8\n");
        tree_put("proc/net/dev",
                 "Inter-|   Receive\n face |bytes\n    lo: 9 9 9 9 9 9 9 9 9 9\n  eth0: 61 2 3 "
                 "4 5 6 7 8 62 "
                 "1\n  eth1: 63 2 3 4 5 6 7 8 64 1\n docker0: 7 2 3 4 5 6 7 8 7 1\n bad: 1 2\n");
        tree_put("proc/pressure/cpu", "some avg10=0.00 total=71\nfull avg10=0.00 total=9\n");
        tree_put("proc/pressure/io", "some avg10=0.00 total=72\n");
        tree_put("proc/pressure/memory", "some avg10=0.00 total=73\n");
        if (i)
            tree_put(t[i - 1].file, "%s", t[i - 1].text);
        h = host_open(proc, sys);
        host_read(h, &r);
        host_read(h, &r);
        host_close(h);
        CHECK_INT(r.have, HOST_ALL & ~(HOST_THROTTLE | HOST_POWER | (i ? t[i - 1].lost : 0)));
        if (i)
            continue;
        const uint64_t want[][2] = {
            {r.stat.online_cpus, 2},
            {r.stat.interrupts, 21},
            {r.stat.switches, 22},
            {r.stat.running, 25},
            {r.stat.blocked, 26},
            {r.free_kib, 31},
            {r.buffers_kib, 32},
            {r.cache_kib, 33 + 35},
            {r.swapped_kib, 34},
            {r.paged_in_kib, 41},
            {r.paged_out_kib, 42},
            {r.swapped_in_kib, 43 * (uint64_t)sysconf(_SC_PAGESIZE) / 1024},
            {r.swapped_out_kib, 44 * (uint64_t)sysconf(_SC_PAGESIZE) / 1024},
            {r.disk_read_bytes, 512 * (51 + 53)},
            {r.disk_written_bytes, 512 * (52 + 54)},
            {r.net_received_bytes, 61 + 63},
            {r.net_sent_bytes, 62 + 64},
            {r.stalled_us[HOST_PSI_CPU], 71},
            {r.stalled_us[HOST_PSI_IO], 72},
            {r.stalled_us[HOST_PSI_MEMORY], 73},
            {r.frequency_khz, 1500},
            {r.sum.stats, 2},
            {r.sum.running, 2 * 24},
            {r.sum.blocked, 2 * 26},
            {r.sum.memories, 2},
            {r.sum.swapped_kib, 2 * 34},
            {r.sum.free_kib, 2 * 31},
            {r.sum.buffers_kib, 2 * 32},
            {r.sum.cache_kib, 2 * 68},
            {r.sum.batteries + r.sum.battery_uw, 0},
        };
        for (size_t k = 0; k < sizeof want / sizeof *want; k++)
            CHECK_INT(want[k][0], want[k][1]);
        for (size_t k = 0; k < CPU_COLUMNS; k++)
            CHECK_INT(r.stat.cpu.column[k], k + 1);
    }
    /* a container: virtual interfaces alone; a kernel without swap; a battery and no counter */
    tree_put("proc/net/dev", "  eth9: 5 2 3 4 5 6 7 8 6 1\n  veth: 7 2 3 4 5 6 7 8 8 1\n");
    tree_put("proc/vmstat", "pgpgin 41\npgpgout 42\n");
    tree_put("sys/class/power_supply/BAT0/type", "Battery\n");
    tree_put("sys/class/power_supply/BAT0/status", "Discharging\n");
    tree_put("sys/class/power_supply/BAT0/power_now", "9\n");
    h = host_open(proc, sys);
    host_read(h, &r);
    host_close(h);
    CHECK_INT(r.have, HOST_ALL & ~(HOST_THROTTLE | HOST_PRESSURE));
    CHECK_INT(r.net_received_bytes, 12);
    CHECK_INT(r.net_sent_bytes, 14);
    CHECK_INT(r.swapped_in_kib + r.swapped_out_kib, 0);
    CHECK_INT(r.sum.batteries, 1);
    CHECK_INT(r.sum.battery_uw, 9);
    tree_put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    host_governor(sys, governor, sizeof governor);
    CHECK_STR(governor, "performance");
}

/* A tree that has nothing: every group is absent, and every group has a reason. */
static void check_absent(void)
{
    struct host *h = host_open("/nowhere", "/nowhere");
    struct host_reading r;
    char governor[32];

    host_read(h, &r);
    CHECK_INT(r.have, 0);
    host_close(h);
    static const char *const whys[] = {
        "/proc/stat cannot be read",
        "/proc/meminfo cannot be read",
        "/proc/vmstat cannot be read",
        "no disk is visible",
        "no network interface but loopback is visible",
        "this kernel keeps no pressure stall information",
        "no cpufreq: not reported by this machine",
        "the server is not in a control group with a CPU quota",
        "no RAPL energy counter can be read, and no battery is in use"};
    for (unsigned i = 0; 1u << i < HOST_ALL; i++)
        CHECK_STR(host_why(1u << i), whys[i]);
    CHECK_STR(host_why(0), "");
    host_close(NULL);
    host_governor("/nowhere", governor, sizeof governor);
    CHECK_STR(governor, "n/a");
}

static void check_odd_intervals(void)
{
    struct host_reading b = {.at = NS_PER_SEC, .have = HOST_ALL, .disk_read_bytes = 512}, a = b;
    struct host_delta d;

    host_diff(&b, &a, &d); /* no time at all */
    CHECK_INT(d.have, 0);
    a.at = b.at + NS_PER_MS; /* less than a tick: nothing to divide */
    host_diff(&b, &a, &d);
    CHECK(isnan(d.us) && isnan(d.id));
    CHECK_NEAR(d.cs, 0, 0);
    CHECK(isnan(d.free_mean));                                  /* from a peer that sends no sums */
    CHECK(isnan(d.watts[POWER_CPU]) && isnan(d.battery_watts)); /* nothing has one */
    b.power.have = a.power.have = 1 << POWER_CPU;
    a.power.energy_uj[POWER_CPU] = 15000;
    host_diff(&b, &a, &d);
    CHECK_NEAR(d.watts[POWER_CPU], 15, 1e-9);
    CHECK(isnan(d.watts[POWER_MEMORY]));
    a.power.gaps = 1;      /* the counter may have wrapped unseen */
    a.disk_read_bytes = 0; /* a disk was taken away */
    host_diff(&b, &a, &d);
    CHECK(isnan(d.disk_read) && isnan(d.watts[POWER_CPU]));
}

/* The server's group, found through its cgroup file; version 1 counts in ns. */
static void check_throttle(void)
{
    static const struct {
        const char *mount, *group, *file, *counts;
    } t[] = {{"v1 rw - cgroup cgroup rw,cpu,cpuacct", "3:cpu,cpuacct:/c", "v1/c/cpu.stat",
              "nr_throttled 4\nthrottled_time 7000999\n"},
             {"v2 rw - cgroup2 cgroup2 rw", "0::/c", "v2/c/cpu.stat",
              "nr_throttled 4\nthrottled_usec 7000\n"}};

    for (size_t i = 0; i < 2; i++) {
        struct host_reading r = {0};
        struct host *h = host_open(test_tree, "/nowhere");
        tree_put("self/mountinfo", "31 22 0:27 / %s/%s\n", test_tree, t[i].mount);
        tree_put("77/cgroup", "%s\n", t[i].group);
        tree_put(t[i].file, "%s", t[i].counts);
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
    check_all();
    check_reading();
    check_absent();
    check_odd_intervals();
    check_throttle();
    TIMED(check_live);
    return timed_done("host");
}
