#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Run by its first line.

sysbench.cmdline.options = {
   word = {"a word", "none"},
}

print("script", sysbench.cmdline.script_path, sysbench.cmdline.command)

function event()
end

function done()
   print("word", sysbench.opt.word)
end
