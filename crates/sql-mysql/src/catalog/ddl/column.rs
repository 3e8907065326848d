//! Columns as CREATE TABLE and ALTER TABLE define them.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::error::error;
use hobgoblin_sql_mysql_types::names::{Declared, column_type};
use hobgoblin_sql_mysql_types::{Collation, Kind, MyType, Version, members};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::Expression;
use sqlparser::ast::{DataType, Expr};

use super::change::Ddl;
use super::default::{constant, fills, invalid_default};
use super::definition::{ColumnPlan, KeyPlan};
use crate::catalog::names;
use crate::catalog::notes::ShownDefault;
use crate::catalog::print::print;
use crate::syntax::{Column, ColumnOption, KeyKind, References};

/// A column with the keys that were written with it.
pub(super) struct NewColumn {
    pub(super) column: ColumnPlan,
    pub(super) keys: Vec<KeyPlan>,
    pub(super) references: Option<References>,
}

/// The collation that the options of a type and of a column say; the table's where they say none.
fn collation(column: &Column, table: Collation, version: Version) -> Result<Collation> {
    let collate = column.options.iter().find_map(|option| match option {
        ColumnOption::Collate(name) => Some(name.value.as_str()),
        _ => None,
    });
    let text = &column.ty.text;
    let national = match column.ty.data_type {
        DataType::Nvarchar(_) => Some("utf8mb3"),
        _ => None,
    };
    let charset = text.charset.as_ref().map(|name| name.value.as_str()).or(national);
    if text.binary {
        let set = charset.unwrap_or(table.charset());
        let found = names::charset(set, version)?;
        return Ok(Collation::bin_of(found.charset()).unwrap_or(Collation::BINARY));
    }
    Ok(names::chosen(charset, collate, version)?.unwrap_or(table))
}

impl Ddl<'_, '_> {
    /// Reads the definition of a column in a table of this collation.
    pub(super) fn define_column(&self, column: &Column, table: Collation) -> Result<NewColumn> {
        let name = column.name.value.as_str();
        names::check_column_name(name)?;
        let json = matches!(column.ty.data_type, DataType::JSON);
        let declared = Declared {
            column: name,
            collation: collation(column, table, self.cx.settings().version)?,
            unsigned: false,
            zerofill: column.ty.zerofill,
        };
        let ty = column_type(&column.ty.data_type, &declared, &self.catalog.shapes)?;
        self.check_members(name, ty)?;
        let mut plan = ColumnPlan::new(name, ty, false);
        let serial = column.ty.serial;
        let mut made = Made { auto: serial, unique: serial, ..Made::default() };
        plan.not_null = column.ty.serial;
        for option in &column.options {
            self.column_option(option, &mut plan, &mut made)?;
        }
        if json && made.check.is_none() && !self.cx.settings().version.is_mysql() {
            made.check = Some(json_valid(name));
        }
        self.settle_column(plan, made)
    }

    /// Refuses two members of an ENUM or a SET that are equal.
    fn check_members(&self, column: &str, ty: MyType) -> Result<()> {
        let Some(members) = members::members(ty, &*self.catalog) else { return Ok(()) };
        let keys: Vec<Vec<u8>> =
            members.iter().map(|member| ty.collation.key(&member.name)).collect();
        let twice = (0..keys.len()).find(|at| keys[at + 1..].contains(&keys[*at]));
        let Some(at) = twice else { return Ok(()) };
        let kind = if ty.kind == Kind::Enum { "ENUM" } else { "SET" };
        let name = &members[at].name;
        Err(error(1291, format!("Column '{column}' has duplicated value '{name}' in {kind}")))
    }

