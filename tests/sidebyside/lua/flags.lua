-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Flags: without a default they are on.

local BOOL = sysbench.cmdline.ARG_BOOL

sysbench.cmdline.options = {
   text = {"write texts", nil, BOOL},
   ["with-dash"] = {"write dashes", nil, BOOL},
   on = {"on", true},
   off = {"off", false},
   word_on = {"on", "on", BOOL},
   word_off = {"off", "off", BOOL},
   ["true"] = {"on", "true", BOOL},
   ["false"] = {"off", "false", BOOL},
   one = {"on", 1, BOOL},
   zero = {"off", 0, BOOL},
}

local function show()
   for _, name in ipairs{"text", "with_dash", "on", "off", "word_on", "word_off", "true", "false",
                         "one", "zero"} do
      print(name, sysbench.opt[name])
   end
end

prepare = show

function event()
   show()
   return true
end
