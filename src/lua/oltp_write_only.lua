#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Write-only OLTP: one event is a transaction of the UPDATEs, the DELETE and the INSERT of
-- oltp_read_write.

require("sysbench-tx.oltp_mix"){"transaction", "index_updates", "non_index_updates", "delete_inserts"}
