#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event is --non-index-updates UPDATEs of a column without index, each a transaction of its own.

require("sysbench-tx.oltp_mix"){"non_index_updates"}
