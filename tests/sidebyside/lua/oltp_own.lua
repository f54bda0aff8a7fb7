-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A workload made of the bundled ones: require("oltp_common"), own statements beside the known ones (8.8).

require("oltp_common")

sysbench.cmdline.options.hot_rows = {"rows that are read all the time", 3}

local own

function prepare_statements()
   prepare_begin()
   prepare_commit()
   prepare_point_selects()
   prepare_simple_ranges()
   prepare_non_index_updates()
   own = con:prepare("SELECT COUNT(*) FROM sbtest1 WHERE k BETWEEN 1 AND 50")
end

local function hot()
   for i = 1, sysbench.opt.hot_rows do
      con:query("SELECT pad FROM sbtest1 WHERE id = " .. i)
   end
end

function event()
   begin()
   execute_point_selects()
   execute_simple_ranges()
   execute_non_index_updates()
   own:execute():free()
   hot()
   commit()
end

local original = thread_done

function thread_done()
   own:close()
   original()
   print("values", #get_c_value(), #get_pad_value())
end
