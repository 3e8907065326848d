//! The answer to COM_STMT_PREPARE.
//!
//! ```text
//!     00  statement  columns  parameters  00  warnings
//!     parameters, if there are any, and EOF     as columns of a result
//!     columns, if there are any, and EOF
//! ```

use bytes::BufMut;

use super::column::Column;
use super::encoder::Encoder;
use super::reply::Completion;

impl Encoder {
    /// A statement is prepared and has this number. It takes these parameters and gives these columns; there are no more than
    /// 65,535 of each.
    pub fn prepared(
        &mut self,
        statement: u32,
        parameters: &[Column<'_>],
        columns: &[Column<'_>],
        completion: &Completion<'_>,
    ) {
        let count = |of: &[Column<'_>]| u16::try_from(of.len()).unwrap_or(u16::MAX);
        self.packet(|out| {
            out.put_u8(0);
            out.put_u32_le(statement);
            out.put_u16_le(count(columns));
            out.put_u16_le(count(parameters));
            out.put_u8(0);
            out.put_u16_le(completion.warnings);
        });
        for definitions in [parameters, columns] {
            if !definitions.is_empty() {
                self.definitions(definitions, completion);
            }
        }
    }
}
