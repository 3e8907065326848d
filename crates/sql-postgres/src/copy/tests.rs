use sqlparser::ast::{CopyLegacyCsvOption, CopyLegacyOption, CopyOption, Ident};

use super::*;
use crate::parse::Stop;
use crate::types::{Format, NoNames, PgType, text};

fn options(options: &[CopyOption]) -> CopyOptions {
    CopyOptions::new(options, &[]).expect("they are good")
}

fn csv(more: &[CopyOption]) -> CopyOptions {
    let mut all = vec![CopyOption::Format(Ident::new("csv"))];
    all.extend_from_slice(more);
    options(&all)
}

fn columns(types: &[TypeId]) -> Vec<CopyColumn> {
    let names = ["a", "b", "c"];
    let column =
        |(&ty, name): (&TypeId, &str)| CopyColumn { name: name.to_owned(), ty, typmod: -1 };
    types.iter().zip(names).map(column).collect()
}

const PAIR: [TypeId; 2] = [TypeId::INT4, TypeId::TEXT];

/// Decodes data in pieces of every size; rows as text, NULL as `None`.
fn decode(data: &[u8], options: &CopyOptions) -> Result<Vec<Vec<Option<String>>>> {
    let format = Format::default();
    let env = TypeEnv { settings: &format, names: &NoNames, now: None };
    let mut results = Vec::new();
    for piece in [1, 2, 3, 7, data.len().max(1)] {
        let mut copy = CopyIn::new("t", columns(&PAIR), options.clone())?;
        let mut all = || -> Result<Vec<Vec<Datum>>> {
            let mut rows = Vec::new();
            for part in data.chunks(piece) {
                rows.extend(copy.decoder.push(part, &env)?);
            }
            rows.extend(copy.decoder.finish(&env)?);
            Ok(rows)
        };
        let printed = |row: Vec<Datum>| {
            let value = |(datum, ty): (&Datum, &TypeId)| {
                (!datum.is_null()).then(|| text::print(datum, *ty, -1, &env))
            };
            row.iter().zip(&PAIR).map(value).collect()
        };
        results.push(all().map(|rows| rows.into_iter().map(printed).collect::<Vec<_>>()));
    }
    let last = results.pop().expect("there are five");
    assert!(results.iter().all(|result| *result == last), "pieces matter: {results:?}, {last:?}");
    last
}

fn check(data: &str, options: &CopyOptions, expect: &[(Option<&str>, Option<&str>)]) {
    let owned = |text: &Option<&str>| text.map(str::to_owned);
    let expect: Vec<_> = expect.iter().map(|(a, b)| vec![owned(a), owned(b)]).collect();
    assert_eq!(decode(data.as_bytes(), options).as_ref(), Ok(&expect), "{data:?}");
}

fn refused(data: &[u8], options: &CopyOptions) -> (String, String, String) {
    let error = crate::worded(decode(data, options).expect_err("it is refused"));
    (error.state().0.to_owned(), error.message(), error.more.detail.unwrap_or_default())
}

#[test]
fn text_is_read() {
    let plain = CopyOptions::default();
    check("", &plain, &[]);
    check("1\ta\n2\tb\n", &plain, &[(Some("1"), Some("a")), (Some("2"), Some("b"))]);
    check("1\ta\n2\tb", &plain, &[(Some("1"), Some("a")), (Some("2"), Some("b"))]);
    check("1\ta\r\n2\tb\r\n", &plain, &[(Some("1"), Some("a")), (Some("2"), Some("b"))]);
    check("1\ta\r2\tb\r", &plain, &[(Some("1"), Some("a")), (Some("2"), Some("b"))]);
    check("\\N\t\\\\N\n", &plain, &[(None, Some("\\N"))]);
    check("1\t\\tx\\nx\\\\\\x41\\101\\q\n", &plain, &[(Some("1"), Some("\tx\nx\\AAq"))]);
    check("1\ta\\\nb\n", &plain, &[(Some("1"), Some("a\nb"))]);
    check("1\ta\n\\.\nwhatever", &plain, &[(Some("1"), Some("a"))]);
    let other = options(&[CopyOption::Delimiter('|'), CopyOption::Null("-".to_owned())]);
    check("-|-\n1|a\\|b\n", &other, &[(None, None), (Some("1"), Some("a|b"))]);
    let header = options(&[CopyOption::Header(true)]);
    check("a\tb\n1\tx\n", &header, &[(Some("1"), Some("x"))]);
}

