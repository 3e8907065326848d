//! The variables of a transaction, and what its names mean while it is read.
//!
//! A name is one variable, or a record with a variable for each field. In a *lenient* body, that of `-- transaction`, a
//! name is declared by being the target of INTO, `:=` or a loop, and takes its type from what is put in it first. Such a
//! name may be a record, too: if several values go into it and the body has it before a dot. If one value does, both
//! `x` and `x.a` are that variable, since nothing says whether `x` is a record.
//!
//! Loops over numbers and blocks have names of their own: [`Variables::enter`] gives those around, and
//! [`Variables::leave_name`] brings one back.

use std::collections::BTreeMap;

use super::error::{Fault, Named, Problem, Result};
use super::types;
use crate::program::{Expr, ExprKind, Place, Type, Variable, VariableId};

/// What a name means.
#[derive(Clone, Debug, Default)]
struct Meaning {
    /// The variable, if the name is one. A name that is about to be a target for the first time has none yet.
    alone: Option<VariableId>,
    /// The fields, if the name is a record, in order.
    fields: Vec<(String, VariableId)>,
    /// Whether it is a record whose fields are those of what is put in it.
    record: bool,
}

impl Meaning {
    fn field(&self, name: &str) -> Option<VariableId> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, id)| *id)
    }
}

/// What names mean around a loop or block.
pub(super) struct Around(BTreeMap<String, Meaning>);

/// Where a value goes: one name, or a record and its field.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) names: Vec<String>,
    pub(super) place: Place,
}

/// The variables of a transaction.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// All, parameters first.
    pub(super) list: Vec<Variable>,
    /// For each, whether its type is known.
    typed: Vec<bool>,
    /// FOUND, if it is asked for.
    pub(super) found: Option<VariableId>,
    /// Where variables stand in SQL and expressions.
    pub(super) mentions: Vec<(Place, VariableId)>,
    /// What may qualify a variable: the name of the function.
    pub(super) function: Option<String>,
    /// Whether names are declared by being targets.
    pub(super) lenient: bool,
    /// Whether FOUND has a meaning: in a body, but not in what is required of parameters.
    pub(super) in_body: bool,
    /// In lenient bodies, names that stand before a dot.
    pub(super) dotted: Vec<String>,
    names: BTreeMap<String, Meaning>,
}

impl Variables {
    fn push(&mut self, name: String, ty: Option<Type>, place: Place) -> VariableId {
        let id = VariableId(self.list.len() as u32);
        self.list.push(Variable { name, ty: ty.unwrap_or(Type::Int), initial: None, place });
        self.typed.push(ty.is_some());
        id
    }

    /// A variable that no name means.
    pub(super) fn hidden(&mut self, name: String, ty: Type, place: Place) -> VariableId {
        self.push(name, Some(ty), place)
    }

    fn fresh(&self, name: &str, place: Place) -> Result<()> {
        match self.names.contains_key(name) {
            true => {
                let problem = Problem::Duplicate { what: "variables", name: name.to_owned() };
                Err(Fault::new(place, problem))
            }
            false => Ok(()),
        }
    }

    /// Declares a variable.
    pub(super) fn declare(&mut self, name: &str, ty: Type, place: Place) -> Result<VariableId> {
        self.fresh(name, place)?;
        Ok(self.shadow(name, ty, place))
    }

    /// Declares a variable that may have the name of another, which is hidden then.
    pub(super) fn shadow(&mut self, name: &str, ty: Type, place: Place) -> VariableId {
        let id = self.push(name.to_owned(), Some(ty), place);
        let meaning = Meaning { alone: Some(id), ..Meaning::default() };
        self.names.insert(name.to_owned(), meaning);
        id
    }

    /// Declares a record that takes its fields from what is put in it.
    pub(super) fn declare_record(&mut self, name: &str, place: Place) -> Result<()> {
        self.fresh(name, place)?;
        self.names.insert(name.to_owned(), Meaning { record: true, ..Meaning::default() });
        Ok(())
    }

    /// Declares a record with these fields.
    pub(super) fn declare_row(
        &mut self,
        name: &str,
        fields: &[(String, Type)],
        place: Place,
    ) -> Result<Vec<VariableId>> {
        self.fresh(name, place)?;
        let field = |(field, ty): &(String, Type)| {
            (field.clone(), self.push(format!("{name}.{field}"), Some(*ty), place))
        };
        let fields: Vec<(String, VariableId)> = fields.iter().map(field).collect();
        let all = fields.iter().map(|(_, id)| *id).collect();
        self.names.insert(name.to_owned(), Meaning { fields, ..Meaning::default() });
        Ok(all)
    }

