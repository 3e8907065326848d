//! SQL statements as a line of a timeline: their name, what they do, and to which table. Only words are looked at;
//! a statement that is none of these is shown as it is.

/// Statements longer than this are shown by verb, table and WHERE.
const WIDTH: usize = 64;

/// A statement, as far as its words tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// The name that a comment gives it.
    pub(super) name: Option<String>,
    /// Its text without comments, white space folded.
    pub(super) text: String,
}

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Select,
    Insert,
    Update,
    Delete,
    Other,
}

impl Statement {
    pub(super) fn of(sql: &str) -> Statement {
        let (text, comment) = without_comments(sql);
        let name = comment.and_then(|comment| {
            let comment = comment.trim();
            let name = comment.strip_prefix("name:").unwrap_or(comment).trim();
            let word = name.split_whitespace().next()?;
            (!word.is_empty()).then(|| word.to_owned())
        });
        Statement { name, text }
    }

    pub(super) fn verb(&self) -> Verb {
        let first = self.text.split([' ', '(']).next().unwrap_or("").to_ascii_uppercase();
        match first.as_str() {
            "SELECT" | "TABLE" | "VALUES" => Verb::Select,
            "INSERT" => Verb::Insert,
            "UPDATE" => Verb::Update,
            "DELETE" => Verb::Delete,
            _ => Verb::Other,
        }
    }

    /// Whether it locks what it reads by a clause of its own.
    pub(super) fn locks(&self) -> bool {
        let upper = self.text.to_ascii_uppercase();
        ["FOR UPDATE", "FOR NO KEY UPDATE", "FOR SHARE", "FOR KEY SHARE"]
            .iter()
            .any(|clause| upper.contains(clause))
    }

    /// Whether it ends a transaction: what it reads, the engine does, for constraints that waited.
    pub(super) fn ends(&self) -> bool {
        let first = self.text.split(' ').next().unwrap_or("");
        ["COMMIT", "END"].iter().any(|word| first.eq_ignore_ascii_case(word))
    }

    /// Whether an UPDATE computes what it sets from what is there: `SET n = n - 1`.
    pub(super) fn is_relative(&self, column: Option<&str>) -> bool {
        let upper = self.text.to_ascii_uppercase();
        let Some(set) = upper.find(" SET ").map(|at| &upper[at + 5..]) else { return false };
        let set = set.split(" WHERE ").next().unwrap_or(set);
        set.split(',').any(|part| {
            let Some((left, right)) = part.split_once('=') else { return false };
            let left = bare(left);
            let wanted = column.is_none_or(|column| left == bare(&column.to_ascii_uppercase()));
            wanted
                && right.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == left)
        })
    }

    /// Whether it speaks of a table first: the one that it changes or reads.
    pub(super) fn is_of(&self, table: &str) -> bool {
        let table = bare(&table.to_ascii_uppercase()).to_owned();
        let upper = self.text.to_ascii_uppercase();
        let mut words =
            upper.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '"' && c != '.');
        let after =
            |word: &str| matches!(word, "FROM" | "INTO" | "UPDATE" | "JOIN" | "ONLY" | "USING");
        let mut before = "";
        words.any(|word| {
            let last = word.rsplit('.').next().unwrap_or(word);
            let hit = after(before) && bare(last) == table;
            if !word.is_empty() {
                before = word;
            }
            hit
        })
    }

    /// One line of it: whole if it fits, else the beginning and its WHERE.
    pub(super) fn line(&self) -> String {
        let name = self.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
        let room = WIDTH.saturating_sub(name.chars().count()).max(24);
        let text = plain_names(&self.text);
        if text.chars().count() <= room {
            return name + &text;
        }
        let upper = text.to_ascii_uppercase();
        let condition = match self.verb() {
            Verb::Insert => None,
            // Its offset is the same in the original: only ASCII letters were changed.
            _ => upper.rfind(" WHERE ").map(|at| &text[at + 1..]),
        };
        let Some(condition) = condition else { return name + &cut(&text, room) };
        let head = self.head(&text);
        let left = room.saturating_sub(head.chars().count() + 1).max(16);
        format!("{name}{head} {}", cut(condition, left))
    }

    /// `UPDATE course …`: the verb and the table.
    fn head(&self, text: &str) -> String {
        let words: Vec<&str> = text.split(' ').collect();
        let find = |word: &str| words.iter().position(|w| w.eq_ignore_ascii_case(word));
        match self.verb() {
            Verb::Select => match find("FROM").and_then(|at| words.get(at + 1)) {
                Some(table) => format!("SELECT … FROM {table}"),
                None => "SELECT".to_owned(),
            },
            Verb::Update => words.get(..2).map_or(String::new(), |w| w.join(" ")) + " …",
            Verb::Delete => words.get(..3).map_or(String::new(), |w| w.join(" ")),
            Verb::Insert | Verb::Other => words[..words.len().min(3)].join(" "),
        }
    }
}

