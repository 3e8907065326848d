//! Statements of the schema that the parser does not know: ALTER SEQUENCE, SET SCHEMA, CREATE TABLE with
//! LIKE among the columns, DROP IDENTITY and others.
//!
//! They are read from tokens; expressions and names inside them are the parser's work.

use hobgoblin_front::Mode;
use sqlparser::ast::{CreateTable, Ident, ObjectName, Statement};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::domain::DomainStatement;
use super::materialized::MaterializedStatement;
use super::read_alter::{Action, SequenceText};
use super::reader::Reader;
use super::sequence::Options;
use super::table::LikeOptions;
use super::{Ddl, DdlContext, DdlOutcome, no_column};
use crate::catalog::{Catalog, Found, fold};
use crate::error::{Result, SqlError, SqlState};
use crate::parse::Source;
use crate::syntax::Clauses;

/// A statement of the schema that the parser does not know.
#[derive(Clone, Debug)]
pub struct Extra(Kind);

#[derive(Clone, Debug)]
enum Kind {
    CreateSequence {
        name: ObjectName,
        temporary: bool,
        if_not_exists: bool,
        options: SequenceText,
    },
    AlterSequence {
        name: ObjectName,
        if_exists: bool,
        options: SequenceText,
    },
    /// ALTER TABLE, VIEW, SEQUENCE or INDEX: a list of actions.
    Alter {
        tag: &'static str,
        name: ObjectName,
        if_exists: bool,
        actions: Vec<Action>,
    },
    SetTypeSchema {
        name: ObjectName,
        schema: Ident,
    },
    CreateLike {
        create: Box<CreateTable>,
        likes: Vec<(usize, ObjectName, LikeOptions)>,
    },
    CommentConstraint {
        name: Ident,
        table: ObjectName,
        comment: Option<String>,
    },
    Domain(DomainStatement),
    Materialized(MaterializedStatement),
    CommentDomain {
        name: ObjectName,
        /// A constraint of the domain.
        constraint: Option<Ident>,
        comment: Option<String>,
    },
    /// GRANT and REVOKE of roles.
    Roles {
        tag: &'static str,
        names: Vec<Ident>,
    },
    /// A statement that is accepted and does nothing, by its command tag.
    Nothing(&'static str),
}

impl Extra {
    /// The lock it takes on what it changes.
    pub(crate) fn mode(&self) -> Mode {
        match &self.0 {
            Kind::AlterSequence { .. } => Mode::ShareRowExclusive,
            Kind::Materialized(MaterializedStatement::Refresh { concurrently: true, .. }) => {
                Mode::Exclusive
            }
            _ => Mode::AccessExclusive,
        }
    }
}

/// Whether a statement is read here even where the parser would read it.
pub fn is_extra(tokens: &[TokenWithSpan]) -> bool {
    let word = |at: usize| match tokens.get(at).map(|token| &token.token) {
        Some(Token::Word(word)) if word.quote_style.is_none() => word.value.to_ascii_lowercase(),
        _ => String::new(),
    };
    matches!(
        (word(0).as_str(), word(1).as_str(), word(2).as_str()),
        ("create" | "alter" | "drop", "domain", _)
            | ("comment", "on", "domain")
            | ("create" | "refresh", "materialized", "view")
    )
}

/// Reads a statement that the parser refused; `None` if it is none of these.
pub(crate) fn parse_extra(
    source: &Source<'_>,
    tokens: &[TokenWithSpan],
    clauses: &mut Clauses,
) -> Result<Option<Extra>> {
    let first = match tokens.first().map(|token| &token.token) {
        Some(Token::Word(word)) if word.quote_style.is_none() => word.keyword,
        _ => return Ok(None),
    };
    let begins = [
        Keyword::ALTER,
        Keyword::COMMENT,
        Keyword::CREATE,
        Keyword::DROP,
        Keyword::GRANT,
        Keyword::REFRESH,
        Keyword::REVOKE,
    ];
    // REFRESH is no word of the parser's.
    if !begins.contains(&first) && !is_extra(tokens) {
        return Ok(None);
    }
    let mut reader = Reader { source, tokens: tokens.to_vec(), at: 0, clauses };
    reader.statement().map(|kind| kind.map(Extra))
}

/// Applies a statement that was read here.
pub fn apply_extra(
    catalog: &mut Catalog,
    extra: &Extra,
    cx: &DdlContext<'_>,
) -> Result<DdlOutcome> {
    let mut ddl = Ddl { catalog, cx, out: DdlOutcome::default() };
    ddl.extra(&extra.0)?;
    ddl.catalog.version += 1;
    Ok(ddl.out)
}

impl Ddl<'_, '_> {
    fn extra(&mut self, kind: &Kind) -> Result<()> {
        match kind {
            Kind::CreateSequence { name, temporary, if_not_exists, options } => {
                let settled = self.sequence_options(options)?;
                self.make_sequence(
                    name,
                    *temporary,
                    *if_not_exists,
                    &settled,
                    options.owner.as_ref(),
                )
            }
            Kind::AlterSequence { name, if_exists, options } => {
                let settled = self.sequence_options(options)?;
                self.alter_sequence(name, *if_exists, &settled)?;
                match (&options.owner, self.user_sequence(name)) {
                    (Some(owner), Ok(sequence)) => self.own_sequence(sequence.oid, owner),
                    _ => Ok(()),
                }
            }
            Kind::Alter { tag, name, if_exists, actions } => {
                self.tag(tag);
                if *if_exists && self.skip_missing(name)? {
                    return Ok(());
                }
                actions.iter().try_for_each(|action| self.action(name, action))
            }
            Kind::SetTypeSchema { name, schema } => {
                self.tag("ALTER TYPE");
                let oid = self.user_enum(name)?;
                let schema = self.schema(&fold(schema))?.name.clone();
                match self.catalog.enums.get(&oid).cloned() {
                    Some(found) => self.move_type(&found, &schema, &found.name.clone()),
                    None => Ok(()),
                }
            }
            Kind::Domain(statement) => self.domain_statement(statement),
            Kind::Materialized(statement) => self.materialized_statement(statement),
            Kind::CommentDomain { name, constraint, comment } => {
                self.comment_domain(name, constraint.as_ref(), comment.as_deref())
            }
            Kind::Roles { tag, names } => {
                self.tag(tag);
                names.iter().try_for_each(|name| self.check_role(&fold(name)))
            }
            Kind::CreateLike { create, likes } => self.create_table_like(create, likes),
            Kind::CommentConstraint { name, table, comment } => {
                self.comment_constraint(&fold(name), table, comment.as_deref())
            }
            Kind::Nothing(tag) => {
                self.tag(tag);
                Ok(())
            }
        }
    }

