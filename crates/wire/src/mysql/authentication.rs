//! Who may come in.
//!
//! The server sends a [`Scramble`], and the client mixes it with its password so that nobody who listens learns either:
//!
//! ```text
//!     mysql_native_password   SHA1(password) xor SHA1(scramble, SHA1(SHA1(password)))
//!     caching_sha2_password   SHA256(password) xor SHA256(SHA256(SHA256(password)), scramble)
//! ```
//!
//! A server that keeps only the inner hash has to ask a client of the second method for its password, under TLS or RSA, unless it has
//! seen it before. This one knows the password, so that the fast path always works and there is no RSA.
//!
//! ```text
//!     client                         server
//!                          <-------  greeting: scramble, method
//!     login: answer, method  ----->
//!                          <-------  [AuthSwitch: another method, scramble]    if the method is not known
//!     [answer]             ------->
//!                          <-------  [AuthMoreData 03]                         caching_sha2_password: no more is asked
//!                          <-------  OK or ERR
//! ```

use bytes::BufMut;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::capabilities::Capabilities;
use super::encoder::Encoder;
use super::login::Login;
use super::write;

/// A method of proving that one knows a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `mysql_native_password`, of all servers but the newest.
    Native,
    /// `caching_sha2_password`, the default since MySQL 8.
    CachingSha2,
}

impl Method {
    /// The name of the method in packets.
    pub fn name(self) -> &'static str {
        match self {
            Method::Native => "mysql_native_password",
            Method::CachingSha2 => "caching_sha2_password",
        }
    }

    /// The method that has this name in packets.
    pub fn by_name(name: &[u8]) -> Option<Method> {
        [Method::Native, Method::CachingSha2]
            .into_iter()
            .find(|method| method.name().as_bytes() == name)
    }

    /// What a client answers that knows the password. An empty password is not mixed with anything.
    pub fn answer(self, password: &[u8], scramble: &Scramble) -> Vec<u8> {
        if password.is_empty() {
            return Vec::new();
        }
        match self {
            Method::Native => {
                let once = Sha1::digest(password);
                let twice = Sha1::digest(once);
                let mixed = Sha1::new().chain_update(scramble.0).chain_update(twice).finalize();
                xor(&once, &mixed)
            }
            Method::CachingSha2 => {
                let once = Sha256::digest(password);
                let twice = Sha256::digest(once);
                let mixed = Sha256::new().chain_update(twice).chain_update(scramble.0).finalize();
                xor(&once, &mixed)
            }
        }
    }
}

fn xor(one: &[u8], other: &[u8]) -> Vec<u8> {
    one.iter().zip(other).map(|(one, other)| one ^ other).collect()
}

/// Twenty bytes that no two connections share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scramble([u8; 20]);

/// The error that the system gives no random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRandom;

impl std::fmt::Display for NoRandom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the system gives no random numbers, which a login needs")
    }
}

impl std::error::Error for NoRandom {}

impl Scramble {
    /// A new scramble of random bytes.
    pub fn new() -> Result<Scramble, NoRandom> {
        let mut random = [0; 20];
        getrandom::getrandom(&mut random).map_err(|_| NoRandom)?;
        Ok(Scramble::from_random(random))
    }

    /// The scramble that these random bytes make. Clients may read it as text, so it has printable characters only.
    pub fn from_random(random: [u8; 20]) -> Scramble {
        Scramble(random.map(|byte| b'!' + byte % 94))
    }

    /// The bytes of the scramble, as the greeting has them.
    pub fn bytes(&self) -> &[u8; 20] {
        &self.0
    }
}

/// What became of a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The client may come in; an OK packet tells it.
    Accepted,
    /// The client may not; an ERR packet tells it. See [`access_denied`].
    Refused {
        /// Whether it sent an answer to the scramble at all.
        with_password: bool,
    },
    /// The client was asked for an answer by another method, which is the next packet it sends.
    Asked,
}

/// The login of one client.
#[derive(Clone, Debug)]
pub struct Authentication {
    scramble: Scramble,
    /// `None` if anybody may come in, whatever they say.
    password: Option<Vec<u8>>,
    /// The method for clients that know none of ours.
    method: Method,
}

impl Authentication {
    /// A login to come. Without a password everybody is accepted. The scramble is that of the greeting, and the method is
    /// the one that clients are asked to use if they propose one that is not known.
    pub fn new(scramble: Scramble, password: Option<Vec<u8>>, method: Method) -> Authentication {
        Authentication { scramble, password, method }
    }

    /// The scramble that the greeting has to have.
    pub fn scramble(&self) -> &Scramble {
        &self.scramble
    }

    /// Looks at a login. What the client is told beside the final OK or ERR is written to `out`.
    pub fn login(&mut self, login: &Login, out: &mut Encoder) -> Step {
        let named = match &login.method {
            Some(name) => Method::by_name(name),
            // Clients that name no method are older than all but one.
            None => Some(Method::Native),
        };
        let switches = login.capabilities.contains(Capabilities::PLUGIN_AUTH);
        match named {
            Some(method) => self.answered(method, &login.answer, out),
            None if switches => self.ask(out),
            None => Step::Refused { with_password: !login.answer.is_empty() },
        }
    }

    /// Looks at a COM_CHANGE_USER. Its answer is for the scramble of a greeting that may be long ago, and clients differ in
    /// which they take, so they are asked again.
    pub fn change(&mut self, login: &Login, out: &mut Encoder) -> Step {
        match login.capabilities.contains(Capabilities::PLUGIN_AUTH) {
            true => {
                if let Some(method) = login.method.as_deref().and_then(Method::by_name) {
                    self.method = method;
                }
                self.ask(out)
            }
            false => self.login(login, out),
        }
    }

    /// Looks at the packet that follows [`Step::Asked`].
    pub fn answer(&mut self, answer: &[u8], out: &mut Encoder) -> Step {
        self.answered(self.method, answer, out)
    }

    fn ask(&mut self, out: &mut Encoder) -> Step {
        out.auth_switch(self.method, &self.scramble);
        Step::Asked
    }

    fn answered(&mut self, method: Method, answer: &[u8], out: &mut Encoder) -> Step {
        // A client without a password sends nothing, or by caching_sha2_password one NUL.
        let answer = if answer == b"\0" { &[] } else { answer };
        let right = match &self.password {
            None => true,
            Some(password) => equal(&method.answer(password, &self.scramble), answer),
        };
        if !right {
            return Step::Refused { with_password: !answer.is_empty() };
        }
        if method == Method::CachingSha2 && !answer.is_empty() {
            out.auth_done();
        }
        Step::Accepted
    }
}

/// Whether two answers are the same, in a time that does not tell where they differ.
fn equal(one: &[u8], other: &[u8]) -> bool {
    let differ = one.iter().zip(other).fold(0, |differ, (one, other)| differ | (one ^ other));
    one.len() == other.len() && differ == 0
}

/// The words of error 1045, SQLSTATE 28000.
pub fn access_denied(user: &str, host: &str, with_password: bool) -> String {
    let with = if with_password { "YES" } else { "NO" };
    format!("Access denied for user '{user}'@'{host}' (using password: {with})")
}

impl Encoder {
    /// The client is to answer by this method.
    fn auth_switch(&mut self, method: Method, scramble: &Scramble) {
        self.packet(|out| {
            out.put_u8(0xfe);
            write::terminated(out, method.name().as_bytes());
            out.put_slice(scramble.bytes());
            out.put_u8(0);
        });
    }

    /// AuthMoreData: the client's answer was enough.
    fn auth_done(&mut self) {
        self.packet(|out| out.put_slice(&[1, 3]));
    }
}
