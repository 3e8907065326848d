//! Functions of PostgreSQL, and of its usual extensions, that are not here: a call of one says so, rather
//! than that there is no such function.

/// Whether PostgreSQL has a function of this name that is missing here.
pub(super) fn has(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
}

/// The names of the missing functions, sorted for the search.
#[rustfmt::skip]
pub static NAMES: &[&str] = &[
    "acosd", "area", "asind", "atan2d", "atand", "bit_count", "box",
    "brin_summarize_new_values", "broadcast", "cash_words", "center", "circle", "convert", "cosd",
    "cotd", "crosstab", "crypt", "currtid2", "dblink", "diameter",
    "gen_random_bytes", "gen_salt", "get_bit", "hashtext", "hashtextextended", "height", "hmac",
    "hostmask", "inet_merge", "inet_same_family", "int4multirange",
    "is_normalized", "isclosed", "isopen", "json_populate_record",
    "json_populate_recordset", "jsonb_path_exists",
    "jsonb_path_exists_tz", "jsonb_path_match", "jsonb_path_match_tz", "jsonb_path_query",
    "jsonb_path_query_array", "jsonb_path_query_array_tz", "jsonb_path_query_first",
    "jsonb_path_query_first_tz", "jsonb_path_query_tz", "jsonb_populate_record",
    "jsonb_populate_recordset", "jsonb_set_lax", "line",
    "lo_creat", "lo_create", "lo_export", "lo_get", "lo_import", "lo_open", "lo_put", "lo_unlink",
    "lseg", "money", "netmask", "network", "normalize",
    "npoints", "numnode", "parse_ident", "path", 
    "pg_column_size", "pg_current_snapshot", "pg_current_wal_lsn",
    "pg_export_snapshot", "pg_get_keywords", "pg_last_wal_replay_lsn",
    "pg_ls_dir", "pg_read_file", "pg_reload_conf",
    "pg_safe_snapshot_blocking_pids", "pg_sleep_until", "pg_snapshot_xmin", "pg_stat_reset",
    "pg_xact_status", "phraseto_tsquery", "plainto_tsquery", "point",
    "polygon", "query_to_xml", "querytree", "radius", "range_agg", "set_bit",
    "set_masklen", "setweight", "sind", "suppress_redundant_updates_trigger",
    "table_to_xml", "tand", "text_to_inet", "to_ascii", "to_tsquery", "to_tsvector", "ts_headline",
    "ts_rank", "ts_rank_cd", "tsvector_to_array", "txid_current_snapshot",
    "txid_status", "unistr",
    "websearch_to_tsquery", "width",
    "xmlagg", "xmlcomment", "xpath", "xpath_exists",
];
