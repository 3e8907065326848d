//! Queries: SELECT and VALUES, what combines them, and what follows.

use hobgoblin_sql_schema::syntax::clauses::query_place;
use hobgoblin_sql_schema::syntax::{Locking, Strength, Waiting};
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    Cte, Distinct, Expr, GroupByExpr, GroupByWithModifier, Ident, LimitClause,
    NamedWindowDefinition, NamedWindowExpr, Offset, OffsetRows, OrderBy, OrderByExpr, OrderByKind,
    OrderByOptions, OrderBySort, Parens, Query, Select, SelectFlavor, SelectItem,
    SelectItemQualifiedWildcardKind, SelectModifiers, SetExpr, SetOperator, SetQuantifier,
    TableAlias, Value, ValueWithSpan, Values, WildcardAdditionalOptions, With,
};
use sqlparser::tokenizer::Span;

use super::cursor::{Parser, Result};
use super::error::ParseError;
use super::token::{Kind, Token};
use crate::syntax::Destination;

/// Words before the items of a SELECT.
const MODIFIERS: &[&str] = &[
    "ALL",
    "DISTINCT",
    "DISTINCTROW",
    "UNIQUE",
    "HIGH_PRIORITY",
    "STRAIGHT_JOIN",
    "SQL_SMALL_RESULT",
    "SQL_BIG_RESULT",
    "SQL_BUFFER_RESULT",
    "SQL_CALC_FOUND_ROWS",
    "SQL_NO_CACHE",
    "SQL_CACHE",
];

