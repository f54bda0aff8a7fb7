-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A queue: producers and consumers are threads in turn; jobs that somebody else took are tried again.
-- State of each thread, counters of its own, hooks for errors.

sysbench.cmdline.options = {
   producers = {"one thread in how many produces", 2},
   payload = {"template of the payload", "job-########-@@@@"},
}

local role, con
local mine = {produced = 0, consumed = 0, empty = 0, duplicates = 0}
local state = {last = 0}

sysbench.cmdline.commands = {
   prepare = {function()
      local c = sysbench.sql.driver():connect()
      c:query("CREATE TABLE jobs(id INTEGER PRIMARY KEY, payload VARCHAR(60), taken INTEGER DEFAULT 0)")
   end},
   cleanup = {function()
      sysbench.sql.driver():connect():query("DROP TABLE IF EXISTS jobs")
   end},
   count = {function()
      print("jobs", sysbench.sql.driver():connect():query_row("SELECT COUNT(*), COALESCE(SUM(taken), 0) FROM jobs"))
   end},
}

sysbench.hooks.sql_error_ignorable = function(e)
   if e.sql_errno == 1062 or e.sql_state == "23505" then
      mine.duplicates = mine.duplicates + 1
      state.last = state.last + 1
      return true
   end
end

sysbench.hooks.before_restart_event = function(e)
   state.restarts = (state.restarts or 0) + 1
end

function thread_init(thread_id)
   role = thread_id % sysbench.opt.producers == 0 and "producer" or "consumer"
   con = sysbench.sql.driver():connect()
end

local roles = {}

function roles.producer()
   local id = state.last + (mine.produced % 5 == 4 and 0 or 1)
   con:query(string.format("INSERT INTO jobs (id, payload) VALUES (%d, '%s')", id,
                           sysbench.rand.string(sysbench.opt.payload)))
   state.last = id
   mine.produced = mine.produced + 1
end

function roles.consumer()
   con:query("BEGIN")
   local id, payload = con:query_row("SELECT id, payload FROM jobs WHERE taken = 0 ORDER BY id LIMIT 1 FOR UPDATE")
   if id then
      con:query("UPDATE jobs SET taken = 1 WHERE id = " .. id)
      mine.consumed = mine.consumed + 1
   else
      mine.empty = mine.empty + 1
   end
   con:query("COMMIT")
end

function event()
   roles[role]()
   if role == "producer" and mine.produced % 3 == 0 then
      roles.consumer()
   end
end

function thread_done(thread_id)
   print(role, mine.produced, mine.consumed, mine.empty, mine.duplicates, state.restarts, state.last)
   con:disconnect()
end
