//! Parts of values: elements and slices of arrays, fields of rows.

use hobgoblin_sql_schema::dialect::Subscripted;
use sqlparser::ast::{self, AccessExpr};

use super::Binder;
use super::bound::{Expr, Kind, Subscript};
use hobgoblin_sql_schema::function::Resolution;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

impl Binder<'_> {
    pub(super) fn array(&mut self, array: &ast::Array, element: Option<TypeId>) -> Result<Expr> {
        let nested = array.elem.iter().any(|item| matches!(item, ast::Expr::Array(_)));
        let mut items = Vec::with_capacity(array.elem.len());
        for item in &array.elem {
            items.push(match item {
                ast::Expr::Array(inner) => self.array(inner, element)?,
                item => self.expression(item)?,
            });
        }
        if nested {
            let (items, ty, typmod) = self.unify(items, "ARRAY")?;
            return Ok(Expr { kind: Kind::Array { items, nested: true }, ty, typmod });
        }
        let (items, element, typmod) = match element {
            Some(element) => {
                let items: Result<Vec<Expr>> =
                    items.into_iter().map(|item| self.cast(item, element, -1)).collect();
                (items?, element, -1)
            }
            None if items.is_empty() => return Err(Binding::EmptyArray.into()),
            None => {
                let (items, ty, typmod) = self.unify(items, "ARRAY")?;
                (items, ty, typmod)
            }
        };
        // Items that are arrays themselves make one more dimension.
        if self.element_of(element).is_some() {
            return Ok(Expr { kind: Kind::Array { items, nested: true }, ty: element, typmod });
        }
        let ty = self.array_of(element)?;
        Ok(Expr { kind: Kind::Array { items, nested: false }, ty, typmod })
    }

    pub(super) fn access(&mut self, root: &ast::Expr, chain: &[AccessExpr]) -> Result<Expr> {
        let mut chain = chain;
        let mut found = match root {
            // `table.column[1]` is parsed as an access to `table`.
            ast::Expr::Identifier(table) if matches!(chain.first(), Some(AccessExpr::Dot(_))) => {
                let mut parts = vec![table.clone()];
                while let Some(AccessExpr::Dot(ast::Expr::Identifier(part))) = chain.first() {
                    parts.push(part.clone());
                    chain = &chain[1..];
                }
                self.qualified(&parts)?.expr
            }
            _ => self.expression(root)?,
        };
        let mut chain = chain.iter().peekable();
        while let Some(access) = chain.next() {
            found = match access {
                AccessExpr::Dot(ast::Expr::Identifier(field)) => {
                    self.field(found, &self.fold(field))?
                }
                AccessExpr::Dot(_) => return Err(SqlError::unsupported("this field access")),
                AccessExpr::Subscript(first) => {
                    let parts = self.dialect().subscripted(found.ty);
                    if let Some(Subscripted::Operator(op)) = parts {
                        let ast::Subscript::Index { index } = first else {
                            return Err(Binding::DocumentSlice.into());
                        };
                        let index = self.expression(index)?;
                        self.operator(op, Some(found), index)?
                    } else if let Some(Subscripted::Function { extension, function }) = parts {
                        let another = matches!(chain.peek(), Some(AccessExpr::Subscript(_)));
                        match first {
                            ast::Subscript::Index { index } if !another => {
                                let key = self.expression(index)?;
                                self.part_by(extension, function, found, key)?
                            }
                            _ => return Err(Binding::OneKeyOnly.into()),
                        }
                    } else {
                        let mut subscripts = vec![self.subscript(first)?];
                        while let Some(AccessExpr::Subscript(next)) = chain.peek() {
                            subscripts.push(self.subscript(next)?);
                            chain.next();
                        }
                        self.subscripted(found, subscripts)?
                    }
                }
            };
        }
        Ok(found)
    }

    /// Binds a subscript that a function of an extension serves; the extension may be in any
    /// schema.
    fn part_by(&mut self, extension: &str, function: &str, whole: Expr, key: Expr) -> Result<Expr> {
        let key = self.assign(key, TypeId::TEXT, -1, "subscript")?;
        let schema = self.env.names.extension_schema(extension);
        let types = [whole.ty, TypeId::TEXT];
        match self.dialect().function(schema, function, &types, self.env.names)? {
            Resolution::Scalar(found) => {
                let args = vec![whole, key];
                Ok(Expr::new(Kind::Call { function: found.function, args }, found.result))
            }
            _ => Err(SqlError::unsupported(format!("a subscript of {extension}"))),
        }
    }

    pub(super) fn subscript(&mut self, subscript: &ast::Subscript) -> Result<Subscript> {
        let mut integer = |ast: &ast::Expr| {
            let bound = self.expression(ast)?;
            self.assign(bound, TypeId::INTEGER, -1, "subscript")
        };
        Ok(match subscript {
            ast::Subscript::Index { index } => Subscript::Index(integer(index)?),
            ast::Subscript::Slice { lower_bound, upper_bound, stride } => {
                if stride.is_some() {
                    return Err(SqlError::syntax("array slices have no stride"));
                }
                let low = lower_bound.as_ref().map(&mut integer).transpose()?;
                let high = upper_bound.as_ref().map(&mut integer).transpose()?;
                Subscript::Slice(low, high)
            }
        })
    }

    /// Binds a subscript of a text that stands for an array of its letters, counted from 0.
    fn letter(&mut self, name: Expr, at: Expr, ty: TypeId) -> Result<Expr> {
        let one = || Expr::constant(Datum::Int(1), TypeId::INTEGER);
        let text = self.cast(name, TypeId::TEXT, -1)?;
        let at = self.operator("+", Some(at), one())?;
        let letter = self.call("substr", vec![text, at, one()])?;
        self.cast(letter, ty, -1)
    }

    fn subscripted(&mut self, array: Expr, subscripts: Vec<Subscript>) -> Result<Expr> {
        let array = self.undomained(array);
        if let Some(Subscripted::Letters(ty)) = self.dialect().subscripted(array.ty)
            && let [Subscript::Index(at)] = &subscripts[..]
        {
            return self.letter(array, at.clone(), ty);
        }
        let slice = subscripts.iter().any(|subscript| matches!(subscript, Subscript::Slice(..)));
        let Some(element) = self.element_of(array.ty) else {
            return Err(Binding::NotSubscriptable(self.type_name(array.ty)).into());
        };
        let ty = if slice { array.ty } else { element };
        let typmod = array.typmod;
        Ok(Expr { kind: Kind::Subscript { array: Box::new(array), subscripts }, ty, typmod })
    }

    /// Binds a field of a row, by its name.
    fn field(&mut self, row: Expr, name: &str) -> Result<Expr> {
        if let Kind::WholeRow { depth, source } = row.kind {
            let scope = &self.scopes[self.scopes.len() - 1 - depth];
            let columns = &scope.sources[source].columns;
            if let Some(at) = columns.iter().position(|c| !c.hidden && c.name == name) {
                return Ok(columns[at].expr(depth, source, at));
            }
        }
        let column = self.env.names.row_shape(row.ty, row.typmod).and_then(|fields| {
            let at = fields.iter().position(|field| field.name == name)?;
            fields.get(at).map(|field| (at, field.ty, field.typmod))
        });
        match column {
            Some((at, ty, typmod)) => Ok(Expr { kind: Kind::Field(Box::new(row), at), ty, typmod }),
            None => {
                let ty = (row.ty != TypeId::ROW).then(|| self.type_name(row.ty));
                Err(Binding::NoField { field: name.to_owned(), ty }.into())
            }
        }
    }
}