impl Parser<'_> {
    /// A query with all that belongs to it.
    pub(super) fn query(&mut self) -> Result<Query> {
        self.deeper(|parser| {
            let with = parser.with()?;
            parser.query_with(with)
        })
    }

    /// A query after its WITH.
    pub(super) fn query_with(&mut self, with: Option<With>) -> Result<Query> {
        self.queries += 1;
        let query = self.deeper(|parser| {
            let body = parser.combined(0)?;
            parser.ended_query(with, body)
        });
        self.queries -= 1;
        query
    }

    /// Whether a query in parentheses goes on with another, or with what ends it.
    pub(super) fn goes_on_as_query(&mut self) -> bool {
        self.is_one_of(&["UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "FOR", "LOCK", "INTO"])
            || self.is("MINUS") && self.begins_query_ahead(1)
    }

    /// What follows a query in parentheses.
    pub(super) fn query_after(&mut self, first: Query) -> Result<Query> {
        let body = self.combined_with(SetExpr::Query(Box::new(first)), 0)?;
        self.ended_query(None, body)
    }

    /// ORDER BY, LIMIT and locking clauses.
    fn ended_query(&mut self, with: Option<With>, body: SetExpr) -> Result<Query> {
        let order_by = self
            .order_by()?
            .map(|keys| OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None });
        let limit_clause = self.limit()?;
        if let Some(name) = self.procedure()? {
            self.aside.procedure = Some(name);
        }
        self.destination()?;
        while let Some(locking) = self.locking()? {
            if let Some(place) = query_place(&body) {
                self.clauses.add_locking(place, locking);
            }
            if self.is_mariadb() {
                break;
            }
        }
        self.destination()?;
        Ok(Query {
            with,
            body: Box::new(body),
            order_by,
            limit_clause,
            fetch: None,
            locks: Vec::new(),
            for_clause: None,
            settings: None,
            format_clause: None,
            pipe_operators: Vec::new(),
        })
    }

    /// WITH.
    pub(super) fn with(&mut self) -> Result<Option<With>> {
        let with_token = self.attached();
        if !self.takes("WITH") {
            return Ok(None);
        }
        let recursive = self.takes("RECURSIVE");
        let cte_tables = self.listed(|parser| {
            let name = parser.ident()?;
            let columns = match parser.is_sign("(") {
                true => parser.in_parens(|parser| parser.listed(Self::ident))?,
                false => Vec::new(),
            };
            parser.expect("AS")?;
            parser.expect_sign("(")?;
            if !parser.opens_query() && !parser.begins_query_ahead(0) {
                return Err(parser.unexpected());
            }
            let query = Box::new(parser.query()?);
            let closing_paren_token = parser.attached();
            parser.expect_sign(")")?;
            let alias = TableAlias {
                explicit: true,
                name,
                columns: columns.into_iter().map(super::source::column).collect(),
                at: None,
            };
            Ok(Cte { alias, query, from: None, materialized: None, closing_paren_token })
        })?;
        Ok(Some(With { with_token, recursive, cte_tables }))
    }

    /// Queries and what combines them; INTERSECT binds closer than the others.
    fn combined(&mut self, least: u8) -> Result<SetExpr> {
        let first = self.primary()?;
        self.combined_with(first, least)
    }

    fn combined_with(&mut self, first: SetExpr, least: u8) -> Result<SetExpr> {
        let mut left = first;
        loop {
            let (op, level) = if self.is("UNION") {
                (SetOperator::Union, 1)
            } else if self.is("EXCEPT") {
                (SetOperator::Except, 1)
            } else if self.is("INTERSECT") {
                (SetOperator::Intersect, 2)
            } else {
                return Ok(left);
            };
            if level < least {
                return Ok(left);
            }
            self.advance();
            let set_quantifier = match self.takes_one_of(&["ALL", "DISTINCT"]) {
                Some("ALL") => SetQuantifier::All,
                Some(_) => SetQuantifier::Distinct,
                None => SetQuantifier::None,
            };
            let right = Box::new(self.deeper(|parser| parser.combined(level + 1))?);
            left = SetExpr::SetOperation { op, set_quantifier, left: Box::new(left), right };
        }
    }

    /// A SELECT, VALUES, TABLE, or a query in parentheses.
    fn primary(&mut self) -> Result<SetExpr> {
        if self.is_sign("(") {
            if !self.opens_query() {
                self.advance();
                return Err(self.unexpected());
            }
            return Ok(SetExpr::Query(Box::new(self.subquery()?)));
        }
        if self.is("SELECT") {
            return Ok(SetExpr::Select(Box::new(self.select()?)));
        }
        if self.is("VALUES") {
            return self.values();
        }
        if !self.is_mariadb() && self.is("TABLE") {
            return self.table_query();
        }
        Err(self.unexpected())
    }

    /// VALUES as a query: MariaDB has rows in parentheses, MySQL wants ROW before them.
    fn values(&mut self) -> Result<SetExpr> {
        self.expect("VALUES")?;
        let explicit_row = !self.is_mariadb();
        let rows = self.listed(|parser| {
            if explicit_row {
                parser.expect("ROW")?;
            }
            parser.row()
        })?;
        Ok(SetExpr::Values(Values { explicit_row, value_keyword: false, rows }))
    }

    /// A row of values, of which some may be DEFAULT.
    pub(super) fn row(&mut self) -> Result<Parens<Vec<Expr>>> {
        let opening_token = self.attached();
        self.expect_sign("(")?;
        let content = match self.is_sign(")") {
            true => Vec::new(),
            false => self.listed(Self::expr_or_default)?,
        };
        let closing_token = self.attached();
        self.expect_sign(")")?;
        Ok(Parens { opening_token, content, closing_token })
    }

    /// An expression, or DEFAULT alone.
    pub(super) fn expr_or_default(&mut self) -> Result<Expr> {
        match self.is("DEFAULT") && !self.is_sign_ahead(1, "(") {
            true => Ok(Expr::Identifier(self.taken_ident())),
            false => self.expr(),
        }
    }

    /// `TABLE t` is `SELECT * FROM t`.
    fn table_query(&mut self) -> Result<SetExpr> {
        let select_token = self.attached();
        self.expect("TABLE")?;
        let name = self.table_name()?;
        let mut select = empty_select(select_token);
        select.projection.push(SelectItem::Wildcard(WildcardAdditionalOptions::default()));
        select.from.push(super::source::alone(super::source::table(name)));
        Ok(SetExpr::Select(Box::new(select)))
    }

    fn select(&mut self) -> Result<Select> {
        let select_token = self.attached();
        let place = self.place();
        self.expect("SELECT")?;
        let mut select = empty_select(select_token);
        self.select_modifiers(&mut select)?;
        select.projection = self.items()?;
        self.destination()?;
        if self.takes("FROM") {
            match self.is("DUAL") {
                // It stands for no table at all.
                true => drop(self.advance()),
                false => select.from = self.sources()?,
            }
        }
        if self.takes("WHERE") {
            select.selection = Some(self.expr()?);
        }
        if self.takes("GROUP") {
            self.expect("BY")?;
            select.group_by = self.grouping(place)?;
        }
        if self.takes("HAVING") {
            select.having = Some(self.expr()?);
        }
        if self.is("WINDOW") {
            self.advance();
            select.named_window = self.listed(|parser| {
                let name = parser.ident()?;
                parser.expect("AS")?;
                let spec = parser.window_spec()?;
                Ok(NamedWindowDefinition(name, NamedWindowExpr::WindowSpec(spec)))
            })?;
        }
        Ok(select)
    }

    fn select_modifiers(&mut self, select: &mut Select) -> Result<()> {
        let mut modifiers = SelectModifiers::default();
        let mut any = false;
        while (!self.is("UNIQUE") || self.is_mariadb())
            && let Some(word) = self.takes_one_of(MODIFIERS)
        {
            any = true;
            match word {
                "ALL" => select.distinct = Some(Distinct::All),
                "DISTINCT" | "DISTINCTROW" | "UNIQUE" => select.distinct = Some(Distinct::Distinct),
                "HIGH_PRIORITY" => modifiers.high_priority = true,
                "STRAIGHT_JOIN" => modifiers.straight_join = true,
                "SQL_SMALL_RESULT" => modifiers.sql_small_result = true,
                "SQL_BIG_RESULT" => modifiers.sql_big_result = true,
                "SQL_BUFFER_RESULT" => modifiers.sql_buffer_result = true,
                "SQL_CALC_FOUND_ROWS" => modifiers.sql_calc_found_rows = true,
                "SQL_NO_CACHE" => modifiers.sql_no_cache = true,
                _ => {}
            }
        }
        select.select_modifiers = any.then_some(modifiers);
        Ok(())
    }

    /// The items of a SELECT or of RETURNING.
    pub(super) fn items(&mut self) -> Result<Vec<SelectItem>> {
        let mut items = Vec::new();
        if self.is_sign("*") {
            self.advance();
            items.push(SelectItem::Wildcard(WildcardAdditionalOptions::default()));
            if !self.takes_sign(",") {
                return Ok(items);
            }
        }
        items.extend(self.listed(Self::item)?);
        Ok(items)
    }

    fn item(&mut self) -> Result<SelectItem> {
        if let Some(item) = self.qualified_star()? {
            return Ok(item);
        }
        let first = self.peek().clone();
        let expr = self.expr()?;
        let written = self.since(&first);
        if self.takes("AS") {
            let alias = self.ident_or_text()?;
            return Ok(SelectItem::ExprWithAlias { expr, alias });
        }
        if self.is_name() || matches!(self.peek().kind, Kind::Text(_)) {
            let alias = self.ident_or_text()?;
            return Ok(SelectItem::ExprWithAlias { expr, alias });
        }
        Ok(self.unnamed(expr, &first, written))
    }

    /// An item without a name: a column has its own, a string is its own, and any other is called by its text.
    fn unnamed(&self, expr: Expr, first: &Token, span: Span) -> SelectItem {
        let value = match &expr {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                return SelectItem::UnnamedExpr(expr);
            }
            Expr::Value(ValueWithSpan {
                value: Value::SingleQuotedString(text) | Value::NationalStringLiteral(text),
                ..
            }) => text.clone(),
            Expr::Value(ValueWithSpan { value: Value::Null, .. }) => "NULL".to_owned(),
            Expr::Value(ValueWithSpan { value: Value::Boolean(truth), .. }) => {
                truth.to_string().to_uppercase()
            }
            Expr::Prefixed { value, .. }
                if let Expr::Value(ValueWithSpan {
                    value: Value::SingleQuotedString(text),
                    ..
                }) = &**value =>
            {
                text.clone()
            }
            _ => self.text[first.start..self.end()].to_owned(),
        };
        SelectItem::ExprWithAlias { expr, alias: Ident { value, quote_style: None, span } }
    }

    /// `t.*` and `d.t.*`.
    fn qualified_star(&mut self) -> Result<Option<SelectItem>> {
        let mut parts = 0;
        while parts < 2 && self.is_name_ahead(2 * parts) && self.is_sign_ahead(2 * parts + 1, ".") {
            parts += 1;
        }
        if parts == 0 || !self.is_sign_ahead(2 * parts, "*") {
            return Ok(None);
        }
        let mut names = Vec::new();
        for _ in 0..parts {
            names.push(self.ident()?);
            self.expect_sign(".")?;
        }
        self.expect_sign("*")?;
        let of = SelectItemQualifiedWildcardKind::ObjectName(names.into());
        Ok(Some(SelectItem::QualifiedWildcard(of, WildcardAdditionalOptions::default())))
    }

    /// GROUP BY. In MariaDB its keys may have an order, which is that of the rows if there is no ORDER BY.
    fn grouping(&mut self, select: sqlparser::tokenizer::Location) -> Result<GroupByExpr> {
        let mut keys = Vec::new();
        let sorted = self.listed(|parser| {
            let expr = parser.expr()?;
            let sort = if parser.is_mariadb() { parser.direction() } else { None };
            keys.push(expr.clone());
            Ok(OrderByExpr {
                expr,
                options: OrderByOptions { sort, nulls_first: None },
                with_fill: None,
            })
        })?;
        if sorted.iter().any(|key| key.options.sort.is_some()) {
            self.clauses.add_group_order(select, sorted);
        }
        let mut modifiers = Vec::new();
        if self.takes_all(&["WITH", "ROLLUP"]) {
            modifiers.push(GroupByWithModifier::Rollup);
        }
        Ok(GroupByExpr::Expressions(keys, modifiers))
    }

    pub(super) fn direction(&mut self) -> Option<OrderBySort> {
        match self.takes_one_of(&["ASC", "DESC"]) {
            Some("ASC") => Some(OrderBySort::Asc),
            Some(_) => Some(OrderBySort::Desc),
            None => None,
        }
    }

    /// ORDER BY, if it is there.
    pub(super) fn order_by(&mut self) -> Result<Option<Vec<OrderByExpr>>> {
        if !self.takes("ORDER") {
            return Ok(None);
        }
        self.expect("BY")?;
        self.listed(Self::sort_key).map(Some)
    }

    pub(super) fn sort_key(&mut self) -> Result<OrderByExpr> {
        let expr = self.expr()?;
        let sort = self.direction();
        Ok(OrderByExpr {
            expr,
            options: OrderByOptions { sort, nulls_first: None },
            with_fill: None,
        })
    }

    /// LIMIT in its forms, and MariaDB's OFFSET and FETCH.
    fn limit(&mut self) -> Result<Option<LimitClause>> {
        if self.takes("LIMIT") {
            let first = self.limit_value()?;
            let clause = if self.takes_sign(",") {
                LimitClause::OffsetCommaLimit { offset: first, limit: self.limit_value()? }
            } else {
                let offset = match self.takes("OFFSET") {
                    true => Some(Offset { value: self.limit_value()?, rows: OffsetRows::None }),
                    false => None,
                };
                LimitClause::LimitOffset { limit: Some(first), offset, limit_by: Vec::new() }
            };
            if self.is_mariadb() && self.takes("ROWS") {
                self.expect("EXAMINED")?;
                let _ = self.limit_value()?;
            }
            return Ok(Some(clause));
        }
        if !self.is_mariadb() {
            return Ok(None);
        }
        let offset = match self.takes("OFFSET") {
            true => {
                let value = self.limit_value()?;
                self.expect_one_of(&["ROW", "ROWS"])?;
                Some(Offset { value, rows: OffsetRows::None })
            }
            false => None,
        };
        let limit = match self.takes("FETCH") {
            true => {
                self.expect_one_of(&["FIRST", "NEXT"])?;
                let counted = !self.is_one_of(&["ROW", "ROWS"]);
                let one = || Expr::Value(Value::Number("1".to_owned(), false).into());
                let limit = if counted { self.limit_value()? } else { one() };
                self.expect_one_of(&["ROW", "ROWS"])?;
                if self.takes("WITH") {
                    self.expect("TIES")?;
                    return Err(ParseError::Unsupported("FETCH FIRST … WITH TIES"));
                }
                self.expect("ONLY")?;
                Some(limit)
            }
            false => None,
        };
        let any = limit.is_some() || offset.is_some();
        Ok(any.then_some(LimitClause::LimitOffset { limit, offset, limit_by: Vec::new() }))
    }

    /// A number of rows: digits, a parameter, or a variable of a stored program.
    pub(super) fn limit_value(&mut self) -> Result<Expr> {
        match self.peek().kind.clone() {
            Kind::Integer | Kind::Parameter(_) | Kind::HexNumber(_) => Ok(self.simple()?.expr),
            _ if self.is_name() && self.bodies > 0 => Ok(Expr::Identifier(self.ident()?)),
            _ if self.is_name() => Err(ParseError::UndeclaredVariable(self.ident()?.value)),
            _ => Err(self.unexpected()),
        }
    }

    /// MariaDB's PROCEDURE ANALYSE.
    fn procedure(&mut self) -> Result<Option<Expr>> {
        if !self.is_mariadb() || !self.takes("PROCEDURE") {
            return Ok(None);
        }
        let name = self.ident()?;
        self.plain_call(vec![name]).map(|read| Some(read.expr))
    }

    /// FOR UPDATE, LOCK IN SHARE MODE and their kin.
    fn locking(&mut self) -> Result<Option<Locking>> {
        if self.takes("LOCK") {
            self.expect_all(&["IN", "SHARE", "MODE"])?;
            let waiting = if self.is_mariadb() { self.waiting()? } else { Waiting::Wait };
            return Ok(Some(Locking { strength: Strength::Share, of: Vec::new(), waiting }));
        }
        if !self.takes("FOR") {
            return Ok(None);
        }
        let mysql = !self.is_mariadb();
        let strength = if self.takes("UPDATE") {
            Strength::Update
        } else if mysql && self.takes("SHARE") {
            Strength::Share
        } else {
            return Err(self.unexpected());
        };
        let of = match mysql && self.takes("OF") {
            true => self.listed(Self::table_name)?,
            false => Vec::new(),
        };
        let waiting = self.waiting()?;
        Ok(Some(Locking { strength, of, waiting }))
    }

    fn waiting(&mut self) -> Result<Waiting> {
        if self.takes("NOWAIT") {
            return Ok(Waiting::NoWait);
        }
        if self.takes("SKIP") {
            self.expect("LOCKED")?;
            return Ok(Waiting::Skip);
        }
        if self.is_mariadb() && self.takes("WAIT") {
            return Ok(Waiting::Seconds(self.integer()?));
        }
        Ok(Waiting::Wait)
    }

    /// INTO variables or a file: where the one row goes.
    fn destination(&mut self) -> Result<()> {
        if !self.is("INTO") || self.aside.into.is_some() || self.queries > 1 {
            return Ok(());
        }
        self.advance();
        let into = if self.takes("OUTFILE") {
            let name = self.string()?;
            if self.is_charset() {
                self.charset_clause()?;
            }
            self.file_format()?;
            Destination::File(name)
        } else if self.takes("DUMPFILE") {
            Destination::File(self.string()?)
        } else {
            Destination::Variables(self.listed(|parser| match parser.peek().kind.clone() {
                Kind::At(name) => {
                    parser.advance();
                    Ok(name)
                }
                _ if parser.bodies > 0 => parser.ident().map(|name| name.value),
                _ => Err(ParseError::UndeclaredVariable(parser.ident_or_text()?.value)),
            })?)
        };
        self.aside.into = Some(into);
        Ok(())
    }
}

/// A SELECT without anything.
fn empty_select(select_token: AttachedToken) -> Select {
    Select {
        select_token,
        optimizer_hints: Vec::new(),
        distinct: None,
        select_modifiers: None,
        top: None,
        top_before_distinct: false,
        projection: Vec::new(),
        exclude: None,
        into: None,
        from: Vec::new(),
        lateral_views: Vec::new(),
        prewhere: None,
        selection: None,
        connect_by: Vec::new(),
        group_by: GroupByExpr::Expressions(Vec::new(), Vec::new()),
        cluster_by: Vec::new(),
        distribute_by: Vec::new(),
        sort_by: Vec::new(),
        having: None,
        named_window: Vec::new(),
        qualify: None,
        window_before_qualify: false,
        value_table_mode: None,
        flavor: SelectFlavor::Standard,
    }
}
