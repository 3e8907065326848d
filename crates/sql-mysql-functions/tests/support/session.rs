//! A session that has only what functions ask for: a fixed clock, a seeded source of random bits, the settings.

use std::time::Duration;

use hobgoblin_sql_mysql_types::Settings;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::{Catalog, Definition};
use hobgoblin_sql_schema::context::{Advisory, Clock, Context, NameLock, SequenceOp};
use hobgoblin_sql_schema::names::{EnumType, Names, TypeEnv};
use hobgoblin_sql_schema::shape::{Shape, Shapes};
use hobgoblin_sql_value::{Datum, Oid, TypeId};

pub(crate) struct Session {
    pub(crate) settings: Settings,
    pub(crate) now: i64,
    pub(crate) lists: Lists,
    /// Whether hexadecimal digits are in quotes, which the parser does not tell.
    pub(crate) quoted_digits: bool,
    random: u64,
    /// Columns of a row, by name.
    pub(crate) columns: Vec<(String, Datum, TypeId)>,
}

impl Session {
    pub(crate) fn new() -> Session {
        Session {
            settings: Settings::default(),
            now: now(),
            lists: Lists::default(),
            quoted_digits: true,
            random: 1,
            columns: Vec::new(),
        }
    }
}

/// The lists of members that types were declared with.
#[derive(Default)]
pub(crate) struct Lists(pub(crate) Shapes);

impl Names for Lists {
    fn enum_type(&self, _: TypeId) -> Option<&EnumType> {
        None
    }
    fn type_by_name(&self, _: Option<&str>, _: &str) -> Option<TypeId> {
        None
    }
    fn type_name(&self, _: TypeId) -> Option<String> {
        None
    }
    fn array_of(&self, _: TypeId) -> Option<TypeId> {
        None
    }
    fn element_of(&self, _: TypeId) -> Option<TypeId> {
        None
    }
    fn relation_name(&self, _: Oid) -> Option<String> {
        None
    }
    fn relation_by_name(&self, _: &str) -> Option<Oid> {
        None
    }
    fn schema_name(&self, _: Oid) -> Option<String> {
        None
    }
    fn schema_by_name(&self, _: &str) -> Option<Oid> {
        None
    }
    fn role_name(&self, _: Oid) -> Option<String> {
        None
    }
    fn role_by_name(&self, _: &str) -> Option<Oid> {
        None
    }
    fn row_shape(&self, ty: TypeId, typmod: i32) -> Option<Shape> {
        self.0.get(ty, typmod)
    }
}

/// The time of this computer, in UTC: where a time becomes a moment, it is one of today.
fn now() -> i64 {
    const EPOCH: i64 = hobgoblin_sql_value::datetime::UNIX_EPOCH;
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_micros() as i64) + EPOCH
}

impl Context for Session {
    fn types(&self) -> TypeEnv<'_> {
        TypeEnv::new(&self.settings, &self.lists).at(self.now)
    }
    fn catalog(&self) -> &Catalog {
        unimplemented!("no function of the tests asks for the catalogue")
    }
    fn clock(&mut self, _: Clock) -> Result<i64> {
        Ok(self.now)
    }
    fn random(&mut self) -> Result<u64> {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        Ok(self.random)
    }
    fn sequence(&mut self, _: SequenceOp) -> Result<i64> {
        Ok(0)
    }
    fn advisory(&mut self, _: Advisory) -> Result<bool> {
        Ok(true)
    }
    fn name_lock(&mut self, _: NameLock<'_>) -> Result<Option<i64>> {
        Ok(Some(1))
    }
    fn setting(&self, _: &str) -> Option<String> {
        None
    }
    fn set_setting(&mut self, _: &str, value: Option<&str>, _: bool) -> Result<String> {
        Ok(value.unwrap_or_default().to_owned())
    }
    fn user(&self) -> &str {
        "root@localhost"
    }
    fn database(&self) -> &str {
        "d"
    }
    fn backend_pid(&self) -> i32 {
        7
    }
    fn blocking_pids(&self, _: i32) -> Vec<i32> {
        Vec::new()
    }
    fn transaction_number(&mut self) -> Result<i64> {
        Ok(1)
    }
    fn notify(&mut self, _: &str, _: &str) -> Result<()> {
        Ok(())
    }
    fn channels(&self) -> Vec<String> {
        Vec::new()
    }
    fn unread(&self) -> usize {
        0
    }
    fn fence(&mut self) -> Result<()> {
        Ok(())
    }
    fn check_interrupts(&self) -> Result<()> {
        Ok(())
    }
    fn sleep(&mut self, _: Duration) -> Result<()> {
        Ok(())
    }
    fn interrupt(&mut self, _: i32, _: bool) -> bool {
        false
    }
    fn definition(&self, _: Definition) -> Result<Option<String>> {
        Ok(None)
    }
}
