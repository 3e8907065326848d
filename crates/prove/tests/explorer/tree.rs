//! Small programs as trees, and as the SQL that the prover reads.
//!
//! A table `t0` has key columns `a`, `b` and others `c`, `d`, all whole numbers. Columns are counted with the key first.

use std::fmt::{self, Display, Formatter};

/// A program over a small domain: a column of a key and a parameter count from zero to `keys`, other columns to `values`.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) tables: Vec<Table>,
    pub(crate) transactions: Vec<Transaction>,
    pub(crate) keys: usize,
    pub(crate) values: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// How many columns the key has.
    pub(crate) key: usize,
    /// For each other column, whether it may be NULL.
    pub(crate) nullable: Vec<bool>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Transaction {
    pub(crate) parameters: usize,
    pub(crate) body: Vec<Statement>,
}

/// Parameters come first.
pub(crate) type Variable = usize;

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Variable(Variable),
    /// A column of the row at hand.
    Column(usize),
    Plus(Box<Value>, Box<Value>),
    Minus(Box<Value>, Box<Value>),
    /// `COALESCE(value, 0)`.
    OrZero(Box<Value>),
    Query(Box<Folded>),
}

/// An aggregate over the rows of a table.
#[derive(Clone, Debug)]
pub(crate) struct Folded {
    pub(crate) fold: Fold,
    pub(crate) rows: Rows,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fold {
    Count,
    Sum(usize),
    Min(usize),
    Max(usize),
}

/// Rows of a table.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) table: usize,
    /// All of these hold.
    pub(crate) filter: Vec<Condition>,
}

#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Compare(Comparison, Value, Value),
    IsNull(Value),
    Not(Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Exists(Rows),
    Found,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Comparison {
    Equal,
    Differ,
    Less,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// Columns of the first row, by a column or by the key alone, into variables.
    First {
        rows: Rows,
        columns: Vec<usize>,
        into: Vec<Variable>,
        order: Order,
    },
    /// All rows are the result.
    All {
        rows: Rows,
        columns: Vec<usize>,
    },
    Fold {
        query: Folded,
        into: Variable,
    },
    Assign {
        value: Value,
        into: Variable,
    },
    Update {
        rows: Rows,
        set: Vec<(usize, Value)>,
    },
    Delete {
        rows: Rows,
    },
    Insert {
        table: usize,
        values: Vec<Value>,
        conflict: Conflict,
    },
    If {
        condition: Condition,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// For each row by its key.
    For {
        rows: Rows,
        columns: Vec<usize>,
        into: Vec<Variable>,
        body: Vec<Statement>,
    },
    Raise,
    Return(Value),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// The filter says the whole key.
    One,
    /// By the key.
    Key,
    /// By the key, from above.
    KeyDown,
    /// By a column, then by the key.
    Column(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Conflict {
    Error,
    Nothing,
    Update(Vec<(usize, Value)>),
}

impl Table {
    /// How many columns it has.
    pub(crate) fn width(&self) -> usize {
        self.key + self.nullable.len()
    }
}

impl Transaction {
    /// Whether a statement asks FOUND.
    pub(crate) fn asks_found(&self) -> bool {
        fn asks(block: &[Statement]) -> bool {
            block.iter().any(|statement| match statement {
                Statement::If { condition, then, otherwise } => {
                    is_found(condition) || asks(then) || asks(otherwise)
                }
                Statement::For { body, .. } => asks(body),
                _ => false,
            })
        }
        fn is_found(condition: &Condition) -> bool {
            match condition {
                Condition::Found => true,
                Condition::Not(of) => is_found(of),
                Condition::Or(left, right) => is_found(left) || is_found(right),
                _ => false,
            }
        }
        asks(&self.body)
    }
}

/// The name of a column of a table.
fn column(table: &Table, at: usize) -> &'static str {
    if at < table.key { ["a", "b"][at] } else { ["c", "d"][at - table.key] }
}

/// Prints what speaks of variables and rows.
struct Printed<'t, T> {
    what: &'t T,
    program: &'t Program,
    /// How many variables are parameters.
    parameters: usize,
    /// The table whose columns are named.
    table: usize,
    /// Whether columns are named with their table.
    full: bool,
}

impl<'t, T> Printed<'t, T> {
    fn of<U>(&self, what: &'t U) -> Printed<'t, U> {
        let &Printed { program, parameters, table, full, .. } = self;
        Printed { what, program, parameters, table, full }
    }

    fn within<U>(&self, table: usize, what: &'t U) -> Printed<'t, U> {
        Printed { table, full: false, ..self.of(what) }
    }

    fn name(&self, variable: Variable) -> String {
        if variable < self.parameters { format!("p{variable}") } else { format!("v{variable}") }
    }

    fn names(&self, variables: &[Variable]) -> String {
        variables.iter().map(|&variable| self.name(variable)).collect::<Vec<_>>().join(", ")
    }

    fn columns(&self, table: usize, columns: &[usize]) -> String {
        let table = &self.program.tables[table];
        columns.iter().map(|&at| column(table, at)).collect::<Vec<_>>().join(", ")
    }

    fn set(&self, table: usize, set: &'t [(usize, Value)], full: bool) -> String {
        let one = |(to, value): &'t (usize, Value)| {
            let value = Printed { full, ..self.within(table, value) };
            format!("{} = {value}", column(&self.program.tables[table], *to))
        };
        set.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn key(&self, table: usize) -> Vec<usize> {
        (0..self.program.tables[table].key).collect()
    }
}

impl Display for Printed<'_, Value> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.what {
            Value::Null => f.write_str("NULL"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Variable(variable) => f.write_str(&self.name(*variable)),
            Value::Column(at) => {
                let name = column(&self.program.tables[self.table], *at);
                if self.full { write!(f, "t{}.{name}", self.table) } else { f.write_str(name) }
            }
            Value::Plus(left, right) => write!(f, "({} + {})", self.of(&**left), self.of(&**right)),
            Value::Minus(left, right) => {
                write!(f, "({} - {})", self.of(&**left), self.of(&**right))
            }
            Value::OrZero(of) => write!(f, "COALESCE({}, 0)", self.of(&**of)),
            Value::Query(query) => write!(f, "({})", self.of(&**query)),
        }
    }
}

impl Display for Printed<'_, Folded> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Folded { fold, rows } = self.what;
        let fold = folded(&self.program.tables[rows.table], *fold);
        write!(f, "SELECT {fold} FROM {}", self.of(rows))
    }
}

