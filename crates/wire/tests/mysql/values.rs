//! Values in binary: written by the encoder and read slowly, written slowly and read as parameters.

use hobgoblin_wire::mysql::{
    Capabilities, ColumnType, Command, DateTime, Encoder, Execute, Parameter, Parameters,
    ProtocolError, Time, Value,
};
use proptest::prelude::*;

use crate::reader::{Cursor, binary_value};

/// A type, whether it is unsigned, and a value of it.
type Typed = (ColumnType, bool, Value<Vec<u8>>);

fn date() -> impl Strategy<Value = DateTime> {
    let small = || prop_oneof![Just(0u8), 0..=59u8];
    let micro = prop_oneof![Just(0u32), 0..1_000_000u32];
    let day = (prop_oneof![Just(0u16), 0..=9999u16], small(), small());
    (day, small(), small(), small(), micro).prop_map(|(day, hour, minute, second, microsecond)| {
        let (year, month, day) = day;
        DateTime { year, month, day, hour, minute, second, microsecond }
    })
}

fn time() -> impl Strategy<Value = Time> {
    let small = || prop_oneof![Just(0u8), 0..=59u8];
    let micro = prop_oneof![Just(0u32), 0..1_000_000u32];
    let days = prop_oneof![Just(0u32), any::<u32>()];
    (any::<bool>(), days, small(), small(), small(), micro).prop_map(
        |(negative, days, hours, minutes, seconds, microseconds)| {
            let time = Time { negative, days, hours, minutes, seconds, microseconds };
            // Zero has no sign: its parts are left out, and the sign with them.
            let zero = Time { negative, ..Time::default() };
            if time == zero { Time::default() } else { time }
        },
    )
}

fn typed() -> impl Strategy<Value = Typed> {
    let ty = proptest::sample::select(ColumnType::ALL.to_vec());
    let text = proptest::collection::vec(any::<u8>(), 0..300);
    (ty, any::<bool>(), any::<u64>(), date(), time(), text).prop_map(
        |(ty, unsigned, bits, date, time, text)| {
            let integer = |size: u32| {
                let unused = 64 - 8 * size;
                match unsigned {
                    true => Value::Unsigned(bits << unused >> unused),
                    false => Value::Signed((bits as i64) << unused >> unused),
                }
            };
            let value = match ty {
                ColumnType::Null => Value::Null,
                ColumnType::Tiny => integer(1),
                ColumnType::Short | ColumnType::Year => integer(2),
                ColumnType::Long | ColumnType::Int24 => integer(4),
                ColumnType::LongLong => integer(8),
                ColumnType::Float => Value::Float((bits as i32) as f32),
                ColumnType::Double => Value::Double((bits as i64) as f64),
                ColumnType::Date | ColumnType::DateTime | ColumnType::Timestamp => {
                    Value::DateTime(date)
                }
                ColumnType::Time => Value::Time(time),
                _ => Value::Bytes(text),
            };
            // One in four is NULL.
            (ty, unsigned, if bits % 4 == 0 { Value::Null } else { value })
        },
    )
}

/// The payload of a COM_STMT_EXECUTE, with the values as a row has them.
fn executed(all: &[Typed], types: bool) -> Execute {
    let column_types: Vec<ColumnType> = all.iter().map(|(ty, ..)| *ty).collect();
    let mut out = Encoder::new();
    let mut row = out.binary_row(&column_types);
    for (_, _, value) in all {
        row.value(value).expect("it is of its type");
    }
    row.finish().expect("all are written");
    let values = &out.bytes()[4 + 1 + (all.len() + 9) / 8..];
    let mut nulls = vec![0u8; all.len().div_ceil(8)];
    for (at, (_, _, value)) in all.iter().enumerate() {
        nulls[at / 8] |= u8::from(*value == Value::Null) << (at % 8);
    }
    let mut payload = b"\x17\x07\0\0\0\0\x01\0\0\0".to_vec();
    payload.extend(nulls);
    payload.push(types.into());
    if types {
        for (ty, unsigned, _) in all {
            payload.extend([ty.number(), u8::from(*unsigned) << 7]);
        }
    }
    payload.extend(values);
    match Command::decode(payload.into(), Capabilities::default()) {
        Ok(Command::Execute(execute)) => execute,
        other => panic!("{other:?}"),
    }
}

