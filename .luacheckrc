-- luacheck: the rules for all Lua code; run by scripts/lint.
std = "luajit"
max_line_length = 130
unused_args = false -- the caller gives a hook its parameters

-- A workload is made of global functions: the program calls them (131), and some are defined in
-- one file and used in another.
allow_defined = true
ignore = { "131" }
globals = { "sysbench" }
read_globals = {
   "ffi",
   "mysql_table_options", -- scripts without options of their own have all options as globals
}

-- The script API replaces functions of Lua's library (121, 122), looks for those that only some
-- versions have (143), and keeps objects alive in tables that are never read (241).
files["src/lua/internal"] = { ignore = { "121", "122", "143", "241" } }

-- Scripts of 0.5 have options and functions as globals.
files["src/lua/sysbench-tx/legacy_random.lua"] = { ignore = { "113", "122" } }
files["src/lua/legacy"] = { ignore = { "113", "122" } }

-- Scripts of tests are written as other people write theirs: options as globals, results
-- unused, library tables changed, lines of any length.
local foreign = { ignore = { "113", "122", "142", "143", "211", "231", "311", "421", "631" } }
files["tests/data"] = foreign
files["tests/sidebyside"] = foreign
files["tests/audit"] = foreign
exclude_files = { "tests/sidebyside/lua/broken_syntax.lua" }
