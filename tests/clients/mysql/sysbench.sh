# sysbench's workloads, one after another on the tables it makes, with prepared statements and without.
set -eu
login="--mysql-host=$1 --mysql-port=$2 --mysql-user=$3"
password=$4
bench() { sysbench --db-driver=mysql $login "--mysql-password=$password" --mysql-db=shop --tables=2 --table-size=200 --threads=2 --time=0 --events=20 "$@"; }
for mode in auto disable; do
    bench oltp_read_write prepare >/dev/null
    for workload in oltp_read_write oltp_point_select oltp_read_only oltp_write_only oltp_update_index \
        oltp_update_non_index oltp_insert oltp_delete select_random_ranges select_random_points; do
        bench --db-ps-mode=$mode "$workload" run | grep -E 'total number of events|FATAL' | tr -s ' '
    done
    bench oltp_read_write cleanup >/dev/null
done
