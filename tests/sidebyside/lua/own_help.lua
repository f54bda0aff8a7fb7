-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A script that is everything at once: run, help and a command that replaces a built-in one.

sysbench.cmdline.options = {
   colour = {"a colour", "red"},
}

function help()
   print("my own help")
   sysbench.cmdline.print_test_options()
end

function event()
end
