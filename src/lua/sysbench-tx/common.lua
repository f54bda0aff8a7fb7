-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- oltp_common for the bundled tests, which may meet a user's own: a changed copy of another sysbench's.  What some of
-- those lack is defined here.

local common = require("oltp_common")

-- 1.0 has no --reconnect
check_reconnect = rawget(_G, "check_reconnect") or function() end

return type(common) == "table" and common or {}
