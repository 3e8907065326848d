//! What binding and running statements needs to know of PostgreSQL's types.

use hobgoblin_sql_schema::dialect::{Kept, TypeFacts};

use crate::{PgType, TypeId};

/// The facts of a type.
pub fn facts(ty: TypeId) -> TypeFacts {
    TypeFacts {
        kept: kept(ty),
        integer: matches!(
            ty,
            TypeId::INT2
                | TypeId::INT4
                | TypeId::INT8
                | TypeId::OID
                | TypeId::REGCLASS
                | TypeId::REGTYPE
        ),
        text: matches!(ty, TypeId::TEXT | TypeId::VARCHAR | TypeId::NAME | TypeId::BPCHAR),
        caseless: ty == TypeId::CITEXT,
        time_of_day: matches!(ty, TypeId::TIME | TypeId::TIMETZ),
        key_order: matches!(
            ty,
            TypeId::INT2 | TypeId::INT4 | TypeId::INT8 | TypeId::OID | TypeId::UUID
        ),
        comparable: ty != TypeId::JSON,
        any: ty == TypeId::ANY,
        read_by_modifier: ty == TypeId::INTERVAL,
    }
}

fn kept(ty: TypeId) -> Kept {
    match ty {
        TypeId::BPCHAR => Kept::PaddedText,
        TypeId::TEXT
        | TypeId::VARCHAR
        | TypeId::NAME
        | TypeId::CHAR
        | TypeId::JSON
        | TypeId::UNKNOWN
        | TypeId::BIT
        | TypeId::VARBIT
        | TypeId::REFCURSOR
        | TypeId::PG_NODE_TREE
        | TypeId::ACLITEM => Kept::Text,
        _ => Kept::Printed,
    }
}
