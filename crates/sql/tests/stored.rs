//! Values as the store keeps them come back as they were.

use hobgoblin_sql::POSTGRES;
use hobgoblin_sql::types::{Datum, Format, NoNames, PgType, TypeEnv, TypeId, text};
use hobgoblin_sql_exec::stored::{from_stored, row_from_stored, row_to_stored, to_stored};

#[test]
fn rows_of_fewer_columns_are_shorter() {
    let (format, names) = (Format::default(), NoNames);
    let env = TypeEnv::new(&format, &names);
    let types = [TypeId::INT4, TypeId::TEXT, TypeId::NUMERIC];
    let row = [Datum::Int(-7), Datum::text("a\"\\\n\u{1}é")];
    let stored = row_to_stored(&row, &types, &POSTGRES);
    assert_eq!(stored.to_string(), "[-7,\"a\\\"\\\\\\n\\u0001é\"]");
    let back = row_from_stored(&stored, &types, &env, &POSTGRES).unwrap();
    assert_eq!(back.len(), 2);
    assert!(back.iter().zip(&row).all(|(a, b)| a.equal(b)));
    for broken in
        ["", "[", "[1", "[1,", "[\"a", "[\"\\u12\"]", "[x]", "[99999999999999999999]", "1"]
    {
        let value = hobgoblin_core::Value::Json(broken.into());
        assert!(row_from_stored(&value, &types, &env, &POSTGRES).is_err(), "{broken}");
    }
}

#[test]
fn values_of_all_kinds_come_back() {
    let format = Format::default();
    let env = TypeEnv::new(&format, &NoNames);
    for (ty, written) in [
        (TypeId::BOOL, "t"),
        (TypeId::INT8, "-9223372036854775808"),
        (TypeId::TEXT, "a, \"b\""),
        (TypeId::BPCHAR, "ab  "),
        (TypeId::NUMERIC, "1.50"),
        (TypeId::FLOAT8, "-0"),
        (TypeId::TIMESTAMPTZ, "2024-02-29 12:00:00.25+02"),
        (TypeId::INTERVAL, "1 mon -2 days"),
        (TypeId::JSON, "{\"a\": [1]}"),
        (TypeId::JSONB, "{\"b\": null}"),
        (TypeId::UUID, "00112233-4455-6677-8899-aabbccddeeff"),
        (TypeId::BYTEA, "\\x00ff"),
        (TypeId(1007), "{1,NULL,3}"),
    ] {
        let value = text::parse(written, ty, -1, &env).expect("it is one of its type");
        let alone = from_stored(&to_stored(&value, ty, &POSTGRES), ty, &env, &POSTGRES);
        let row = row_to_stored(&[value.clone(), Datum::Null], &[ty, ty], &POSTGRES);
        let row = row_from_stored(&row, &[ty, ty], &env, &POSTGRES).expect("it was written");
        let shown = |value: &Datum| text::print(value, ty, -1, &env);
        assert_eq!(shown(&alone.expect("it was written")), shown(&value), "{written}");
        assert_eq!(shown(&row[0]), shown(&value), "{written}");
        assert!(row[1].is_null(), "{written}");
    }
}
