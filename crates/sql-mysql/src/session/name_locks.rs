//! Locks that programs know by their names: GET_LOCK and its kin. Sessions hold them whatever becomes of transactions.

use std::time::Duration;

use hobgoblin_core::Key;
use hobgoblin_front::{Answer, Mode, Request, Scope, Wait};
use hobgoblin_sql_mysql_types::error;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::context::NameLock;

use super::activity::Stage;
use super::core::Core;

/// The longest wait: a year.
const LONGEST: Duration = Duration::from_secs(31_536_000);

/// The longest name, in characters.
const LONGEST_NAME: usize = 64;

fn object(name: &str) -> Key {
    Key::from(format!("lock {name}"))
}

impl Core {
    /// Takes locks by name or lets them go.
    pub(crate) fn name_lock(&mut self, op: NameLock<'_>) -> Result<Option<i64>> {
        let (NameLock::Take { name: "", .. } | NameLock::LetGo("") | NameLock::Owner("")) = op
        else {
            return self.named_lock(op);
        };
        // MariaDB has no lock of that name, and does not mind.
        match self.shared.version.is_mysql() {
            true => self.named_lock(op),
            false => Ok(None),
        }
    }

    fn named_lock(&mut self, op: NameLock<'_>) -> Result<Option<i64>> {
        match op {
            NameLock::Take { name, limit } => {
                let name = checked(name)?;
                let taken = self.take_name(&name, limit)?;
                if taken {
                    self.shared.names.taken(&name, self.number);
                }
                Ok(Some(i64::from(taken)))
            }
            NameLock::LetGo(name) => {
                let name = checked(name)?;
                match self.shared.names.owner(&name) {
                    None => Ok(None),
                    Some(owner) if owner != self.number => Ok(Some(0)),
                    Some(_) => self.let_name_go(&name).map(|()| Some(1)),
                }
            }
            NameLock::LetAllGo => {
                let all = self.shared.names.of(self.number);
                all.iter().try_for_each(|name| self.let_name_go(name))?;
                Ok(i64::try_from(all.len()).ok())
            }
            NameLock::Owner(name) => Ok(self.shared.names.owner(&checked(name)?).map(i64::from)),
        }
    }

    fn take_name(&mut self, name: &str, limit: Option<Duration>) -> Result<bool> {
        let wait = if limit == Some(Duration::ZERO) { Wait::Not } else { Wait::Forever };
        let asked = Request::hold(object(name), Mode::Exclusive, Scope::Session, wait);
        let limit = limit.unwrap_or(LONGEST).min(LONGEST);
        let before = self.backend.activity().stage;
        self.backend.update(|activity| activity.stage = Stage::TakingName);
        let taken = self.waiting(limit, |core| core.request(asked));
        self.backend.update(|activity| activity.stage = before);
        match taken {
            Ok(Answer::Locked { .. }) => Ok(false),
            Ok(_) => Ok(true),
            Err(error) if error.more.number == Some(error::LOCK_WAIT_TIMEOUT) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn let_name_go(&mut self, name: &str) -> Result<()> {
        self.shared.names.let_go(name);
        self.request(Request::let_go(object(name), Mode::Exclusive)).map(|_| ())
    }
}

/// A name as locks are known by, of which case does not count.
fn checked(name: &str) -> Result<String> {
    match name.chars().count() {
        1..=LONGEST_NAME => Ok(name.to_lowercase()),
        0 => Err(error::error(3057, format!("Incorrect user-level lock name '{name}'."))),
        _ => Err(error::error(1059, format!("Identifier name '{name}' is too long"))),
    }
}