    fn sequence_options(&self, text: &SequenceText) -> Result<Options> {
        let mut options = text.options.clone();
        if let Some(ty) = &text.ty {
            options.ty = Some(crate::catalog::resolve_type(self.catalog, self.cx.path, ty)?.ty);
        }
        Ok(options)
    }

    fn action(&mut self, name: &ObjectName, action: &Action) -> Result<()> {
        match action {
            Action::Parsed(operation) => self.alter_operation(name, operation),
            Action::Collate { operation, column, collation } => {
                self.alter_operation(name, operation)?;
                let table = self.user_table(name)?;
                self.set_collation(&table, column, collation)
            }
            Action::Nothing => self.relation(name).map(drop),
            Action::SetSchema(schema) => {
                let oid = self.changeable(name)?;
                self.set_schema(oid, &fold(schema))
            }
            Action::RenameTo(new) => {
                let oid = self.changeable(name)?;
                self.rename_relation(oid, &fold(new))
            }
            Action::DropIdentity { column, if_exists } => {
                let table = self.user_table(name)?;
                self.drop_identity(&table, column, *if_exists)
            }
            Action::DropExpression { column, if_exists } => {
                let table = self.user_table(name)?;
                self.drop_expression(&table, column, *if_exists)
            }
            Action::AddIdentity { column, kind, options, name: sequence } => {
                let table = self.user_table(name)?;
                let column = fold(column);
                let at = table.column(&column).ok_or_else(|| no_column(&column, &table.name))?;
                self.add_identity(&table, at, *kind, options.clone(), sequence.as_ref())
            }
            Action::AlterIdentity { column, kind, options } => {
                let table = self.user_table(name)?;
                self.alter_identity(&table, column, *kind, options)
            }
        }
    }

