/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Energy counters that wrap, once and perhaps more often; trees of one and two packages with all
 * the zones that must not be added; batteries that are read in both ways, and those that do not
 * supply the machine.
 */
#include "telemetry/host.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/test.h"
#include "base/test_tree.h"

static char tree[] = "/tmp/sb-power-XXXXXX";

static void put(const char *path, const char *text)
{
    test_tree_put(tree, path, text);
}

static void zone(const char *name, const char *what, const char *uj)
{
    char *path = mem_printf("class/powercap/%s/name", name);

    put(path, what);
    free(path);
    path = mem_printf("class/powercap/%s/energy_uj", name);
    put(path, uj);
    free(path);
    path = mem_printf("class/powercap/%s/max_energy_range_uj", name);
    put(path, "262143328850\n");
    free(path);
}

/* A counter of 32 bits in units of 15.3 uJ, as many CPUs have it. */
static void check_wrap(void)
{
    const uint64_t range = UINT64_C(65532610987);
    struct energy e = {.range_uj = range};

    CHECK(energy_add(&e, range - 1000, NS_PER_SEC)); /* what it has counted before is not ours */
    CHECK_INT(e.sum_uj, 0);
    CHECK(energy_add(&e, range - 400, 2 * NS_PER_SEC));
    CHECK_INT(e.sum_uj, 600);
    CHECK(energy_add(&e, 50, 3 * NS_PER_SEC));
    CHECK_INT(e.sum_uj, 1050);
    CHECK(energy_add(&e, 50, 4 * NS_PER_SEC)); /* nothing used is no wrap */
    CHECK_INT(e.sum_uj, 1050);
    CHECK(energy_add(&e, 0, 5 * NS_PER_SEC));
    CHECK_INT(e.sum_uj, 1050 + range - 50);
}

/* 65.5 kJ at 1 kW are 65.5 s: after that nobody knows how often it wrapped. */
static void check_gap(void)
{
    struct energy e = {.range_uj = UINT64_C(65532610987)};

    CHECK(energy_add(&e, 1000, NS_PER_SEC));
    CHECK(energy_add(&e, 3000, 66 * NS_PER_SEC));
    CHECK_INT(e.sum_uj, 2000);
    CHECK(!energy_add(&e, 4000, 132 * NS_PER_SEC));
    CHECK_INT(e.sum_uj, 2000);
    CHECK(energy_add(&e, 4500, 133 * NS_PER_SEC)); /* from then on it is known again */
    CHECK_INT(e.sum_uj, 2500);
}

static struct power *open_tree(int *fd)
{
    *fd = open(tree, O_RDONLY | O_DIRECTORY);
    return power_open(*fd);
}

static void check_nothing(void)
{
    struct power *p = power_open(-1);
    struct power_reading r;

    power_read(p, NS_PER_SEC, &r);
    CHECK(r.have == 0 && !r.discharging);
    power_close(p);
    power_close(NULL);
}

static void check_zones(void)
{
    struct power_reading r;
    struct power *p;
    int fd;

    zone("intel-rapl:0", "package-0\n", "1000\n");
    zone("intel-rapl:1", "package-1\n", "262143328840\n");
    zone("intel-rapl:0:0", "core\n", "500\n");
    zone("intel-rapl:0:1", "dram\n", "70\n");
    zone("intel-rapl:2", "psys\n", "9000\n");
    zone("intel-rapl-mmio:0", "package-0\n", "1000\n");
    p = open_tree(&fd);
    power_read(p, NS_PER_SEC, &r);
    CHECK_INT(r.have, 1 << POWER_CPU | 1 << POWER_MEMORY);
    CHECK_INT(r.energy_uj[POWER_CPU], 0);
    zone("intel-rapl:0", "package-0\n", "1300\n");
    zone("intel-rapl:1", "package-1\n", "40\n"); /* wrapped: 10 + 40 */
    zone("intel-rapl:0:0", "core\n", "800\n");
    zone("intel-rapl:0:1", "dram\n", "75\n");
    zone("intel-rapl:2", "psys\n", "9900\n");
    zone("intel-rapl-mmio:0", "package-0\n", "1300\n");
    power_read(p, 2 * NS_PER_SEC, &r);
    CHECK_INT(r.energy_uj[POWER_CPU], 300 + 50);
    CHECK_INT(r.energy_uj[POWER_MEMORY], 5);
    CHECK_INT(r.gaps, 0);
    power_read(p, 3000 * NS_PER_SEC, &r);
    CHECK_INT(r.gaps, 3);
    put("class/powercap/intel-rapl:1/energy_uj", ""); /* one of two packages is half a sum */
    power_read(p, 3001 * NS_PER_SEC, &r);
    CHECK_INT(r.have, 1 << POWER_MEMORY);
    power_close(p);
    close(fd);
}

static void battery(const char *name, const char *file, const char *text)
{
    char *path = mem_printf("class/power_supply/%s/%s", name, file);

    put(path, text);
    free(path);
}

static void check_batteries(void)
{
    struct power_reading r;
    struct power *p;
    int fd;

    battery("AC", "type", "Mains\n");
    battery("BAT0", "type", "Battery\n");
    battery("BAT0", "status", "Charging\n");
    battery("BAT0", "power_now", "9000000\n");
    p = open_tree(&fd);
    power_read(p, NS_PER_SEC, &r);
    CHECK(!r.discharging);
    battery("BAT0", "status", "Discharging\n");
    battery("BAT1", "type", "Battery\n");
    battery("BAT1", "status", "Discharging\n");
    battery("BAT1", "voltage_now", "12000000\n"); /* 12 V, 0.5 A */
    battery("BAT1", "current_now", "500000\n");
    battery("mouse", "type", "Battery\n");
    battery("mouse", "scope", "Device\n");
    battery("mouse", "status", "Discharging\n");
    battery("mouse", "power_now", "1\n");
    power_read(p, 2 * NS_PER_SEC, &r);
    CHECK(r.discharging);
    CHECK_INT(r.battery_uw, 9000000 + 6000000);
    power_close(p);
    close(fd);
}

TEST_MAIN(power_test)
{
    char *command;

    CHECK(mkdtemp(tree) != NULL);
    check_wrap();
    check_gap();
    check_nothing();
    check_zones();
    check_batteries();
    command = mem_printf("rm -rf %s", tree);
    CHECK_INT(system(command), 0);
    free(command);
    return test_done("power");
}
