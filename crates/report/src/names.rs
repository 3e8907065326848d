//! What transactions, keys and values are called in a report.

use hobgoblin_core::{EventId, History, KeyId, TxnId};

use crate::escape::seen;

/// Keys and values longer than this are cut in the middle.
const WIDTH: usize = 60;

/// What to call a transaction.
pub(crate) fn txn(history: &History, txn: TxnId) -> String {
    match txn {
        TxnId::INIT => "the initial state".to_owned(),
        txn => numbered("transaction ", history.name(txn).into_owned()),
    }
}

/// What to call a key.
pub(crate) fn key(history: &History, key: KeyId) -> String {
    cut(&history.key(key).to_string(), WIDTH)
}

/// What an event read or wrote, as `x = 4`.
pub(crate) fn assignment(history: &History, event: EventId) -> String {
    let key = key(history, history.event(event).key());
    format!("{key} = {}", cut(&history.value(event).to_string(), WIDTH))
}

/// " (line 7)", or nothing where lines are not known.
pub(crate) fn line(history: &History, event: EventId) -> String {
    match history.event_line(event) {
        0 => String::new(),
        line => format!(" (line {line})"),
    }
}

/// Text of at most `most` characters: what is too long loses its middle.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let text = seen(text.trim());
    let folded: Vec<&str> = text.split_whitespace().collect();
    let folded = if text.contains(['\n', '\t']) { folded.join(" ") } else { text };
    let count = folded.chars().count();
    if count <= most {
        return folded;
    }
    let kept = most.saturating_sub(1);
    let front = kept - kept / 3;
    let head: String = folded.chars().take(front).collect();
    let tail: String = folded.chars().skip(count - kept / 3).collect();
    format!("{head}…{tail}")
}

/// A name that is a bare number says what it is the name of.
fn numbered(kind: &str, name: String) -> String {
    if name.bytes().all(|b| b.is_ascii_digit()) { format!("{kind}{name}") } else { name }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_too_long_loses_its_middle() {
        assert_eq!(super::cut("abcdefghijklmnop", 10), "abcdef…nop");
        assert_eq!(super::cut("ééééé", 5), "ééééé");
        assert_eq!(super::cut("select\n   1", 20), "select 1");
    }
}