fn same(all: &[Typed], parameters: &[Parameter]) {
    assert_eq!(all.len(), parameters.len());
    for ((ty, unsigned, value), parameter) in all.iter().zip(parameters) {
        assert_eq!((parameter.ty.ty, parameter.ty.unsigned), (*ty, *unsigned));
        let found = match &parameter.value {
            Value::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
            Value::Null => Value::Null,
            Value::Signed(value) => Value::Signed(*value),
            Value::Unsigned(value) => Value::Unsigned(*value),
            Value::Float(value) => Value::Float(*value),
            Value::Double(value) => Value::Double(*value),
            Value::DateTime(value) => Value::DateTime(*value),
            Value::Time(value) => Value::Time(*value),
        };
        assert_eq!(&found, value);
    }
}

proptest! {
    #[test]
    fn rows_are_read_back(all in proptest::collection::vec(typed(), 0..30)) {
        let types: Vec<ColumnType> = all.iter().map(|(ty, ..)| *ty).collect();
        let mut out = Encoder::new();
        let mut row = out.binary_row(&types);
        for (_, _, value) in &all {
            row.value(value).expect("it is of its type");
        }
        row.finish().expect("all are written");
        let mut cursor = Cursor { bytes: &out.bytes()[4..], at: 0 };
        prop_assert_eq!(cursor.number(1), 0);
        let nulls = cursor.take((types.len() + 9) / 8);
        for (at, (ty, unsigned, value)) in all.iter().enumerate() {
            let is_null = nulls[(at + 2) / 8] >> ((at + 2) % 8) & 1 == 1;
            prop_assert_eq!(is_null, *value == Value::Null);
            if !is_null {
                prop_assert_eq!(&binary_value(&mut cursor, *ty, *unsigned), value);
            }
        }
        prop_assert!(cursor.done());
    }

    /// With their types and, the next time, without.
    #[test]
    fn parameters_are_read(all in proptest::collection::vec(typed(), 1..30)) {
        let mut parameters = Parameters::new(all.len() as u16, 0);
        let early = parameters.bind(&executed(&all, false));
        prop_assert_eq!(early, Err(ProtocolError::WrongParameters));
        same(&all, &parameters.bind(&executed(&all, true)).expect("they are good"));
        same(&all, &parameters.bind(&executed(&all, false)).expect("they are good"));
    }

    /// A command that is right at its beginning, and after it is not.
    #[test]
    fn no_command_panics(
        number in any::<u8>(),
        rest in proptest::collection::vec(prop_oneof![Just(0u8), Just(1u8), Just(0xfe), any::<u8>()], 0..80),
        count in 0u16..20,
    ) {
        let mut parameters = Parameters::new(count, 10);
        for number in [number, 0x18, 0x17] {
            let payload = [&[number], &rest[..]].concat();
            match Command::decode(payload.into(), Capabilities::OF_MARIADB) {
                Ok(Command::Execute(execute)) => drop(parameters.bind(&execute)),
                Ok(Command::SendLongData(piece)) => parameters.append(&piece),
                _ => {}
            }
        }
    }
}

#[test]
fn pieces_of_parameters() {
    let piece = |parameter: u8, data: &[u8]| {
        let payload = [&[0x18, 7, 0, 0, 0, parameter, 0], data].concat();
        match Command::decode(payload.into(), Capabilities::default()) {
            Ok(Command::SendLongData(piece)) => piece,
            other => panic!("{other:?}"),
        }
    };
    let text = |word: &str| (ColumnType::Blob, false, Value::Bytes(word.as_bytes().to_vec()));
    let null = (ColumnType::Blob, false, Value::Null);
    let mut parameters = Parameters::new(2, 8);
    parameters.append(&piece(0, b"four"));
    parameters.append(&piece(0, b"four"));
    // NULL or not, what came in pieces is the value.
    let bound = parameters.bind(&executed(&[null.clone(), text("two")], true));
    same(&[text("fourfour"), text("two")], &bound.expect("they are good"));
    let bound = parameters.bind(&executed(&[text("a"), null.clone()], false));
    same(&[text("a"), null.clone()], &bound.expect("the pieces are gone"));
    for (wrong, error) in [
        (piece(2, b""), ProtocolError::NoSuchParameter),
        (piece(0, b"more than eight"), ProtocolError::LongDataTooLarge),
        (piece(1, b"and eight"), ProtocolError::LongDataTooLarge),
    ] {
        parameters.append(&piece(0, b"x"));
        parameters.append(&wrong);
        assert_eq!(parameters.bind(&executed(&[text("a"), text("b")], false)), Err(error));
        assert!(parameters.bind(&executed(&[text("a"), text("b")], false)).is_ok());
        parameters.append(&wrong);
        parameters.reset();
        assert!(parameters.bind(&executed(&[text("a"), text("b")], false)).is_ok());
    }
}

#[test]
fn types_have_their_numbers() {
    let known = (0..=255).filter_map(ColumnType::by_number);
    assert_eq!(known.collect::<Vec<_>>(), ColumnType::ALL);
}
