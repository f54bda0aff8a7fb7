/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See carry.h.
 *
 * from_note: from 64 clients on, one worker took 0.45 to 1.14 of the CPU of threads (mean 0.77) for
 * 0.94 to 1.58 of their throughput against a MariaDB with a thread per connection, and 0.3 to 0.5
 * for 1.5 to 2.1 against one with a pool of threads, over sockets and TCP.  With fewer clients a
 * worker often sleeps between two answers, as a thread does, and serves one client at a time where
 * threads serve two: beside other programs it reached only 0.63 to 0.76 of the throughput of
 * threads at 16 and 32 clients.
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
