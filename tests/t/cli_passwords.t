Passwords: out of the process list, into the program from a file.

  $ . "$TESTDIR/../include/common.sh"
  $ cat >show.lua <<'END'
  > sysbench.cmdline.commands = {
  >    show = {function()
  >       local o = sysbench.opt
  >       print("options", "[" .. o.mysql_password .. "]", "[" .. o.pgsql_password .. "]")
  >    end},
  >    listed = {function()
  >       print("argv", table.concat(sysbench.cmdline.argv, " ", 1))
  >       local text = io.open("/proc/self/cmdline"):read("*a"):gsub("%z+", " ")
  >       print("kernel", (text:gsub("^[^ ]+ ", "")))
  >       os.execute("ps -ww -o args= -p $PPID | sed -E 's/ +/ /g; s/^[^ ]+ /ps\t/; s/ $//'")
  >    end},
  > }
  > END
  $ try() { sysbench show.lua "$@" >out 2>err; exited $?; grep -v -e '^sysbench 1' -e '^$' out; cat err; }

What the user typed arrives; whoever looks at the processes, and the script's own command line, see that there is one.

  $ try --mysql-password=sesame --pgsql_password='open "it"' show
  options\t[sesame]\t[open "it"] (esc)
  $ try --mysql-password=sesame --pgsql_password='open "it"' --threads=2 listed
  argv\tshow.lua --mysql-password=*** --pgsql_password=*** --threads=2 listed (esc)
  kernel\tshow.lua --mysql-password=*** --pgsql_password=*** --threads=2 listed  (esc)
  ps\tshow.lua --mysql-password=*** --pgsql_password=*** --threads=2 listed (esc)
  $ try --mysql-password=ab --mysql-password= --mysql-password listed | grep argv
  argv\tshow.lua --mysql-password=** --mysql-password= --mysql-password listed (esc)

Passwords within a connection string of PostgreSQL.

  $ for db in 'dbname=a password=sesame host=b' "password = 'a b\\' c' dbname=x" 'postgresql://me:sesame@h:1/db?a=b' \
  >   'postgres://h/db?password=sesame&sslmode=require' 'PASSWORD=sesame' sesame
  > do
  >   try --pgsql-db="$db" listed | grep argv
  > done
  argv\tshow.lua --pgsql-db=dbname=a password=*** host=b listed (esc)
  argv\tshow.lua --pgsql-db=password = *** dbname=x listed (esc)
  argv\tshow.lua --pgsql-db=postgresql://me:***@h:1/db?a=b listed (esc)
  argv\tshow.lua --pgsql-db=postgres://h/db?password=***&sslmode=require listed (esc)
  argv\tshow.lua --pgsql-db=PASSWORD=*** listed (esc)
  argv\tshow.lua --pgsql-db=sesame listed (esc)

And in a URI of MySQL, whose parts are those of the options.

  $ try --mysql-url='mysql://me:ses@a/me@db1:1/d?ssl-mode=required' listed | grep argv
  argv\tshow.lua --mysql-url=mysql://me:***@db1:1/d?ssl-mode=required listed (esc)
  $ try --mysql-url='mysql://me:ses%40me@db1:1/d' show
  options\t[ses@me]\t[] (esc)
  $ for url in me:sesame@h mysql://me:sesame@h/d?user mysql://me:ses%xame@h 'mysql://me:sesame@h?ssl-mode=x'
  > do sysbench --mysql-url=$url show.lua show 2>&1; done | grep -v -e '^sysbench 1' -e '^$'
  FATAL: --mysql-url: it begins neither with mysql:// nor with mariadb://
  FATAL: --mysql-url: 'user' needs a value
  FATAL: --mysql-url: a % is no encoded byte; write it as %25
  FATAL: --mysql-url: Invalid value for --mysql-ssl: 'x' (allowed: on, off, disabled, preferred, required, verify-ca, verify-identity)

A misspelt name: the message does not repeat the value, wherever it stands.

  $ for words in '--mysql-pasword=sesame cpu run' 'mysql-pasword=sesame run' 'cpu mysql-pasword=sesame'
  > do sysbench $words 2>&1 | grep -o '[^ ]*pasword=[^ ;]*\|sesame'; done
  --mysql-pasword=***
  'mysql-pasword=***':
  mysql-pasword=***