    fn changeable(&self, name: &ObjectName) -> Result<crate::types::Oid> {
        match self.relation(name)? {
            Found::System(table) => Err(SqlError::new(
                SqlState::INSUFFICIENT_PRIVILEGE,
                format!("permission denied: \"{}\" is a system catalog", table.name),
            )),
            found => Ok(found.oid()),
        }
    }
}

impl Reader<'_> {
    /// Roles that are given to roles, or taken from them.
    fn roles(&mut self, tag: &'static str, between: &str) -> Result<Option<Kind>> {
        let mut names = Vec::new();
        for last in [false, true] {
            loop {
                let Ok(name) = self.ident() else { return Ok(None) };
                names.push(name);
                if !matches!(self.peek(), Some(Token::Comma)) {
                    break;
                }
                self.at += 1;
            }
            if !last && !self.words(between) {
                return Ok(None);
            }
        }
        let _ = self.words("with admin option");
        if self.words("granted by") {
            names.push(self.ident()?);
        }
        let _ = self.words("cascade") || self.words("restrict");
        Ok(self.ends().then_some(Kind::Roles { tag, names }))
    }

    fn statement(&mut self) -> Result<Option<Kind>> {
        if self.words("comment on constraint") {
            return self.comment().map(Some);
        }
        if self.words("comment on domain") {
            let name = self.name()?;
            let comment = self.comment_text()?;
            return Ok(Some(Kind::CommentDomain { name, constraint: None, comment }));
        }
        if self.words("create materialized view") {
            let statement = self.create_materialized()?;
            return Ok(statement.map(Kind::Materialized));
        }
        if self.words("refresh materialized view") {
            return self.refresh().map(|statement| Some(Kind::Materialized(statement)));
        }
        if self.words("drop domain") {
            return self.drop_domain().map(|statement| Some(Kind::Domain(statement)));
        }
        if self.words("create domain") {
            return self.create_domain().map(|statement| Some(Kind::Domain(statement)));
        }
        if self.words("create") {
            let temporary = self.words("temporary") || self.words("temp");
            if self.words("sequence") {
                let if_not_exists = self.words("if not exists");
                let name = self.name()?;
                let options = self.sequence_text()?;
                return Ok(Some(Kind::CreateSequence { name, temporary, if_not_exists, options }));
            }
            let _ = self.words("unlogged");
            return if self.words("table") { self.create_like() } else { Ok(None) };
        }
        if self.words("grant") {
            return self.roles("GRANT ROLE", "to");
        }
        if self.words("revoke") {
            let _ = self.words("admin option for");
            return self.roles("REVOKE ROLE", "from");
        }
        if !self.words("alter") {
            return Ok(None);
        }
        if self.words("domain") {
            return self.alter_domain().map(|statement| Some(Kind::Domain(statement)));
        }
        if self.words("default privileges") {
            return Ok(Some(Kind::Nothing("ALTER DEFAULT PRIVILEGES")));
        }
        if self.words("type") {
            let name = self.name()?;
            if self.words("owner to") {
                return Ok(Some(Kind::Nothing("ALTER TYPE")));
            }
            if self.words("set schema") {
                return Ok(Some(Kind::SetTypeSchema { name, schema: self.ident()? }));
            }
            return Ok(None);
        }
        let tag = if self.words("table") {
            "ALTER TABLE"
        } else if self.words("materialized view") {
            "ALTER MATERIALIZED VIEW"
        } else if self.words("view") {
            "ALTER VIEW"
        } else if self.words("sequence") {
            "ALTER SEQUENCE"
        } else if self.words("index") {
            "ALTER INDEX"
        } else {
            return Ok(None);
        };
        let if_exists = self.words("if exists");
        let _ = self.words("only");
        let name = self.name()?;
        let general = ["set schema", "rename", "owner to"].iter().any(|words| {
            let at = self.at;
            let found = self.words(words);
            self.at = at;
            found
        });
        if tag == "ALTER SEQUENCE" && !general {
            let options = self.sequence_text()?;
            return Ok(Some(Kind::AlterSequence { name, if_exists, options }));
        }
        let mut actions = vec![self.alter_action()?];
        while matches!(self.peek(), Some(Token::Comma)) {
            self.at += 1;
            actions.push(self.alter_action()?);
        }
        if !self.ends() {
            return Err(self.unexpected());
        }
        Ok(Some(Kind::Alter { tag, name, if_exists, actions }))
    }

