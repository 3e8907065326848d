//! What a statement says, where `sqlparser` has no tree for it or none that is right.

mod aside;
mod schema;
mod setting;
mod show;
mod special;
mod table;
mod transaction;
mod variable;

pub use aside::{Aside, Destination, Priority};
pub use schema::{
    AlterTable, CreateDatabase, CreateIndex, CreateView, DatabaseOption, DropIndex, DropTables,
    Place, TableChange, ViewAlgorithm, ViewCheck,
};
pub use setting::{Isolation, SetTransaction, Setting, Target};
pub use show::{Filter, ProgramKind, Show, ShowWhat};
pub use special::{Explained, Killed, Maintenance, Special, TableLock};
pub use table::{
    Check, Column, ColumnOption, CreateTable, ForeignKey, Generated, IndexHow, Key, KeyKind,
    KeyPart, OnDuplicate, References, ReferentialAction, TableElement, TableOption, TableSource,
};
pub use transaction::{Access, Chain, TransactionStatement};
pub use variable::{Scope, Variable};
