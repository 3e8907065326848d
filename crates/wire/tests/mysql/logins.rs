//! Logins in every layout, and passwords.

use bytes::Bytes;
use hobgoblin_wire::mysql::{
    Authentication, Capabilities, Command, Encoder, Hello, Login, Method, ProtocolError, Scramble,
    Step, Version, access_denied,
};
use proptest::prelude::*;

/// The scramble of all logins here.
fn scramble() -> Scramble {
    Scramble::from_random(std::array::from_fn(|at| at as u8))
}

/// The payload of a login with these parts.
fn login(capabilities: Capabilities, parts: &[&[u8]]) -> Vec<u8> {
    let bits = capabilities.bits();
    let mut payload = (bits as u32).to_le_bytes().to_vec();
    payload.extend((1u32 << 24).to_le_bytes());
    payload.push(45);
    payload.extend([0; 19]);
    payload.extend(((bits >> 32) as u32).to_le_bytes());
    parts.iter().for_each(|part| payload.extend_from_slice(part));
    payload
}

const OLD: Capabilities = Capabilities::MYSQL.with(Capabilities::PROTOCOL_41);
const LENGTH: Capabilities = Capabilities::SECURE_CONNECTION;

fn bytes(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

#[test]
fn every_layout_of_a_login() {
    let both = Capabilities::PLUGIN_AUTH.with(Capabilities::CONNECT_ATTRS);
    let long = "x".repeat(300);
    let with_length = [b"\xfc\x2c\x01", long.as_bytes()].concat();
    let check = |capabilities: Capabilities, parts: &[&[u8]], expected: Login| {
        let login = Hello::decode(login(capabilities, parts).into()).expect("it is a login");
        let expected = Login { capabilities, max_packet: 1 << 24, collation: 45, ..expected };
        assert_eq!(login, Hello::Login(expected));
    };
    let user = || Login { user: bytes("bob"), answer: bytes("word"), ..Login::default() };
    check(OLD, &[b"bob\0", b"word\0"], user());
    check(OLD.with(LENGTH), &[b"bob\0", b"\x04word"], user());
    let lengths = OLD.with(Capabilities::PLUGIN_AUTH_LENENC_DATA);
    check(lengths, &[b"bob\0", &with_length], Login { answer: long.clone().into(), ..user() });
    let base = OLD.with(LENGTH).with(Capabilities::CONNECT_WITH_DB);
    let shop = || Login { database: Some(bytes("shop")), ..user() };
    check(base, &[b"bob\0", b"\x04word", b"shop\0"], shop());
    check(base, &[b"bob\0", b"\x04word", b"shop"], shop());
    check(base, &[b"bob\0", b"\x04word", b"\0"], user());
    check(base, &[b"bob\0", b"\x04word"], user());
    let method = || Login { method: Some(bytes("mysql_native_password")), ..shop() };
    let parts: [&[u8]; 4] = [b"bob\0", b"\x04word", b"shop\0", b"mysql_native_password\0"];
    check(base.with(Capabilities::PLUGIN_AUTH), &parts, method());
    check(base.with(Capabilities::PLUGIN_AUTH), &parts[..3], shop());
    let told = vec![(bytes("_os"), bytes("Linux")), (bytes("empty"), bytes(""))];
    let attributes: &[u8] = b"\x11\x03_os\x05Linux\x05empty\0";
    let all = [&parts[..], &[attributes]].concat();
    check(base.with(both), &all, Login { attributes: told, ..method() });
    // What cannot be read among the attributes ends them.
    let all = [&parts[..], &[b"\x07\x03_os\x09no"]].concat();
    check(base.with(both), &all, method());
    // MariaDB's capabilities are there if the bit of MySQL is not.
    let mariadb = base.without(Capabilities::MYSQL).with(Capabilities::MARIADB_EXTENDED_METADATA);
    check(mariadb, &parts[..3], shop());
}

#[test]
fn what_is_no_login() {
    let tls = OLD.with(Capabilities::SSL);
    assert_eq!(Hello::decode(login(tls, &[]).into()), Ok(Hello::Tls));
    let none = |payload: Vec<u8>| {
        assert_eq!(Hello::decode(payload.into()), Err(ProtocolError::BadHandshake));
    };
    none(login(OLD, &[]));
    none(login(Capabilities::MYSQL, &[b"bob\0", b"word\0"]));
    none(login(OLD, &[b"bob"]));
    none(login(OLD.with(LENGTH), &[b"bob\0", b"\x05word"]));
    none(login(OLD.with(Capabilities::PLUGIN_AUTH_LENENC_DATA), &[b"bob\0", b"\xfb"]));
    none(login(OLD.with(LENGTH).with(Capabilities::CONNECT_ATTRS), &[b"bob\0", b"\0"]));
    none(login(OLD.with(LENGTH).with(Capabilities::CONNECT_ATTRS), &[b"bob\0", b"\0", b"\x05a"]));
    for length in 0..32 {
        none(login(tls, &[])[..length].to_vec());
    }
}

#[test]
fn a_change_of_the_user() {
    let agreed = OLD.with(LENGTH).with(Capabilities::PLUGIN_AUTH).with(Capabilities::CONNECT_ATTRS);
    let change = |payload: &'static [u8]| match Command::decode(payload.into(), agreed) {
        Ok(Command::ChangeUser(login)) => Ok(*login),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error),
    };
    let bob = Login { capabilities: agreed, user: bytes("bob"), ..Login::default() };
    assert_eq!(change(b"\x11bob\0\0\0"), Ok(bob.clone()));
    let more = Login { answer: bytes("word"), database: Some(bytes("shop")), ..bob };
    assert_eq!(change(b"\x11bob\0\x04wordshop\0"), Ok(more.clone()));
    let all = Login {
        collation: 45,
        method: Some(bytes("mysql_native_password")),
        attributes: vec![(bytes("a"), bytes("b"))],
        ..more
    };
    let payload = b"\x11bob\0\x04wordshop\0\x2d\0mysql_native_password\0\x04\x01a\x01b";
    assert_eq!(change(payload), Ok(all));
    for payload in
        [&b"\x11"[..], b"\x11bob", b"\x11bob\0", b"\x11bob\0\x05word", b"\x11b\0\0\0\x2d"]
    {
        assert_eq!(change(payload), Err(ProtocolError::Malformed), "{payload:?}");
    }
}

