//! SCRAM-SHA-256, the server's side [RFC 5802, RFC 7677].
//!
//! ```text
//!     client                                   server
//!     n,,n=,r=NONCE             ------->
//!                               <-------       r=NONCE+MORE,s=SALT,i=4096
//!     c=biws,r=NONCE+MORE,p=PROOF  ---->       the proof fits StoredKey?
//!                               <-------       v=SIGNATURE
//! ```
//!
//! The server keeps no password but what it derives: whoever reads [`Verifier`] cannot log in with it.
//! Passwords are prepared as PostgreSQL does where SASLprep changes nothing, which is all of ASCII; others
//! are taken as they are.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

/// The name of the mechanism.
pub const MECHANISM: &str = "SCRAM-SHA-256";

const ITERATIONS: u32 = 4096;

/// What a server has to know to check a password.
#[derive(Clone)]
pub struct Verifier {
    salt: [u8; 16],
    stored_key: [u8; 32],
    server_key: [u8; 32],
}

/// Why a client is not let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScramError {
    /// The client does not speak SCRAM as it should, in the way this says.
    Malformed(&'static str),
    /// The client's proof does not fit the password.
    WrongPassword,
    /// The system gives no random numbers.
    NoRandom,
}

/// An exchange with one client, after its first message.
#[derive(Clone)]
pub struct Exchange {
    verifier: Verifier,
    /// The client's first message without its header, and the server's: what both sign.
    firsts: String,
    /// Header of the client's first message, which it repeats.
    header: String,
    nonce: String,
}

impl Verifier {
    /// The verifier of a password, with a salt of its own.
    pub fn new(password: &str) -> Result<Verifier, ScramError> {
        let mut salt = [0; 16];
        getrandom::getrandom(&mut salt).map_err(|_| ScramError::NoRandom)?;
        Ok(Verifier::with_salt(password, salt))
    }

    fn with_salt(password: &str, salt: [u8; 16]) -> Verifier {
        let salted = salted(password.as_bytes(), &salt, ITERATIONS);
        let stored_key = sha256(&sign(&salted, b"Client Key"));
        Verifier { salt, stored_key, server_key: sign(&salted, b"Server Key") }
    }

    /// Answers the first message of a client; the exchange goes on with [`Exchange::last`].
    pub fn first(&self, message: &[u8]) -> Result<(Exchange, Vec<u8>), ScramError> {
        let mut random = [0; 18];
        getrandom::getrandom(&mut random).map_err(|_| ScramError::NoRandom)?;
        self.first_with(message, &BASE64_STANDARD.encode(random))
    }

    fn first_with(&self, message: &[u8], more: &str) -> Result<(Exchange, Vec<u8>), ScramError> {
        let malformed = ScramError::Malformed;
        let message = std::str::from_utf8(message).map_err(|_| malformed("it is no UTF-8"))?;
        let mut parts = message.splitn(3, ',');
        let (binding, identity, bare) = match (parts.next(), parts.next(), parts.next()) {
            (Some(binding), Some(identity), Some(bare)) => (binding, identity, bare),
            _ => return Err(malformed("the first message has too few parts")),
        };
        if !matches!(binding, "n" | "y") {
            return Err(malformed("channel binding was not offered"));
        }
        if !identity.is_empty() {
            return Err(malformed("authorization identities are not supported"));
        }
        // The name in `n=` is not used: the startup packet has it.
        let nonce = bare.split(',').find_map(|part| part.strip_prefix("r="));
        let nonce =
            nonce.filter(|nonce| !nonce.is_empty()).ok_or(malformed("there is no nonce"))?;
        if bare.starts_with("m=") {
            return Err(malformed("there are no extensions"));
        }
        let nonce = format!("{nonce}{more}");
        let salt = BASE64_STANDARD.encode(self.salt);
        let answer = format!("r={nonce},s={salt},i={ITERATIONS}");
        let exchange = Exchange {
            verifier: self.clone(),
            firsts: format!("{bare},{answer}"),
            header: BASE64_STANDARD.encode(format!("{binding},,")),
            nonce,
        };
        Ok((exchange, answer.into_bytes()))
    }
}

impl Exchange {
    /// Checks the last message of the client; the server's own proof.
    pub fn last(&self, message: &[u8]) -> Result<Vec<u8>, ScramError> {
        let malformed = ScramError::Malformed;
        let message = std::str::from_utf8(message).map_err(|_| malformed("it is no UTF-8"))?;
        let (bare, proof) = message.rsplit_once(",p=").ok_or(malformed("there is no proof"))?;
        let mut parts = bare.split(',');
        if parts.next().and_then(|part| part.strip_prefix("c=")) != Some(&self.header) {
            return Err(malformed("the channel binding is not that of the first message"));
        }
        if parts.next().and_then(|part| part.strip_prefix("r=")) != Some(&self.nonce) {
            return Err(malformed("the nonce is another one"));
        }
        let proof = BASE64_STANDARD.decode(proof).ok().and_then(|proof| proof.try_into().ok());
        let mut key: [u8; 32] = proof.ok_or(malformed("the proof is no 32 bytes of base64"))?;
        let signed = format!("{},{bare}", self.firsts);
        let signature = sign(&self.verifier.stored_key, signed.as_bytes());
        key.iter_mut().zip(signature).for_each(|(byte, mask)| *byte ^= mask);
        if !same(&sha256(&key), &self.verifier.stored_key) {
            return Err(ScramError::WrongPassword);
        }
        let signature = sign(&self.verifier.server_key, signed.as_bytes());
        Ok(format!("v={}", BASE64_STANDARD.encode(signature)).into_bytes())
    }
}

