#!/bin/sh
# Puts the schemas that Debian's packages of applications ship into target/mysql-schemas, where the tests of sql-mysql and of
# the clients read them. They are under licences of their own (GPL and AGPL), so none is kept here.
set -eu
out="$(cd "$(dirname "$0")/.." && pwd)/target/mysql-schemas"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir schemas
for package in wordpress mediawiki zabbix-server-mysql cacti roundcube-core pdns-backend-mysql tt-rss bacula-director-mysql; do
    apt-get download "$package" >/dev/null 2>&1 || { echo "not found: $package" >&2; exit 1; }
    dpkg -x "$package"_*.deb "$package"
    rm "$package"_*.deb
done
# WordPress has its schema in a program: two variables and the lines around are not SQL.
sed -n '/CREATE TABLE/,/charset_collate;/p' wordpress/usr/share/wordpress/wp-admin/includes/schema.php |
    sed 's/\$wpdb->/wp_/g; s/\$charset_collate/DEFAULT CHARACTER SET utf8mb4/; s/\$max_index_length/191/g; s/^.*\(CREATE TABLE\)/\1/; s/";.*$//; s/\\n//g' \
    >schemas/wordpress.sql
cp mediawiki/usr/share/mediawiki/maintenance/tables-generated.sql schemas/mediawiki-generated.sql
cp mediawiki/usr/share/mediawiki/maintenance/tables.sql schemas/mediawiki.sql
gzip -cd zabbix-server-mysql/usr/share/zabbix-server-mysql/schema.sql.gz >schemas/zabbix.sql
cp cacti/usr/share/cacti/conf_templates/cacti.sql schemas/cacti.sql
cp roundcube-core/usr/share/roundcube/SQL/mysql.initial.sql schemas/roundcube.sql
cp pdns-backend-mysql/usr/share/doc/pdns-backend-mysql/schema.mysql.sql schemas/pdns.sql
cp bacula-director-mysql/usr/share/dbconfig-common/data/bacula-director-mysql/install/mysql schemas/bacula.sql
for found in $(find tt-rss -name '*.sql' -path '*mysql*'); do
    cp "$found" "schemas/tt-rss-$(basename "$found")"
done
# What a client is told, and what stands between two of these, is no single statement.
sed -i '/^DELIMITER/,/^DELIMITER ;/d' schemas/cacti.sql schemas/zabbix.sql
mkdir -p "$(dirname "$out")"
rm -rf "$out"
cp -r schemas "$out"
