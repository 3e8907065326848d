//! `pg_proc`: the functions of PostgreSQL 15 with their oids, and those that only we have.
//!
//! Clients look at functions by oid (`pg_type.typinput`) and by name (`'array_in'::regproc`), so all of
//! PostgreSQL's are listed, also those a call of which is refused.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::value::*;
use super::{VirtualCx, extensions};
use crate::catalog::Catalog;
use crate::catalog::names::split_text;
use crate::catalog::quote_ident;
use crate::catalog::{OWNER, PG_CATALOG};
use crate::types::{Datum, Names, Oid, PgType, TypeId, builtin};

/// A function of the system.
#[derive(Debug)]
pub(crate) struct Procedure {
    pub(crate) oid: Oid,
    pub(crate) name: &'static str,
    schema: &'static str,
    /// The extension it belongs to, if any; then it is in that one's schema.
    pub(super) extension: Option<&'static str>,
    kind: char,
    leakproof: bool,
    strict: bool,
    set: bool,
    volatility: char,
    parallel: char,
    language: Oid,
    cost: f64,
    rows: f64,
    variadic: Oid,
    support: &'static str,
    defaults: Vec<&'static str>,
    result: TypeId,
    args: Vec<TypeId>,
    /// All arguments, those it gives too; empty when it only takes some.
    all_args: Vec<TypeId>,
    /// `i`, `o`, `b`, `v` or `t` for each of them.
    modes: &'static str,
    names: Vec<&'static str>,
    source: &'static str,
}

/// The functions that PostgreSQL does not have.
const OURS: [&str; 1] = ["15000\thob_fence\tcfftfvs\t12\t1\t0\t0\t\t\t2278\t\t\t\t\t"];

struct Procedures {
    all: Vec<Procedure>,
    by_name: HashMap<&'static str, Vec<usize>>,
}

static PROCEDURES: LazyLock<Procedures> = LazyLock::new(|| {
    let lines = include_str!("data/pg_proc.tsv").lines();
    let mut all: Vec<Procedure> =
        lines.filter_map(|line| of_fields(line.split('\t'), None)).collect();
    let mut by_name: HashMap<&'static str, Vec<usize>> = HashMap::new();
    for (at, procedure) in all.iter().enumerate() {
        by_name.entry(procedure.name).or_default().push(at);
    }
    for line in OURS {
        if let Some(procedure) = of_fields(line.split('\t'), None) {
            by_name.entry(procedure.name).or_default().push(all.len());
            all.push(procedure);
        }
    }
    for (extension, fields) in extensions::lines("pg_proc") {
        if let Some(procedure) = of_fields(fields.into_iter(), Some(extension)) {
            by_name.entry(procedure.name).or_default().push(all.len());
            all.push(procedure);
        }
    }
    Procedures { all, by_name }
});

fn of_fields(
    mut fields: impl Iterator<Item = &'static str>,
    extension: Option<&'static str>,
) -> Option<Procedure> {
    let oid = fields.next()?.parse().ok()?;
    let name = fields.next()?;
    let flags: Vec<char> = fields.next()?.chars().collect();
    let [schema, kind, leakproof, strict, set, volatility, parallel] = flags.try_into().ok()?;
    let language = fields.next()?.parse().ok()?;
    let cost = fields.next()?.parse().ok()?;
    let rows = fields.next()?.parse().ok()?;
    let variadic = fields.next()?.parse().ok()?;
    let support = fields.next()?;
    let split = |list: &'static str, by: &'static str| match list {
        "" => Vec::new(),
        list => list.split(by).collect(),
    };
    let types = |list| split(list, " ").into_iter().filter_map(|t| t.parse().ok()).map(TypeId);
    Some(Procedure {
        oid,
        name,
        schema: if schema == 'c' { "pg_catalog" } else { "information_schema" },
        extension,
        kind,
        leakproof: leakproof == 't',
        strict: strict == 't',
        set: set == 't',
        volatility,
        parallel,
        language,
        cost,
        rows,
        variadic,
        support,
        defaults: split(fields.next()?, ", "),
        result: TypeId(fields.next()?.parse().ok()?),
        args: types(fields.next()?).collect(),
        all_args: types(fields.next()?).collect(),
        modes: fields.next()?,
        names: split(fields.next()?, " "),
        source: fields.next().filter(|source| !source.is_empty()).unwrap_or(name),
    })
}

/// A function by its oid.
pub(crate) fn by_oid(oid: Oid) -> Option<&'static Procedure> {
    let all = &PROCEDURES.all;
    let sorted = all.binary_search_by_key(&oid, |procedure| procedure.oid);
    sorted.ok().and_then(|at| all.get(at))
}