fn folded(table: &Table, fold: Fold) -> String {
    match fold {
        Fold::Count => "count(*)".to_owned(),
        Fold::Sum(at) => format!("sum({})", column(table, at)),
        Fold::Min(at) => format!("min({})", column(table, at)),
        Fold::Max(at) => format!("max({})", column(table, at)),
    }
}

impl Display for Printed<'_, Rows> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.what.table)?;
        for (at, condition) in self.what.filter.iter().enumerate() {
            let word = if at == 0 { "WHERE" } else { "AND" };
            write!(f, " {word} {}", self.within(self.what.table, condition))?;
        }
        Ok(())
    }
}

impl Display for Printed<'_, Condition> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.what {
            Condition::Compare(how, left, right) => {
                let sign = match how {
                    Comparison::Equal => "=",
                    Comparison::Differ => "<>",
                    Comparison::Less => "<",
                };
                write!(f, "{} {sign} {}", self.of(left), self.of(right))
            }
            Condition::IsNull(value) => write!(f, "{} IS NULL", self.of(value)),
            Condition::Not(of) => write!(f, "NOT ({})", self.of(&**of)),
            Condition::Or(left, right) => {
                write!(f, "({} OR {})", self.of(&**left), self.of(&**right))
            }
            Condition::Exists(rows) => write!(f, "EXISTS (SELECT 1 FROM {})", self.of(rows)),
            Condition::Found => f.write_str("FOUND"),
        }
    }
}

impl Display for Printed<'_, Vec<Statement>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.what.iter().try_for_each(|statement| self.of(statement).fmt(f))
    }
}

