# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A host with an address of its own, for cram tests: a network namespace behind a veth pair.
#     . "$TESTDIR/../include/netns.sh"
# Needs root and iproute2; what it makes goes with stop_netns, and with the machine.

# start_netns: sets netns (to be named in `ip netns exec`), netns_here and netns_there (addresses of both ends); 1 with the
# reason in ./netns.why where that is not permitted
start_netns() {
    [ "$(id -u)" = 0 ] || { echo "only root may" >netns.why; return 1; }
    command -v ip >/dev/null || { echo "no ip (iproute2)" >netns.why; return 1; }
    netns=sbtx$$
    net=10.$((64 + $$ / 16384 % 128)).$(($$ / 64 % 256))     # a /30 of its own for each process id
    host=$(($$ % 64 * 4))
    netns_here=$net.$((host + 1)) netns_there=$net.$((host + 2))
    ip netns add $netns 2>netns.why &&
        ip link add sbv$$ type veth peer name eth0 netns $netns 2>>netns.why &&
        ip address add $netns_here/30 dev sbv$$ 2>>netns.why && ip link set sbv$$ up 2>>netns.why &&
        ip -n $netns address add $netns_there/30 dev eth0 2>>netns.why &&
        ip -n $netns link set eth0 up 2>>netns.why && ip -n $netns link set lo up 2>>netns.why &&
        ip netns exec $netns true 2>>netns.why && return 0
    stop_netns
    return 1
}

stop_netns() {
    ip link delete sbv$$ 2>/dev/null
    ip netns delete "$netns" 2>/dev/null
}
