//! Which function or operator is meant.

use std::collections::HashMap;
use std::sync::LazyLock;

use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_mysql_types::{Kind, MyType, TypeId, common};
use hobgoblin_sql_schema::function::{Candidate, Function, Resolution};
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::Datum;

use crate::aggregates::{self, AGGREGATES};
use crate::entry::Entry;
use crate::missing::is_missing;
use crate::{
    arithmetic, bits, compare, control, dates, encode, json, math, natural, network, patterns,
    session, sformat, strings,
};

static SCALARS: &[&[Entry]] = &[
    arithmetic::FUNCTIONS,
    control::FUNCTIONS,
    patterns::FUNCTIONS,
    strings::FUNCTIONS,
    encode::FUNCTIONS,
    math::FUNCTIONS,
    session::FUNCTIONS,
    bits::FUNCTIONS,
    network::FUNCTIONS,
    natural::FUNCTIONS,
    sformat::FUNCTIONS,
];

static OPERATORS: &[&[Entry]] = &[arithmetic::OPERATORS, control::OPERATORS, patterns::OPERATORS];

static PREFIXES: &[&[Entry]] = &[arithmetic::PREFIXES, control::PREFIXES];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Entry>> = LazyLock::new(|| {
    SCALARS
        .iter()
        .chain(dates::FUNCTIONS)
        .chain(json::FUNCTIONS)
        .copied()
        .flatten()
        .map(|entry| (entry.function.name, entry))
        .collect()
});

fn candidate(entry: &'static Entry, types: &[TypeId]) -> Result<Candidate<Function>> {
    let mine: Vec<MyType> = types.iter().map(|ty| MyType::of(*ty)).collect();
    let result = (entry.typing)(&mine)?.id();
    Ok(Candidate { function: &entry.function, args: types.to_vec(), result })
}

fn unknown(name: &str) -> SqlError {
    Binding::NoFunction { function: name.to_owned(), arguments: Vec::new() }.into()
}

/// The function that a call means, whatever case its name is in.
pub fn function(name: &str, types: &[TypeId]) -> Result<Resolution> {
    let name = name.to_ascii_lowercase();
    let count = || {
        let message = format!("Incorrect parameter count in the call to native function '{name}'");
        error(error::WRONG_PARAMETER_COUNT, message)
    };
    if let Some(row) = AGGREGATES.iter().find(|row| row.aggregate.name == name) {
        return match (row.least..=row.most).contains(&types.len()) {
            true => Ok(Resolution::Aggregate(row.candidate(types)?)),
            false => Err(count()),
        };
    }
    if let Some((window, args, result)) = aggregates::window(&name, types) {
        return Ok(Resolution::Window(window, args, result));
    }
    let Some(entry) = BY_NAME.get(&*name) else {
        return Err(match is_missing(&name) {
            true => SqlError::unsupported(name.to_ascii_uppercase()),
            false => unknown(&name),
        });
    };
    if !entry.count.contains(&types.len()) {
        return Err(count());
    }
    Ok(Resolution::Scalar(candidate(entry, types)?))
}

/// The type of a call where some of its arguments are constants: `ROUND(x, 2)` has two digits after the point.
pub fn refined(
    function: &Function,
    types: &[TypeId],
    constants: &[Option<&Datum>],
    result: TypeId,
) -> TypeId {
    let Some(refine) = BY_NAME.get(function.name).and_then(|entry| entry.refine) else {
        return result;
    };
    let types: Vec<MyType> = types.iter().map(|ty| MyType::of(*ty)).collect();
    refine(&types, constants, MyType::of(result)).id()
}

/// Whether a name is an aggregate's.
pub fn is_aggregate(name: &str) -> bool {
    AGGREGATES.iter().any(|row| row.aggregate.name.eq_ignore_ascii_case(name))
}

/// Whether there is a function of a name.
pub fn has_function(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    BY_NAME.contains_key(&*name) || is_aggregate(&name)
}

