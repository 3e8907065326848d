//! The way of text from data into HTML, SVG and JSON.
//!
//! Characters that cannot be seen are written out as `\u{202e}`: a control character is no XML, and one that turns
//! the direction of writing makes a value look like another.

/// Text between tags or in a quoted attribute, of HTML and of SVG.
pub(crate) fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => see(c, &mut escaped),
        }
    }
    escaped
}

/// Text in which every character can be seen, and is as wide as it looks.
pub(crate) fn seen(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    text.chars().for_each(|c| see(c, &mut seen));
    seen
}

fn see(c: char, into: &mut String) {
    match unseen(c) {
        true => into.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
        false => into.push(c),
    }
}

/// A string of JSON that may stand in a `<script>` of HTML.
pub(crate) fn json(text: &str, into: &mut String) {
    into.push('"');
    for c in text.chars() {
        match c {
            '"' => into.push_str("\\\""),
            '\\' => into.push_str("\\\\"),
            '<' | '>' | '&' | '\n' | '\t' => {
                into.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c if unseen(c) => into.push_str(&format!("\\\\u{{{:x}}}", u32::from(c))),
            c => into.push(c),
        }
    }
    into.push('"');
}

/// Control characters, and those that break lines or turn the direction of writing.
fn unseen(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let noncharacter = matches!(c, '\u{fffe}' | '\u{ffff}');
    turns || noncharacter || (c.is_control() && c != '\n' && c != '\t')
}

#[cfg(test)]
mod tests {
    #[test]
    fn tags_and_quotes_are_text() {
        assert_eq!(
            super::text("</script><img src='x'>&\""),
            "&lt;/script&gt;&lt;img src=&#39;x&#39;&gt;&amp;&quot;"
        );
        assert_eq!(super::text("a\u{0}\u{202e}b\n"), "a\\u{0}\\u{202e}b\n");
    }

    #[test]
    fn json_holds_no_tag() {
        let mut into = String::new();
        super::json("</script>&\u{2028}\"\\\n\u{202e}", &mut into);
        assert_eq!(into, r#""\u003c/script\u003e\u0026\\u{2028}\"\\\u000a\\u{202e}""#);
    }
}