/// The mechanism and the data of a SASLInitialResponse.
pub fn initial(body: &[u8]) -> Option<(&str, &[u8])> {
    let end = body.iter().position(|&byte| byte == 0)?;
    let mechanism = std::str::from_utf8(body.get(..end)?).ok()?;
    let length = body.get(end + 1..end + 5)?.try_into().ok().map(i32::from_be_bytes)?;
    let data = body.get(end + 5..)?;
    match usize::try_from(length) {
        Ok(length) => (data.len() == length).then_some((mechanism, data)),
        Err(_) => data.is_empty().then_some((mechanism, data)),
    }
}

/// Whether two hashes are equal, in a time that does not tell where they differ.
fn same(one: &[u8; 32], other: &[u8; 32]) -> bool {
    one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// HMAC-SHA-256 [RFC 2104]: the hash of a key and of the hash of the key and a text. What is hashed of the key is kept.
struct Hmac {
    inner: Sha256,
    outer: Sha256,
}

impl Hmac {
    /// The length of SHA-256's blocks; a longer key is hashed first.
    const BLOCK: usize = 64;

    fn new(key: &[u8]) -> Hmac {
        let mut block = [0; Hmac::BLOCK];
        match key.len() <= Hmac::BLOCK {
            true => block[..key.len()].copy_from_slice(key),
            false => block[..32].copy_from_slice(&sha256(key)),
        }
        let padded = |pad: u8| Sha256::new().chain_update(block.map(|byte| byte ^ pad));
        Hmac { inner: padded(0x36), outer: padded(0x5c) }
    }

    fn sign(&self, text: &[u8]) -> [u8; 32] {
        let inner = self.inner.clone().chain_update(text).finalize();
        self.outer.clone().chain_update(inner).finalize().into()
    }
}

/// The first 32 bytes of PBKDF2 over HMAC-SHA-256 [RFC 8018, section 5.2]: its first block, which is all that SCRAM asks for.
fn salted(password: &[u8], salt: &[u8], iterations: u32) -> [u8; 32] {
    let password = Hmac::new(password);
    let mut last = password.sign(&[salt, &1_u32.to_be_bytes()].concat());
    let mut sum = last;
    for _ in 1..iterations {
        last = password.sign(&last);
        sum.iter_mut().zip(last).for_each(|(byte, more)| *byte ^= more);
    }
    sum
}

fn sign(key: &[u8], text: &[u8]) -> [u8; 32] {
    Hmac::new(key).sign(text)
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Verifier")
    }
}

impl std::fmt::Display for ScramError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ScramError::Malformed(why) => write!(f, "malformed SCRAM message: {why}"),
            ScramError::WrongPassword => f.write_str("the password is another one"),
            ScramError::NoRandom => f.write_str("the system gives no random numbers"),
        }
    }
}

impl std::error::Error for ScramError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7677, section 3.
    fn example() -> (Exchange, String) {
        let salt = BASE64_STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").expect("it is base64");
        let verifier = Verifier::with_salt("pencil", salt.try_into().expect("16 bytes"));
        let first = b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
        let (exchange, answer) =
            verifier.first_with(first, "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0").expect("it is good");
        (exchange, String::from_utf8(answer).expect("it is text"))
    }

    const LAST: &str = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
                        p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";

    #[test]
    fn the_example_of_the_rfc() {
        let (exchange, answer) = example();
        assert_eq!(
            answer,
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
        );
        let last = exchange.last(LAST.as_bytes()).expect("the password is right");
        assert_eq!(last, b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    /// The second and the sixth case of RFC 4231: a key that is shorter than a block, and one that is longer.
    #[test]
    fn keys_of_any_length_sign() {
        let hex =
            |bytes: [u8; 32]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
        assert_eq!(
            hex(sign(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hex(sign(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn another_proof_is_another_password() {
        let (exchange, _) = example();
        let other = LAST.replace("p=dHzb", "p=dHzc");
        assert_eq!(exchange.last(other.as_bytes()), Err(ScramError::WrongPassword));
    }

    #[test]
    fn what_is_no_scram_is_told() {
        let verifier = Verifier::with_salt("pencil", [0; 16]);
        for first in ["", "n,,", "p=tls-unique,,n=,r=a", "n,a=x,n=,r=a", "n,,n=,r=", "n,,m=x,r=a"] {
            assert!(
                matches!(verifier.first(first.as_bytes()), Err(ScramError::Malformed(_))),
                "{first}"
            );
        }
        let (exchange, _) = example();
        for last in ["", "c=biws", "c=eSws,r=x,p=", "c=biws,r=x,p=AAAA", &LAST[..LAST.len() - 4]] {
            assert!(
                matches!(exchange.last(last.as_bytes()), Err(ScramError::Malformed(_))),
                "{last}"
            );
        }
    }

    #[test]
    fn initial_responses_are_taken_apart() {
        assert_eq!(initial(b"X\0\0\0\0\x02ab"), Some(("X", &b"ab"[..])));
        assert_eq!(initial(b"X\0\xff\xff\xff\xff"), Some(("X", &b""[..])));
        for bad in [&b""[..], b"X", b"X\0", b"X\0\0\0\0\x03ab", b"X\0\0\0\0\x01ab"] {
            assert_eq!(initial(bad), None, "{bad:?}");
        }
    }
}
