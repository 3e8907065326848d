//! Changes of the schema as text, which make it again.

use hobgoblin_core::Text;

use super::startup::DEFAULT_USER;
use crate::settings::Settings;

/// The settings a change of the schema depends on besides the search path: constants are read by them.
const READ_BY: [&str; 3] = ["datestyle", "intervalstyle", "timezone"];

/// The statements that set what changes of the schema depend on: where names are looked up and made, and how
/// constants are read.
pub(crate) fn context(settings: &Settings) -> Text {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let path: Vec<String> = settings.search_path().iter().map(|schema| quoted(schema)).collect();
    let path = if path.is_empty() { quoted("") } else { path.join(", ") };
    let mut text = format!("SET search_path = {path}");
    for name in READ_BY {
        let value = settings.raw(name).unwrap_or_default();
        text.push_str(&format!(";\nSET {name} = {}", quoted(value)));
    }
    text.into()
}

/// The context of a session that has set nothing, which makes a schema again.
pub(crate) fn default_context() -> Text {
    context(&Settings::new(DEFAULT_USER))
}
