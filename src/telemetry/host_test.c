/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machine's columns: two captured trees one second apart with figures computed by hand, trees
 * with missing files, and the real machine against itself.
 */
#include "telemetry/host.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "base/test_timed.h"
#include "base/test_tree.h"
#include "telemetry/spin_test.h"

static struct host *open_tree(const char *which)
{
    char base[PATH_MAX], proc[PATH_MAX + 8], sys[PATH_MAX + 8];
    char name[40];

    snprintf(name, sizeof name, "host/%s", which);
    if (!test_data(name, base)) {
        CHECK(!"test data");
        return NULL;
    }
    snprintf(proc, sizeof proc, "%s/proc", base);
    snprintf(sys, sizeof sys, "%s/sys", base);
    return host_open(proc, sys);
}

static void read_tree(const char *which, struct host_reading *r)
{
    struct host *h = open_tree(which);

    if (h)
        host_read(h, r);
    host_close(h);
}

static void check_columns(void)
{
    struct host_reading b = {0}, a = {0};
    struct host_delta d;

    read_tree("before", &b);
    read_tree("after", &a);
    CHECK_INT(b.have, HOST_ALL & ~(HOST_THROTTLE | HOST_POWER));
    b.at = 5 * NS_PER_SEC;
    a.at = 7 * NS_PER_SEC; /* as if two seconds had passed */
    host_diff(&b, &a, &d);
    CHECK_INT(d.have, b.have);
    CHECK_NEAR(d.running, 1, 0); /* one of the two was the reader */
    CHECK_NEAR(d.in, (46847844 - 46844604) / 2.0, 1e-9);
    CHECK_NEAR(d.cs, (259679857 - 259661856) / 2.0, 1e-9);
    /* 56 + 1 user, 24 + 0 + 1 system, 134 idle, 2 waiting, 0 stolen: 218 ticks */
    CHECK_NEAR(d.us, 100 * 57 / 218.0, 1e-9);
    CHECK_NEAR(d.sy, 100 * 25 / 218.0, 1e-9);
    CHECK_NEAR(d.id, 100 * 134 / 218.0, 1e-9);
    CHECK_NEAR(d.wa, 100 * 2 / 218.0, 1e-9);
    CHECK_NEAR(d.st, 0, 0);
    CHECK_NEAR(d.free, 21992868, 0);
    CHECK_NEAR(d.buff, 6204, 0);
    CHECK_NEAR(d.cache, 714744 + 187212, 0);
    CHECK_NEAR(d.swpd, 0, 0);
    CHECK_NEAR(d.bi, (34909141 - 34904569) / 2.0, 1e-9);
    CHECK_NEAR(d.bo, (47903768 - 47877004) / 2.0, 1e-9);
    CHECK_NEAR(d.disk_read, (69818282 - 69809154) * 512 / 2.0,
               1e-6); /* vda alone, neither loops nor zram */
    CHECK_NEAR(d.disk_written, (95807536 - 95754008) * 512 / 2.0, 1e-6);
    CHECK_NEAR(d.net_received, 2048, 1e-9); /* eth0 alone */
    CHECK_NEAR(d.net_sent, 512, 1e-9);
    CHECK_NEAR(d.stalled_pct[HOST_PSI_CPU], (3089831263 - 3089754860) / 2e4, 1e-9);
    CHECK_NEAR(d.stalled_pct[HOST_PSI_IO], (119498654 - 119482341) / 2e4, 1e-9);
    CHECK_NEAR(d.mhz, 2800, 1e-9);
}

/* vmstat's levels as means of the readings: of those after the first one, as rows of vmstat are
 * after its first line. */
static void check_means(void)
{
    struct host_reading r[3] = {0};
    struct host_delta d;
    struct host *h = open_tree("before");

    if (!h)
        return;
    for (int i = 0; i < 3; i++)
        host_read(h, &r[i]);
    host_close(h);
    CHECK_INT(r[2].sum.stats, 3);
    r[2].at = r[0].at + NS_PER_SEC;
    host_diff(&r[0], &r[2], &d);
    CHECK_NEAR(d.running_mean, d.running, 0); /* the same file three times */
    CHECK_NEAR(d.free_mean, d.free, 0);
    CHECK_NEAR(d.cache_mean, d.cache, 0);
    r[2].sum.running += 5;
    r[2].sum.free_kib += 1000;
    host_diff(&r[0], &r[2], &d);
    CHECK_NEAR(d.running_mean, d.running + 2.5, 1e-9);
    CHECK_NEAR(d.free_mean, d.free + 500, 1e-9);
    r[0].sum = r[2].sum; /* from a peer that sends none */
    host_diff(&r[0], &r[2], &d);
    CHECK(isnan(d.running_mean) && isnan(d.swpd_mean));
}

