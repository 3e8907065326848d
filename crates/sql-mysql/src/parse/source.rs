//! What a query reads from: tables, queries and joins of them.
//!
//! A condition belongs to the nearest join before it that has none, so that `a JOIN b JOIN c ON x ON y` joins `a` with
//! what `b` and `c` give. Joins that need no condition and get none stand as they are.

use sqlparser::ast::{
    Ident, Join, JoinConstraint, JoinOperator, ObjectName, TableAlias, TableAliasColumnDef,
    TableFactor, TableIndexHintForClause, TableIndexHintType, TableIndexHints, TableIndexType,
    TableWithJoins,
};

use super::cursor::{Parser, Result};

/// A table alone.
pub(super) fn table(name: ObjectName) -> TableFactor {
    TableFactor::Table {
        name,
        alias: None,
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    }
}

/// A name that a source gives one of its columns.
pub(super) fn column(name: Ident) -> TableAliasColumnDef {
    TableAliasColumnDef { name, data_type: None }
}

/// A source without joins.
pub(super) fn alone(relation: TableFactor) -> TableWithJoins {
    TableWithJoins { relation, joins: Vec::new() }
}

/// A join as it is being read.
struct OpenJoin {
    kind: JoinKind,
    relation: TableWithJoins,
    constraint: Option<JoinConstraint>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JoinKind {
    Inner,
    Cross,
    Straight,
    Left,
    Right,
    NaturalInner,
    NaturalLeft,
    NaturalRight,
}

impl JoinKind {
    fn is_natural(self) -> bool {
        matches!(self, JoinKind::NaturalInner | JoinKind::NaturalLeft | JoinKind::NaturalRight)
    }

    fn operator(self, constraint: JoinConstraint) -> JoinOperator {
        match self {
            JoinKind::Inner => JoinOperator::Join(constraint),
            JoinKind::Cross => JoinOperator::CrossJoin(constraint),
            JoinKind::Straight => JoinOperator::StraightJoin(constraint),
            JoinKind::Left => JoinOperator::Left(constraint),
            JoinKind::Right => JoinOperator::Right(constraint),
            JoinKind::NaturalInner => JoinOperator::Join(JoinConstraint::Natural),
            JoinKind::NaturalLeft => JoinOperator::Left(JoinConstraint::Natural),
            JoinKind::NaturalRight => JoinOperator::Right(JoinConstraint::Natural),
        }
    }
}

/// What stands in parentheses where a source may.
enum EnclosedSource {
    Query(Box<sqlparser::ast::Query>),
    Source(Box<TableWithJoins>),
}

impl Parser<'_> {
    /// Sources with commas between them.
    pub(super) fn sources(&mut self) -> Result<Vec<TableWithJoins>> {
        self.listed(Self::source)
    }

    /// A source and what it is joined with.
    pub(super) fn source(&mut self) -> Result<TableWithJoins> {
        let first = self.factor()?;
        self.joined(alone(first))
    }

    /// What a source is joined with.
    fn joined(&mut self, first: TableWithJoins) -> Result<TableWithJoins> {
        let mut open: Vec<OpenJoin> = Vec::new();
        loop {
            if let Some(kind) = self.join_kind()? {
                let relation = alone(self.factor()?);
                let constraint = kind.is_natural().then_some(JoinConstraint::Natural);
                open.push(OpenJoin { kind, relation, constraint });
                continue;
            }
            // A natural join has no condition, nor has one that got its own.
            let waiting = open.iter().rposition(|join| join.constraint.is_none());
            let Some(at) = waiting.filter(|_| self.is("ON") || self.is("USING")) else { break };
            let constraint = self.constraint()?;
            let after = open.split_off(at + 1);
            let join = &mut open[at];
            join.constraint = Some(constraint);
            join.relation.joins.extend(after.into_iter().map(closed));
        }
        if open.iter().any(|join| {
            join.constraint.is_none() && matches!(join.kind, JoinKind::Left | JoinKind::Right)
        }) {
            return Err(self.unexpected());
        }
        let mut whole = first;
        whole.joins.extend(open.into_iter().map(closed));
        Ok(whole)
    }

