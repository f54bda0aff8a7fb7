#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event is one SELECT of a row by its primary key, without a transaction around it.

require("sysbench-tx.oltp_mix")({"point_selects"}, {point_selects = 1})