/// The one type of several; `what` says for what. A list of IN is compared as one type only if that compares as each of its values
/// would: else there is an error, and each is compared on its own.
pub fn common_type(types: &[TypeId], what: &str) -> Result<TypeId> {
    if what != "IN" {
        return hobgoblin_sql_mysql_types::common_type(types);
    }
    let mine: Vec<MyType> = types.iter().map(|ty| MyType::of(*ty)).collect();
    let known: Vec<MyType> = mine.into_iter().filter(|ty| *ty != MyType::NULL).collect();
    let plain = |ty: &MyType| ty.is_integer() && !matches!(ty.kind, Kind::Truth | Kind::Year);
    if known.iter().all(plain) {
        return Ok(MyType::WHOLE_KEY.id());
    }
    let text = |ty: &MyType| ty.is_text() && ty.has_letters() && ty.kind != Kind::Json;
    if known.iter().all(text) {
        return Ok(MyType::key(common::collation_of(&known, "in")?.0).id());
    }
    match known.windows(2).all(|pair| pair[0] == pair[1]) {
        true => hobgoblin_sql_mysql_types::common_type(types),
        false => Err(SqlError::unsupported("one type for a list of IN")),
    }
}

/// The operator that an expression means; without a left side it is a prefix.
pub fn operator(op: &str, left: Option<TypeId>, right: TypeId) -> Result<Candidate<Function>> {
    let upper = op.to_ascii_uppercase();
    let find = |tables: &'static [&'static [Entry]]| {
        tables.iter().copied().flatten().find(|entry| entry.function.name == upper)
    };
    let (entry, types) = match left {
        Some(left) => {
            if let Some(found) = compare::find(op, MyType::of(left), MyType::of(right))? {
                return Ok(found);
            }
            let name = if upper == "MOD" { "%" } else { &upper };
            let named = OPERATORS.iter().copied().flatten();
            (named.into_iter().find(|entry| entry.function.name == name), vec![left, right])
        }
        None => (find(PREFIXES), vec![right]),
    };
    let entry = entry.ok_or_else(|| SqlError::unsupported(format!("the operator {op}")))?;
    candidate(entry, &types)
}

/// What makes a condition of a value of a type, unless it is one.
pub fn condition(ty: TypeId) -> Option<Candidate<Function>> {
    candidate(control::condition(ty)?, &[ty]).ok()
}

#[cfg(test)]
mod tests {
    use hobgoblin_sql_schema::Problem;

    use super::*;
    use hobgoblin_sql_mysql_types::{Collation, facts};

    #[test]
    fn lists_have_one_type_only_where_that_compares_alike() {
        let (unsigned, int) = (MyType::UNSIGNED.id(), TypeId::INTEGER);
        let text = MyType::text(3, Collation::DEFAULT).id();
        let key = common_type(&[unsigned, int, TypeId::UNKNOWN], "IN").expect("all are integers");
        // An index over an unsigned column finds what a list of constants has.
        assert!(facts(key).integer && facts(unsigned).integer);
        assert!(common_type(&[int, text], "IN").is_err());
        assert_eq!(common_type(&[text, text], "IN"), Ok(MyType::key(Collation::DEFAULT).id()));
        assert_eq!(
            MyType::of(common_type(&[int, text], "CASE").expect("a text")).kind,
            Kind::VarChar
        );
    }

    #[test]
    fn what_is_not_there_has_no_function() {
        let refused = function("st_area", &[]).expect_err("it is missing");
        assert!(matches!(refused.problem(), Some(Problem::Unsupported(_))));
        let problem = function("no_such_function", &[]).expect_err("there is none");
        assert!(matches!(problem.binding(), Some(Binding::NoFunction { .. })));
        assert_eq!(function("abs", &[]).expect_err("it wants one").more.number, Some(1582));
        assert!(operator("@@", Some(TypeId::INTEGER), TypeId::INTEGER).is_err());
        assert!(is_aggregate("GROUP_CONCAT") && has_function("Json_Extract"));
    }
}
