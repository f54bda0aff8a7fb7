# From 3.4 on libmariadb does not compare the name in a certificate with an address of this host.
s/^  refused: it is not for '127\.0\.0\.1'/  encrypted/
# It does not have the plugin mysql_old_password, in whatever way the server asks for it.
/^  \$ .*mysql_old_password/,/^$/ {
    s/error 2061: The server asks for the password in clear text/error 5010: Authentication plugin 'mysql_old_password' couldn't be found in restricted_auth plugin list./
    s/^  preferred: exit 0, got whoever$/  preferred: exit 1, got whoever, error 5010: Authentication plugin 'mysql_old_password' couldn't be found in restricted_auth plugin list./
}
