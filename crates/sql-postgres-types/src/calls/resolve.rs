//! Which function, operator or aggregate a call means.
//!
//! The rules are PostgreSQL's (manual, chapter 10). An exact match of types wins. Otherwise those remain
//! that the arguments convert to implicitly, and among them those with most exact matches, then those
//! that take most preferred types, then those that suit literals of no known type yet:
//!
//! ```text
//!     2 + 1.5        no integer + numeric; numeric + numeric and float8 + float8 remain;
//!                    numeric + numeric has one exact match more
//!     price = '3'    the literal takes the type of the other side
//!     lower(name)    varchar converts to text without a function
//! ```

use std::borrow::Cow;
use std::cell::RefCell;

use hashbrown::HashMap;
use hobgoblin_sql_schema::function::{Candidate, Function, Resolution, SetFunction};

use super::common::{converts, is_polymorphic};
use super::conversion::CAST;
use super::entry::Entry;
use super::{missing, polymorphic};
use crate::cast::{self};
use crate::error::{Result, SqlError, SqlState};
use crate::{Names, PgType, TypeId, builtin};

/// The columns of a function that gives rows, with polymorphic types filled in.
fn columns(
    function: &SetFunction,
    args: &[TypeId],
    names: &dyn Names,
) -> Vec<(&'static str, TypeId)> {
    let declared = expand(function.args, function.variadic, args.len()).unwrap_or_default();
    let resolve = |ty| polymorphic::result(ty, &declared, args, names).unwrap_or(ty);
    function.columns.iter().map(|&(name, ty)| (name, resolve(ty))).collect()
}

/// All functions, aggregates and operators by name. An operator's name is its symbol, so they share
/// a map.
pub struct Functions {
    own: HashMap<&'static str, Vec<Entry>>,
    /// The functions that extensions add, each with the name of its extension.
    added: HashMap<&'static str, Vec<(&'static str, Entry)>>,
}

impl Functions {
    /// A table of the functions that are always there, and of those that each extension adds.
    pub fn new(
        own: impl Iterator<Item = Entry>,
        added: impl Iterator<Item = (&'static str, Entry)>,
    ) -> Functions {
        let mut functions = Functions { own: HashMap::new(), added: HashMap::new() };
        for entry in own {
            functions.own.entry(entry.name()).or_default().push(entry);
        }
        for (extension, entry) in added {
            functions.added.entry(entry.name()).or_default().push((extension, entry));
        }
        functions
    }

    /// The functions of a name that are always there.
    pub fn named(&self, name: &str) -> &[Entry] {
        self.own.get(name).map_or(&[], Vec::as_slice)
    }

    /// The functions that a name reaches: those that are always there, and those of extensions in
    /// this schema or in the search path.
    fn reached(&self, schema: Option<&str>, name: &str, names: &dyn Names) -> Cow<'_, [Entry]> {
        let reaches = |extension: &str| {
            names.extension_schema(extension).is_some_and(|within| match schema {
                Some(schema) => schema == within,
                None => names.searches(within),
            })
        };
        let added = self.added.get(name).into_iter().flatten();
        let added = added.filter(|(extension, _)| reaches(extension)).map(|(_, entry)| *entry);
        let added: Vec<Entry> = added.collect();
        match added.is_empty() {
            true => Cow::Borrowed(self.named(name)),
            false => Cow::Owned([self.named(name), &added].concat()),
        }
    }

    /// Whether an extension has a function of this name in this schema.
    pub fn is_within(&self, schema: &str, name: &str, names: &dyn Names) -> bool {
        matches!(self.reached(Some(schema), name, names), Cow::Owned(_))
    }

    /// Whether this name is an aggregate's.
    pub fn is_aggregate(&self, name: &str) -> bool {
        self.named(name).iter().any(|entry| matches!(entry, Entry::Aggregate(_)))
    }