    /// What names mean now.
    pub(super) fn enter(&self) -> Around {
        Around(self.names.clone())
    }

    /// Forgets a name that a loop or block had for itself.
    pub(super) fn leave_name(&mut self, name: &str, around: &Around) {
        match around.0.get(name) {
            Some(meaning) => self.names.insert(name.to_owned(), meaning.clone()),
            None => self.names.remove(name),
        };
    }

    /// Whether a name, alone, is one of a variable.
    pub(super) fn is_name(&self, name: &str) -> bool {
        self.names
            .get(name)
            .is_some_and(|meaning| meaning.fields.is_empty() || meaning.alone.is_some())
    }

    /// Whether a name before a dot may be followed by this one.
    pub(super) fn is_field(&self, record: &str, field: &str) -> bool {
        self.names.get(record).is_some_and(|meaning| meaning.field(field).is_some())
            || (self.function.as_deref() == Some(record) && self.is_name(field))
    }

    /// Whether a name is a record, or the function that qualifies variables.
    pub(super) fn is_qualifier(&self, record: &str) -> bool {
        let record_of = |meaning: &Meaning| meaning.record || !meaning.fields.is_empty();
        self.function.as_deref() == Some(record) || self.names.get(record).is_some_and(record_of)
    }

    /// The variable FOUND, which exists from when it is first asked for.
    fn ask_found(&mut self, place: Place) -> VariableId {
        if let Some(found) = self.found {
            return found;
        }
        let found = self.push("found".to_owned(), Some(Type::Bool), place);
        let initial = Expr { kind: ExprKind::Bool(false), ty: Type::Bool, place };
        self.list[found.0 as usize].initial = Some(initial);
        self.found = Some(found);
        found
    }

    /// The variable that a name means, if any.
    pub(super) fn find(&mut self, names: &[String], place: Place) -> Option<VariableId> {
        match names {
            [name] => match self.names.get(name) {
                Some(meaning) => meaning.alone,
                None if name == "found" && self.in_body => Some(self.ask_found(place)),
                None => None,
            },
            [record, field] => {
                let field_of = self.names.get(record).and_then(|meaning| meaning.field(field));
                let qualified = self.function.as_deref() == Some(record);
                let of_function = || self.names.get(field).and_then(|meaning| meaning.alone);
                field_of.or_else(|| if qualified { of_function() } else { None })
            }
            _ => None,
        }
    }

    /// The variable that names mean, if there is one already.
    pub(super) fn known(&self, names: &[String]) -> Option<VariableId> {
        match names {
            [name] => self.names.get(name)?.alone,
            [record, field] => self.names.get(record)?.field(field),
            _ => None,
        }
    }

    /// A variable where it stands in SQL or an expression.
    pub(super) fn read(&mut self, names: &[String], place: Place) -> Result<Expr> {
        let name = || names.join(".");
        let Some(id) = self.find(names, place) else {
            return Err(match names {
                [one] if self.names.get(one).is_some_and(|meaning| !meaning.record) => {
                    Fault::new(place, Problem::Untyped { name: name() })
                }
                _ => Fault::unknown(place, Named::Variable, &name()),
            });
        };
        if !self.typed[id.0 as usize] {
            return Err(Fault::new(place, Problem::Untyped { name: name() }));
        }
        self.mentions.push((place, id));
        let ty = self.list[id.0 as usize].ty;
        Ok(Expr { kind: ExprKind::Variable(id), ty, place })
    }

    /// Targets of what is to be read become names, before it is read: a name is then both a variable and a column, if it
    /// is, also where it is a target for the first time.
    pub(super) fn announce(&mut self, targets: &[Target]) -> Result<()> {
        for target in targets {
            match target.names.as_slice() {
                [name] if self.names.contains_key(name) => {}
                [name] if self.lenient => {
                    self.names.insert(name.clone(), Meaning::default());
                }
                [record, field] if self.is_field(record, field) => {}
                names => {
                    return Err(Fault::unknown(target.place, Named::Variable, &names.join(".")));
                }
            }
        }
        Ok(())
    }

