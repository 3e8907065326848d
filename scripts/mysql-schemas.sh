#!/bin/sh
# Puts the schemas that Debian's packages of applications ship into target/mysql-schemas, where
# crates/sql-mysql/tests/schemas.rs reads them. They are under licences of their own (GPL and AGPL), so none is kept here.
set -eu
out="$(cd "$(dirname "$0")/.." && pwd)/target/mysql-schemas"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
cd "$work"
for package in wordpress mediawiki zabbix-server-mysql cacti roundcube-core roundcube-mysql pdns-backend-mysql \
    icingaweb2-common tt-rss freeradius-mysql sogo bacula-director-mysql; do
    apt-get download "$package" >/dev/null 2>&1 || { echo "not found: $package" >&2; continue; }
    dpkg -x "$package"_*.deb "$package"
done
# WordPress has its schema in a program: two variables and the lines around are not SQL.
sed -n '/CREATE TABLE/,/charset_collate;/p' wordpress/usr/share/wordpress/wp-admin/includes/schema.php |
    sed 's/\$wpdb->/wp_/g; s/\$charset_collate/DEFAULT CHARACTER SET utf8mb4/; s/\$max_index_length/191/g; s/^.*\(CREATE TABLE\)/\1/; s/";.*$//; s/\\n//g' \
    >"$out/wordpress.sql"
cp mediawiki/usr/share/mediawiki/maintenance/tables-generated.sql "$out/mediawiki-generated.sql"
cp mediawiki/usr/share/mediawiki/maintenance/tables.sql "$out/mediawiki.sql"
gzip -cd zabbix-server-mysql/usr/share/zabbix-server-mysql/schema.sql.gz >"$out/zabbix.sql"
cp cacti/usr/share/cacti/conf_templates/cacti.sql "$out/cacti.sql"
cp roundcube-core/usr/share/roundcube/SQL/mysql.initial.sql "$out/roundcube.sql"
cp pdns-backend-mysql/usr/share/doc/pdns-backend-mysql/schema.mysql.sql "$out/pdns.sql"
cp bacula-director-mysql/usr/share/dbconfig-common/data/bacula-director-mysql/install/mysql "$out/bacula.sql"
for found in $(find icingaweb2-common tt-rss freeradius-mysql sogo -name '*.sql' -path '*mysql*'; find icingaweb2-common -name 'mysql.schema.sql'); do
    cp "$found" "$out/$(echo "$found" | cut -d/ -f1)-$(basename "$found")"
done
# What a client is told, and what stands between two of these, is no single statement.
sed -i '/^DELIMITER/,/^DELIMITER ;/d' "$out/cacti.sql" "$out/zabbix.sql"
ls "$out"
