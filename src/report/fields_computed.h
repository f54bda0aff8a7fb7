/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Figures that are no member of a snapshot but follow from its members, for the table of figures
 * (fields_table.c).  NaN: the figure does not exist, for the reason that the row gives.  `v` is the
 * process of the row's section, NULL in other sections.  Private to src/report
 */
#ifndef SB_REPORT_FIELDS_COMPUTED_H
#define SB_REPORT_FIELDS_COMPUTED_H

#include "report/snapshot.h"

typedef double field_computed(const struct snapshot *s, const struct snapshot_server *v);

field_computed field_wall_time, field_transactions_rate, field_queries, field_queries_rate,
    field_connections_away, field_clients_missing, field_lost, field_total_lost,
    field_connection_errors, field_total_transactions, field_transactions_least,
    field_transactions_most, field_user_pct, field_system_pct, field_throttled_pct,
    field_between_readings, field_cpu_per_transaction, field_switches_per_transaction,
    field_interrupts_per_transaction, field_host_switches, field_cpu_energy, field_memory_energy,
    field_battery_energy;

#endif
