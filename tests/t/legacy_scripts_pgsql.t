The scripts of 0.5, against PostgreSQL.

  $ . "$TESTDIR/../include/pgsql.sh"
  $ legacy() { script=$1; shift
  > sysbench $SB_PGSQL_ARGS --test=/nowhere/tests/db/$script.lua --oltp-table-size=50 "$@" >out 2>err || cat out err; }
  $ figure() { sed -n -E "s/^ *$1: *([0-9]+).*/\1/p" out; }
  $ legacy oltp --oltp-tables-count=2 prepare; tables; tail -n +3 out | paste -sd '|' -
  sbtest1
  sbtest2
  Creating table 'sbtest1'...|Inserting 50 records into 'sbtest1'|Creating secondary indexes on 'sbtest1'...|Creating table 'sbtest2'...|Inserting 50 records into 'sbtest2'|Creating secondary indexes on 'sbtest2'...
  $ sql \
  >   "SELECT column_name, data_type, column_default FROM information_schema.columns WHERE table_name = 'sbtest2' ORDER BY ordinal_position"
  id\tinteger\tnextval('sbtest2_id_seq'::regclass) (esc)
  k\tinteger\t0 (esc)
  c\tcharacter\t''::bpchar (esc)
  pad\tcharacter\t''::bpchar (esc)
  $ sql "SELECT indexdef FROM pg_indexes WHERE tablename = 'sbtest2' ORDER BY indexname"
  CREATE INDEX k_2 ON public.sbtest2 USING btree (k)
  CREATE UNIQUE INDEX sbtest2_pkey ON public.sbtest2 USING btree (id)
  $ sql "SELECT COUNT(*), MIN(k) >= 1, MAX(k) <= 50 FROM sbtest2"
  50\tt\tt (esc)
  $ for s in oltp oltp_simple select update_index update_non_index delete insert; do
  >   for more in '' --compat=0.5; do
  >     legacy $s --oltp-tables-count=2 --max-requests=10 $more run; echo "$s $(figure read) $(figure total)"
  >   done
  > done | uniq -c
        2 oltp 140 200
        2 oltp_simple 10 10
        2 select 10 10
        2 update_index 0 10
        2 update_non_index 0 10
        2 delete 0 10
        2 insert 0 10
  $ legacy oltp --oltp-tables-count=2 cleanup; tables
  $ legacy oltp --oltp-auto-inc=off --oltp-secondary=on prepare
  $ sql "SELECT indexdef FROM pg_indexes WHERE tablename = 'sbtest1' ORDER BY indexname"
  CREATE INDEX k_1 ON public.sbtest1 USING btree (k)
  CREATE INDEX xid_1 ON public.sbtest1 USING btree (id)
  $ for s in select_random_points select_random_ranges; do legacy $s --num-threads=3 --max-requests=9 run; figure read; done
  9
  9
  $ legacy oltp cleanup
  $ for s in select_random_points select_random_ranges; do
  >   legacy $s --compat=0.5 prepare; tables; legacy $s --compat=0.5 --num-threads=3 --max-requests=9 run; figure read
  >   legacy $s --compat=0.5 cleanup
  > done
  sbtest
  9
  sbtest
  9
  $ legacy bulk_insert --num-threads=2 prepare; legacy bulk_insert --num-threads=2 --max-requests=100 run
  $ sql "SELECT (SELECT COUNT(*) FROM sbtest0) + (SELECT COUNT(*) FROM sbtest1)"; legacy bulk_insert --num-threads=2 cleanup; tables
  100
  $ legacy parallel_prepare --num-threads=3 --oltp-tables-count=4 prepare; tables; legacy oltp --oltp-tables-count=4 cleanup
  sbtest1
  sbtest2
  sbtest3
  sbtest4

A parameter keeps the type with which it was bound, whatever the table holds later.

  $ cat >types.lua <<'END'
  > local values = {1, "x", nil, 2}
  > local later = {number = {"7", 8}, null = {}, text = {"seven"}, other = {[2] = {}}}
  > function thread_init()
  >    st = db_prepare("SELECT 1 WHERE 7 = ?::INTEGER AND '8' = ? AND ? = 'x' AND 2 = ?")
  >    db_bind_param(st, values)
  > end
  > function event()
  >    for i, v in pairs(later[os.getenv("LATER")]) do values[i] = v end
  >    values[3] = "x"
  >    if os.getenv("LATER") == "null" then values[2] = nil end
  >    print("rows", tonumber(db_execute(st).nrows))
  > end
  > END
  $ for LATER in number null text other; do export LATER; sysbench types.lua $SB_ARGS --events=1 run | grep -E '^(rows|FATAL)'; done
  rows\t1 (esc)
  rows\t0 (esc)
  FATAL: `thread_run' function failed: types.lua:11: bad argument #4 to 'db_execute' (number expected, got string)
  FATAL: `thread_run' function failed: types.lua:11: bad argument #5 to 'db_execute' (string expected, got table)
  $ cat >refused.lua <<'END'
  > function thread_init() st = db_prepare("SELECT 1 WHERE 'x'::CHAR(1) = ?") db_bind_param(st, {value}) end
  > function event() db_execute(st) end
  > END
  $ for value in 1 true; do (echo "value = $value"; cat refused.lua) >r.lua; sysbench r.lua $SB_ARGS --events=1 run | grep -E '^FATAL'; done
  FATAL: PQprepare() failed: ERROR:  operator does not exist: character = bigint
  FATAL: `thread_run' function failed: r.lua:3: db_execute() failed
  FATAL: `thread_init' function failed: Unsupported variable type: boolean
  FATAL: Thread initialization failed!
