# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Certificates for the cram tests, made by openssl:   . "$TESTDIR/../include/tls.sh"
# An authority is NAME.pem (and NAME.key), a server's or a client's certificate likewise.

# of this kind, which takes a hundredth of the time that RSA takes to make
tls_key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1'

# tls_ca NAME: an authority
tls_ca() {
    # shellcheck disable=SC2086      # several options
    openssl req -x509 $tls_key -nodes -days 30 -subj "/CN=authority $1" \
        -keyout "$1.key" -out "$1.pem" 2>"$1.err" || cat "$1.err"
}

# tls_cert NAME CA HOST[,HOST...] [DAYS]: a certificate for these hosts, signed by CA; -1 days: expired
tls_cert() {
    tls_names=
    for tls_host in $(echo "$3" | tr , ' '); do
        case $tls_host in
        *[!0-9.]*) tls_names="$tls_names,DNS:$tls_host" ;;
        *) tls_names="$tls_names,IP:$tls_host" ;;
        esac
    done
    echo "subjectAltName=${tls_names#,}" >"$1.ext"
    # how to make one that has expired depends on openssl's version
    tls_days="-days ${4:-30}"
    if [ "${4:-30}" -lt 0 ] && openssl x509 -help 2>&1 | grep -q not_after; then
        tls_days="-not_before 20200101000000Z -not_after 20200201000000Z"
    fi
    {
        # shellcheck disable=SC2086      # several options
        openssl req -new $tls_key -nodes -subj "/CN=${3%%,*}" -keyout "$1.key" -out "$1.csr" &&
            openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial \
                $tls_days -extfile "$1.ext" -out "$1.pem"
    } >"$1.err" 2>&1 || cat "$1.err"
}

# What the tests of both drivers show with plain and encrypted, options for a connection in clear text and one with TLS,
# and `there ARGUMENT...`, which runs sysbench at the port $via or $port; again.lua is a script whose event is a reconnection.
echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() con:reconnect() end' >again.lua

# killed_is_lost ID KILL LEFT HOW...: a connection that is killed is a lost one, plain and encrypted: the statement that
# selects its id, those that kill the id %d and count who is left of it, and options, each of which has it replaced
killed_is_lost() {
    cat >killed.lua <<END
function thread_init() local d = sysbench.sql.driver() con, victim, calls = d:connect(), d:connect(), 0 end
function event()
   calls = calls + 1
   if calls % 2 == 1 then
      local id = victim:query_row("$1")
      con:query(("$2"):format(id))
      repeat local n = con:query_row(("$3"):format(id)) until tonumber(n) == 0
   end
   if calls < 3 then victim:query("SELECT 1") else victim:prepare("SELECT 2"):execute() end
end
END
    shift 3
    # shellcheck disable=SC2154      # of the file
    for mode in "$plain" "$encrypted"; do for how; do for w in 0 1; do
        there killed.lua --events=4 "$mode" "$how" --workers=$w >out
        echo "exit $? $(grep -o 'reconnects: *[0-9]*' out | tr -s ' ')"
        grep -h '^FATAL' out
    done; done; done | uniq -c | sed 's/^ *//'
}

# far_and_silent BYTES...: connects and reconnects to a server that is 12 to 900 ms away each way, on threads and workers,
# with a limit and without; and to one that falls silent after so many bytes, more than 20 of which are of TLS
far_and_silent() {
    # shellcheck disable=SC2086,SC2154      # several options; of the file
    {
        for far in 12 100 "900 --connect-timeout=30"; do
            relay $port --delay=${far%% *}
            for how in $plain $encrypted; do for w in 0 2; do
                there again.lua $how --workers=$w --events=1 --time=60 ${far#"${far%% *}"} >far.${far%% *}.${how##*=}.$w.out &
                runs="${runs:-} $!"
            done; done
        done
        for n; do
            relay $port --answers=$n
            for how in $plain $encrypted; do for w in 0 1; do
                if [ $n -gt 20 ] && [ $how = $plain ]; then continue; fi
                there again.lua $how --workers=$w --connect-timeout=0.5 >silent.$n.${how##*=}.$w.out &
                runs="$runs $!"
            done; done
        done
        wait $runs
    }
    via=
    relays_end
    grep -hoE '^FATAL.*|reconnects: *[0-9]+' far.*.out | uniq -c
    grep -ho 'the server did not answer within.*' silent.*.out | sort | uniq -c
}

# long_statements SLOW: encrypted, on a thread and on a worker: a statement that takes 30 s, and one that is larger than
# what the system buffers
long_statements() {
    cat >statement.lua <<END
sysbench.cmdline.options = {statement = {"statement", "x"}}
function thread_init() con = sysbench.sql.driver():connect() end
local text = {slow = "$1", large = "SELECT LENGTH('" .. ("x"):rep(15 * 2 ^ 20) .. "')"}
function event() con:query(text[sysbench.opt.statement]) end
END
    for w in 0 1; do
        there statement.lua "$encrypted" --statement=slow --query-timeout=0.5 --workers=$w |
            grep -o 'no answer within --query-timeout=0.5 s' | head -n 1
        there statement.lua "$encrypted" --statement=large --events=1 --time=60 --workers=$w |
            sed -n -E -e '/^FATAL/p' -e 's/^ *(total number of events:) */\1 /p'
    done
}
