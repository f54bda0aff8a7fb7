/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See carry.h.
 *
 * from_note: 64 is the least number at which one worker lost no throughput in any of four cases
 * (MariaDB with a thread per connection and with a pool of threads, over a socket and over TCP); it
 * took 0.5 to 0.9 of the CPU.  With fewer clients a worker often sleeps between two answers, as a
 * thread does, and serves one client at a time where threads serve two.
 *
 * count_note: workers must never be what limits the throughput.
 *   - A point select, the cheapest transaction, takes 8 to 16 us of CPU here and 17 to 35 us in the
 *     server.  When both fill all CPUs of a machine, the clients use a third of them.
 *   - A client waits at least three times as long for the server and for wake-ups as its turn
 *     takes.  So a worker with four clients still has time to spare.
 * More workers than that find fewer answers in each turn, and become threads again.
 */
#include "engine/carry.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define CPUS_PER_WORKER    3
#define CLIENTS_PER_WORKER 4

/* from_note.  PostgreSQL has threads: one worker took less CPU there, but lost throughput. */
static const struct {
    const char *driver;
    int from;
} from[] = {
    {"mysql", 64},
    {"pgsql", 0},
};

int carry_from(const char *driver)
{
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        if (strcmp(from[i].driver, driver) == 0)
            return from[i].from;
    return 0;
}

int carry_workers(int clients, int cpus)
{
    int by_cpus = (cpus + CPUS_PER_WORKER - 1) / CPUS_PER_WORKER;
    int by_clients = clients / CLIENTS_PER_WORKER;
    int n = by_cpus < by_clients ? by_cpus : by_clients;

    return n > 1 ? n : 1;
}

int carry_cpus(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN); /* more CPUs than the set has room for */
}
