-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Random numbers: each distribution in the main state and in the worker.

local r = sysbench.rand

local function draw(where)
   print(where, "default", r.default(1, 1000), r.default(1, 1000), r.default(5, 5))
   print(where, "uniform", r.uniform(1, 1000000), r.uniform(0, 0), r.uniform(0, 4294967294), r.uniform(1.9, 3.9))
   print(where, "gaussian", r.gaussian(1, 1000000), r.gaussian(1, 100), r.gaussian(7, 7))
   print(where, "special", r.special(1, 1000000), r.special(1, 100), r.special(3, 3))
   print(where, "pareto", r.pareto(1, 1000000), r.pareto(1, 100), r.pareto(9, 9))
   print(where, "64 bits", tostring(r.uniform_uint64()))
   print(where, "double", string.format("%.17g", r.uniform_double()))
   print(where, "string", r.string("##-@@-###@@@-x#"), r.string(""), r.string("no holes"))
   print(where, "unique", r.unique(), r.unique(1, 5))
   print(where, "wrong order", r.uniform(5, 1), r.uniform(-3, 3))
   print(where, "no number", (pcall(r.uniform, "a", 5)))
   print(where, "no string", (pcall(r.string, nil)))
end

-- with a seed these two differ; one case is enough for that
local seeded = table.concat(sysbench.cmdline.argv, " "):find("rand-seed", 1, true)
if not seeded then
   draw("top level")
end

function init()
   if not seeded then
      draw("init")
   end
end

function event()
   draw("event")
end

function prepare()
   draw("prepare")
end