    /// The function that a call means. `schema` is what stands before the name.
    pub fn function(
        &self,
        schema: Option<&str>,
        name: &str,
        args: &[TypeId],
        names: &dyn Names,
    ) -> Result<Resolution> {
        let entries = self.reached(schema, name, names);
        let mut matches = Vec::new();
        let given = args;
        let base: Vec<TypeId> =
            args.iter().map(|&ty| builtin::base_type(ty, -1, names).0).collect();
        let args = &base[..];
        for &entry in &*entries {
            if entry.args() == args && !args.iter().any(|&ty| is_polymorphic(ty)) {
                return finish(Match { entry, args: args.to_vec() }, args, names);
            }
            if let Some(args) = expand(entry.args(), entry.variadic(), args.len()) {
                matches.push(Match { entry, args });
            }
        }
        if let [source] = args
            && let Some(target) = type_of_name(name).or_else(|| added_type(schema, name, names))
            && (*source == TypeId::UNKNOWN || cast::context(*source, target, names).is_some())
            && !matches.iter().any(|m| m.args == args)
        {
            return Ok(Resolution::Scalar(Candidate {
                function: &CAST,
                args: vec![if *source == TypeId::UNKNOWN { target } else { *source }],
                result: target,
            }));
        }
        match choose(matches, args, names) {
            Choice::One(found) => finish(found, given, names),
            Choice::None if entries.is_empty() && missing::has(name) => {
                Err(SqlError::unsupported(format!("the function {name}")))
            }
            Choice::None => Err(SqlError::new(
                SqlState::UNDEFINED_FUNCTION,
                format!("function {} does not exist", signature(name, args, names)),
            )
            .hint(
                "No function matches the given name and argument types. You might need to add explicit type casts.",
            )),
            Choice::Many => Err(SqlError::new(
                SqlState::AMBIGUOUS_FUNCTION,
                format!("function {} is not unique", signature(name, args, names)),
            )
            .hint("Could not choose a best candidate function. You might need to add explicit type casts.")),
        }
    }

    /// The operator that an expression means; `left` is `None` for a prefix.
    pub fn operator(
        &self,
        op: &str,
        left: Option<TypeId>,
        right: TypeId,
        names: &dyn Names,
    ) -> Result<Candidate<Function>> {
        let op = if op == "!=" { "<>" } else { op };
        let base = |ty| builtin::base_type(ty, -1, names).0;
        let (left, right) = (left.map(base), base(right));
        let entries = self.reached(None, op, names);
        let extended = matches!(entries, Cow::Owned(_));
        let pair = [left.unwrap_or(right), right];
        let args = if left.is_some() { &pair[..] } else { &pair[1..] };
        for exact in [assume_known(pair), assume_text(pair)] {
            let exact = if left.is_some() { &exact[..] } else { &exact[1..] };
            if let Some(candidate) = exact_operator(&entries, exact) {
                return Ok(candidate);
            }
        }
        let key = self.own.get_key_value(op).map(|(&op, _)| (op, left, right));
        let key = key.filter(|_| !extended && pair.iter().all(|ty| ty.0 < TypeId::FIRST_USER));
        if let Some(found) =
            key.and_then(|key| REMEMBERED.with_borrow(|map| map.get(&key).cloned()))
        {
            return Ok(found);
        }
        let mut matches = Vec::new();
        for &entry in &*entries {
            if entry.args().len() == args.len() {
                matches.push(Match { entry, args: entry.args().to_vec() });
            }
        }
        let many = match choose(matches, args, names) {
            Choice::One(found) => match finish(found, args, names)? {
                Resolution::Scalar(candidate) => {
                    if let Some(key) = key {
                        REMEMBERED.with_borrow_mut(|map| map.insert(key, candidate.clone()));
                    }
                    return Ok(candidate);
                }
                _ => false,
            },
            Choice::None => false,
            Choice::Many => true,
        };
        Err(operator_error(op, left, right, many, names))
    }
}

/// The types that the arguments of a call with `n` of them are matched with; `None` if the function
/// takes another number.
fn expand(args: &[TypeId], variadic: bool, n: usize) -> Option<Vec<TypeId>> {
    if args.len() == n {
        return Some(args.to_vec());
    }
    let last = *args.last()?;
    (variadic && n > args.len()).then(|| {
        let mut all = args.to_vec();
        all.resize(n, last);
        all
    })
}

/// A function that takes as many arguments as the call has.
struct Match {
    entry: Entry,
    args: Vec<TypeId>,
}

enum Choice {
    One(Match),
    None,
    Many,
}

/// The type of an extension whose name a call has, as in `citext('a')`.
fn added_type(schema: Option<&str>, name: &str, names: &dyn Names) -> Option<TypeId> {
    names.type_by_name(schema, name).filter(|ty| builtin::extension_of(*ty).is_some())
}