#[test]
fn csv_is_read() {
    let plain = csv(&[]);
    check("1,a\n2,\"b\"\n", &plain, &[(Some("1"), Some("a")), (Some("2"), Some("b"))]);
    check(",\"\"\n", &plain, &[(None, Some(""))]);
    check("1,\"a,\"\"b\"\"\nc\"\n", &plain, &[(Some("1"), Some("a,\"b\"\nc"))]);
    check("1,x\"y\"z\n", &plain, &[(Some("1"), Some("xyz"))]);
    check("1,\\N\n", &plain, &[(Some("1"), Some("\\N"))]);
    check("1,é\"ü\"\n", &plain, &[(Some("1"), Some("éü"))]);
    let odd = csv(&[
        CopyOption::Delimiter(';'),
        CopyOption::Quote('\''),
        CopyOption::Escape('\\'),
        CopyOption::Header(true),
    ]);
    check("h;h\n1;'a\\'b\\\\;'\n", &odd, &[(Some("1"), Some("a'b\\;"))]);
    let force = csv(&[CopyOption::ForceNotNull(vec![Ident::new("B")])]);
    check("1,\n", &force, &[(Some("1"), Some(""))]);
    let force = csv(&[CopyOption::ForceNull(vec![Ident::new("b")])]);
    check("1,\"\"\n", &force, &[(Some("1"), None)]);
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let plain = CopyOptions::default();
    let told = |data: &str, options: &CopyOptions| refused(data.as_bytes(), options);
    let (state, message, detail) = told("1\ta\n2\n", &plain);
    assert_eq!((state.as_str(), message.as_str()), ("22P04", "missing data for column \"b\""));
    assert_eq!(detail, "COPY t, line 2: \"2\"");
    let (state, message, detail) = told("x\n", &plain);
    assert_eq!(state, "22P02");
    assert_eq!(message, "invalid input syntax for type integer: \"x\"");
    assert_eq!(detail, "COPY t, line 1, column a: \"x\"");
    let (state, message, _) = told("1\ta\tx\n", &plain);
    assert_eq!(
        (state.as_str(), message.as_str()),
        ("22P04", "extra data after last expected column")
    );
    let (state, message, detail) = told("x\ta\n", &plain);
    assert_eq!(state, "22P02");
    assert_eq!(message, "invalid input syntax for type integer: \"x\"");
    assert_eq!(detail, "COPY t, line 1, column a: \"x\"");
    let (_, message, _) = told("1\ta\n2\tb\r\n", &plain);
    assert_eq!(message, "literal carriage return found in data");
    let (_, message, detail) = told("1,a\n1,\"b\n", &csv(&[]));
    assert_eq!(message, "unterminated CSV quoted field");
    assert_eq!(detail, "COPY t, line 2");
    let (state, ..) = refused(b"1\t\xff\n", &plain);
    assert_eq!(state, "22021");
}

#[test]
fn options_that_do_not_go_together() {
    let format = |name: &str| CopyOption::Format(Ident::new(name));
    for (all, state, message) in [
        (vec![format("xml")], "22023", "COPY format \"xml\" not recognized"),
        (vec![CopyOption::Quote('\'')], "0A000", "COPY quote available only in CSV mode"),
        (vec![CopyOption::Delimiter('a')], "22023", "COPY delimiter cannot be \"a\""),
        (
            vec![CopyOption::Delimiter('é')],
            "0A000",
            "COPY delimiter must be a single one-byte character",
        ),
        (
            vec![format("binary"), CopyOption::Null(String::new())],
            "42601",
            "cannot specify NULL in BINARY mode",
        ),
        (vec![format("csv"), format("csv")], "42601", "conflicting or redundant options"),
    ] {
        let error = crate::worded(CopyOptions::new(&all, &[]).expect_err("they do not"));
        assert_eq!((error.state().0, error.message().as_str()), (state, message));
    }
    let both = CopyOptions::new(
        &[],
        &[
            CopyLegacyOption::Delimiter(';'),
            CopyLegacyOption::Csv(vec![
                CopyLegacyCsvOption::Header,
                CopyLegacyCsvOption::Quote('|'),
            ]),
        ],
    );
    let both = both.expect("the older syntax is good too");
    assert_eq!((both.format, both.delimiter, both.quote), (CopyFormat::Csv, b';', b'|'));
    assert!(both.header);
}