/// The functions of `pg_catalog` with a name.
pub(crate) fn of_name(name: &str) -> impl Iterator<Item = &'static Procedure> {
    let places = PROCEDURES.by_name.get(name).into_iter().flatten();
    places.filter_map(|at| PROCEDURES.all.get(*at))
}

/// The functions of a name, which may be qualified.
fn named(text: &str, names: &dyn Names) -> Vec<&'static Procedure> {
    let Some(parts) = split_text(text) else { return Vec::new() };
    let (schema, name) = match parts.as_slice() {
        [name] => (None, name),
        [schema, name] | [_, schema, name] => (Some(schema.as_str()), name),
        _ => return Vec::new(),
    };
    let places = PROCEDURES.by_name.get(name.as_str());
    let found = places.into_iter().flatten().filter_map(|at| PROCEDURES.all.get(*at));
    let within = |procedure: &&Procedure| match (procedure.schema(names), schema) {
        (Some(found), Some(schema)) => found == schema,
        (Some(found), None) => found == "pg_catalog" || names.searches(found),
        (None, _) => false,
    };
    found.filter(within).collect()
}

/// The function that a name means: the only one; with arguments, the one that takes them.
pub(crate) fn only(text: &str, with_arguments: bool, names: &dyn Names) -> Option<Oid> {
    match find(text, with_arguments, names)[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// The functions of a name; with arguments, the one that takes them.
pub(crate) fn find(text: &str, with_arguments: bool, names: &dyn Names) -> Vec<Oid> {
    let oid = |procedure: &Procedure| procedure.oid;
    if !with_arguments {
        return named(text, names).into_iter().map(oid).collect();
    }
    taking(text, names).map(oid).into_iter().collect()
}

fn taking(text: &str, names: &dyn Names) -> Option<&'static Procedure> {
    let (name, rest) = text.split_once('(')?;
    let list = rest.trim_end().strip_suffix(')')?;
    let types: Option<Vec<TypeId>> = match list.trim() {
        "" => Some(Vec::new()),
        list => list.split(',').map(|t| Some(builtin::parse_type_name(t, names)?.0)).collect(),
    };
    let types = types?;
    named(name.trim(), names).into_iter().find(|procedure| procedure.args == types)
}

/// A function as regproc prints it, or as regprocedure does.
pub(crate) fn display(oid: Oid, with_arguments: bool, names: &dyn Names) -> Option<String> {
    let found = by_oid(oid)?;
    let name = quote_ident(found.name);
    let schema = found.schema(names)?;
    let reached = schema == "pg_catalog" || names.searches(schema);
    let plain = reached && (with_arguments || named(&name, names).len() == 1);
    let name = if plain { name.into_owned() } else { format!("{}.{name}", quote_ident(schema)) };
    if !with_arguments {
        return Some(name);
    }
    let args = found.args.iter().map(|ty| builtin::format_type(*ty, -1, names));
    Some(format!("{name}({})", args.collect::<Vec<_>>().join(",")))
}

impl Procedure {
    /// The schema it is in; none if its extension was not made.
    fn schema<'a>(&self, names: &'a dyn Names) -> Option<&'a str> {
        match self.extension {
            Some(extension) => names.extension_schema(extension),
            None => Some(self.schema),
        }
    }

    /// The names of what it takes, if they have names, and the defaults of the last of them.
    pub(crate) fn inputs(&self) -> (&[&'static str], &[&'static str]) {
        let names = self.names.get(..self.args.len()).unwrap_or_default();
        (names, &self.defaults)
    }

    /// Its arguments with their names, modes and defaults, as `pg_get_function_arguments` prints them;
    /// without defaults and what it only gives, as `pg_get_function_identity_arguments` does.
    pub(crate) fn arguments(&self, names: &dyn Names, identity: bool) -> String {
        let types = if self.all_args.is_empty() { &self.args } else { &self.all_args };
        let mut inputs = 0;
        let mut shown = Vec::new();
        for (at, ty) in types.iter().enumerate() {
            let mode = self.modes.chars().nth(at).unwrap_or('i');
            let input = matches!(mode, 'i' | 'b' | 'v');
            inputs += usize::from(input);
            if mode == 't' || (identity && !input) {
                continue;
            }
            let mut text = match mode {
                'o' => "OUT ",
                'b' => "INOUT ",
                'v' => "VARIADIC ",
                _ if self.modes.is_empty() && self.variadic != 0 && at + 1 == types.len() => {
                    "VARIADIC "
                }
                _ => "",
            }
            .to_owned();
            if let Some(name) = self.names.get(at).filter(|name| !name.is_empty()) {
                text.push_str(&quote_ident(name));
                text.push(' ');
            }
            text.push_str(&builtin::format_type(*ty, -1, names));
            let default = (inputs + self.defaults.len()).checked_sub(self.args.len() + 1);
            if let (true, false, Some(default)) = (input, identity, default)
                && let Some(default) = self.defaults.get(default)
            {
                text.push_str(" DEFAULT ");
                text.push_str(default);
            }
            shown.push(text);
        }
        shown.join(", ")
    }

    /// What it gives, as `pg_get_function_result` prints it.
    pub(crate) fn result(&self, names: &dyn Names) -> String {
        let result = builtin::format_type(self.result, -1, names);
        let columns: Vec<String> = self
            .modes
            .chars()
            .enumerate()
            .filter(|(_, mode)| *mode == 't')
            .filter_map(|(at, _)| {
                let ty = builtin::format_type(*self.all_args.get(at)?, -1, names);
                Some(format!("{} {ty}", quote_ident(self.names.get(at)?)))
            })
            .collect();
        match (columns.is_empty(), self.set) {
            (false, _) => format!("TABLE({})", columns.join(", ")),
            (true, true) => format!("SETOF {result}"),
            (true, false) => result,
        }
    }

    /// `probin`: where the code of an extension's functions in C would be.
    fn library(&self) -> Datum {
        const C: Oid = 13;
        let extension = self.extension.filter(|_| self.language == C);
        extension.map_or(NULL, |extension| text(format!("$libdir/{extension}")))
    }

    fn row(&self, catalog: &Catalog) -> Vec<Datum> {
        let optional = |empty: bool, value: Datum| if empty { NULL } else { value };
        let schema = match self.schema(catalog) {
            None | Some("pg_catalog") => PG_CATALOG,
            Some(other) => crate::catalog::schema_oid(catalog, other),
        };
        let texts = |items: Vec<String>| list(TypeId::TEXT, items.iter().map(text).collect());
        let modes = self.modes.chars().map(letter).collect();
        let names = self.names.iter().map(|name| (*name).to_owned()).collect();
        vec![
            int(self.oid),
            text(self.name),
            int(schema),
            int(OWNER),
            int(self.language),
            Datum::Float(self.cost),
            Datum::Float(self.rows),
            int(self.variadic),
            int(match self.support {
                "" => 0,
                name => only(name, false, &crate::types::NoNames).unwrap_or(0),
            }),
            letter(self.kind),
            flag(false),
            flag(self.leakproof),
            flag(self.strict),
            flag(self.set),
            letter(self.volatility),
            letter(self.parallel),
            size(self.args.len()),
            size(self.defaults.len()),
            int(self.result.0),
            vector(TypeId::OID, self.args.iter().map(|ty| i64::from(ty.0))),
            optional(self.all_args.is_empty(), oids(self.all_args.iter().map(|ty| ty.0))),
            optional(self.modes.is_empty(), list(TypeId::CHAR, modes)),
            optional(self.names.is_empty(), texts(names)),
            optional(self.defaults.is_empty(), text(self.defaults.join(", "))),
            NULL,
            text(self.source),
            self.library(),
            NULL,
            NULL,
            NULL,
        ]
    }
}

