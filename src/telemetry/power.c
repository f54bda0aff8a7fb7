/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See power.h.  A package is a zone intel-rapl:N named "package-N", whatever the vendor of the CPU;
 * its memory, if that has a counter, is a zone below it named "dram".  The other zones are parts of
 * a package (core, uncore) or hold all packages (psys), and the same packages appear once more as
 * intel-rapl-mmio:N: none of them is added.
 */
#include "telemetry/power.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "telemetry/proc.h"

#define ZONES     "class/powercap"
#define SUPPLIES  "class/power_supply"
#define MOST_UW   1e9 /* no package uses more than 1 kW: how soon a counter can wrap */
#define PATH_SIZE 320

struct zone {
    char path[PATH_SIZE]; /* of its counter */
    enum power_kind kind;
    struct energy energy;
};

struct power {
    int sys_fd;
    struct zone *zone;
    size_t zones;
    unsigned gaps;
};

bool energy_add(struct energy *e, uint64_t now_uj, mono_ns at)
{
    bool first = e->at == 0, wrapped = now_uj < e->last_uj;
    double most_uj = dur_sec(at - e->at) * MOST_UW;
    bool known = first || most_uj < (double)e->range_uj;

    if (!first && known)
        e->sum_uj += wrapped ? e->range_uj - e->last_uj + now_uj : now_uj - e->last_uj;
    e->last_uj = now_uj;
    e->at = at;
    return known;
}

static bool read_number(int sys_fd, const char *path, uint64_t *v)
{
    char text[64];
    const char *p = text;
    size_t len;

    return proc_read(sys_fd, path, text, sizeof text, &len) == 0 && proc_number(&p, v);
}

/* The word of a file without its newline; "" when it cannot be read. */
static const char *read_word(int sys_fd, const char *folder, const char *name, const char *file,
                             char word[64])
{
    char path[PATH_SIZE];
    size_t len;

    snprintf(path, sizeof path, "%s/%.200s/%s", folder, name, file);
    if (proc_read(sys_fd, path, word, 64, &len) != 0)
        word[0] = '\0';
    word[strcspn(word, "\n")] = '\0';
    return word;
}

static void add_zone(struct power *p, const char *name)
{
    char word[64], range[PATH_SIZE];
    bool package = strncmp(read_word(p->sys_fd, ZONES, name, "name", word), "package-", 8) == 0;
    struct zone *z;

    if (!package && strcmp(word, "dram") != 0)
        return;
    p->zone = mem_grow(p->zone, p->zones + 1, sizeof *p->zone);
    z = &p->zone[p->zones++];
    *z = (struct zone){.kind = package ? POWER_CPU : POWER_MEMORY};
    snprintf(z->path, sizeof z->path, ZONES "/%.200s/energy_uj", name);
    snprintf(range, sizeof range, ZONES "/%.200s/max_energy_range_uj", name);
    if (!read_number(p->sys_fd, range, &z->energy.range_uj))
        z->energy.range_uj = UINT32_MAX;
}

struct power *power_open(int sys_fd)
{
    struct power *p = mem_alloc(sizeof *p);
    int fd = sys_fd < 0 ? -1 : openat(sys_fd, ZONES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *ent;

    p->sys_fd = sys_fd;
    while (d && (ent = readdir(d)))
        if (strncmp(ent->d_name, "intel-rapl:", 11) == 0)
            add_zone(p, ent->d_name);
    if (d)
        closedir(d);
    return p;
}

void power_close(struct power *p)
{
    if (!p)
        return;
    free(p->zone);
    free(p);
}

/* Microwatts; some drivers give the power, others voltage (uV) and current (uA). */
static bool read_battery(int sys_fd, const char *name, uint64_t *uw)
{
    char path[PATH_SIZE], word[64];
    uint64_t uv, ua;

    if (strcmp(read_word(sys_fd, SUPPLIES, name, "type", word), "Battery") != 0 ||
        strcmp(read_word(sys_fd, SUPPLIES, name, "scope", word), "Device") == 0 ||
        strcmp(read_word(sys_fd, SUPPLIES, name, "status", word), "Discharging") != 0)
        return false;
    snprintf(path, sizeof path, SUPPLIES "/%.200s/power_now", name);
    if (read_number(sys_fd, path, uw))
        return true;
    snprintf(path, sizeof path, SUPPLIES "/%.200s/voltage_now", name);
    if (!read_number(sys_fd, path, &uv))
        return false;
    snprintf(path, sizeof path, SUPPLIES "/%.200s/current_now", name);
    if (!read_number(sys_fd, path, &ua))
        return false;
    *uw = (uint64_t)((double)uv * (double)ua / 1e6);
    return true;
}

static void read_batteries(const struct power *p, struct power_reading *out)
{
    int fd = p->sys_fd < 0 ? -1 : openat(p->sys_fd, SUPPLIES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *ent;
    uint64_t uw;

    while (d && (ent = readdir(d)))
        if (ent->d_name[0] != '.' && read_battery(p->sys_fd, ent->d_name, &uw)) {
            out->battery_uw += uw;
            out->discharging = true;
        }
    if (d)
        closedir(d);
}

void power_read(struct power *p, mono_ns at, struct power_reading *out)
{
    unsigned failed = 0;

    *out = (struct power_reading){0};
    /* A kind of which one zone cannot be read is not known: part of a sum would mislead. */
    for (size_t i = 0; i < p->zones; i++) {
        struct zone *z = &p->zone[i];
        uint64_t uj;
        if (!read_number(p->sys_fd, z->path, &uj)) {
            failed |= 1u << z->kind;
            continue;
        }
        if (!energy_add(&z->energy, uj, at))
            p->gaps++;
        out->energy_uj[z->kind] += z->energy.sum_uj;
        out->have |= 1u << z->kind;
    }
    out->have &= ~failed;
    out->gaps = p->gaps;
    read_batteries(p, out);
}