    fn join_kind(&mut self) -> Result<Option<JoinKind>> {
        if self.takes("NATURAL") {
            let side = self.takes_one_of(&["LEFT", "RIGHT", "INNER"]);
            if matches!(side, Some("LEFT" | "RIGHT")) {
                let _ = self.takes("OUTER");
            }
            self.expect("JOIN")?;
            return Ok(Some(match side {
                Some("LEFT") => JoinKind::NaturalLeft,
                Some("RIGHT") => JoinKind::NaturalRight,
                _ => JoinKind::NaturalInner,
            }));
        }
        if let Some(side) = self.takes_one_of(&["LEFT", "RIGHT"]) {
            let _ = self.takes("OUTER");
            self.expect("JOIN")?;
            return Ok(Some(if side == "LEFT" { JoinKind::Left } else { JoinKind::Right }));
        }
        if let Some(word) = self.takes_one_of(&["INNER", "CROSS"]) {
            self.expect("JOIN")?;
            return Ok(Some(if word == "INNER" { JoinKind::Inner } else { JoinKind::Cross }));
        }
        if self.takes("STRAIGHT_JOIN") {
            return Ok(Some(JoinKind::Straight));
        }
        Ok(self.takes("JOIN").then_some(JoinKind::Inner))
    }

    fn constraint(&mut self) -> Result<JoinConstraint> {
        if self.takes("ON") {
            return self.expr().map(JoinConstraint::On);
        }
        self.expect("USING")?;
        let columns = self.in_parens(|parser| parser.listed(Self::ident))?;
        Ok(JoinConstraint::Using(columns.into_iter().map(ObjectName::from).collect()))
    }

    /// A table, a query, or sources in parentheses.
    fn factor(&mut self) -> Result<TableFactor> {
        let lateral = !self.is_mariadb() && self.takes("LATERAL");
        if self.is_sign("(") {
            return match self.deeper(Self::enclosed_source)? {
                EnclosedSource::Query(subquery) => {
                    let alias = self.derived_alias()?;
                    Ok(TableFactor::Derived { lateral, subquery, alias, sample: None })
                }
                EnclosedSource::Source(_) if lateral => Err(self.unexpected()),
                EnclosedSource::Source(source) => {
                    Ok(TableFactor::NestedJoin { table_with_joins: source, alias: None })
                }
            };
        }
        if self.is("JSON_TABLE") && self.is_sign_ahead(1, "(") {
            return self.json_table();
        }
        let name = self.table_name()?;
        let partitions = match self.takes("PARTITION") {
            true => self.in_parens(|parser| parser.listed(Self::ident))?,
            false => Vec::new(),
        };
        let alias = self.table_alias()?;
        let index_hints = self.index_hints()?;
        let mut factor = table(name);
        if let TableFactor::Table { partitions: p, alias: a, index_hints: i, .. } = &mut factor {
            (*p, *a, *i) = (partitions, alias, index_hints);
        }
        Ok(factor)
    }

    /// From a parenthesis to its end, as `Parser::enclosed` does for expressions.
    fn enclosed_source(&mut self) -> Result<EnclosedSource> {
        let nested = self.opens_query();
        if !nested {
            return self
                .in_parens(Self::several)
                .map(|source| EnclosedSource::Source(Box::new(source)));
        }
        self.expect_sign("(")?;
        if self.begins_query_ahead(0) {
            let query = self.query()?;
            self.expect_sign(")")?;
            return Ok(EnclosedSource::Query(Box::new(query)));
        }
        let first = match self.deeper(Self::enclosed_source)? {
            EnclosedSource::Query(query) if self.goes_on_as_query() => {
                let query = self.query_after(*query)?;
                self.expect_sign(")")?;
                return Ok(EnclosedSource::Query(Box::new(query)));
            }
            EnclosedSource::Query(query) if self.takes_sign(")") => {
                return Ok(EnclosedSource::Query(query));
            }
            EnclosedSource::Query(subquery) => {
                let alias = self.derived_alias()?;
                TableFactor::Derived { lateral: false, subquery, alias, sample: None }
            }
            EnclosedSource::Source(source) => {
                TableFactor::NestedJoin { table_with_joins: source, alias: None }
            }
        };
        let first = self.joined(alone(first))?;
        let whole = self.crossed(first)?;
        self.expect_sign(")")?;
        Ok(EnclosedSource::Source(Box::new(whole)))
    }

