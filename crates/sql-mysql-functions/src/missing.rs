//! Functions that the servers have and nothing here does. Calls of them are refused by name.

/// Their names, in order.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "aes_decrypt", "aes_encrypt", "area", "asbinary", "astext", "aswkb", "aswkt", "binlog_gtid_pos", "boundary", "buffer",
    "can_access_column", "centroid", "column_add", "column_check", "column_create", "column_delete", "column_exists",
    "column_get", "column_json", "column_list", "compress", "contains", "convexhull", "crosses", "decode", "decode_histogram",
    "des_decrypt", "des_encrypt", "dimension", "disjoint", "distance", "encode", "encrypt", "endpoint", "envelope",
    "exteriorring", "extractvalue", "geomcollfromtext", "geomcollfromwkb", "geometrycollection", "geometrycollectionfromtext",
    "geometrycollectionfromwkb", "geometryfromtext", "geometryfromwkb", "geometryn", "geometrytype", "geomfromtext",
    "geomfromwkb", "glength", "gtid_subset", "gtid_subtract", "interiorringn", "intersects", "isclosed", "isempty", "isring",
    "issimple", "json_schema_valid", "json_storage_free",
    "json_storage_size", "json_table", "linefromtext", "linefromwkb", "linestring", "linestringfromtext", "linestringfromwkb",
    "load_file", "master_gtid_wait", "master_pos_wait", "mbrcontains", "mbrdisjoint", "mbrequal", "mbrintersects",
    "mbroverlaps", "mbrtouches", "mbrwithin", "mlinefromtext", "mlinefromwkb", "mpointfromtext", "mpointfromwkb",
    "mpolyfromtext", "mpolyfromwkb", "multilinestring", "multipoint", "multipolygon", "numgeometries",
    "numinteriorrings", "numpoints", "old_password", "overlaps", "password", "point", "pointfromtext", "pointfromwkb",
    "pointn", "pointonsurface", "polyfromtext", "polyfromwkb", "polygon", "polygonfromtext", "polygonfromwkb", 
    "srid", "startpoint", "statement_digest", "statement_digest_text", "touches", "uncompress",
    "uncompressed_length", "updatexml", "wait_for_executed_gtid_set", "within",
];

/// Whether the servers have a function that is missing here.
pub(crate) fn is_missing(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok() || name.starts_with("st_")
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_in_order() {
        assert!(super::NAMES.is_sorted());
    }
}
