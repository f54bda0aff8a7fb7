-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- An error in the function that --where names.

sysbench.cmdline.options = {
   where = {"the function that fails", ""},
   what = {"text, table, nil, restart", "text"},
   after = {"events before it does", 0},
}

local count = 0
local function fail(where)
   if sysbench.opt.where ~= where then
      return
   end
   count = count + 1
   if where == "event" and count <= sysbench.opt.after then
      return
   end
   local what = sysbench.opt.what
   if what == "text" then
      error("out of luck in " .. where)
   elseif what == "level0" then
      error("no position", 0)
   elseif what == "table" then
      error({code = 5})
   elseif what == "nil" then
      error()
   elseif what == "runtime" then
      local x = nil
      return x.field
   elseif what == "restart" then
      error({errcode = sysbench.error.RESTART_EVENT})
   elseif what == "exit" then
      os.exit(7)
   end
end

function init() fail("init") end
function thread_init() fail("thread_init") end
function event() fail("event") end
function thread_done() fail("thread_done") end
function done() fail("done") print("done") end
function prepare() fail("prepare") print("prepared") end
function cleanup() fail("cleanup") print("cleaned up") end
function help() fail("help") print("helped") end
