//! SHOW, DESCRIBE and EXPLAIN.

use super::cursor::{Parser, Result};
use super::error::ParseError;
use super::statement::Tree;
use super::token::Kind;
use crate::syntax::{Explained, Filter, ProgramKind, Show, ShowWhat, Special};

/// What may follow the words of a SHOW.
#[derive(Clone, Copy, Default)]
struct Parts {
    /// FROM or IN and a table, which must be there.
    table: bool,
    /// FROM or IN and a database.
    database: bool,
    /// LIKE or WHERE.
    filter: bool,
    /// WHERE alone.
    condition: bool,
    /// LIMIT.
    limit: bool,
}

const NONE: Parts =
    Parts { table: false, database: false, filter: false, condition: false, limit: false };
const FILTERED: Parts = Parts { filter: true, ..NONE };
const IN_DATABASE: Parts = Parts { database: true, filter: true, ..NONE };
const OF_TABLE: Parts = Parts { table: true, database: true, filter: true, ..NONE };
const LIMITED: Parts = Parts { limit: true, ..NONE };

impl Parser<'_> {
    /// A SHOW of all kinds.
    pub(super) fn show(&mut self) -> Result<Tree> {
        self.expect("SHOW")?;
        let mut show = Show {
            what: ShowWhat::Tables,
            full: false,
            global: false,
            if_not_exists: false,
            table: None,
            database: None,
            filter: None,
            limit: None,
        };
        if self.takes("CREATE") {
            self.show_create(&mut show)?;
            return Ok(Special::Show(Box::new(show)).into());
        }
        let parts = self.shown(&mut show)?;
        self.show_parts(&mut show, parts)?;
        Ok(Special::Show(Box::new(show)).into())
    }

    /// What is shown, and what may follow.
    fn shown(&mut self, show: &mut Show) -> Result<Parts> {
        let extended = !self.is_mariadb() && self.takes("EXTENDED");
        show.full = self.takes("FULL");
        if show.full || extended {
            let words: &[&str] = match extended {
                true => &["COLUMNS", "FIELDS", "INDEX", "INDEXES", "KEYS", "TABLES"],
                false => &["COLUMNS", "FIELDS", "PROCESSLIST", "TABLES", "TRIGGERS"],
            };
            let (what, parts) = match self.expect_one_of(words)? {
                "COLUMNS" | "FIELDS" => (ShowWhat::Columns, OF_TABLE),
                "PROCESSLIST" => (ShowWhat::Processlist, NONE),
                "TABLES" => (ShowWhat::Tables, IN_DATABASE),
                "TRIGGERS" => (ShowWhat::Triggers, IN_DATABASE),
                _ => (ShowWhat::Indexes, Parts { filter: false, condition: true, ..OF_TABLE }),
            };
            show.what = what;
            return Ok(parts);
        }
        for (first, kinds) in shown() {
            if !self.takes(first) {
                continue;
            }
            let seconds: Vec<&str> =
                kinds.iter().map(|kind| kind.0).filter(|second| !second.is_empty()).collect();
            let second = if seconds.is_empty() { "" } else { self.expect_one_of(&seconds)? };
            if let Some((_, what, parts)) = kinds.into_iter().find(|kind| kind.0 == second) {
                show.what = what;
                return Ok(parts);
            }
        }
        if !self.is_mariadb() && self.takes("BINARY") {
            match self.expect_one_of(&["LOGS", "LOG"])? {
                "LOGS" => show.what = ShowWhat::Other("BINARY LOGS"),
                _ => {
                    self.expect("STATUS")?;
                    show.what = ShowWhat::Other("BINARY LOG STATUS");
                }
            }
            return Ok(NONE);
        }
        if self.is_mariadb()
            && let Some(word) = self.takes_one_of(&["MASTER", "SLAVE", "BINARY"])
        {
            show.what = match (word, self.expect_one_of(replication(word))?) {
                ("MASTER", "STATUS") => ShowWhat::Other("MASTER STATUS"),
                ("SLAVE", "STATUS") => ShowWhat::Other("SLAVE STATUS"),
                ("SLAVE", _) => ShowWhat::Other("SLAVE HOSTS"),
                _ => ShowWhat::Other("BINARY LOGS"),
            };
            return Ok(NONE);
        }
        if let Some(scope) = self.takes_one_of(&["GLOBAL", "SESSION", "LOCAL"]) {
            show.global = scope == "GLOBAL";
            show.what = match self.expect_one_of(&["VARIABLES", "STATUS"])? {
                "VARIABLES" => ShowWhat::Variables,
                _ => ShowWhat::Status,
            };
            return Ok(FILTERED);
        }
        if self.is_charset() {
            self.charset_words()?;
            show.what = ShowWhat::Charset;
            return Ok(FILTERED);
        }
        if self.is("COUNT") && self.calls_at_once() {
            self.advance();
            self.expect_sign("(")?;
            self.expect_sign("*")?;
            self.expect_sign(")")?;
            show.what = match self.expect_one_of(&["WARNINGS", "ERRORS"])? {
                "WARNINGS" => ShowWhat::CountWarnings,
                _ => ShowWhat::CountErrors,
            };
            return Ok(NONE);
        }
        if self.takes("ENGINE") {
            let engine = match self.takes("ALL") {
                true => sqlparser::ast::Ident::new("ALL"),
                false => self.engine()?,
            };
            self.expect_one_of(&["STATUS", "LOGS", "MUTEX"])?;
            show.what = ShowWhat::Engine(engine);
            return Ok(NONE);
        }
        if self.takes("GRANTS") {
            if self.takes("FOR") {
                self.account()?;
            }
            show.what = ShowWhat::Grants;
            return Ok(NONE);
        }
        Err(self.unexpected())
    }

    /// The name of a storage engine that servers have.
    fn engine(&mut self) -> Result<sqlparser::ast::Ident> {
        const KNOWN: &[&str] = &[
            "aria",
            "archive",
            "blackhole",
            "csv",
            "example",
            "federated",
            "innobase",
            "innodb",
            "memory",
            "heap",
            "merge",
            "mrg_myisam",
            "myisam",
            "ndb",
            "ndbcluster",
            "performance_schema",
            "sequence",
        ];
        let name = self.ident_or_text()?;
        match KNOWN.contains(&name.value.to_ascii_lowercase().as_str()) {
            true => Ok(name),
            false => Err(ParseError::UnknownEngine(name.value)),
        }
    }

    fn show_parts(&mut self, show: &mut Show, parts: Parts) -> Result<()> {
        if parts.table {
            self.expect_one_of(&["FROM", "IN"])?;
            show.table = Some(self.table_name()?);
        }
        if parts.database && self.takes_one_of(&["FROM", "IN"]).is_some() {
            show.database = Some(self.ident()?);
        }
        if parts.filter && self.takes("LIKE") {
            show.filter = Some(Filter::Like(self.string()?));
        } else if (parts.filter || parts.condition) && self.takes("WHERE") {
            show.filter = Some(Filter::Where(Box::new(self.expr()?)));
        }
        if parts.limit && self.takes("LIMIT") {
            let first = self.limit_value()?;
            show.limit = Some(if self.takes_sign(",") {
                (Some(first), self.limit_value()?)
            } else if self.takes("OFFSET") {
                (Some(self.limit_value()?), first)
            } else {
                (None, first)
            });
        }
        Ok(())
    }

    fn show_create(&mut self, show: &mut Show) -> Result<()> {
        let mut words = vec![
            "TABLE",
            "VIEW",
            "DATABASE",
            "SCHEMA",
            "PROCEDURE",
            "FUNCTION",
            "TRIGGER",
            "EVENT",
            "USER",
        ];
        if self.is_mariadb() {
            words.extend(["SEQUENCE", "PACKAGE", "SERVER"]);
        }
        show.what = match self.expect_one_of(&words)? {
            "TABLE" => ShowWhat::CreateTable,
            "VIEW" => ShowWhat::CreateView,
            "DATABASE" | "SCHEMA" => {
                show.if_not_exists = self.if_not_exists()?;
                show.database = Some(self.ident()?);
                show.what = ShowWhat::CreateDatabase;
                return Ok(());
            }
            "PROCEDURE" => ShowWhat::CreateProgram(ProgramKind::Procedure),
            "FUNCTION" => ShowWhat::CreateProgram(ProgramKind::Function),
            "TRIGGER" => ShowWhat::CreateProgram(ProgramKind::Trigger),
            "EVENT" => ShowWhat::CreateProgram(ProgramKind::Event),
            "USER" => {
                if !self.is_over() {
                    self.account()?;
                }
                show.what = ShowWhat::Other("CREATE USER");
                return Ok(());
            }
            "SEQUENCE" => ShowWhat::Other("CREATE SEQUENCE"),
            "PACKAGE" => {
                let _ = self.takes("BODY");
                ShowWhat::Other("CREATE PACKAGE")
            }
            _ => {
                let _ = self.ident_or_text()?;
                show.what = ShowWhat::Other("CREATE SERVER");
                return Ok(());
            }
        };
        show.table = Some(self.table_name()?);
        Ok(())
    }

    /// DESCRIBE and EXPLAIN: of a table or of a statement.
    pub(super) fn describe(&mut self) -> Result<Tree> {
        self.advance();
        let table = (self.is_name() || self.is_sign("."))
            && !(self.is_one_of(&["FORMAT"]) && self.is_sign_ahead(1, "="))
            && !self.is_one_of(&["EXTENDED", "PARTITIONS"])
            && !(self.is_one_of(&["REPLACE"]));
        if table { self.described() } else { self.explain() }
    }

    /// A table, and a column of it.
    fn described(&mut self) -> Result<Tree> {
        let table = self.table_name()?;
        let column = match self.peek().kind.clone() {
            Kind::Text(pattern) => {
                self.advance();
                Some(pattern)
            }
            _ if self.is_name() => Some(self.ident()?.value),
            _ => None,
        };
        Ok(Special::Describe { table, column }.into())
    }

    fn explain(&mut self) -> Result<Tree> {
        let mut explained = Explained { format: None, analyze: false, statement: None };
        if self.is_mariadb() {
            let told = self.takes_one_of(&["EXTENDED", "PARTITIONS"]).is_some();
            if told && self.is_name() && !(self.is("FORMAT") && self.is_sign_ahead(1, "=")) {
                return self.described();
            }
        }
        explained.analyze = !self.is_mariadb() && self.takes("ANALYZE");
        if self.takes("FORMAT") {
            self.expect_sign("=")?;
            explained.format = Some(self.ident_or_text()?.value);
        }
        if self.takes("FOR") {
            self.expect("CONNECTION")?;
            let _ = self.expr()?;
            return Ok(Special::Explain(explained).into());
        }
        if !self.begins_query_ahead(0)
            && !self.is_sign("(")
            && !self.is_one_of(&["INSERT", "REPLACE", "UPDATE", "DELETE"])
        {
            return Err(self.unexpected());
        }
        if let Tree::Ast(statement) = self.statement()? {
            explained.statement = Some(statement);
        }
        Ok(Special::Explain(explained).into())
    }
}