/// An answer by a method, and whether it is asked for more.
fn answered(password: Option<&str>, method: &str, answer: &[u8]) -> (Step, Vec<u8>) {
    let password = password.map(|word| word.as_bytes().to_vec());
    let mut authentication = Authentication::new(scramble(), password, Method::CachingSha2);
    let mut out = Encoder::new();
    let login = Login {
        capabilities: OLD.with(Capabilities::PLUGIN_AUTH),
        method: Some(method.to_owned().into()),
        answer: answer.to_vec().into(),
        ..Login::default()
    };
    let step = authentication.login(&login, &mut out);
    (step, out.bytes().to_vec())
}

#[test]
fn passwords() {
    // What Python's hashlib makes of it.
    let native = Method::Native.answer(b"secret word", &scramble());
    let sha2 = Method::CachingSha2.answer(b"secret word", &scramble());
    assert_eq!(scramble().bytes(), b"!\"#$%&'()*+,-./01234");
    let hexadecimal = |all: &[u8]| all.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hexadecimal(&native), "616198b2397b5122558b06adf30cc4a828f388fc");
    assert_eq!(
        hexadecimal(&sha2),
        "f597214cb438648af099cf601bbe4aecc9cd1b4232317a17e5c16a2c0106e7a1"
    );
    let fast: &[u8] = b"\x02\0\0\0\x01\x03";
    let (right, one, other) =
        (Some("secret word"), Method::Native.name(), Method::CachingSha2.name());
    assert_eq!(answered(right, one, &native), (Step::Accepted, vec![]));
    assert_eq!(answered(right, other, &sha2), (Step::Accepted, fast.to_vec()));
    for (method, answer) in [(one, &sha2[..]), (other, &native), (one, &native[1..]), (other, b"x")]
    {
        let refused = Step::Refused { with_password: true };
        assert_eq!(answered(right, method, answer), (refused, vec![]));
    }
    for (method, answer) in [(one, &b""[..]), (other, b""), (other, b"\0")] {
        let refused = Step::Refused { with_password: false };
        assert_eq!(answered(right, method, answer), (refused, vec![]));
        assert_eq!(answered(Some(""), method, answer), (Step::Accepted, vec![]));
        assert_eq!(answered(None, method, answer), (Step::Accepted, vec![]));
    }
    assert_eq!(answered(None, one, b"anything"), (Step::Accepted, vec![]));
    assert_eq!(answered(None, other, b"anything"), (Step::Accepted, fast.to_vec()));
    let words = "Access denied for user 'bob'@'::1' (using password: NO)";
    assert_eq!(access_denied("bob", "::1", false), words);
}

