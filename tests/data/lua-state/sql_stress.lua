-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- As stress.lua, with statements: two connections per client, results read in callbacks, statements and connections that
-- get lost, finalizers that query, failures.

jit.opt.start("hotloop=2", "hotexit=2", "minstitch=0")
local sum = 0
local function add(x) sum = (sum * 31 + x) % 2147483647 end
function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   con2 = drv:connect() con3 = drv:connect()
   st = con:prepare("SELECT id, c FROM sbtest1 WHERE id=?")
   p = st:bind_create(sysbench.sql.type.INT)
   st:bind_param(p)
end
local n = 0
local obj = setmetatable({}, {__index = function(t, k) return tonumber((con:query_row("SELECT " .. #k .. " + 1"))) end})
local parts = {
   function(i) for k = 1, 5 do p:set(k) local rs = st:execute() add(rs.nrows) local r = rs:fetch_row() add(tonumber(r[1])) rs:free() end end,
   function(i) for k = 1, 5 do p:set(k + i % 7) st:execute() end end,
   function(i) add(#(string.gsub("abc", ".", function(c) return con:query_row("SELECT CONCAT('" .. c .. "','z')") end))) end,
   function(i) local t = {5, 3, 9, 1} table.sort(t, function(a, b) return tonumber((con:query_row("SELECT " .. a .. " < " .. b))) == 1 end) add(t[1] * 10 + t[4]) end,
   function(i) local ok, e = pcall(function() con:query("SELECT nothing FROM nowhere") end) add(ok and 1 or 2) end,
   function(i) add(obj.abcde) end,
   function(i) local co = coroutine.wrap(function() coroutine.yield(con:query_row("SELECT 4")) coroutine.yield(con2:query_row("SELECT 5")) end) add(tonumber(co())) add(tonumber(co())) end,
   function(i) local s = con2:prepare("SELECT c FROM sbtest1 WHERE id=1") s:execute() end, -- lost
   function(i) add(#drv:connect():query("SELECT 'abc'"):fetch_row()[1]) end, -- lost connection
   function(i) con2:query("BEGIN") con2:query("COMMIT") end,
   function(i) local g = newproxy(true) getmetatable(g).__gc = function() con3:query_row("SELECT 1") end end,
   function(i) collectgarbage("step", 20) end,
   function(i) con2:bulk_insert_init("INSERT INTO few VALUES") for k = 1, 5 do con2:bulk_insert_next("(" .. k .. ")") end con2:bulk_insert_done() end,
   function(i) con:disconnect() con:reconnect() end,
   function(i) local rs = con:query("SELECT 1; SELECT 2") while con:more_results() do local r = con:next_result() add(tonumber(r:fetch_row()[1])) end end,
   function(i) local s = con:prepare("SELECT ?+1") local q = s:bind_create(sysbench.sql.type.INT) s:bind_param(q) q:set(i % 5) add(tonumber(s:execute():fetch_row()[1])) s:close() end,
}
function event(tid)
   n = n + 1
   for k = 1, 4 do parts[(n * 7 + k * 5 + tid * 3) % #parts + 1](n) end
   if n >= 60 then return true end
end
function thread_done(tid) print(string.format("tid %d: %d", tid, sum)) end