    fn comment(&mut self) -> Result<Kind> {
        let name = self.ident()?;
        if !self.words("on") {
            return Err(self.unexpected());
        }
        if self.words("domain") {
            let domain = self.name()?;
            let comment = self.comment_text()?;
            return Ok(Kind::CommentDomain { name: domain, constraint: Some(name), comment });
        }
        let table = self.name()?;
        let comment = self.comment_text()?;
        Ok(Kind::CommentConstraint { name, table, comment })
    }

    /// `IS 'text'`, or NULL.
    fn comment_text(&mut self) -> Result<Option<String>> {
        if !self.words("is") {
            return Err(self.unexpected());
        }
        match self.peek() {
            Some(Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text)) => {
                Ok(Some(text.clone()))
            }
            Some(Token::Word(w)) if w.value.eq_ignore_ascii_case("null") => Ok(None),
            _ => Err(self.unexpected()),
        }
    }

    /// CREATE TABLE with LIKE among its columns: those are taken out, the parser reads the rest.
    fn create_like(&mut self) -> Result<Option<Kind>> {
        let Some(open) = self.tokens.iter().position(|t| t.token == Token::LParen) else {
            return Ok(None);
        };
        let mut kept: Vec<TokenWithSpan> = self.tokens[..=open].to_vec();
        let mut likes = Vec::new();
        self.at = open + 1;
        let mut first = true;
        let mut columns = 0;
        loop {
            if self.words("like") {
                let name = self.name()?;
                likes.push((columns, name, self.like_options()?));
            } else {
                let start = self.at;
                let constraint = ["constraint", "primary", "unique", "foreign", "check", "exclude"];
                let constraint = constraint.iter().any(|word| self.words(word));
                self.skip_item();
                if start < self.at {
                    columns += usize::from(!constraint);
                    if !first {
                        kept.push(TokenWithSpan::wrap(Token::Comma));
                    }
                    kept.extend_from_slice(&self.tokens[start..self.at]);
                    first = false;
                }
            }
            match self.peek() {
                Some(Token::Comma) => self.at += 1,
                Some(Token::RParen) => break,
                _ => return Err(self.unexpected()),
            }
        }
        if likes.is_empty() {
            return Ok(None);
        }
        kept.extend_from_slice(&self.tokens[self.at..]);
        self.tokens = kept;
        self.at = 0;
        match self.parsed(|p| p.parse_statement())? {
            Statement::CreateTable(create) => {
                Ok(Some(Kind::CreateLike { create: Box::new(create), likes }))
            }
            _ => Ok(None),
        }
    }

    /// Skips a column or constraint, to the comma or bracket that ends it.
    fn skip_item(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.peek() {
            match token {
                Token::LParen => depth += 1,
                Token::RParen | Token::Comma if depth == 0 => return,
                Token::RParen => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn like_options(&mut self) -> Result<LikeOptions> {
        let mut options = LikeOptions::default();
        loop {
            let on = if self.words("including") {
                true
            } else if self.words("excluding") {
                false
            } else {
                return Ok(options);
            };
            let what = fold(&self.ident()?);
            match what.as_str() {
                "all" => {
                    options = LikeOptions {
                        comments: on,
                        constraints: on,
                        defaults: on,
                        generated: on,
                        identity: on,
                        indexes: on,
                    };
                }
                "comments" => options.comments = on,
                "constraints" => options.constraints = on,
                "defaults" => options.defaults = on,
                "generated" => options.generated = on,
                "identity" => options.identity = on,
                "indexes" => options.indexes = on,
                "storage" | "statistics" | "compression" => {}
                _ => return Err(SqlError::syntax(format!("syntax error at or near \"{what}\""))),
            }
        }
    }
}