    /// Sources in parentheses with commas between them: what a comma joins has no condition.
    pub(super) fn several(&mut self) -> Result<TableWithJoins> {
        let first = self.source()?;
        self.crossed(first)
    }

    fn crossed(&mut self, first: TableWithJoins) -> Result<TableWithJoins> {
        let mut whole = first;
        while self.takes_sign(",") {
            let next = self.source()?;
            let join = OpenJoin { kind: JoinKind::Cross, relation: next, constraint: None };
            whole.joins.push(closed(join));
        }
        Ok(whole)
    }

    /// The name of a table in this query.
    pub(super) fn table_alias(&mut self) -> Result<Option<TableAlias>> {
        let explicit = self.takes("AS") || self.is_mariadb() && self.takes_sign("=");
        if !explicit && (!self.is_name() || self.begins_after_table()) {
            return Ok(None);
        }
        let name = self.ident()?;
        Ok(Some(TableAlias { explicit, name, columns: Vec::new(), at: None }))
    }

    /// Words that are names, but not here without AS.
    fn begins_after_table(&mut self) -> bool {
        self.is("WINDOW")
    }

    fn derived_alias(&mut self) -> Result<Option<TableAlias>> {
        let mut alias = self.table_alias()?;
        if alias.is_none() && self.is_mariadb() {
            return Err(self.unexpected());
        }
        if let Some(alias) = &mut alias
            && !self.is_mariadb()
            && self.is_sign("(")
        {
            let columns = self.in_parens(|parser| parser.listed(Self::ident))?;
            alias.columns = columns.into_iter().map(column).collect();
        }
        Ok(alias)
    }

    fn index_hints(&mut self) -> Result<Vec<TableIndexHints>> {
        let mut hints = Vec::new();
        while let Some(word) = self.takes_one_of(&["USE", "FORCE", "IGNORE"]) {
            let hint_type = match word {
                "USE" => TableIndexHintType::Use,
                "FORCE" => TableIndexHintType::Force,
                _ => TableIndexHintType::Ignore,
            };
            let index_type = match self.expect_one_of(&["INDEX", "KEY"])? {
                "INDEX" => TableIndexType::Index,
                _ => TableIndexType::Key,
            };
            let for_clause = match self.takes("FOR") {
                true => Some(match self.expect_one_of(&["JOIN", "ORDER", "GROUP"])? {
                    "JOIN" => TableIndexHintForClause::Join,
                    word => {
                        self.expect("BY")?;
                        if word == "ORDER" {
                            TableIndexHintForClause::OrderBy
                        } else {
                            TableIndexHintForClause::GroupBy
                        }
                    }
                }),
                false => None,
            };
            let index_names =
                self.in_parens(|parser| match parser.is_sign(")") && word == "USE" {
                    true => Ok(Vec::new()),
                    false => parser.listed(|parser| match parser.is("PRIMARY") {
                        true => Ok(parser.taken_ident()),
                        false => parser.ident(),
                    }),
                })?;
            hints.push(TableIndexHints { hint_type, index_type, for_clause, index_names });
        }
        Ok(hints)
    }
}

/// A join of which all is known.
fn closed(join: OpenJoin) -> Join {
    let constraint = join.constraint.unwrap_or(JoinConstraint::None);
    let relation = match join.relation.joins.is_empty() {
        true => join.relation.relation,
        false => TableFactor::NestedJoin { table_with_joins: Box::new(join.relation), alias: None },
    };
    Join { relation, global: false, join_operator: join.kind.operator(constraint) }
}