#[test]
fn another_method_is_asked_for() {
    let (step, asked) = answered(Some("secret word"), "client_ed25519", b"anything");
    assert_eq!(step, Step::Asked);
    let packet = b"\x2c\0\0\0\xfecaching_sha2_password\0!\"#$%&'()*+,-./01234\0";
    assert_eq!(asked, packet);
    let mut authentication =
        Authentication::new(scramble(), Some(b"secret word".to_vec()), Method::Native);
    let mut out = Encoder::new();
    let unknown = Login { method: Some("dialog".into()), ..Login::default() };
    let refused = Step::Refused { with_password: false };
    assert_eq!(authentication.login(&unknown, &mut out), refused, "it cannot be asked");
    let known = Login { capabilities: OLD.with(Capabilities::PLUGIN_AUTH), ..unknown };
    assert_eq!(authentication.login(&known, &mut out), Step::Asked);
    let answer = Method::Native.answer(b"secret word", &scramble());
    assert_eq!(authentication.answer(&answer, &mut out), Step::Accepted);
    assert_eq!(authentication.answer(b"", &mut out), refused);
    // A change of the user is asked for again, by the method that the client names.
    let change = Login { method: Some(Method::CachingSha2.name().into()), ..known };
    assert_eq!(authentication.change(&change, &mut out), Step::Asked);
    let answer = Method::CachingSha2.answer(b"secret word", &scramble());
    assert_eq!(authentication.answer(&answer, &mut out), Step::Accepted);
}

#[test]
fn greetings() {
    let check = |version: Version, expected: &[u8]| {
        let mut out = Encoder::new();
        out.greeting_of(version, 258, &scramble(), version.capabilities());
        assert_eq!(
            out.bytes()[4..].escape_ascii().to_string(),
            expected.escape_ascii().to_string()
        );
    };
    check(
        Version::Mariadb1011,
        b"\n5.5.5-10.11.19-MariaDB\0\x02\x01\0\0!\"#$%&'(\0\x5e\xf7\x08\x02\0\xff\x81\x15\0\0\0\0\0\0\x08\0\0\0)*+,-./01234\0mysql_native_password\0",
    );
    check(
        Version::Mariadb118,
        b"\n11.8.6-MariaDB\0\x02\x01\0\0!\"#$%&'(\0\x5e\xf7\x2d\x02\0\xff\x81\x15\0\0\0\0\0\0\x08\0\0\0)*+,-./01234\0mysql_native_password\0",
    );
    check(
        Version::Mysql97,
        b"\n9.7.4\0\x02\x01\0\0!\"#$%&'(\0\x5f\xf7\xff\x02\0\xff\x81\x15\0\0\0\0\0\0\0\0\0\0)*+,-./01234\0caching_sha2_password\0",
    );
    for version in Version::ALL {
        assert_eq!(version.name().parse(), Ok(version));
        let offered = version.capabilities();
        for never in [
            Capabilities::COMPRESS,
            Capabilities::ZSTD_COMPRESSION,
            Capabilities::LOCAL_FILES,
            Capabilities::QUERY_ATTRIBUTES,
            Capabilities::SSL,
        ] {
            assert!(!offered.contains(never), "{version}: {never:?}");
        }
    }
    let words = "there is no version \"mysql\"; there are mysql-9.7, mariadb-10.11, mariadb-11.8";
    assert_eq!("mysql".parse::<Version>().expect_err("there is none").to_string(), words);
}

proptest! {
    #[test]
    fn no_login_panics(
        bits in any::<u64>(),
        rest in proptest::collection::vec(prop_oneof![Just(0u8), Just(1u8), Just(0xfe), any::<u8>()], 0..80),
    ) {
        let bits = Capabilities::from_bits(bits & 0xff_ffff_ffff).with(Capabilities::PROTOCOL_41);
        let mut out = Encoder::new();
        let mut authentication = Authentication::new(scramble(), Some(vec![1]), Method::Native);
        if let Ok(Hello::Login(login)) = Hello::decode(login(bits, &[&rest]).into()) {
            prop_assert_ne!(authentication.login(&login, &mut out), Step::Accepted);
        }
        let payload = [&[0x11], &rest[..]].concat();
        let _ = Command::decode(payload.into(), bits);
    }
}