A password that is a word of its own is a mistake, and not repeated either.

  $ for p in --mysql-password --pgsql_password --vault-password --mysql-pasword -p
  > do for words in "cpu $p" "$p" "cpu run $p"
  >   do sysbench $words 'zqx sesame' 2>&1; done; sysbench cpu $p 'zqx sesame' run 2>&1; done | grep -c zqx
  0
  [1]
  $ for words in 'cpu --mysql-password sesame run' '--mysql-password sesame run' 'cpu -psesame run' 'cpu -pgsql-host=h run' \
  >   'cpu --mysql-password run no'
  > do sysbench $words 2>&1 | sed '/^sysbench 1/d; /^$/d'; done
  Unrecognized command line argument: ***; did you mean --mysql-password=***?
  FATAL: Cannot find benchmark '***': no such built-in test, file or module; did you mean --mysql-password=***?
  Unrecognized command line argument: -p***; options begin with two dashes: see 'sysbench --help'
  Unrecognized command line argument: -pgsql-host=h; did you mean --pgsql-host=h?
  Unrecognized command line argument: run; did you mean --mysql-password=***?
  $ sysbench cpu --mysql-password "$(printf 'z%.0s' $(seq 2000))" run
  Unrecognized command line argument: ***
  [1]

From a file: its line without the end of the line.

  $ umask 077
  $ printf 'sesame\n' >one; printf 'open' >bare; printf 'dos\r\n' >dos; : >empty; printf ' blanks stay \n' >blanks
  $ try --mysql-password-file=one --pgsql-password-file=bare show
  options\t[sesame]\t[open] (esc)
  $ for f in dos empty blanks; do try --mysql-password-file=$f show | grep options; done
  options\t[dos]\t[] (esc)
  options\t[]\t[] (esc)
  options\t[ blanks stay ]\t[] (esc)

From standard input: one line for each, and the script's own input begins behind it.

  $ printf 'first\nsecond\nrest\n' | try --mysql-password-file=- --pgsql-password-file=- show
  options\t[first]\t[second] (esc)
  $ printf 'sesame\nprint("the script")\n' | sysbench --mysql-password-file=- | tail -n 1
  the script

From a terminal, without echo. Ctrl-C gives the echo back before the process ends.

  $ typed() { python3 "$TESTDIR/../include/terminal.py" --after='mysql-password: ' --type="$1" 80 sh -c \
  >   'trap : INT; sysbench show.lua --mysql-password-file=- show; echo "exit $?"; stty -a | tr " " "\\n"' | grep -x \
  >   -e 'exit.*' -e 'options.*' -e '-*echo'
  > }
  $ typed 'sesame
  > '
  options\t[sesame]\t[] (esc)
  exit 0
  echo
  $ typed "$(printf '\003')"
  exit 130
  echo

A file that others may read is taken, with a warning; a pipe has no readers.

  $ chmod 644 one
  $ try --mysql-password-file=one show
  options\t[sesame]\t[] (esc)
  WARNING: --mysql-password-file: 'one' is accessible to others (mode 0644); run chmod 600
  $ mkfifo -m 666 pipe; (echo piped >pipe) & try --mysql-password-file=pipe show; wait
  options\t[piped]\t[] (esc)
  $ chmod 600 one

What cannot be a password file.

  $ printf 'one\ntwo\n' >two; printf 'o\0ne\n' >nul; head -c 5000 /dev/zero | tr '\0' x >long
  $ refused show.lua --pgsql-password-file=. show | sed 's/ (mode.*//'
  FATAL: --pgsql-password-file: cannot read '.': Is a directory
  $ for f in nowhere two nul long 'one --mysql-password=x'; do refused show.lua --mysql-password-file=$f show; done
  FATAL: --mysql-password-file: cannot read 'nowhere': No such file or directory
  FATAL: --mysql-password-file: 'two' does not contain a password: it has more than one line
  FATAL: --mysql-password-file: 'nul' does not contain a password: it has a NUL byte in it
  FATAL: --mysql-password-file: 'long' does not contain a password: it is longer than 4096 bytes
  FATAL: --mysql-password and --mysql-password-file cannot be combined
