#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event is one DELETE of a random row, so most rows are soon gone.

require("sysbench-tx.oltp_mix"){"deletes"}