/// What may follow MASTER, SLAVE and BINARY.
fn replication(word: &str) -> &'static [&'static str] {
    match word {
        "MASTER" => &["STATUS", "LOGS"],
        "SLAVE" => &["STATUS", "HOSTS"],
        _ => &["LOGS"],
    }
}

/// A second word, what is shown, and what may follow.
type Shown = (&'static str, ShowWhat, Parts);

/// What is shown by its first word, by the second if there is one, and what may follow.
fn shown() -> Vec<(&'static str, Vec<Shown>)> {
    let indexes = Parts { filter: false, condition: true, ..OF_TABLE };
    let one = |word, what, parts| (word, vec![("", what, parts)]);
    vec![
        one("TABLES", ShowWhat::Tables, IN_DATABASE),
        ("OPEN", vec![("TABLES", ShowWhat::OpenTables, IN_DATABASE)]),
        ("TABLE", vec![("STATUS", ShowWhat::TableStatus, IN_DATABASE)]),
        one("DATABASES", ShowWhat::Databases, FILTERED),
        one("SCHEMAS", ShowWhat::Databases, FILTERED),
        one("COLUMNS", ShowWhat::Columns, OF_TABLE),
        one("FIELDS", ShowWhat::Columns, OF_TABLE),
        one("INDEX", ShowWhat::Indexes, indexes),
        one("INDEXES", ShowWhat::Indexes, indexes),
        one("KEYS", ShowWhat::Indexes, indexes),
        one("VARIABLES", ShowWhat::Variables, FILTERED),
        one("STATUS", ShowWhat::Status, FILTERED),
        one("WARNINGS", ShowWhat::Warnings, LIMITED),
        one("ERRORS", ShowWhat::Errors, LIMITED),
        one("ENGINES", ShowWhat::Engines, NONE),
        ("STORAGE", vec![("ENGINES", ShowWhat::Engines, NONE)]),
        one("PROCESSLIST", ShowWhat::Processlist, NONE),
        one("COLLATION", ShowWhat::Collation, FILTERED),
        one("PLUGINS", ShowWhat::Plugins, NONE),
        one("PRIVILEGES", ShowWhat::Privileges, NONE),
        one("TRIGGERS", ShowWhat::Triggers, IN_DATABASE),
        one("EVENTS", ShowWhat::Events, IN_DATABASE),
        ("PROCEDURE", vec![("STATUS", ShowWhat::ProcedureStatus, FILTERED)]),
        ("FUNCTION", vec![("STATUS", ShowWhat::FunctionStatus, FILTERED)]),
        ("REPLICA", vec![("STATUS", ShowWhat::Other("REPLICA STATUS"), NONE)]),
        one("PROFILES", ShowWhat::Other("PROFILES"), NONE),
    ]
}
