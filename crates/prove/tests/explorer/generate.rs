//! Random programs.

use crate::tree::{
    Comparison, Condition, Conflict, Fold, Folded, Order, Program, Rows, Statement, Table,
    Transaction, Value, Variable,
};

/// Numbers from a seed, by SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }

    /// True so often in a hundred.
    fn chance(&mut self, of: usize) -> bool {
        self.below(100) < of
    }
}

/// What programs are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Anything there is.
    Any,
    /// Rows are read and updated by their keys, all that is read is told, and what two instances write can be told apart,
    /// since it is made of a parameter that may be different for each.
    Told,
}

/// A random program; a small one for more instances.
pub(crate) fn program(seed: u64, kind: Kind, small: bool) -> Program {
    let mut random = Random(seed);
    let tables = 1 + usize::from(!small && random.chance(35));
    let wide = tables == 1 && !small && random.chance(15);
    let tables = (0..tables).map(|_| Table {
        key: if wide { 2 } else { 1 },
        nullable: match (wide || small, random.chance(if tables == 1 { 40 } else { 10 })) {
            (false, true) => vec![false, random.chance(10)],
            _ => vec![random.chance(15)],
        },
    });
    let tables: Vec<Table> = match kind {
        Kind::Any => tables.collect(),
        Kind::Told => vec![Table { key: 1, nullable: vec![false; 1 + random.below(2)] }],
    };
    let values =
        if kind == Kind::Any && !small && tables.len() == 1 && random.chance(15) { 3 } else { 2 };
    let mut program = Program { tables, transactions: Vec::new(), keys: 2, values };
    for _ in 0..2 + usize::from(!small && random.chance(20)) {
        let transaction = match kind {
            Kind::Any => any(&mut random, &program, small),
            Kind::Told => told(&mut random, &program),
        };
        program.transactions.push(transaction);
    }
    program
}

fn told(random: &mut Random, program: &Program) -> Transaction {
    let key = program.tables[0].key;
    let one = |random: &mut Random| {
        let at = Value::Int(random.below(program.keys) as i64);
        Rows { table: 0, filter: vec![Condition::Compare(Comparison::Equal, Value::Column(0), at)] }
    };
    let columns = program.tables[0].nullable.len();
    let mut body = Vec::new();
    let mut next = 1;
    for _ in 0..2 + random.below(3) {
        let column = key + random.below(columns);
        if random.chance(45) {
            let (rows, into) = (one(random), vec![next]);
            body.push(Statement::First { rows, columns: vec![column], into, order: Order::One });
            next += 1;
        } else {
            let value = Value::Plus(Box::new(Value::Variable(0)), Box::new(Value::Int(7)));
            body.push(Statement::Update { rows: one(random), set: vec![(column, value)] });
        }
    }
    Transaction { parameters: 1, body }
}

/// Makes a body.
struct Maker<'m> {
    random: &'m mut Random,
    program: &'m Program,
    parameters: usize,
    /// The variables that were assigned before, in the text.
    known: Vec<Variable>,
    next: Variable,
    /// Whether the statement before says what FOUND is.
    after_change: bool,
    /// How many more statements there may be.
    left: usize,
}

fn any(random: &mut Random, program: &Program, small: bool) -> Transaction {
    let parameters = random.below(3).min(2 - usize::from(small || program.tables.len() > 1));
    let left = 1 + random.below(4);
    let known = (0..parameters).collect();
    let mut maker =
        Maker { random, program, parameters, known, next: parameters, after_change: false, left };
    let mut body = maker.block(0);
    if body.is_empty() {
        body.push(maker.simple());
    }
    Transaction { parameters, body }
}

