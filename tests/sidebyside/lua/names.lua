-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What a script finds declared: sizes of types, values of constants, functions that it can reach.

local types = {"sb_counter_type", "sb_arg_type_t", "sb_arg_t", "sql_error_t", "sql_bind_type_t", "sql_value",
               "sql_bind"}
local constants = {"SB_CNT_OTHER", "SB_CNT_READ", "SB_CNT_WRITE", "SB_CNT_TRX", "SB_CNT_ERROR", "SB_CNT_RECONNECT",
                   "SB_CNT_MAX", "SB_CNT_BYTES_READ", "SB_ARG_TYPE_NULL", "SB_ARG_TYPE_BOOL", "SB_ARG_TYPE_INT",
                   "SB_ARG_TYPE_SIZE", "SB_ARG_TYPE_DOUBLE", "SB_ARG_TYPE_STRING", "SB_ARG_TYPE_LIST", "SB_ARG_TYPE_FILE",
                   "SB_ARG_TYPE_MAX", "DB_ERROR_NONE", "DB_ERROR_IGNORABLE", "DB_ERROR_FATAL", "SQL_TYPE_NONE",
                   "SQL_TYPE_VARCHAR"}
local functions = {"sb_more_events", "sb_event_start", "sb_event_stop", "sb_rand_default", "sb_rand_uniform",
                   "sb_rand_gaussian", "sb_rand_special", "sb_rand_pareto", "sb_rand_unique", "sb_rand_uniform_uint64",
                   "sb_rand_uniform_double", "sb_rand_str", "db_create", "db_destroy", "db_connection_create",
                   "db_connection_close", "db_connection_free", "db_connection_reconnect", "db_query", "db_prepare",
                   "db_execute", "db_bind_param", "db_bind_result", "db_close", "db_fetch_row", "db_free_results",
                   "db_bulk_insert_init", "db_bulk_insert_next", "db_bulk_insert_done", "sb_lua_set_test_args",
                   "sb_print_test_options"}

function event()
   for _, name in ipairs(types) do
      print(name, pcall(ffi.sizeof, name))
   end
   print("validate", ffi.offsetof("sb_arg_t", "validate"), tostring(ffi.typeof("sb_opt_validate_t *")))
   for _, name in ipairs(constants) do
      print(name, (pcall(function() return ffi.C[name] end)) and ffi.C[name])
   end
   for _, name in ipairs(functions) do
      print(name, (pcall(function() return ffi.C[name] ~= nil end)))
   end
   ffi.cdef("struct sql_driver { int of_the_script; }; enum sb_counter_type { TOO };") -- tags are a script's
   ffi.cdef("typedef struct histogram sb_histogram_t; int db_destroy(sql_driver *);")
   print("histogram", pcall(function()
      local h = sysbench.histogram.new(100, 1, 10)
      ffi.C.sb_histogram_update(h, 5)
      ffi.C.sb_histogram_print(h)
   end))
   return true
end
