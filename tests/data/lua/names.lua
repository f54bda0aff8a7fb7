-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Every C name that a script finds declared: its type or its value, and that the function behind it does its work.
-- Run in the main state (the command `look`) and in every client; says how many names there are, and what is wrong.

local C, counted, wrong = ffi.C, 0, 0

local function expect(name, what, got, want)
   if got ~= want then
      wrong = wrong + 1
      print(string.format("%s: %s is %s, not %s", name, what, tostring(got), tostring(want)))
   end
end

local function attempt(name, what, f, ...)
   local ok, got = pcall(f, ...)

   if not ok then
      expect(name, what, got, "possible")
      return nil
   end
   return got
end

-- Types and values ---------------------------------------------------------------------------------

local generation_1_1 = sysbench.version:sub(1, 3) == "1.1"

local enums = {
   sb_counter_type = generation_1_1
      and {SB_CNT_OTHER = 0, SB_CNT_READ = 1, SB_CNT_WRITE = 2, SB_CNT_TRX = 3, SB_CNT_ERROR = 4, SB_CNT_RECONNECT = 5,
           SB_CNT_BYTES_READ = 6, SB_CNT_BYTES_WRITTEN = 7, SB_CNT_MAX = 8}
      or {SB_CNT_OTHER = 0, SB_CNT_READ = 1, SB_CNT_WRITE = 2, SB_CNT_TRX = 3, SB_CNT_ERROR = 4, SB_CNT_RECONNECT = 5,
          SB_CNT_MAX = 6},
   sb_arg_type_t = {SB_ARG_TYPE_NULL = 0, SB_ARG_TYPE_BOOL = 1, SB_ARG_TYPE_INT = 2, SB_ARG_TYPE_SIZE = 3,
                    SB_ARG_TYPE_DOUBLE = 4, SB_ARG_TYPE_STRING = 5, SB_ARG_TYPE_LIST = 6, SB_ARG_TYPE_FILE = 7,
                    SB_ARG_TYPE_MAX = 8},
   sql_error_t = {DB_ERROR_NONE = 0, DB_ERROR_IGNORABLE = 1, DB_ERROR_FATAL = 2},
   sql_bind_type_t = {SQL_TYPE_NONE = 0, SQL_TYPE_TINYINT = 1, SQL_TYPE_SMALLINT = 2, SQL_TYPE_INT = 3,
                      SQL_TYPE_BIGINT = 4, SQL_TYPE_FLOAT = 5, SQL_TYPE_DOUBLE = 6, SQL_TYPE_TIME = 7,
                      SQL_TYPE_DATE = 8, SQL_TYPE_DATETIME = 9, SQL_TYPE_TIMESTAMP = 10, SQL_TYPE_CHAR = 11,
                      SQL_TYPE_VARCHAR = 12},
}

local function look_at_types()
   for name, values in pairs(enums) do
      counted = counted + 1
      expect(name, "size", attempt(name, "the type", ffi.sizeof, name), 4)
      for value, number in pairs(values) do
         counted = counted + 1
         expect(value, "the value", attempt(value, "the constant", function() return C[value] end), number)
         expect(value, "as text", attempt(value, "the conversion", function()
            return tonumber(ffi.cast(name, ffi.new(name, value)))
         end), number)
      end
   end
   expect("SB_CNT_BYTES_READ", "declared", (pcall(function() return C.SB_CNT_BYTES_READ end)), generation_1_1)
   for kind, number in pairs{NULL = 0, BOOL = 1, INT = 2, SIZE = 3, DOUBLE = 4, STRING = 5, LIST = 6, FILE = 7,
                             MAX = 8} do
      expect("sysbench.cmdline.ARG_" .. kind, "the value", sysbench.cmdline["ARG_" .. kind], number)
   end
   counted = counted + 3
   expect("sb_arg_t", "size", attempt("sb_arg_t", "the type", ffi.sizeof, "sb_arg_t"), 40)
   for i, member in ipairs{"name", "desc", "value", "type", "validate"} do
      expect("sb_arg_t", member, ffi.offsetof("sb_arg_t", member), (i - 1) * 8)
   end
   expect("sb_opt_validate_t", "a type", attempt("sb_opt_validate_t", "the type", function()
      return ffi.istype("bool (*)(const char *, const char *)", ffi.new("sb_opt_validate_t *"))
   end), true)
   expect("sb_histogram_t", "a type", attempt("sb_histogram_t", "the type", function()
      return ffi.istype("struct histogram *", ffi.new("sb_histogram_t *"))
   end), true)
   for _, name in ipairs{"sql_driver", "sql_connection", "sql_statement", "sql_result", "sql_row", "sql_value",
                         "sql_bind"} do
      counted = counted + 1
      attempt(name, "the type", ffi.typeof, name .. " *")
   end
