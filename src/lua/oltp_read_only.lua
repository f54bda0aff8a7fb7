#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Read-only OLTP: one event is a transaction of point SELECTs and of four kinds of range SELECT.
-- Options that matter: --point-selects, --simple-ranges, --sum-ranges, --order-ranges, --distinct-ranges,
-- --range-size, --range-selects, --skip-trx.

require("sysbench-tx.oltp_mix"){"point_selects", "transaction", "range_selects"}
