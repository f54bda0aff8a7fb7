-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- C from Lua: libc, the program's counters and random numbers, its database layer behind the wrappers (7.12).

ffi.cdef [[
int usleep(unsigned int);
int getpid(void);
typedef struct { long tv_sec; long tv_usec; } my_timeval;
int gettimeofday(my_timeval *, void *);
void sb_counter_inc(int thread_id, int type);
uint32_t sb_rand_uniform(uint32_t, uint32_t);
uint32_t sb_rand_default(uint32_t, uint32_t);
double sb_rand_uniform_double(void);
void sb_rand_str(const char *format, char *buf);
]]

local OTHER, READ, WRITE, EVENT, ERROR, RECONNECT = 0, 1, 2, 3, 4, 5
local began, buffer = ffi.new("my_timeval"), ffi.new("char[?]", 32)
local slept = 0

local function now()
   local tv = ffi.new("my_timeval")
   ffi.C.gettimeofday(tv, nil)
   return tonumber(tv.tv_sec) + tonumber(tv.tv_usec) / 1e6
end

function thread_init(thread_id)
   local s = sysbench.sql.driver()
   con = s:connect()
   ffi.C.gettimeofday(began, nil)
   assert(ffi.C.getpid() > 0)
end

function event(thread_id)
   local a = now()
   ffi.C.usleep(2000)
   slept = slept + (now() - a)
   ffi.C.sb_rand_str("##@@", buffer)
   print(ffi.C.sb_rand_uniform(1, 100), ffi.C.sb_rand_default(1, 100), ffi.string(buffer, 4),
         string.format("%.6f", ffi.C.sb_rand_uniform_double()))
   ffi.C.sb_counter_inc(thread_id, READ)
   ffi.C.sb_counter_inc(thread_id, READ)
   ffi.C.sb_counter_inc(thread_id, WRITE)
   ffi.C.sb_counter_inc(thread_id, ERROR)
   con:query("SELECT 1")
end

local names = {"sb_more_events", "sb_event_start", "sb_event_stop", "sb_rand_default", "sb_rand_uniform",
               "sb_rand_gaussian", "sb_rand_special", "sb_rand_pareto", "sb_rand_unique", "sb_rand_uniform_uint64",
               "sb_rand_uniform_double", "sb_rand_str", "sb_counter_inc", "db_create",
               "db_connection_create", "db_connection_close", "db_connection_free", "db_connection_reconnect",
               "db_query", "db_prepare", "db_execute", "db_bind_param", "db_close", "db_fetch_row", "db_free_results",
               "db_bulk_insert_init", "db_bulk_insert_next", "db_bulk_insert_done", "db_store_results"}

function thread_done()
   for _, name in ipairs(names) do
      print(name, (pcall(function() return ffi.C[name] ~= nil end)))
   end
   print("slept enough", slept >= 0.002 * 5)
end