end

-- Functions ----------------------------------------------------------------------------------------

-- name, then a call that returns true when it did its work; without one, it is met elsewhere (loops, databases)
local functions = {
   {"sb_counter_inc", function(tid)
      local before = C.sb_counter_val(tid, C.SB_CNT_WRITE)
      C.sb_counter_inc(tid, C.SB_CNT_WRITE)
      C.sb_counter_inc(tid, "SB_CNT_WRITE")
      C.sb_counter_inc(tid, 2)
      C.sb_counter_inc(tid, 99)
      return C.sb_counter_val(tid, C.SB_CNT_WRITE) == before + 3
   end},
   {"sb_counter_add", function(tid)
      local before = C.sb_counter_val(tid, C.SB_CNT_OTHER)
      C.sb_counter_add(tid, C.SB_CNT_OTHER, 5)
      return C.sb_counter_val(tid, C.SB_CNT_OTHER) == before + 5
   end},
   {"sb_counter_val", function(tid) return C.sb_counter_val(tid, 99) == 0 and C.sb_counter_val(-1, 0) == 0 end},
   {"sb_more_events"}, {"sb_event_start"}, {"sb_event_stop"},
   {"sb_rand_unique", function() return C.sb_rand_unique() ~= C.sb_rand_unique() end},
   {"sb_rand_uniform_uint64", function() return C.sb_rand_uniform_uint64() ~= C.sb_rand_uniform_uint64() end},
   {"sb_rand_uniform_double", function()
      local x = C.sb_rand_uniform_double()
      return x >= 0 and x < 1
   end},
   {"sb_rand_str", function()
      local buf = ffi.new("char[5]")
      C.sb_rand_str("##-@", buf)
      return ffi.string(buf):match("^%d%d%-%a$") ~= nil
   end},
   {"sb_rand_varstr", function()
      local buf = ffi.new("char[9]")
      local n = C.sb_rand_varstr(buf, 2, 8)
      return n >= 2 and n <= 8 and #ffi.string(buf) == n
   end},
   {"sb_histogram_new", function() return C.sb_histogram_new(0, 1, 10) == nil end},
   {"sb_histogram_update", function()
      local h = C.sb_histogram_new(10, 1, 10)
      C.sb_histogram_update(h, 5)
      C.sb_histogram_delete(h)
      return true
   end},
   {"sb_histogram_delete"}, {"sb_histogram_print"},
   {"sb_lua_set_test_args", function()
      local nameless = ffi.new("sb_arg_t[1]")
      return C.sb_lua_set_test_args(nameless, 1) == 1
   end},
   {"sb_print_test_options"},
   {"db_create"}, {"db_destroy", function() return C.db_destroy(nil) == 1 end},
   {"db_connection_create"}, {"db_connection_close"}, {"db_connection_reconnect"}, {"db_connection_free"},
   {"db_query"}, {"db_fetch_row", function() return C.db_fetch_row(nil) == nil end},
   {"db_free_results", function() return C.db_free_results(nil) == 1 end},
   {"db_more_results"}, {"db_next_result"}, {"db_prepare"}, {"db_bind_param"},
   {"db_bind_result", function() return C.db_bind_result(nil, nil, 0) == 1 end},
   {"db_execute"}, {"db_close"}, {"db_bulk_insert_init"}, {"db_bulk_insert_next"}, {"db_bulk_insert_done"},
}
for _, shape in ipairs{"default", "uniform", "gaussian", "special", "pareto", "zipfian"} do
   functions[#functions + 1] = {"sb_rand_" .. shape, function()
      local x = C["sb_rand_" .. shape](3, 9)
      return x >= 3 and x <= 9
   end}
