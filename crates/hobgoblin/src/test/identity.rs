//! Which test runs: what its failures are kept under, and the command that runs it again.

use std::panic::Location;

/// A call of [`check`](super::check) in a test.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    /// The test's name, as `cargo test` has it; empty where nobody knows.
    pub(super) name: String,
    /// The source file, as the compiler was given it.
    file: &'static str,
    /// A hash of the name and of what else tells runs of this test apart.
    hash: u32,
}

impl Identity {
    /// Of the test that calls from there, unless it is named; `input` is what it was called with.
    pub(super) fn new(
        location: &'static Location<'static>,
        name: Option<&str>,
        input: Option<&str>,
    ) -> Identity {
        let name = name.map_or_else(test_name, str::to_owned);
        let own = if name.is_empty() { location.to_string() } else { name.clone() };
        let hash = hash(&[own.as_bytes(), b"\n", input.unwrap_or_default().as_bytes()]);
        Identity { name, file: location.file(), hash }
    }

    /// A token that others ignore.
    pub(super) fn sign(&self, token: &str) -> String {
        format!("{:08x}.{token}", self.hash)
    }

    /// The token in a signed one, if it is of this test. One that is not signed is of any.
    pub(super) fn own<'a>(&self, signed: &'a str) -> Option<&'a str> {
        match signed.split_once('.') {
            None => Some(signed),
            Some((hash, token)) => {
                (u32::from_str_radix(hash, 16) == Ok(self.hash)).then_some(token)
            }
        }
    }

    /// The source file from `tests` or `src` on, without its extension.
    pub(super) fn source(&self) -> String {
        let file = self.file.replace('\\', "/");
        let file = file.strip_suffix(".rs").unwrap_or(&file);
        let parts: Vec<&str> = file.split('/').collect();
        let known = ["src", "tests", "examples", "benches"];
        let from = parts.iter().rposition(|part| known.contains(part)).unwrap_or(parts.len() - 1);
        parts[from..].join("/")
    }

    /// What runs this test alone.
    pub(super) fn command(&self) -> String {
        let mut command = "cargo test".to_owned();
        if let Ok(package) = std::env::var("CARGO_PKG_NAME") {
            command += &format!(" -p {package}");
        }
        let source = self.source();
        match source.split_once('/') {
            Some(("tests", rest)) => {
                let target = rest.split('/').next().unwrap_or(rest);
                command += &format!(" --test {target}");
            }
            Some(("src", _)) => command += " --lib",
            _ => {}
        }
        match self.name.is_empty() {
            true => command,
            false => format!("{command} {} -- --exact --include-ignored", self.name),
        }
    }
}

/// The name that the harness gave this thread, or was given itself when it runs one test on the main thread.
fn test_name() -> String {
    let thread = std::thread::current();
    match thread.name() {
        Some(name) if name != "main" => return name.to_owned(),
        _ => {}
    }
    let mut arguments = std::env::args().skip(1);
    let exact: Vec<String> = arguments.by_ref().collect();
    match exact.iter().any(|argument| argument == "--exact") {
        true => exact.into_iter().find(|argument| !argument.starts_with('-')).unwrap_or_default(),
        false => String::new(),
    }
}

/// FNV-1a of 32 bits.
fn hash(parts: &[&[u8]]) -> u32 {
    let bytes = parts.iter().copied().flatten();
    bytes.fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(file: &'static str, name: &str) -> Identity {
        Identity { name: name.to_owned(), file, hash: 0x12 }
    }

    #[test]
    fn sources_are_those_of_the_package() {
        for (file, source) in [
            ("tests/bank.rs", "tests/bank"),
            ("crates/shop/tests/cart/main.rs", "tests/cart/main"),
            ("crates/shop/src/lib.rs", "src/lib"),
            ("C:\\shop\\src\\cart.rs", "src/cart"),
            ("build.rs", "build"),
        ] {
            assert_eq!(at(file, "").source(), source);
        }
    }

    #[test]
    fn commands_name_the_target() {
        let command = at("crates/shop/tests/cart/main.rs", "empty::stays").command();
        assert!(
            command.ends_with(" --test cart empty::stays -- --exact --include-ignored"),
            "{command}"
        );
        let command = at("src/cart.rs", "cart::tests::stays").command();
        assert!(
            command.ends_with(" --lib cart::tests::stays -- --exact --include-ignored"),
            "{command}"
        );
    }

    #[test]
    fn tokens_are_of_their_test() {
        let identity = at("src/lib.rs", "a");
        assert_eq!(identity.sign("XYZ"), "00000012.XYZ");
        assert_eq!(identity.own("00000012.XYZ"), Some("XYZ"));
        assert_eq!(identity.own("00000013.XYZ"), None);
        assert_eq!(identity.own("XYZ"), Some("XYZ"));
        let here = Location::caller();
        let of = |name, input| Identity::new(here, name, input).hash;
        assert_ne!(of(Some("a"), None), of(Some("b"), None));
        assert_ne!(of(Some("a"), Some("1")), of(Some("a"), Some("2")));
    }
}
