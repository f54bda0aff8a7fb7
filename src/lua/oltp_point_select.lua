#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event is one SELECT of a row by its primary key, without a transaction around it.

require("oltp_common")

function prepare_statements()
   sysbench.opt.point_selects = 1 -- whatever the option says
   prepare_point_selects()
end

function event()
   execute_point_selects()
   check_reconnect()
end
