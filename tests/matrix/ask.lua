-- SPDX-License-Identifier: GPL-2.0-or-later
-- prints the row that each query answers with
function event() end
function ask()
  local con = sysbench.sql.driver():connect()
  for query in os.getenv("QUERIES"):gmatch("[^;]+") do
    print("row: " .. table.concat({con:query_row(query)}, " "))
  end
end
sysbench.cmdline.commands = {ask = {ask}}
