What a server and a command say steers no terminal, in no block of any report; letters stay as they are.

  $ . "$TESTDIR/../include/$DB.sh"
  $ cat >say.lua <<'END'
  > sysbench.cmdline.options = {own = {"what the script prints", ""}}
  > local text = "\27]0;pwn\7\127\r\194\155 \155 \216\156\226\128\174 \226\128\168 d\195\169j\195\160\9 vu"
  > function thread_init()
  >    if sysbench.opt.db_driver == "pgsql" then text = text:gsub(" \155", "") end   -- it takes UTF-8 only
  >    con = sysbench.sql.driver():connect()
  >    con:query("SELECT 1 /* " .. text .. " */")
  > end
  > function event()
  >    if sysbench.opt.own ~= "" then print(text) return end
  >    con:query(sysbench.opt.db_driver == "mysql" and "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '" .. text .. "'" or
  >       "DO $$BEGIN RAISE EXCEPTION USING MESSAGE = '" .. text .. "'; END$$")
  > end
  > END

seen: which characters reached the terminal that must not, and which letters.

  $ seen() { sysbench say.lua $SB_ARGS --events=2 "$@" run >out 2>&1; echo "exit $?"; python3 - <<'END'
  > import re
  > text = open("out", errors="surrogateescape", newline="").read()
  > bad = "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\udc80-\udc9f]"
  > print(ascii(sorted(set(re.findall(bad, text)))), *map(ascii, sorted(set(re.findall(r"pwn|\\u202e|d.j. ?\t? vu", text)))))
  > END
  > }
  $ seen; seen --verbosity=5
  exit 1
  [] '\\u202e' 'd\xe9j\xe0\t vu' 'pwn'
  exit 1
  [] '\\u202e' 'd\xe9j\xe0\t vu' 'pwn'
  $ said='printf "\033]0;pwn\007\302\233\342\200\256 d\303\251j\303\240 vu\n" | tee /dev/stderr; sleep 0.1'
  $ { seen --workers=1 --on-error=other:fail --tx-rate=50 --report-statements
  >   seen --on-error=other:fail --verbosity=4 --server-status
  >   seen --on-error=other:fail --at=0 --do="$said" --tx-rate=5; } | sort | uniq -c
        3 [] '\\u202e' 'd\xe9j\xe0 vu' 'pwn'
        3 exit 0

What a script prints is its own.

  $ seen --own=x | sed "s/, '.udc9b'//"
  exit 0
  ['\x07', '\r', '\x1b', '\x7f', '\x9b', '\u061c', '\u2028', '\u202e'] 'd\xe9j\xe0\t vu' 'pwn'
