# How MySQL's server says what MariaDB's says in the expected output (tests/cram applies it).
s/Unknown column '\([a-z]*\)' in 'SELECT'/Unknown column '\1' in 'field list'/
s/^  Server: mariadbd /  Server: mysqld /
/CREATE TABLE `sbtest/s/int(11)/int/g
/CREATE TABLE `sbtest/s/DEFAULT 0,/DEFAULT '0',/g
