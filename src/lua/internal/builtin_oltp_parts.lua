-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Of 0.4's built-in test oltp (builtin_oltp.lua): the distributions of the ids, and the texts of the statements of
-- each mode.  Loaded by each client at its first use of sysbench.builtin_oltp_parts.

local sysbench = ...
local C = require("ffi").C

local M = {}
sysbench.builtin_oltp_parts = M

-- Ids --------------------------------------------------------------------------------------------

local function uniform_ids(size)
   local uniform = sysbench.rand.uniform

   return function() return uniform(1, size) end
end

local function gaussian_ids(size)
   local uniform, n = sysbench.rand.uniform, sysbench.opt.oltp_dist_iter

   return function()
      local sum = 0
      for _ = 1, n do
         sum = sum + uniform(1, size)
      end
      return math.floor(sum / n)
   end
end

-- One draw decides between the hot ids, in the middle, and a gaussian id.
local function special_ids(size)
   local uniform, gaussian = sysbench.rand.uniform, gaussian_ids(size)
   local pct = sysbench.opt.oltp_dist_pct
   local times = math.floor(100 / (100 - sysbench.opt.oltp_dist_res))
   local hot = math.max(1, math.floor(size * pct / 100))
   local first = math.floor(size / 2) - math.floor(size * pct / 200)

   return function()
      local u = uniform(1, times * size)
      if u <= size then
         return gaussian()
      end
      return math.max(1, u % hot + first) -- 0.4 drew 0, too, in tables of a few rows
   end
end

-- Each takes the size of the table, and returns a function that draws an id from 1 to it.
M.ids = {uniform = uniform_ids, gaussian = gaussian_ids, special = special_ids}

-- Ten numbers, at most 109 characters.
function M.random_text()
   local number = {}

   for i = 1, 10 do
      number[i] = string.format("%d", sysbench.rand.uniform(0, 0x3ffffffe))
   end
   return table.concat(number, "-")
end

-- Statements --------------------------------------------------------------------------------------

local INT, CHAR = {sysbench.sql.type.INT}, {sysbench.sql.type.CHAR, 120}
local OTHER, READ, WRITE = C.SB_CNT_OTHER, C.SB_CNT_READ, C.SB_CNT_WRITE

M.pad = "aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy"

-- Which table a client uses: sbtest, sbtest1, sbtest2 ...
function M.table_of(tid)
   local i = tid % sysbench.opt.oltp_num_tables

   return sysbench.opt.oltp_table_name .. (i > 0 and i or "")
end

-- name, what it counts as, text, types of its parameters
local function begin_and_commit(t, transactional)
   if transactional then
      return {"begin", OTHER, "BEGIN"}, {"commit", OTHER, "COMMIT"}
   end
   local kind = sysbench.opt.oltp_read_only and "READ" or "WRITE"
   return {"begin", OTHER, "LOCK TABLES " .. t .. " " .. kind}, {"commit", OTHER, "UNLOCK TABLES"}
end

local function point_select(t)
   if sysbench.opt.oltp_point_select_mysql_handler then
      local index = sysbench.opt.oltp_secondary and "xid" or "PRIMARY"
      return {"point", READ, "HANDLER " .. t .. " READ `" .. index .. "` = (?)", INT}
   end
   local columns = sysbench.opt.oltp_point_select_all_cols and "id, k, c, pad" or "c"
   return {"point", READ, "SELECT " .. columns .. " from " .. t .. " where id=?", INT}
end

local function writes(t)
   return {"index_update", WRITE, "UPDATE " .. t .. " set k=k+1 where id=?", INT},
      {"non_index_update", WRITE, "UPDATE " .. t .. " set c=? where id=?", CHAR, INT},
      {"delete", WRITE, "DELETE from " .. t .. " where id=?", INT}
end

local function transaction_statements(t, transactional)
   local range = " from " .. t .. " where id between ? and ?"
   local begin, commit = begin_and_commit(t, transactional)
   local index_update, non_index_update, delete = writes(t)

   return {
      begin, commit, point_select(t),
      {"range", READ, "SELECT c" .. range, INT, INT},
      {"sum", READ, "SELECT SUM(K)" .. range, INT, INT},
      {"order", READ, "SELECT c" .. range .. " order by c", INT, INT},
      {"distinct", READ, "SELECT DISTINCT c" .. range .. " order by c", INT, INT},
      index_update, non_index_update, delete,
      {"insert", WRITE, "INSERT INTO " .. t .. " values(?,0,' ','" .. M.pad .. "')", INT},
   }
end

-- PostgreSQL does not take NULL for the number that it should assign.
local function single_statements(t, on_mysql)
   local insert = {"insert", WRITE, "INSERT INTO " .. t .. " values(?,?,?,?)", INT, INT, CHAR, CHAR}

   if sysbench.opt.oltp_auto_inc and not on_mysql then
      insert = {"insert", WRITE, "INSERT INTO " .. t .. "(k, c, pad) values(?,?,?)", INT, CHAR, CHAR}
   end
   local index_update, non_index_update, delete = writes(t)
   return {{"select", READ, "SELECT pad from " .. t .. " where id=?", INT}, index_update, non_index_update, delete,
           insert}
end

-- The statements of the mode, in the order in which they are prepared.
function M.definitions(t, on_mysql)
   local mode = sysbench.opt.oltp_test_mode

   if mode == "sp" then
      return {{"call", OTHER, "CALL " .. sysbench.opt.oltp_sp_name .. "(?,?)", INT, INT}}
   elseif mode == "nontrx" then
      return single_statements(t, on_mysql)
   end
   return transaction_statements(t, not on_mysql or sysbench.opt.mysql_engine_trx ~= "no")
end