/* Two seconds: 30 J of the CPUs, nothing of their memory, and a battery. */
static void check_power(void)
{
    struct host_reading b = {.have = HOST_POWER}, a = {.at = 2 * NS_PER_SEC, .have = HOST_POWER};
    struct host_delta d;

    b.power = (struct power_reading){.have = 1 << POWER_CPU, .energy_uj = {1000000, 0}};
    a.power = (struct power_reading){.have = 1 << POWER_CPU, .energy_uj = {31000000, 0}};
    a.sum.batteries = 2;
    a.sum.battery_uw = 25000000;
    host_diff(&b, &a, &d);
    CHECK_NEAR(d.watts[POWER_CPU], 15, 1e-9);
    CHECK(isnan(d.watts[POWER_MEMORY]));
    CHECK_NEAR(d.battery_watts, 12.5, 1e-9);
    a.generation = 1; /* another reader's sums, which began later */
    host_diff(&b, &a, &d);
    CHECK(isnan(d.watts[POWER_CPU]) && isnan(d.battery_watts));
    a.generation = 0;
    a.power.gaps = 1; /* the counter may have wrapped unseen */
    a.sum.batteries = 0;
    host_diff(&b, &a, &d);
    CHECK(isnan(d.watts[POWER_CPU]) && isnan(d.battery_watts));
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
    for (unsigned bit = 1; bit < HOST_ALL; bit <<= 1)
        CHECK(host_why(bit)[0]);
    host_governor("/nowhere", governor, sizeof governor);
    CHECK_STR(governor, "n/a");
}

static void check_odd_intervals(void)
{
    struct host_reading b = {0}, a = {0};
    struct host_delta d;

    read_tree("before", &b);
    a = b;
    host_diff(&b, &a, &d); /* no time at all */
    CHECK_INT(d.have, 0);
    a.at = b.at + NS_PER_MS; /* less than a tick: nothing to divide */
    host_diff(&b, &a, &d);
    CHECK(isnan(d.us) && isnan(d.id));
    CHECK_NEAR(d.cs, 0, 0);
    a.disk_read_bytes -= 512; /* a disk was taken away */
    host_diff(&b, &a, &d);
    CHECK(isnan(d.disk_read));
}

static void check_governor(void)
{
    char base[PATH_MAX], sys[PATH_MAX + 8], governor[32];

    if (!test_data("host/after", base))
        return;
    snprintf(sys, sizeof sys, "%s/sys", base);
    host_governor(sys, governor, sizeof governor);
    CHECK_STR(governor, "performance");
}

/* A made-up group, found through a captured cgroup file. */
static void check_throttle(void)
{
    char base[PATH_MAX], tree[] = "/tmp/sb-host-XXXXXX", path[2 * PATH_MAX], command[100];
    struct host_reading b, a;
    struct host_delta d;
    struct host *h;

    if (!test_data("host", base) || !mkdtemp(tree))
        return;
    for (int i = 0; i < 3; i++) {
        static const char *const name[] = {"self", "77", "."};
        snprintf(path, sizeof path, "%s/%s", tree, name[i]);
        mkdir(path, 0700);
    }
    for (int i = 0; i < 2; i++) {
        FILE *f;
        snprintf(path, sizeof path, "%s/self/mountinfo", tree);
        f = fopen(path, "w");
        CHECK(f && fprintf(f, "31 22 0:27 / %s/%s rw - cgroup2 cgroup2 rw\n", base,
                           i ? "after" : "before") > 0);
        if (f)
            fclose(f);
        snprintf(path, sizeof path, "%s/77/cgroup", tree);
        f = fopen(path, "w");
        CHECK(f && fprintf(f, "0::/group\n") > 0);
        if (f)
            fclose(f);
        h = host_open(tree, "/nowhere");
        host_attach(h, 77);
        host_read(h, i ? &a : &b);
        host_close(h);
    }
    CHECK_INT(a.have, HOST_THROTTLE);
    b.at = 0;
    a.at = NS_PER_SEC;
    host_diff(&b, &a, &d);
    CHECK_NEAR(d.throttled_pct, 50, 1e-9);
    CHECK_NEAR(d.throttled_periods, 5, 0);
    snprintf(command, sizeof command, "rm -rf %s", tree);
    CHECK_INT(system(command), 0);
}

/* Version 1 of control groups counts in ns. */
static void check_throttle_v1(void)
{
    char tree[] = "/tmp/sb-host-XXXXXX", text[200], command[100];
    struct host_reading r = {0};
    struct host *h;

    if (!mkdtemp(tree))
        return;
    snprintf(text, sizeof text, "31 22 0:27 / %s/v1 rw - cgroup cgroup rw,cpu,cpuacct\n", tree);
    test_tree_put(tree, "self/mountinfo", text);
    test_tree_put(tree, "77/cgroup", "3:cpu,cpuacct:/c\n");
    test_tree_put(tree, "v1/c/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 7000999\n");
    h = host_open(tree, "/nowhere");
    host_attach(h, 77);
    host_read(h, &r);
    host_close(h);
    CHECK_INT(r.have, HOST_THROTTLE);
    CHECK_INT(r.throttled_periods, 4);
    CHECK_INT(r.throttled_us, 7000);
    snprintf(command, sizeof command, "rm -rf %s", tree);
    CHECK_INT(system(command), 0);
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
    check_columns();
    check_means();
    check_power();
    check_absent();
    check_odd_intervals();
    check_governor();
    check_throttle();
    check_throttle_v1();
    TIMED(check_live);
    return timed_done("host");
}