/// The type whose name a call has, as in `text(5)` or `date('2024-01-01')`.
fn type_of_name(name: &str) -> Option<TypeId> {
    Some(match name {
        "bool" => TypeId::BOOL,
        "bytea" => TypeId::BYTEA,
        "int2" => TypeId::INT2,
        "int4" => TypeId::INT4,
        "int8" => TypeId::INT8,
        "oid" => TypeId::OID,
        "float4" => TypeId::FLOAT4,
        "float8" => TypeId::FLOAT8,
        "numeric" => TypeId::NUMERIC,
        "text" => TypeId::TEXT,
        "varchar" => TypeId::VARCHAR,
        "bpchar" => TypeId::BPCHAR,
        "name" => TypeId::NAME,
        "date" => TypeId::DATE,
        "time" => TypeId::TIME,
        "timetz" => TypeId::TIMETZ,
        "timestamp" => TypeId::TIMESTAMP,
        "timestamptz" => TypeId::TIMESTAMPTZ,
        "interval" => TypeId::INTERVAL,
        "uuid" => TypeId::UUID,
        "json" => TypeId::JSON,
        "jsonb" => TypeId::JSONB,
        "regclass" => TypeId::REGCLASS,
        "regtype" => TypeId::REGTYPE,
        _ => return None,
    })
}

