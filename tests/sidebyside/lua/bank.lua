-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A primary and a replica: each thread has a connection to either, writes go to one, reads to the other,
-- now and then it checks on a third, short-lived connection what it wrote.

sysbench.cmdline.options = {
   accounts = {"number of accounts", 50},
   read_share = {"reads in a hundred", 70},
   check_every = {"events between checks", 7},
   isolation = {"isolation level of the primary", "READ COMMITTED"},
}

local pool = {}
local events, checks, moved = 0, 0, 0

local function table_name()
   return "accounts"
end

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query(string.format([[CREATE TABLE %s (
      id INTEGER NOT NULL PRIMARY KEY,
      owner VARCHAR(40) NOT NULL,
      balance INTEGER NOT NULL)]], table_name()))
   con:bulk_insert_init("INSERT INTO " .. table_name() .. " (id, owner, balance) VALUES ")
   for i = 1, sysbench.opt.accounts do
      con:bulk_insert_next(string.format("(%d, '%s', %d)", i, sysbench.rand.string("owner-@@@@-####"), 1000))
   end
   con:bulk_insert_done()
   con:disconnect()
   print("prepared", sysbench.opt.accounts)
end

function cleanup()
   sysbench.sql.driver():connect():query("DROP TABLE IF EXISTS " .. table_name())
end

function thread_init()
   local drv = sysbench.sql.driver()
   pool.primary, pool.replica = drv:connect(), drv:connect()
   if drv:name() == "mysql" then
      pool.primary:query("SET SESSION TRANSACTION ISOLATION LEVEL " .. sysbench.opt.isolation)
   else
      pool.primary:query("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " .. sysbench.opt.isolation)
   end
   pool.read = pool.replica:prepare("SELECT balance FROM accounts WHERE id = ?")
   pool.read_id = pool.read:bind_create(sysbench.sql.type.INT)
   pool.read:bind_param(pool.read_id)
   pool.add = pool.primary:prepare("UPDATE accounts SET balance = balance + ? WHERE id = ?")
   pool.amount = pool.add:bind_create(sysbench.sql.type.INT)
   pool.account = pool.add:bind_create(sysbench.sql.type.INT)
   pool.add:bind_param(pool.amount, pool.account)
end

local function transfer(from, to, amount)
   pool.primary:query("BEGIN")
   for _, step in ipairs{{from, -amount}, {to, amount}} do
      pool.account:set(step[1])
      pool.amount:set(step[2])
      pool.add:execute()
   end
   pool.primary:query("COMMIT")
   moved = moved + amount
end

local function check()
   local con = sysbench.sql.driver():connect()
   local sum, count = con:query_row("SELECT SUM(balance), COUNT(*) FROM accounts")
   assert(tonumber(sum) == 1000 * tonumber(count), "money was made: " .. sum)
   con:disconnect()
   checks = checks + 1
end

function event(thread_id)
   events = events + 1
   if sysbench.rand.uniform(1, 100) <= sysbench.opt.read_share then
      pool.read_id:set(sysbench.rand.default(1, sysbench.opt.accounts))
      pool.read:execute()
   else
      local from = sysbench.rand.uniform(1, sysbench.opt.accounts)
      local to = from % sysbench.opt.accounts + 1
      transfer(from, to, sysbench.rand.uniform(1, 100))
   end
   if events % sysbench.opt.check_every == 0 then
      check()
   end
end

function thread_done(thread_id)
   print(string.format("thread %d: %d events, %d checks, moved %d", thread_id, events, checks, moved))
   pool.read:close()
   pool.add:close()
   pool.primary:disconnect()
   pool.replica:disconnect()
end
