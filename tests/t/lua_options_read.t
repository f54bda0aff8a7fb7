--options-read=FILE: the options that a command looks at.

  $ . "$TESTDIR/../include/common.sh"
  $ cat >own.lua <<'END'
  > sysbench.cmdline.options = {
  >    indexed = {"Make an index", false},
  >    rows = {"Rows", 10},
  >    ["range-size"] = {"Of a query", 100},
  > }
  > function prepare() print(sysbench.opt.rows, sysbench.opt.indexed and "indexed" or "plain") end
  > function cleanup() for name in pairs(sysbench.opt) do if name == "range_size" then print(name) end end end
  > function event() end
  > END
  $ sysbench own.lua --indexed --options-read=read.txt prepare | tail -n +3
  10\tindexed (esc)
  $ cat read.txt
  indexed
  rows
  $ sysbench own.lua --options-read=read.txt cleanup | tail -n +3
  range_size
  $ grep -x -e rows -e range-size -e threads read.txt
  threads
  range-size
  rows

It is written after an error too, and refused before anything is done.

  $ sed -i 's/^function event/function prepare() error(sysbench.opt.rows) end &/' own.lua
  $ sysbench own.lua --options-read=read.txt prepare | tail -n +3
  FATAL: `prepare' function failed: own.lua:8: 10
  $ cat read.txt
  rows
  $ sysbench own.lua --options-read=none/read.txt prepare | tail -n +3
  FATAL: --options-read=none/read.txt: the directory of 'none/read.txt': No such file or directory
  $ sysbench own.lua --options-read=read.txt run | tail -n +3
  FATAL: --options-read=read.txt is for prepare and other commands, not for run
  $ sysbench cpu --options-read=read.txt run | tail -n +3
  FATAL: --options-read=read.txt is for prepare and other commands, not for run

Built-in tests.

  $ sysbench fileio --file-num=2 --file-total-size=64K --options-read=read.txt prepare >out
  $ cat read.txt
  validate
  file-num
  file-block-size
  file-total-size
