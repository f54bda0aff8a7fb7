# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A name server for cram tests (names.c):   . "$TESTDIR/../include/names.sh"
# Needs a C compiler; a file that includes this is skipped without one.

. "$TESTDIR/../include/workers.sh"

${CC:-cc} -shared -fPIC -o names.so "$TESTDIR/../include/names.c" 2>names.err || skip "no C compiler: $(tail -n 1 names.err)"

# named ARGUMENT...: sysbench, with the names of names.c
named() {
    timeout 60 env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$PWD/names.so" sysbench "$@"
}

# asked: how often the name server was asked since the last time
asked() {
    wc -l <asked
    rm asked
}

# others.lua: once all are connected, client 0 connects again, which asks for the name; when client 1 sees that, the
# name server gets its answer after 100 more statements of client 1
cat >others.lua <<'END'
ffi.cdef("int usleep(unsigned us);")
local function exists(name)
   local f = io.open(name)
   if f then f:close() end
   return f ~= nil
end
function thread_init()
   con = sysbench.sql.driver():connect()
   after = 0
end
function event()
   if sysbench.tid == 0 and not again then
      again = true
      ffi.C.usleep(1100000)
      os.remove("asked")
      io.open("hold", "w"):close()
      con:reconnect()
   end
   con:query("SELECT 1")
   if sysbench.tid == 1 and exists("asked") and exists("hold") then
      after = after + 1
      if after == 100 then os.remove("hold") end
   end
end
END
