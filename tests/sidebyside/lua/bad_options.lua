-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Declarations of options that cannot work; --case chooses.

local cases = {
   no_table = 5,
   no_rows = {number = 5},
   no_description = {number = {}},
   wrong_type = {number = {"a number", function() end}},
   empty = {},
   clash = {threads = {"the program has this too", 3}},
}
sysbench.cmdline.options = cases[os.getenv("CASE")]

function event()
end

function prepare()
   print("threads", sysbench.opt.threads, type(sysbench.opt.threads))
end