    /// Puts values, which have names, into targets.
    pub(super) fn put(
        &mut self,
        targets: &[Target],
        values: &mut [Expr],
        names: &[String],
        place: Place,
    ) -> Result<Vec<VariableId>> {
        if let [Target { names: target, place: at }] = targets
            && let [target] = target.as_slice()
            && let Some(meaning) = self.names.get(target)
        {
            let as_record = self.lenient && values.len() > 1 && self.dotted.contains(target);
            if meaning.record || as_record {
                return self.put_record(&target.clone(), values, names, *at);
            }
            if meaning.alone.is_none() && !meaning.fields.is_empty() {
                let fields: Vec<VariableId> = meaning.fields.iter().map(|(_, id)| *id).collect();
                self.counted(values.len(), fields.len(), place)?;
                fields.iter().zip(values).try_for_each(|(id, value)| self.fit(*id, value))?;
                return Ok(fields);
            }
        }
        self.counted(values.len(), targets.len(), place)?;
        let all = targets.iter().zip(values).zip(names);
        all.map(|((target, value), name)| self.put_one(target, value, Some(name))).collect()
    }

    fn counted(&self, values: usize, targets: usize, place: Place) -> Result<()> {
        match values == targets {
            true => Ok(()),
            false => Err(Fault::new(place, Problem::Targets { values, targets })),
        }
    }

    /// Puts one value into a target. If the value has a name, the target may be a record of it.
    pub(super) fn put_one(
        &mut self,
        target: &Target,
        value: &mut Expr,
        name: Option<&String>,
    ) -> Result<VariableId> {
        let id = match self.find(&target.names, target.place) {
            Some(id) => id,
            None => match target.names.as_slice() {
                [one] if self.lenient && self.names.get(one).is_none_or(|m| !m.record) => {
                    let ty = (!types::is_open(value)).then_some(value.ty);
                    let id = self.push(one.clone(), ty, target.place);
                    let meaning = Meaning { alone: Some(id), ..Meaning::default() };
                    self.names.insert(one.clone(), meaning);
                    id
                }
                names => {
                    return Err(Fault::unknown(target.place, Named::Variable, &names.join(".")));
                }
            },
        };
        if let [one] = target.names.as_slice()
            && self.lenient
            && let Some(meaning) = self.names.get_mut(one)
        {
            meaning.fields = name.iter().map(|name| ((*name).clone(), id)).collect();
        }
        self.fit(id, value)?;
        Ok(id)
    }

    fn put_record(
        &mut self,
        record: &str,
        values: &[Expr],
        names: &[String],
        place: Place,
    ) -> Result<Vec<VariableId>> {
        let old = self.names.get(record).map(|meaning| meaning.fields.clone()).unwrap_or_default();
        let mut fields: Vec<(String, VariableId)> = Vec::new();
        for (value, name) in values.iter().zip(names) {
            if fields.iter().any(|(field, _)| field == name) {
                let name = format!("{record}.{name}");
                return Err(Fault::new(place, Problem::Duplicate { what: "fields", name }));
            }
            let same = |id: &VariableId| self.list[id.0 as usize].ty == value.ty;
            let id = old.iter().find(|(field, id)| field == name && same(id)).map(|(_, id)| *id);
            let id =
                id.unwrap_or_else(|| self.push(format!("{record}.{name}"), Some(value.ty), place));
            fields.push((name.clone(), id));
        }
        let all = fields.iter().map(|(_, id)| *id).collect();
        self.names.insert(record.to_owned(), Meaning { alone: None, fields, record: true });
        Ok(all)
    }

    /// A value takes the variable's type, or the variable the value's if it has none.
    fn fit(&mut self, id: VariableId, value: &mut Expr) -> Result<()> {
        let at = id.0 as usize;
        if !self.typed[at] && !types::is_open(value) {
            self.list[at].ty = value.ty;
            self.typed[at] = true;
        }
        let wanted = self.list[at].ty;
        types::settle(value, wanted);
        match types::fits(wanted, value.ty) {
            true => Ok(()),
            false => {
                let problem = Problem::WrongType { expected: wanted, found: value.ty };
                Err(Fault::new(value.place, problem))
            }
        }
    }

    /// The type of a variable.
    pub(super) fn ty(&self, id: VariableId) -> Type {
        self.list[id.0 as usize].ty
    }
}