end

local function look_at_functions(tid)
   for _, f in ipairs(functions) do
      counted = counted + 1
      local kind = attempt(f[1], "the function", function() return type(C[f[1]]) end)
      expect(f[1], "a function", kind == "cdata" or kind == "function", true) -- the latter: it may give way to others
      if f[2] then
         expect(f[1], "its work", attempt(f[1], "the call", f[2], tid), true)
      end
   end
end

-- Declared once more, each in three ways ---------------------------------------------------------------

local again = {
   [[void sb_counter_inc(int, sb_counter_type);
     uint64_t sb_counter_val(int thread_id, sb_counter_type type);
     typedef struct histogram sb_histogram_t; typedef bool sb_opt_validate_t(const char *, const char *);
     int db_destroy(sql_driver *); int db_bind_result(sql_statement *, sql_bind *, size_t);]],
   [[typedef enum { SB_ARG_TYPE_NULL, SB_ARG_TYPE_BOOL, SB_ARG_TYPE_INT, SB_ARG_TYPE_SIZE, SB_ARG_TYPE_DOUBLE,
                    SB_ARG_TYPE_STRING, SB_ARG_TYPE_LIST, SB_ARG_TYPE_FILE, SB_ARG_TYPE_MAX } sb_arg_type_t;
     typedef struct { /* one option */ const char *name; const char *desc; const char *value; sb_arg_type_t type;
                      sb_opt_validate_t *validate; } sb_arg_t;
     int sb_lua_set_test_args(sb_arg_t *, size_t); void sb_print_test_options(void);]],
   generation_1_1
      and [[typedef enum { SB_CNT_OTHER = 0, SB_CNT_READ = 1, SB_CNT_WRITE = 2, SB_CNT_TRX, SB_CNT_ERROR, SB_CNT_RECONNECT,
                           SB_CNT_BYTES_READ, SB_CNT_BYTES_WRITTEN, SB_CNT_MAX = 8, } sb_counter_type;]]
      or [[typedef enum { SB_CNT_OTHER = 0, SB_CNT_READ = 1, SB_CNT_WRITE = 2, SB_CNT_TRX, SB_CNT_ERROR, SB_CNT_RECONNECT,
                          SB_CNT_MAX = 6, } sb_counter_type;]],
   [[typedef struct { sql_bind_type_t type; void *buffer; unsigned long *data_len; unsigned long max_len; char *is_null; }
     sql_bind;]],
   [[struct sql_driver { int of_the_script; }; struct sb_counter_type { int too; };]], -- tags are a script's to use
}

local function declare_again()
   for i, text in ipairs(again) do
      attempt("declaration " .. i, "a second one", ffi.cdef, text)
      if i < #again then
         attempt("declaration " .. i, "a third one", ffi.cdef, text .. " ")
      end
   end
end

local function look(tid)
   look_at_types()
   look_at_functions(tid)
   declare_again()
   local names = counted
   look_at_types()
   look_at_functions(tid)
   print(string.format("%d names, %d wrong", names, wrong))
end

sysbench.cmdline.commands = {look = {function() look(0) end}}

function event(thread_id)
   look(thread_id)
   return true
end