/// An operator and the types of its operands.
type Sides = (&'static str, Option<TypeId>, TypeId);

thread_local! {
    /// The operators on built-in types that have been looked for before. They are few and never
    /// change.
    static REMEMBERED: RefCell<HashMap<Sides, Candidate<Function>>> = RefCell::default();
}

/// Takes an untyped constant for one of the type on the other side.
fn assume_known([left, right]: [TypeId; 2]) -> [TypeId; 2] {
    match (left, right) {
        (TypeId::UNKNOWN, known) | (known, TypeId::UNKNOWN) => [known, known],
        _ => [left, right],
    }
}

/// Takes `varchar` for `text`, since it has no operators of its own and the rules below end there
/// anyway.
fn assume_text(pair: [TypeId; 2]) -> [TypeId; 2] {
    let string = |ty| matches!(ty, TypeId::TEXT | TypeId::VARCHAR | TypeId::UNKNOWN);
    if pair.into_iter().all(string) { [TypeId::TEXT; 2] } else { pair }
}

fn exact_operator(entries: &[Entry], args: &[TypeId]) -> Option<Candidate<Function>> {
    entries.iter().find_map(|&entry| match entry {
        Entry::Scalar(function) if function.args == args => {
            Some(Candidate { function, args: args.to_vec(), result: function.result })
        }
        _ => None,
    })
}

fn operator_error(
    op: &str,
    left: Option<TypeId>,
    right: TypeId,
    many: bool,
    names: &dyn Names,
) -> SqlError {
    let shown = builtin::format_type(right, -1, names);
    let text = match left {
        Some(left) => format!("{} {op} {shown}", builtin::format_type(left, -1, names)),
        None => format!("{op} {shown}"),
    };
    if many {
        return SqlError::new(SqlState::AMBIGUOUS_FUNCTION, format!("operator is not unique: {text}")).hint(
            "Could not choose a best candidate operator. You might need to add explicit type casts.",
        );
    }
    // Operators of PostgreSQL for types and features that are not here.
    let strings = left.is_some_and(cast::is_string) && cast::is_string(right);
    if !strings && ["@?", "@@", "@@@", "<->", "<<|", "|>>", "~=", "?#", "##"].contains(&op) {
        return SqlError::unsupported(format!("the operator {op}"));
    }
    SqlError::new(SqlState::UNDEFINED_FUNCTION, format!("operator does not exist: {text}")).hint(
        match left {
            Some(_) => {
                "No operator matches the given name and argument types. You might need to add explicit type casts."
            }
            None => {
                "No operator matches the given name and argument type. You might need to add an explicit type cast."
            }
        },
    )
}

fn signature(name: &str, args: &[TypeId], names: &dyn Names) -> String {
    let types: Vec<String> = args.iter().map(|&ty| builtin::format_type(ty, -1, names)).collect();
    // Only the grammar calls `extract`, and it says where it is.
    let schema = if name == "extract" { "pg_catalog." } else { "" };
    format!("{schema}{name}({})", types.join(", "))
}

/// The result of the search, with polymorphic types filled in.
fn finish(found: Match, actual: &[TypeId], names: &dyn Names) -> Result<Resolution> {
    let Match { entry, args: declared } = found;
    let result = entry.result();
    let (args, result) = if declared.iter().any(|&ty| is_polymorphic(ty)) {
        let args = polymorphic::arguments(&declared, actual, names)?;
        let result = polymorphic::result(result, &declared, &args, names)?;
        (args, result)
    } else {
        let args = declared.iter().zip(actual);
        let args = args.map(|(&d, &a)| if d == TypeId::ANY { a } else { d }).collect();
        (args, result)
    };
    Ok(match entry {
        Entry::Scalar(function) => Resolution::Scalar(Candidate { function, args, result }),
        Entry::Set(function) => {
            let columns = columns(function, &args, names);
            Resolution::Set(Candidate { function, args, result }, columns)
        }
        Entry::Aggregate(function) => Resolution::Aggregate(Candidate { function, args, result }),
        Entry::Window(window) => Resolution::Window(window.window, args, result),
    })
}

/// The one candidate that PostgreSQL's rules leave, if they leave one (`func_match_argtypes`,
/// `func_select_candidate`).
fn choose(mut matches: Vec<Match>, actual: &[TypeId], names: &dyn Names) -> Choice {
    matches.retain(|m| {
        m.args.iter().zip(actual).all(|(&to, &from)| converts(from, to, names))
            && polymorphic::consistent(&m.args, actual, names)
    });
    if matches.is_empty() {
        return Choice::None;
    }
    // Of a plain function and a variadic one that take the same, the plain one is meant.
    if matches.len() > 1 {
        let plain: Vec<Vec<TypeId>> =
            matches.iter().filter(|m| !m.entry.variadic()).map(|m| m.args.clone()).collect();
        matches.retain(|m| !m.entry.variadic() || !plain.contains(&m.args));
    }
    let known = |i: usize| actual.get(i).is_some_and(|&ty| ty != TypeId::UNKNOWN);
    keep_best(&mut matches, |m| {
        m.args.iter().zip(actual).enumerate().filter(|&(i, (a, b))| known(i) && a == b).count()
    });
    let categories: Vec<char> = actual.iter().map(|&ty| polymorphic::category(ty, names)).collect();
    keep_best(&mut matches, |m| {
        let pairs = m.args.iter().zip(actual).zip(&categories).enumerate();
        pairs
            .filter(|&(i, ((&a, &b), &category))| {
                known(i)
                    && (a == b || (polymorphic::category(a, names) == category && preferred(a)))
            })
            .count()
    });
    let unknowns: Vec<usize> = (0..actual.len()).filter(|&i| !known(i)).collect();
    if matches.len() > 1 && !unknowns.is_empty() {
        by_category(&mut matches, &unknowns, names);
    }
    if matches.len() > 1 && !unknowns.is_empty() && unknowns.len() < actual.len() {
        by_other_arguments(&mut matches, actual, names);
    }
    match matches.pop() {
        Some(found) if matches.is_empty() => Choice::One(found),
        _ => Choice::Many,
    }
}

fn preferred(ty: TypeId) -> bool {
    builtin::is_preferred(ty)
}

fn keep_best(matches: &mut Vec<Match>, score: impl Fn(&Match) -> usize) {
    if matches.len() > 1 {
        let best = matches.iter().map(&score).max().unwrap_or(0);
        matches.retain(|m| score(m) == best);
    }
}

/// Leaves the candidates that suit untyped constants: in each place, those of the category on which
/// all agree, or strings if any takes one there.
fn by_category(matches: &mut Vec<Match>, unknowns: &[usize], names: &dyn Names) {
    let mut places = Vec::new();
    for &i in unknowns {
        let mut slot: Option<(char, bool)> = None;
        let mut conflict = false;
        for m in matches.iter() {
            let Some(&ty) = m.args.get(i) else { return };
            let (category, prefers) = (polymorphic::category(ty, names), preferred(ty));
            match &mut slot {
                None => slot = Some((category, prefers)),
                Some((at, any)) if *at == category => *any |= prefers,
                Some(slot) if category == 'S' => *slot = (category, prefers),
                Some(_) => conflict = true,
            }
        }
        match slot {
            Some((category, prefers)) if !conflict || category == 'S' => {
                places.push((i, category, prefers))
            }
            _ => return,
        }
    }
    let fits = |m: &Match| {
        places.iter().all(|&(i, category, prefers)| {
            m.args.get(i).is_some_and(|&ty| {
                polymorphic::category(ty, names) == category && (!prefers || preferred(ty))
            })
        })
    };
    if matches.iter().any(fits) {
        matches.retain(fits);
    }
}

/// If all typed arguments have one type, leaves the candidate that takes this type in the other
/// places.
fn by_other_arguments(matches: &mut Vec<Match>, actual: &[TypeId], names: &dyn Names) {
    let mut known = actual.iter().filter(|&&ty| ty != TypeId::UNKNOWN);
    let Some(&first) = known.next() else { return };
    if known.any(|&ty| ty != first) {
        return;
    }
    let same = vec![first; actual.len()];
    let fits = |m: &Match| {
        m.args.iter().all(|&to| converts(first, to, names))
            && polymorphic::consistent(&m.args, &same, names)
    };
    if matches.iter().filter(|m| fits(m)).count() == 1 {
        matches.retain(fits);
    }
}