impl Display for Printed<'_, Statement> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.what {
            Statement::First { rows, columns, into, order } => {
                let put_out = self.columns(rows.table, columns);
                write!(f, "SELECT {put_out} INTO {} FROM {}", self.names(into), self.of(rows))?;
                let key = self.key(rows.table);
                let by = match order {
                    Order::One => return writeln!(f, ";"),
                    Order::Key => self.columns(rows.table, &key),
                    Order::KeyDown => {
                        let table = &self.program.tables[rows.table];
                        let down = key.iter().map(|&at| format!("{} DESC", column(table, at)));
                        down.collect::<Vec<_>>().join(", ")
                    }
                    Order::Column(at) => {
                        let by: Vec<usize> = [*at].into_iter().chain(key).collect();
                        self.columns(rows.table, &by)
                    }
                };
                writeln!(f, " ORDER BY {by} LIMIT 1;")
            }
            Statement::All { rows, columns } => {
                writeln!(f, "SELECT {} FROM {};", self.columns(rows.table, columns), self.of(rows))
            }
            Statement::Fold { query: Folded { fold, rows }, into } => {
                let fold = folded(&self.program.tables[rows.table], *fold);
                writeln!(f, "SELECT {fold} INTO {} FROM {};", self.name(*into), self.of(rows))
            }
            Statement::Assign { value, into } => {
                writeln!(f, "{} := {};", self.name(*into), self.of(value))
            }
            Statement::Update { rows, set } => {
                let set = self.set(rows.table, set, false);
                let rows = self.of(rows).to_string();
                let (table, filter) = rows.split_once(' ').unwrap_or((&rows, ""));
                writeln!(f, "UPDATE {table} SET {set} {filter};")
            }
            Statement::Delete { rows } => writeln!(f, "DELETE FROM {};", self.of(rows)),
            Statement::Insert { table, values, conflict } => {
                let values: Vec<String> =
                    values.iter().map(|value| self.of(value).to_string()).collect();
                write!(f, "INSERT INTO t{table} VALUES ({})", values.join(", "))?;
                match conflict {
                    Conflict::Error => {}
                    Conflict::Nothing => f.write_str(" ON CONFLICT DO NOTHING")?,
                    Conflict::Update(set) => {
                        let key = self.columns(*table, &self.key(*table));
                        let set = self.set(*table, set, true);
                        write!(f, " ON CONFLICT ({key}) DO UPDATE SET {set}")?;
                    }
                }
                writeln!(f, ";")
            }
            Statement::If { condition, then, otherwise } => {
                writeln!(f, "IF {} THEN", self.of(condition))?;
                self.of(then).fmt(f)?;
                if !otherwise.is_empty() {
                    writeln!(f, "ELSE")?;
                    self.of(otherwise).fmt(f)?;
                }
                writeln!(f, "END IF;")
            }
            Statement::For { rows, columns, into, body } => {
                let (key, put_out) = (self.key(rows.table), self.columns(rows.table, columns));
                let by = self.columns(rows.table, &key);
                write!(f, "FOR {} IN SELECT {put_out} FROM ", self.names(into))?;
                writeln!(f, "{} ORDER BY {by} LOOP", self.of(rows))?;
                self.of(body).fmt(f)?;
                writeln!(f, "END LOOP;")
            }
            Statement::Raise => writeln!(f, "RAISE EXCEPTION 'no';"),
            Statement::Return(value) => writeln!(f, "RETURN {};", self.of(value)),
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, table) in self.tables.iter().enumerate() {
            write!(f, "CREATE TABLE t{at} (")?;
            for at in 0..table.width() {
                let required = at >= table.key && !table.nullable[at - table.key];
                let required = if required { " NOT NULL" } else { "" };
                write!(f, "{} int{required}, ", column(table, at))?;
            }
            let key: Vec<&str> = (0..table.key).map(|at| column(table, at)).collect();
            writeln!(f, "PRIMARY KEY ({}));", key.join(", "))?;
        }
        for (at, transaction) in self.transactions.iter().enumerate() {
            let parameters: Vec<String> =
                (0..transaction.parameters).map(|at| format!("p{at} int")).collect();
            writeln!(f, "\n-- transaction x{at}({})", parameters.join(", "))?;
            let parameters = transaction.parameters;
            let body = Printed {
                what: &transaction.body,
                program: self,
                parameters,
                table: 0,
                full: false,
            };
            write!(f, "{body}-- end")?;
            writeln!(f)?;
        }
        Ok(())
    }
}
