-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Which line of the script an error names.

local con

local function inner()
   con:query("SELECT nosuch")
end

local function middle()
   inner()
end

local attempts = {
   function() middle() end,
   function() con:query_row("SELECT nosuch") end,
   function() con:prepare("SELECT nosuch") end,
   function() con:bulk_insert_init("INSERT INTO nosuch VALUES") con:bulk_insert_next("(1)") con:bulk_insert_done() end,
   function() con:disconnect() con:query("SELECT 1") end,
   function() con:prepare("SELECT 1") end,
   function() sysbench.sql.driver("nosuch") end,
   function() con:bulk_insert_next("(1)") end,
}

function event()
   con = sysbench.sql.driver():connect()
   for i, attempt in ipairs(attempts) do
      local ok, why = pcall(attempt)
      print(i, type(why) == "table" and "table" or why)
   end
   return true
end
