//! COPY: data instead of answers, one way or the other.

use hobgoblin_sql_postgres::copy::{CopyIn, CopyOut};
use hobgoblin_sql_postgres::session::Done;
use hobgoblin_sql_postgres_types::error::{SqlError, SqlState};
use hobgoblin_wire::pg::Frontend;

use super::channel::Received;
use super::connection::{Connection, Stop};
use super::errors::{End, of_protocol, protocol};

impl Connection<'_> {
    /// Takes the data of a COPY FROM STDIN; what was done. After an error the client may go
    /// on sending for a while; the message cycle knows what to skip.
    pub(crate) fn copy_in(&mut self, mut copy: CopyIn) -> Result<Done, Stop> {
        self.notices();
        self.channel.out.copy_in(copy.binary, copy.columns.len());
        self.channel.flush()?;
        loop {
            let message = match self.channel.receive()? {
                Received::Message(message) => message,
                Received::Broken(error) => return Err(of_protocol(error).into()),
                Received::Nothing => continue,
            };
            match message {
                Frontend::CopyData(data) => self.session.copy_data(&mut copy, &data)?,
                Frontend::CopyDone => return Ok(self.session.copy_done(copy)?),
                Frontend::CopyFail(why) => {
                    let message = format!("COPY from stdin failed: {why}");
                    return Err(SqlError::new(SqlState::QUERY_CANCELED, message).into());
                }
                // Libraries that do not know that this is a COPY send them.
                Frontend::Flush | Frontend::Sync => {}
                Frontend::Terminate => return Err(Stop::End(End::Gone)),
                other => {
                    let message = format!("unexpected message during COPY from stdin: {other:?}");
                    return Err(protocol(message).into());
                }
            }
        }
    }

    /// Sends the data of a COPY TO STDOUT.
    pub(crate) fn copy_out(&mut self, mut copy: CopyOut) -> Result<(), Stop> {
        self.notices();
        self.channel.out.copy_out(copy.is_binary(), copy.width());
        while let Some(data) = copy.next(&self.session.types())? {
            self.channel.out.copy_data(&data);
            self.channel.flush_large()?;
        }
        self.channel.out.copy_done();
        Ok(())
    }
}