/// A statement as people write it: `"course"."seats"` is `seats`, and quotes go where nothing needs them.
fn plain_names(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '\'' {
            let end = rest[1..].find(c).map_or(rest.len(), |at| at + 2);
            plain.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let quoted = rest.strip_prefix('"').and_then(|after| after.split_once('"'));
        match quoted {
            Some((name, after)) if is_simple(name) => {
                // A table before a column says nothing that the statement does not say elsewhere.
                rest = match after.strip_prefix('.').filter(|after| after.starts_with('"')) {
                    Some(column) => column,
                    None => {
                        plain.push_str(name);
                        after
                    }
                };
            }
            Some((name, after)) => {
                plain.push_str(&format!("\"{name}\""));
                rest = after;
            }
            None => {
                plain.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    plain
}

/// Whether a name means the same without quotes.
fn is_simple(name: &str) -> bool {
    let first = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    first && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// A name without quotes and blanks.
fn bare(name: &str) -> &str {
    let name = name.trim();
    name.rsplit('.').next().unwrap_or(name).trim_matches('"')
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// The text without its comments, white space folded, and the first comment.
fn without_comments(sql: &str) -> (String, Option<String>) {
    let (mut text, mut comment) = (String::new(), None);
    let mut rest = sql;
    let mut keep = |found: &str| {
        if comment.is_none() {
            comment = Some(found.to_owned());
        }
    };
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("--") {
            let end = after.find('\n').unwrap_or(after.len());
            keep(&after[..end]);
            rest = &after[end..];
        } else if let Some(after) = rest.strip_prefix("/*") {
            let end = after.find("*/").unwrap_or(after.len());
            keep(&after[..end]);
            rest = after.get(end + 2..).unwrap_or("");
        } else if c == '\'' || c == '"' {
            let end = rest[1..].find(c).map_or(rest.len(), |at| at + 2);
            text.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if c.is_whitespace() || c.is_control() {
            if !text.ends_with(' ') {
                text.push(' ');
            }
            rest = &rest[c.len_utf8()..];
        } else {
            text.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    let text = text.trim().trim_end_matches(';').trim_end().to_owned();
    (text, comment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_statements() {
        let named = |sql: &str| Statement::of(sql).name;
        assert_eq!(named("-- name: take_seat :exec\nUPDATE c SET n = 1"), Some("take_seat".into()));
        assert_eq!(named("/* checkout */ SELECT 1"), Some("checkout".into()));
        assert_eq!(named("SELECT '-- no'"), None);
        assert_eq!(Statement::of("SELECT\n  a,\t b -- why\nFROM t;").text, "SELECT a, b FROM t");
    }

    #[test]
    fn long_statements_keep_verb_table_and_condition() {
        let sql = "SELECT a.one, a.two, a.three, a.four, a.five FROM accounts a WHERE a.id = 7 FOR UPDATE";
        let line = Statement::of(sql).line();
        assert_eq!(line, "SELECT … FROM accounts WHERE a.id = 7 FOR UPDATE");
        let django = r#"UPDATE "payment_source" SET "order_id" = 1, "reference" = '"x"."y"' WHERE "payment_source"."id" = 1"#;
        assert_eq!(Statement::of(django).line(), "UPDATE payment_source … WHERE id = 1");
        let odd = r#"SELECT "a"."b", "Odd"."c", 'it"s"."x"' FROM "a""#;
        assert_eq!(Statement::of(odd).line(), r#"SELECT b, "Odd".c, 'it"s"."x"' FROM a"#);
        let odd = "ü".repeat(200);
        assert!(Statement::of(&odd).line().chars().count() <= WIDTH);
        assert!(
            Statement::of(&format!("UPDATE t SET a = '{odd}' WHERE id = 1"))
                .line()
                .contains("WHERE id = 1")
        );
    }

    #[test]
    fn an_update_of_what_is_there_is_relative() {
        let is = |sql: &str| Statement::of(sql).is_relative(Some("seats"));
        assert!(is("UPDATE course SET seats = seats - 1 WHERE id = 7"));
        assert!(is(r#"UPDATE "course" SET "seats" = ("course"."seats" - 1)"#));
        assert!(!is("UPDATE course SET seats = 0 WHERE seats = 1"));
        assert!(!is("UPDATE course SET other = other + 1, seats = 0"));
    }

    #[test]
    fn a_statement_is_of_its_tables() {
        let insert = Statement::of("INSERT INTO public.enrolled VALUES (7, 1)");
        assert!(insert.is_of("enrolled") && !insert.is_of("course"));
        assert!(Statement::of("select * from a join \"b\" on true").is_of("b"));
    }
}
