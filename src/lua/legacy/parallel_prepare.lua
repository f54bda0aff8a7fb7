-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Creates and fills the tables of the other scripts with many threads: thread t takes the tables t+1, t+1+threads, ...
--
--    sysbench --test=.../parallel_prepare.lua --oltp-tables-count=16 --num-threads=8 prepare
--    sysbench --test=.../parallel_prepare.lua --oltp-tables-count=16 --num-threads=8 --max-requests=8 run
--
-- In 0.5 only `run` was parallel, with one event for each thread; it still is.  Each thread asks for one event and no
-- more: a fast one that took the event of a slow one would create its tables a second time.

local pathtest = string.match(test, "(.*/)")
local C = require("ffi").C

if pathtest then
   dofile(pathtest .. "common.lua")
else
   require("common")
end

local function share(thread_id)
   for i = thread_id + 1, oltp_tables_count, sysbench.opt.threads do
      create_insert(i)
   end
end

local function prepare_share()
   set_vars()
   db_connect()
   share(sysbench.tid)
end

sysbench.cmdline.commands = {prepare = {prepare_share, sysbench.cmdline.PARALLEL_COMMAND}}

function thread_init(thread_id)
   set_vars()
   db_connect()
end

function event(thread_id)
   print("thread prepare" .. thread_id)
   share(thread_id)
end

function thread_run(thread_id)
   if C.sb_more_events(thread_id) then
      C.sb_event_start(thread_id)
      event(thread_id)
      C.sb_event_stop(thread_id)
   end
end
