//! The status page: one self-contained HTML page that loads itself again every two seconds.

use std::fmt::Write;

use hobgoblin_store::{Config, Stats};

/// What the page shows besides the counters.
pub(crate) struct Status<'a> {
    pub(crate) config: &'a Config,
    pub(crate) stats: Stats,
    /// Since when the store has been running.
    pub(crate) seconds: u64,
    /// How many stores there were before this one.
    pub(crate) resets: u32,
    /// Where the run left the log it repeats, or what a file could not take, in words.
    pub(crate) trouble: Option<String>,
    /// How many transactions are not in the history any more.
    pub(crate) forgotten: u64,
}

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hobgoblin store</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin-bottom: 0; }
h2 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .2rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
th { text-align: left; font-weight: normal; }
td { text-align: right; font-variant-numeric: tabular-nums; }
p.warn { border-left: .25rem solid; padding-left: .75rem; }
small { opacity: .75; }
</style>
</head>
<body>
"#;

const LINKS: &str = r#"<h2>More</h2>
<p><a href="/v1/history?format=txn">History as text</a> · <a href="/v1/history">as JSON lines</a> ·
<a href="/v1/check">Its verdict</a> · <a href="/v1/log">Log</a> · <a href="/v1/snapshot">Snapshot</a> ·
<a href="/v1/stats">Counters</a> · <a href="/v1/config">Configuration</a> ·
<a href="/openapi.json">OpenAPI</a></p>
</body>
</html>
"#;

/// What whoever looks at a history that is not whole has to know.
pub(crate) fn cut(forgotten: u64) -> String {
    format!(
        "the history is not whole: the first {forgotten} transactions are forgotten, and what was read from \
         them; see --keep, or write all to a file with --history"
    )
}

/// The status page as HTML.
pub(crate) fn render(status: &Status<'_>) -> String {
    let Status { config, stats, .. } = status;
    let mut page = HEAD.to_owned();
    let title = config.level.info().title;
    let _ = writeln!(page, "<h1>Hobgoblin store at {title} ({})</h1>", config.level);
    let (seconds, resets) = (status.seconds, status.resets);
    let _ = write!(page, "<small>running for {seconds} s");
    if resets > 0 {
        let _ = write!(page, ", reset {resets} times before that");
    }
    page.push_str("</small>\n");
    if let Some(trouble) = &status.trouble {
        let _ = writeln!(page, "<p class=\"warn\">{}</p>", escaped(trouble));
    }
    if status.forgotten > 0 {
        let _ = writeln!(page, "<p class=\"warn\">{}</p>", escaped(&cut(status.forgotten)));
    }
    let window = config.window.map_or_else(|| "unlimited".to_owned(), |n| format!("{n} commits"));
    let lag = config.lag.map_or_else(|| "unlimited".to_owned(), |ms| format!("{ms} ms"));
    table(
        &mut page,
        "Now",
        &[
            ("Open transactions", stats.open.to_string()),
            ("Sessions", stats.sessions.to_string()),
            ("Keys", stats.keys.to_string()),
            ("Versions kept", stats.versions.to_string()),
        ],
    );
    table(
        &mut page,
        "So far",
        &[
            ("Requests", stats.requests.to_string()),
            ("Committed", stats.committed.to_string()),
            ("Aborted by their sessions", stats.aborted.to_string()),
            ("Refused by the store", stats.refused.to_string()),
            ("External reads", stats.reads.to_string()),
            ("with more than one version to choose from", stats.open_reads.to_string()),
            ("that did not return the newest", stats.stale_reads.to_string()),
        ],
    );
    table(
        &mut page,
        "Set up",
        &[
            ("Profile", config.profile.to_string()),
            ("Policy", config.reading_policy().to_string()),
            ("Seed", config.seed.to_string()),
            ("Window", window),
            ("Lag", lag),
        ],
    );
    page.push_str(LINKS);
    page
}

fn table(page: &mut String, title: &str, rows: &[(&str, String)]) {
    let _ = writeln!(page, "<h2>{title}</h2>\n<table>");
    for (name, value) in rows {
        let _ = writeln!(page, "<tr><th>{name}</th><td>{}</td></tr>", escaped(value));
    }
    page.push_str("</table>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
