-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Parts of the API that few scripts use: their modules are run at the first use, and take no memory in the Lua states
-- of other scripts.  Also the globals of the 0.5 generation that published scripts use.
--
-- In a state that clients share (sysbench.shared.lua) this is run once for all: mine() is the calling client's
-- table, and `table` below is the one in which a field is missing.

local sysbench, run_module, host = ...
local ffi = require("ffi")
local C = ffi.C

local module_of = {
   histogram = "sysbench.histogram.lua",
   db = "sysbench.db.lua",
   report_default = "sysbench.report.lua",
   report_csv = "sysbench.report.lua",
   report_json = "sysbench.report.lua",
   builtin_oltp = "builtin_oltp_main.lua", -- 0.4's built-in test
   builtin_oltp_parts = "builtin_oltp_parts.lua",
}

-- A mark in the timeline of the run: a few words, shown by all reports.  pairs(sysbench) does not list it: it lists
-- what stock has.
local function mark(text)
   text = tostring(text)
   C.sb_mark(text, #text)
end

local mine = host.client or function() return sysbench end

run_module = host.run or run_module

setmetatable(sysbench, {__index = function(table, key)
   local name = module_of[key]

   if key == "mark" then
      return mark
   elseif key == "mix" then -- of the bundled mixes (script/mix.c)
      return host.mix
   end
   if name then
      run_module(name)
      return rawget(table, key)
   end
end})

for _, name in ipairs({"connect", "disconnect", "query", "bulk_insert_init", "bulk_insert_next",
                       "bulk_insert_done", "prepare", "bind_param", "bind_result", "execute",
                       "store_results", "free_results", "close"}) do
   _G["db_" .. name] = function(...)
      return mine().db[name](...)
   end
end

-- As in the generation that --compat names.
local generation = ffi.string(C.sb_generation())

DB_ERROR_NONE = 0
DB_ERROR_RESTART_TRANSACTION = 1
DB_ERROR_FAILED = generation == "0.5" and 3 or 2

-- The numbers may be text: options of these scripts are, and Lua's own functions take either.
local tonumber = tonumber

local function of_text(draw)
   return function(a, b)
      return draw(tonumber(a), tonumber(b))
   end
end

sb_rand = of_text(sysbench.rand.default)
sb_rand_uniform = of_text(sysbench.rand.uniform)
sb_rand_gaussian = of_text(sysbench.rand.gaussian)
sb_rand_special = of_text(sysbench.rand.special)
sb_rand_str = sysbench.rand.string

local numbers = generation == "0.5" and 0x3fffffffULL or 4294967296ULL

function sb_rnd()
   return tonumber(C.sb_rand_uniform_uint64() % numbers)
end

-- The next number from a to b that no client has drawn.  1.0 draws from all numbers of 32 bits until one is in the range:
-- the same numbers here, but for small ranges, where each takes it many thousand draws.
local old, small = generation:find("^0"), 2^20

function sb_rand_uniq(a, b)
   local low, high = tonumber(a or 0), tonumber(b or 4294967295)
   local span, n = high - low

   -- span ~= span: a limit that is not a number, which no draw is above or below
   if old or span < small or span ~= span or low < 0 or high > 4294967295 then
      return C.sb_rand_step(low, high)
   end
   repeat
      n = C.sb_rand_unique()
   until n >= low and n <= high
   return n
end

thread_id = sysbench.tid
test = sysbench.cmdline.script_path -- a client of a shared state gets these two from there
mysql_table_engine = "innodb"
myisam_max_rows = 1000000