pub(super) fn pg_proc(catalog: &Catalog, _: &VirtualCx<'_>) -> Vec<Vec<Datum>> {
    let there = PROCEDURES.all.iter().filter(|procedure| procedure.schema(catalog).is_some());
    there.map(|procedure| procedure.row(catalog)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::NoNames;

    #[test]
    fn oids_are_sorted_and_unique() {
        let all = &PROCEDURES.all;
        assert!(all.len() > 3244 && all.is_sorted_by(|a, b| a.oid < b.oid));
    }

    #[test]
    fn names_are_found_and_printed() {
        assert_eq!(only("array_in", false, &NoNames), Some(750));
        assert_eq!(only("pg_catalog.array_in", false, &NoNames), Some(750));
        assert_eq!(only("abs", false, &NoNames), None);
        assert_eq!(named("abs", &NoNames).len(), 6);
        assert_eq!(only("abs(integer)", true, &NoNames), Some(1397));
        assert_eq!(display(750, false, &NoNames).as_deref(), Some("array_in"));
        assert_eq!(display(1397, false, &NoNames).as_deref(), Some("pg_catalog.abs"));
        assert_eq!(display(1397, true, &NoNames).as_deref(), Some("abs(integer)"));
        let shown = by_oid(3464).map(|p| (p.arguments(&NoNames, false), p.result(&NoNames)));
        let arguments = "years integer DEFAULT 0, months integer DEFAULT 0, weeks integer DEFAULT 0, \
            days integer DEFAULT 0, hours integer DEFAULT 0, mins integer DEFAULT 0, \
            secs double precision DEFAULT 0.0";
        assert_eq!(shown, Some((arguments.to_owned(), "interval".to_owned())));
    }
}