impl Maker<'_> {
    fn block(&mut self, depth: usize) -> Vec<Statement> {
        let mut block = Vec::new();
        while self.left > 0 {
            self.left -= 1;
            block.push(self.statement(depth));
            if depth > 0 && self.random.chance(50) {
                break;
            }
        }
        block
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let can_branch = depth < 2 && self.left > 0;
        match self.random.below(20) {
            0..=4 if can_branch => {
                let condition = self.condition_of_if();
                let known = self.known.clone();
                self.after_change = false;
                let then = match self.random.below(12) {
                    0 => vec![Statement::Raise],
                    1 => vec![Statement::Return(self.plain())],
                    _ => self.block(depth + 1),
                };
                let otherwise = match self.random.chance(40) {
                    true => self.block(depth + 1),
                    false => Vec::new(),
                };
                // What is assigned in a branch may be NULL after it, and is known there all the same.
                debug_assert!(self.known.starts_with(&known));
                Statement::If { condition, then, otherwise }
            }
            5 if can_branch => {
                let rows = self.rows(60);
                let column = self.column(rows.table);
                let variable = self.fresh();
                let body = self.block(depth + 1);
                self.after_change = false;
                Statement::For { rows, columns: vec![column], into: vec![variable], body }
            }
            _ => self.simple(),
        }
    }

    fn simple(&mut self) -> Statement {
        self.after_change = true;
        match self.random.below(20) {
            0..=3 => {
                let rows = self.by_key();
                let columns = vec![self.column(rows.table)];
                Statement::First { rows, columns, into: vec![self.fresh()], order: Order::One }
            }
            4 => {
                let rows = self.rows(60);
                let order = match self.random.below(3) {
                    0 => Order::Key,
                    1 => Order::KeyDown,
                    _ => Order::Column(self.plain_column(rows.table)),
                };
                let columns = vec![self.column(rows.table)];
                Statement::First { rows, columns, into: vec![self.fresh()], order }
            }
            5 => {
                let rows = self.rows(50);
                let columns = vec![self.column(rows.table)];
                Statement::All { rows, columns }
            }
            6..=7 => {
                let query = self.folded();
                Statement::Fold { query, into: self.fresh() }
            }
            8 => {
                self.after_change = false;
                let value = match self.random.chance(50) {
                    true => Value::Query(Box::new(self.folded())),
                    false => self.plain(),
                };
                Statement::Assign { value, into: self.fresh() }
            }
            9..=13 => {
                let rows = if self.random.chance(60) { self.by_key() } else { self.rows(70) };
                let set = self.set(rows.table);
                Statement::Update { rows, set }
            }
            14..=15 => {
                let rows = if self.random.chance(60) { self.by_key() } else { self.rows(70) };
                Statement::Delete { rows }
            }
            _ => {
                let table = self.random.below(self.program.tables.len());
                let definition = &self.program.tables[table];
                let mut values: Vec<Value> = (0..definition.key).map(|_| self.key()).collect();
                for _ in 0..definition.nullable.len() {
                    let value = match self.random.below(8) {
                        0 => Value::Query(Box::new(self.folded())),
                        _ => self.plain(),
                    };
                    values.push(value);
                }
                let conflict = match self.random.below(10) {
                    0..=5 => Conflict::Error,
                    6..=7 => Conflict::Nothing,
                    _ => Conflict::Update(self.set(table)),
                };
                Statement::Insert { table, values, conflict }
            }
        }
    }

    fn fresh(&mut self) -> Variable {
        let variable = self.next;
        self.next += 1;
        self.known.push(variable);
        variable
    }

    /// A column, of the key or not.
    fn column(&mut self, table: usize) -> usize {
        if self.random.chance(20) { 0 } else { self.plain_column(table) }
    }

    fn plain_column(&mut self, table: usize) -> usize {
        let table = &self.program.tables[table];
        table.key + self.random.below(table.nullable.len())
    }

    /// A key of the domain.
    fn key(&mut self) -> Value {
        match self.parameters > 0 && self.random.chance(60) {
            true => Value::Variable(self.random.below(self.parameters)),
            false => Value::Int(self.random.below(self.program.keys) as i64),
        }
    }

    /// A value without rows.
    fn plain(&mut self) -> Value {
        let one = |maker: &mut Self| match maker.known.is_empty() || maker.random.chance(35) {
            true => Value::Int(maker.random.below(4) as i64),
            false => Value::Variable(maker.known[maker.random.below(maker.known.len())]),
        };
        let first = one(self);
        match self.random.below(8) {
            0 => Value::Plus(Box::new(first), Box::new(one(self))),
            1 => Value::Minus(Box::new(first), Box::new(one(self))),
            2 => Value::OrZero(Box::new(first)),
            _ => first,
        }
    }

    fn set(&mut self, table: usize) -> Vec<(usize, Value)> {
        let to = self.plain_column(table);
        let value = match self.random.below(12) {
            0..=4 => Value::Plus(Box::new(Value::Column(to)), Box::new(self.plain())),
            5 => Value::Column(self.column(table)),
            6 => Value::Query(Box::new(self.folded())),
            _ => self.plain(),
        };
        vec![(to, value)]
    }

    fn folded(&mut self) -> Folded {
        let rows = self.rows(50);
        let fold = match self.random.below(5) {
            0 | 1 => Fold::Count,
            2 => Fold::Sum(self.plain_column(rows.table)),
            3 => Fold::Min(self.column(rows.table)),
            _ => Fold::Max(self.column(rows.table)),
        };
        Folded { fold, rows }
    }

    fn by_key(&mut self) -> Rows {
        let table = self.random.below(self.program.tables.len());
        let key = self.program.tables[table].key;
        let mut filter = Vec::new();
        for at in 0..key {
            let value = match self.random.chance(15) {
                true => self.plain(),
                false => self.key(),
            };
            filter.push(Condition::Compare(Comparison::Equal, Value::Column(at), value));
        }
        if self.random.chance(15) {
            let column = self.plain_column(table);
            filter.push(self.comparison(Value::Column(column)));
        }
        Rows { table, filter }
    }

    /// Rows by a condition on a column, so often in a hundred.
    fn rows(&mut self, filtered: usize) -> Rows {
        let table = self.random.below(self.program.tables.len());
        let mut filter = Vec::new();
        if self.random.chance(filtered) {
            let column = self.column(table);
            let condition = match self.random.below(10) {
                0 => Condition::IsNull(Value::Column(column)),
                1 => {
                    let left = Box::new(self.comparison(Value::Column(column)));
                    Condition::Or(left, Box::new(self.comparison(Value::Column(0))))
                }
                _ => self.comparison(Value::Column(column)),
            };
            filter.push(condition);
        }
        Rows { table, filter }
    }

    fn comparison(&mut self, left: Value) -> Condition {
        let how = match self.random.below(4) {
            0 | 1 => Comparison::Equal,
            2 => Comparison::Differ,
            _ => Comparison::Less,
        };
        Condition::Compare(how, left, self.plain())
    }

    fn condition_of_if(&mut self) -> Condition {
        if self.after_change && self.random.chance(25) {
            return match self.random.chance(50) {
                true => Condition::Found,
                false => Condition::Not(Box::new(Condition::Found)),
            };
        }
        match self.random.below(10) {
            0..=3 => {
                let exists = Condition::Exists(self.rows(70));
                match self.random.chance(50) {
                    true => Condition::Not(Box::new(exists)),
                    false => exists,
                }
            }
            4 if !self.known.is_empty() => {
                let variable = self.known[self.random.below(self.known.len())];
                Condition::IsNull(Value::Variable(variable))
            }
            5 => {
                let left = Value::Query(Box::new(self.folded()));
                self.comparison(left)
            }
            6 => {
                let left = self.plain();
                let left = Box::new(self.comparison(left));
                Condition::Or(left, Box::new(Condition::Exists(self.rows(70))))
            }
            _ => {
                let left = self.plain();
                self.comparison(left)
            }
        }
    }
}