#[test]
fn what_is_written_is_read_back() {
    let format = Format::default();
    let env = TypeEnv { settings: &format, names: &NoNames, now: None };
    let rows = vec![
        vec![Datum::Int(1), Datum::text("a\tb\nc\\d,\"e\"\r")],
        vec![Datum::Null, Datum::Null],
        vec![Datum::Int(-7), Datum::text("")],
        vec![Datum::Int(2), Datum::text("\\N")],
        vec![Datum::Int(3), Datum::text("\\.")],
    ];
    let printed: Vec<Vec<Option<String>>> = rows
        .iter()
        .map(|row| {
            let value = |(datum, ty): (&Datum, &TypeId)| {
                (!datum.is_null()).then(|| text::print(datum, *ty, -1, &env))
            };
            row.iter().zip(&PAIR).map(value).collect()
        })
        .collect();
    let binary = options(&[CopyOption::Format(Ident::new("binary"))]);
    for options in [CopyOptions::default(), csv(&[CopyOption::Header(true)]), binary] {
        let out = CopyOut::new(columns(&PAIR), rows.clone(), options.clone());
        let mut out = out.expect("they are written");
        let mut data = Vec::new();
        while let Some(more) = out.next(&env).expect("they are written") {
            data.extend(more);
        }
        assert_eq!(decode(&data, &options).as_ref(), Ok(&printed), "{options:?}");
    }
}

#[test]
fn broken_binary_data_is_refused() {
    let binary = options(&[CopyOption::Format(Ident::new("binary"))]);
    let good = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
    for (more, message) in [
        (&b"\0\x01"[..], "row field count is 1, expected 2"),
        (b"\0\x02\0\0\0", "unexpected EOF in COPY data"),
        (b"\0\x02\xff\xff\xff\xfe", "invalid field size"),
        (b"\xff\xffx", "received copy data after EOF marker"),
    ] {
        let data = [&good[..], more].concat();
        assert_eq!(refused(&data, &binary).1, message);
    }
    assert_eq!(refused(b"PGCOPX", &binary).1, "COPY file signature not recognized");
    assert_eq!(refused(b"PGCO", &binary).1, "COPY file signature not recognized");
    assert_eq!(refused(&good[..12], &binary).1, "invalid COPY file header (missing flags)");
}

#[test]
fn what_the_parser_does_not_know_is_said_otherwise() {
    use sqlparser::ast::Statement;
    let parsed = |sql: &str| {
        let statements = crate::parse::parse(sql, &Stop::never()).expect("it is a statement");
        match statements[0].ast.as_deref() {
            Some(Statement::Copy { options, legacy_options, .. }) => {
                CopyOptions::new(options, legacy_options).expect("they are good")
            }
            other => panic!("{sql}: {other:?}"),
        }
    };
    assert_eq!(parsed("COPY t TO STDOUT WITH (FREEZE ON)"), CopyOptions::default());
    let csv = parsed("COPY t TO STDOUT (FORMAT csv, HEADER on, FORCE_QUOTE *)");
    assert!(csv.header && csv.force_quote.is_none());
    assert!(!parsed("COPY t TO STDOUT (FORMAT csv, HEADER 0)").header);
    let quoted = parsed("COPY t TO STDOUT (FORMAT csv, FORCE_QUOTE (\"*\"))");
    assert_eq!(quoted.force_quote, Some(vec!["*".to_owned()]));
}
