# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A private SSH server for tests, on loopback:   . "$TESTDIR/../include/sshd.sh"
# It serves this user alone, with a key made for the occasion; nothing of the system's is read or changed.

# start_sshd [ADDRESS [COMMAND]]: at an address other than 127.0.0.1, run by a command; sets ssh_command (to be followed by what is to run there) and sshd_pid; 1 with the reason in
# ./sshd.why when there is no sshd or it does not work here
start_sshd() {
    address=${1:-127.0.0.1} through=${2:-}
    sshd=$(command -v sshd) || { echo "no sshd" >sshd.why; return 1; }
    if ! command -v ssh >/dev/null || ! command -v ssh-keygen >/dev/null; then
        echo "no ssh" >sshd.why
        return 1
    fi
    if [ "$(id -u)" = 0 ]; then mkdir -p /run/sshd || return 1; fi
    # Root's sshd wants a user of that name, whom its package makes: without that, it sees a list with one.
    if [ "$(id -u)" = 0 ] && ! id sshd >/dev/null 2>&1; then
        { cat /etc/passwd; echo 'sshd:x:65533:65534::/run/sshd:/bin/false'; } >passwd
        echo "mount --bind '$PWD/passwd' /etc/passwd && exec \"\$@\"" >with_user
        through="$through unshare --mount sh $PWD/with_user"
    fi
    ssh-keygen -q -t ed25519 -N '' -f host_key && ssh-keygen -q -t ed25519 -N '' -f user_key || return 1
    for port in 42022 43022 44022 45022; do
        cat >sshd_config <<CONFIG
ListenAddress $address
Port $port
HostKey $PWD/host_key
AuthorizedKeysFile $PWD/user_key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
CONFIG
        # Newer ones are of several programs, beside the first of them even where that is unpacked only.
        for part in Session Auth; do
            program=${sshd%/sbin/sshd}/lib/openssh/sshd-$(echo $part | tr SA sa)
            if [ -x "$program" ]; then echo "Sshd${part}Path $program" >>sshd_config; fi
        done
        $through "$sshd" -D -e -f "$PWD/sshd_config" >sshd.log 2>&1 & sshd_pid=$!
        cat >ssh_config <<CONFIG
Host there
HostName $address
Port $port
User $(id -un)
IdentityFile $PWD/user_key
IdentitiesOnly yes
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
BatchMode yes
CONFIG
        ssh_command="ssh -F $PWD/ssh_config there"
        tries=100 # unless it ends, because another has the port
        while kill -0 $sshd_pid 2>/dev/null && [ $tries -gt 0 ]; do
            if $ssh_command true 2>ssh.log; then return 0; fi
            tries=$((tries - 1))
            sleep 0.1
        done
        kill $sshd_pid 2>/dev/null
        wait $sshd_pid 2>/dev/null
    done
    cat sshd.log ssh.log >sshd.why
    return 1
}

stop_sshd() { kill "$sshd_pid"; wait "$sshd_pid"; }
