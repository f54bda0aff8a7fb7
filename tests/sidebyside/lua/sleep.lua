-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Events of a fixed length: latencies and rates that can be told beforehand.

ffi.cdef [[ int usleep(unsigned int); ]]

sysbench.cmdline.options = {
   ms = {"length of an event in milliseconds", 20},
}

function event()
   ffi.C.usleep(sysbench.opt.ms * 1000)
end
