/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Energy counters that wrap, once and perhaps more often; trees of one and two packages with all
 * the zones that must not be added; batteries that are read in both ways, and those that do not
 * supply the machine.
 */
#include "telemetry/host.h"

#include <fcntl.h>

#include "base/test_tree.h"

static void zone(const char *name, const char *what, const char *uj)
{
    char path[100];

    snprintf(path, sizeof path, "class/powercap/%s/name", name);
    tree_put(path, "%s\n", what);
    snprintf(path, sizeof path, "class/powercap/%s/energy_uj", name);
    tree_put(path, "%s\n", uj);
    snprintf(path, sizeof path, "class/powercap/%s/max_energy_range_uj", name);
    tree_put(path, "262143328850\n");
}

/* A counter of 32 bits in units of 15.3 uJ, as many CPUs have it: 65.5 kJ at 1 kW are 65.5 s; after
 * that nobody knows how often it wrapped. */
static void check_wrap(void)
{
    enum { AGAIN = 1050 };
    static const uint64_t range = UINT64_C(65532610987);
    static const struct {
        uint64_t uj, at, sum;
        bool gap;
    } t[] = {
        {range - 1000, 1, 0, false}, /* what it has counted before is not ours */
        {range - 400, 2, 600, false},
        {50, 3, AGAIN, false},
        {50, 4, AGAIN, false}, /* nothing used is no wrap */
        {0, 5, AGAIN + range - 50, false},
        {2000, 70, AGAIN + range + 1950, false},
        {3000, 136, AGAIN + range + 1950, true},
        {3500, 137, AGAIN + range + 2450, false}, /* from then on it is known again */
    };
    struct energy e = {.range_uj = range};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        CHECK_INT(energy_add(&e, t[i].uj, (mono_ns)t[i].at * NS_PER_SEC), !t[i].gap);
        CHECK_INT(e.sum_uj, t[i].sum);
    }
}

static void check_zones(void)
{
    struct power_reading r;
    struct power *p;
    int fd;

    zone("intel-rapl:0", "package-0", "1000");
    zone("intel-rapl:1", "package-1", "262143328840");
    zone("intel-rapl:0:0", "core", "500");
    zone("intel-rapl:0:1", "dram", "70");
    zone("intel-rapl:2", "psys", "9000");
    zone("intel-rapl-mmio:0", "package-0", "1000");
    p = power_open(fd = open(test_tree, O_RDONLY | O_DIRECTORY));
    power_read(p, NS_PER_SEC, &r);
    CHECK_INT(r.have, 1 << POWER_CPU | 1 << POWER_MEMORY);
    CHECK_INT(r.energy_uj[POWER_CPU], 0);
    zone("intel-rapl:0", "package-0", "1300");
    zone("intel-rapl:1", "package-1", "40"); /* wrapped: 10 + 40 */
    zone("intel-rapl:0:0", "core", "800");
    zone("intel-rapl:0:1", "dram", "75");
    zone("intel-rapl:2", "psys", "9900");
    zone("intel-rapl-mmio:0", "package-0", "1300");
    power_read(p, 2 * NS_PER_SEC, &r);
    CHECK_INT(r.energy_uj[POWER_CPU], 300 + 50);
    CHECK_INT(r.energy_uj[POWER_MEMORY], 5);
    CHECK_INT(r.gaps, 0);
    power_read(p, 3000 * NS_PER_SEC, &r);
    CHECK_INT(r.gaps, 3);
    tree_put("class/powercap/intel-rapl:1/energy_uj", "%s",
             ""); /* one of two packages is half a sum */
    power_read(p, 3001 * NS_PER_SEC, &r);
    CHECK_INT(r.have, 1 << POWER_MEMORY);
    power_close(p);
    close(fd);
}

static void check_batteries(void)
{
    struct power_reading r;
    struct power *p;
    int fd;

    tree_put("class/power_supply/AC/type", "Mains\n");
    tree_put("class/power_supply/BAT0/type", "Battery\n");
    tree_put("class/power_supply/BAT0/status", "Charging\n");
    tree_put("class/power_supply/BAT0/power_now", "9000000\n");
    p = power_open(fd = open(test_tree, O_RDONLY | O_DIRECTORY));
    power_read(p, NS_PER_SEC, &r);
    CHECK(!r.discharging);
    tree_put("class/power_supply/BAT0/status", "Discharging\n");
    tree_put("class/power_supply/BAT1/type", "Battery\n");
    tree_put("class/power_supply/BAT1/status", "Discharging\n");
    tree_put("class/power_supply/BAT1/voltage_now", "12000000\n"); /* 12 V, 0.5 A */
    tree_put("class/power_supply/BAT1/current_now", "500000\n");
    tree_put("class/power_supply/mouse/type", "Battery\n");
    tree_put("class/power_supply/mouse/scope", "Device\n");
    tree_put("class/power_supply/mouse/status", "Discharging\n");
    tree_put("class/power_supply/mouse/power_now", "1\n");
    power_read(p, 2 * NS_PER_SEC, &r);
    CHECK(r.discharging);
    CHECK_INT(r.battery_uw, 9000000 + 6000000);
    power_close(p);
    close(fd);
}

TEST_MAIN(power_test)
{
    tree_begin();
    check_wrap();
    check_zones();
    check_batteries();
    return test_done("power");
}