    fn column_option(
        &self,
        option: &ColumnOption,
        plan: &mut ColumnPlan,
        made: &mut Made,
    ) -> Result<()> {
        match option {
            ColumnOption::Null => {
                plan.null = true;
                plan.not_null = false;
            }
            ColumnOption::NotNull => {
                plan.not_null = true;
                plan.null = false;
            }
            ColumnOption::Default(value) => made.default = Some(value.clone()),
            ColumnOption::OnUpdate(value) => made.on_update = Some(value.clone()),
            ColumnOption::AutoIncrement => {
                made.auto = true;
                plan.not_null = true;
            }
            ColumnOption::PrimaryKey => made.primary = true,
            ColumnOption::Unique => made.unique = true,
            ColumnOption::Comment(comment) => plan.notes.comment.clone_from(comment),
            ColumnOption::Collate(_) | ColumnOption::Storage(_) => {}
            ColumnOption::Generated(generated) => {
                made.generated = Some((generated.value.clone(), generated.stored));
            }
            ColumnOption::Check(check) => made.check = Some(check.condition.clone()),
            ColumnOption::References(references) => made.references = Some(references.clone()),
            ColumnOption::Invisible => plan.hidden = true,
        }
        Ok(())
    }

    /// What the options of a column mean together.
    fn settle_column(&self, mut plan: ColumnPlan, made: Made) -> Result<NewColumn> {
        let name = plan.name.clone();
        plan.auto = made.auto;
        if made.primary {
            plan.not_null = true;
        }
        if plan.auto {
            let counts = plan.ty.is_integer() && !matches!(plan.ty.kind, Kind::Bit | Kind::Year)
                || plan.ty.is_float();
            if !counts || made.on_update.is_some() {
                return Err(wrong_specifier(&name));
            }
            if made.default.is_some() {
                return Err(invalid_default(&name));
            }
        }
        if let Some(value) = &made.on_update {
            if !matches!(plan.ty.kind, Kind::DateTime | Kind::Timestamp)
                || fills(value) != Some(plan.ty.scale)
            {
                return Err(error(1294, format!("Invalid ON UPDATE clause for '{name}' column")));
            }
            plan.notes.on_update = Some(print(value));
            plan.on_update = Some(Expression::new(value.clone()));
        }
        if let Some((value, stored)) = &made.generated {
            plan.generated = true;
            plan.notes.generated = Some((print(value), *stored));
            plan.default = Some(Expression::new(value.clone()));
            plan.notes.default = ShownDefault::Nothing;
        } else {
            self.settle_default(&mut plan, made.default.as_ref(), made.on_update.is_some())?;
        }
        if let Some(check) = &made.check {
            plan.notes.check = Some(print(check));
            plan.check = Some(Expression::new(check.clone()));
        }
        let key = |kind: KeyKind| KeyPlan {
            kind,
            name: if kind == KeyKind::Primary { "PRIMARY".to_owned() } else { String::new() },
            parts: vec![(name.clone(), None, false)],
            using: None,
            comment: String::new(),
            ignored: false,
            generated: false,
            was: None,
        };
        let mut keys = Vec::new();
        if made.primary {
            keys.push(key(KeyKind::Primary));
        }
        if made.unique {
            keys.push(key(KeyKind::Unique));
        }
        Ok(NewColumn { column: plan, keys, references: made.references })
    }

    /// The default of a column; one of a time may have it of itself.
    fn settle_default(
        &self,
        plan: &mut ColumnPlan,
        default: Option<&Expr>,
        updated: bool,
    ) -> Result<()> {
        let by_itself = plan.ty.kind == Kind::Timestamp && !self.cx.explicit_timestamps;
        if by_itself && !plan.null {
            plan.not_null = true;
        }
        plan.notes.default = match (plan.not_null, plan.auto) {
            (true, _) | (_, true) => ShownDefault::Nothing,
            (false, false) => ShownDefault::Null,
        };
        let Some(value) = default else {
            if by_itself && plan.not_null && !updated {
                self.zero_default(plan);
            }
            return Ok(());
        };
        self.set_default(plan, value)
    }

    /// `0000-00-00 00:00:00`.
    fn zero_default(&self, plan: &mut ColumnPlan) {
        let text = "0000-00-00 00:00:00".to_owned();
        let value = sqlparser::ast::Value::SingleQuotedString(text.clone());
        plan.default = Some(Expression::new(Expr::Value(value.into())));
        plan.notes.default = ShownDefault::Constant { text, quoted: true };
    }

