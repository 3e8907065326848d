//! KILL.

use hobgoblin_sql_mysql_types::{error, number};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_session::Why;
use sqlparser::ast::Expr;

use super::core::Core;
use crate::syntax::Killed;

impl Core {
    /// KILL, as a statement.
    pub(super) fn kill_statement(&mut self, killed: Killed, whose: &Expr) -> Result<()> {
        let (value, _) = self.evaluate(whose)?;
        let whose = number::integer_of(&value).and_then(|number| u32::try_from(number).ok());
        let why = match killed {
            Killed::Connection => Why::Terminate,
            Killed::Query => Why::Cancel,
        };
        self.kill(whose.unwrap_or(0), why)?;
        // It may be this session itself.
        self.check_interrupts()
    }

    /// Ends another session, or its statement.
    pub(super) fn kill(&mut self, whose: u32, why: Why) -> Result<()> {
        let found = i32::try_from(whose).ok();
        let Some(backend) = found.and_then(|whose| self.shared.backends.find(whose)) else {
            return Err(error::error(error::NO_SUCH_THREAD, format!("Unknown thread id: {whose}")));
        };
        if why == Why::Terminate {
            backend.update(|activity| activity.killed = true);
        }
        self.shared.backends.alarms.interrupt(&backend.interrupts, &self.store, why);
        Ok(())
    }
}
