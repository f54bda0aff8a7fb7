#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The classic OLTP mix: one event is a transaction of point and range SELECTs, an UPDATE of an indexed
-- and of another column, and a row deleted and inserted again.  20 statements by default.

require("sysbench-tx.oltp_mix"){
   "transaction", "point_selects", "range_selects", "index_updates", "non_index_updates", "delete_inserts",
}