    /// Gives a column a default.
    pub(super) fn set_default(&self, plan: &mut ColumnPlan, value: &Expr) -> Result<()> {
        let name = plan.name.clone();
        if let Some(digits) = fills(value) {
            let times = matches!(plan.ty.kind, Kind::DateTime | Kind::Timestamp);
            if self.cx.settings().version.is_mysql() && !(times && digits == plan.ty.scale) {
                return Err(invalid_default(&name));
            }
            // A column without digits of a second has none of the time either.
            let shown = match times && digits > plan.ty.scale {
                true if plan.ty.scale == 0 => "current_timestamp()".to_owned(),
                true => format!("current_timestamp({})", plan.ty.scale),
                false => print(value),
            };
            plan.notes.default = ShownDefault::Expression(shown);
            plan.default = Some(Expression::new(value.clone()));
            return Ok(());
        }
        let large = plan.ty.is_text() && plan.ty.kind > Kind::VarChar;
        let Some(found) = constant(value, plan.ty, &name, self.catalog, self.cx)? else {
            let text = print(value);
            let bare = is_call(value) && text.ends_with(')');
            plan.notes.default =
                ShownDefault::Expression(if bare { text } else { format!("({text})") });
            plan.default = Some(Expression::new(value.clone()));
            return Ok(());
        };
        let Some(found) = found else {
            if plan.not_null {
                return Err(invalid_default(&name));
            }
            plan.default = None;
            plan.notes.default = ShownDefault::Null;
            return Ok(());
        };
        if large && self.cx.settings().version.is_mysql() {
            let message =
                format!("BLOB, TEXT, GEOMETRY or JSON column '{name}' can't have a default value");
            return Err(error(1101, message));
        }
        plan.default = Some(Expression::new(found.value));
        plan.notes.default = match large {
            true => ShownDefault::Expression(print(value)),
            false => ShownDefault::Constant { text: found.text, quoted: found.quoted },
        };
        Ok(())
    }
}

/// Whether an expression is a call.
fn is_call(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_call(inner),
        other => matches!(other, Expr::Function(_)),
    }
}

/// What the options of a column said.
#[derive(Default)]
struct Made {
    default: Option<Expr>,
    on_update: Option<Expr>,
    generated: Option<(Expr, bool)>,
    check: Option<Expr>,
    references: Option<References>,
    primary: bool,
    unique: bool,
    auto: bool,
}

fn json_valid(column: &str) -> Expr {
    let argument = Expr::Identifier(sqlparser::ast::Ident::with_quote('`', column));
    let call = crate::parse::function("json_valid", vec![argument]);
    debug_assert!(matches!(call, Expr::Function(_)));
    call
}

/// 1063.
fn wrong_specifier(column: &str) -> hobgoblin_sql_schema::SqlError {
    error(1063, format!("Incorrect column specifier for column '{column}'"))
}

/// A column of a query, as a column of the table that is made of it.
pub(super) fn of_query(name: &str, ty: MyType, nullable: bool) -> ColumnPlan {
    ColumnPlan::new(name, stored(ty), !nullable)
}

/// The type that a column has whose values are those of an expression.
fn stored(ty: MyType) -> MyType {
    use hobgoblin_sql_mysql_types::Coercibility;
    let ty = match ty.kind {
        Kind::Null => MyType { kind: Kind::Char, ..MyType::bytes(0) },
        Kind::Truth => MyType { length: 1, ..MyType::new(Kind::Int) },
        Kind::SortKey | Kind::Hex => MyType::bytes(ty.length),
        _ => ty,
    };
    match ty.is_text() || matches!(ty.kind, Kind::Enum | Kind::Set) {
        true => {
            let kind = match ty.kind {
                Kind::VarChar if ty.length > 16_383 => Kind::LongText,
                kind => kind,
            };
            MyType { kind, ..ty }.held(Coercibility::Column)
        }
        false => ty,
    }
}

/// An expression of the schema.
pub(super) fn kept(expr: &Expr) -> Arc<Expression> {
    Expression::new(expr.clone())
}
