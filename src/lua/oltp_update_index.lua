#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event is --index-updates UPDATEs of the indexed column, each a transaction of its own.

require("sysbench-tx.oltp_mix"){"index_updates"}
