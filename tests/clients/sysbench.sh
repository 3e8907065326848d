# sysbench's workloads, one after another on the tables it makes.
set -eu
options="--db-driver=pgsql --pgsql-host=$PGHOST --pgsql-port=$PGPORT --pgsql-user=$PGUSER --pgsql-db=$PGDATABASE"
options="$options --tables=2 --table-size=200 --threads=2 --time=0 --events=20"
sysbench $options oltp_read_write prepare
for workload in oltp_read_write oltp_point_select oltp_read_only oltp_write_only oltp_update_index \
    oltp_update_non_index oltp_insert oltp_delete select_random_ranges select_random_points; do
    sysbench $options "$workload" run | grep 'queries:'
done
sysbench $options oltp_read_write cleanup
