-- SPDX-License-Identifier: GPL-2.0-or-later
-- Statements of several kinds on a table of its own: prepared and plain ones, in a transaction and
-- outside, one that fails and is ignored; transactions that fail or are withdrawn.  AUDIT_* in the
-- environment says which of it.
ffi.cdef "int usleep(unsigned);"

local function setting(name)
   return tonumber(os.getenv("AUDIT_" .. name) or 0)
end

local CLASH, BEGIN = setting("CLASH"), setting("BEGIN")
local MARK, SLEEP = setting("MARK"), setting("SLEEP")
local FAIL, WITHDRAW = setting("FAIL_EACH"), setting("WITHDRAW")
local ROWS = 100
local con, read, change
local n, clashed = 0, false

function prepare()
   local c = sysbench.sql.driver():connect()
   c:query("CREATE TABLE audit_rows (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)")
   for id = 1, ROWS do
      c:query(("INSERT INTO audit_rows (id, n) VALUES (%d, %d)"):format(id, id))
   end
   c:disconnect()
end

local function prepared(text)
   local stmt = con:prepare(text)
   local param = {}
   for i = 1, select(2, text:gsub("?", "")) do
      param[i] = stmt:bind_create(sysbench.sql.type.INT)
   end
   stmt:bind_param(unpack(param))
   return {stmt = stmt, param = param}
end

local function execute(p, ...)
   for i = 1, select("#", ...) do
      p.param[i]:set((select(i, ...)))
   end
   return p.stmt:execute()
end

function thread_init()
   con = sysbench.sql.driver():connect()
   read = prepared("SELECT n FROM audit_rows WHERE id = ?")
   change = prepared("UPDATE audit_rows SET n = n + ? WHERE id = ?")
end

function thread_done()
   read.stmt:close()
   change.stmt:close()
   con:disconnect()
end

function event(tid)
   n = clashed and n or n + 1
   local id = n * 37 % ROWS + 1
   if CLASH > 0 and n % CLASH == 0 and not clashed then
      clashed = true    -- the key is there: the error is ignored and the event begun anew
      con:query(("INSERT INTO audit_rows (id, n) VALUES (%d, 0)"):format(id))
   end
   clashed = false
   if BEGIN > 0 then
      con:query("BEGIN")
   end
   for k = 1, 3 do
      execute(read, (id + k) % ROWS + 1)
   end
   execute(change, 1, tid % ROWS + 1)
   con:query(("SELECT count(*) FROM audit_rows WHERE id < %d"):format(n % 9 + 2))
   if BEGIN > 0 then
      con:query("COMMIT")
   end
   if SLEEP > 0 then
      ffi.C.usleep(SLEEP)
   end
   if MARK > 0 and tid == 0 and n % MARK == 0 then
      sysbench.mark("event " .. n)
   end
end

if FAIL + WITHDRAW > 0 then
   -- a loop of its own, which begins no event anew
   function thread_run(tid)
      while ffi.C.sb_more_events(tid) do
         ffi.C.sb_event_start(tid)
         event(tid)
         if FAIL > 0 and n % FAIL == 0 then
            ffi.C.sb_event_fail(tid)
         elseif WITHDRAW == 0 or n % WITHDRAW > 0 then
            ffi.C.sb_event_stop(tid)
         end
      end
   end
end
