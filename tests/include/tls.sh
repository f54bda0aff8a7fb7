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
