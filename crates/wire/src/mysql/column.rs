//! The columns of results, of tables, and of parameters.
//!
//! ```text
//!     "def"  schema  table  table's own name  name  name in the table  [MariaDB's extended metadata]
//!     0c  collation  length  type  flags  decimals  00 00  [default value]
//! ```

use bytes::{BufMut, BytesMut};

use super::capabilities::Capabilities;
use super::column_type::ColumnType;
use super::encoder::Encoder;
use super::flags::flags;
use super::reply::Completion;
use super::status::Status;
use super::write;

flags! {
    /// Facts of a column.
    ColumnFlags(u16) {
        /// It is never NULL.
        NOT_NULL = 0;
        /// It is of the primary key.
        PRIMARY_KEY = 1;
        /// It is a unique key by itself.
        UNIQUE_KEY = 2;
        /// It begins a key that is not unique, or continues one that is.
        MULTIPLE_KEY = 3;
        /// It is a BLOB or TEXT.
        BLOB = 4;
        /// It is an integer without a sign.
        UNSIGNED = 5;
        /// It is shown with zeros before it.
        ZEROFILL = 6;
        /// It compares by bytes.
        BINARY = 7;
        /// It is an ENUM.
        ENUM = 8;
        /// It gets numbers by itself.
        AUTO_INCREMENT = 9;
        /// It is a TIMESTAMP.
        TIMESTAMP = 10;
        /// It is a SET.
        SET = 11;
        /// It is never NULL and has no default.
        NO_DEFAULT_VALUE = 12;
        /// An UPDATE of its row sets it to the time.
        ON_UPDATE_NOW = 13;
        /// It is of a key.
        PART_KEY = 14;
        /// It is a number.
        NUMBER = 15;
    }
}

/// The number of the collation `binary`, which columns have that are no text.
pub const BINARY: u16 = 63;

/// A column. Names are in the character set of results.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// The database of the table.
    pub schema: &'a [u8],
    /// The table, by the name it has in the statement.
    pub table: &'a [u8],
    /// The table, by its own name.
    pub original_table: &'a [u8],
    /// The name that clients show above it.
    pub name: &'a [u8],
    /// Its name in the table.
    pub original_name: &'a [u8],
    /// MariaDB's extended metadata: 0 with the name of a type, as of `uuid`, or 1 with that of a format, as of `json`.
    pub extended: &'a [(u8, &'a [u8])],
    /// The number of its collation.
    pub collation: u16,
    /// The most bytes that a value takes as text.
    pub length: u32,
    /// The type of its values.
    pub ty: ColumnType,
    /// What else is known of it.
    pub flags: ColumnFlags,
    /// Digits after the point; 39 for those that may have any number.
    pub decimals: u8,
}

impl Encoder {
    /// The columns of the rows that follow.
    pub fn columns(&mut self, columns: &[Column<'_>], completion: &Completion<'_>) {
        self.packet(|out| write::integer(out, columns.len() as u64));
        self.definitions(columns, completion);
    }

    /// The columns of the rows that wait in a cursor, and nothing after them. The status says that there is a cursor.
    pub fn cursor(&mut self, columns: &[Column<'_>], completion: &Completion<'_>) {
        self.packet(|out| write::integer(out, columns.len() as u64));
        columns.iter().for_each(|column| self.definition(column));
        let status = completion.status.with(Status::CURSOR_EXISTS);
        self.end_of_rows(&Completion { status, ..*completion });
    }

    /// Columns without their number, and the EOF packet that ends them for clients who know such.
    pub(crate) fn definitions(&mut self, columns: &[Column<'_>], completion: &Completion<'_>) {
        columns.iter().for_each(|column| self.definition(column));
        if !self.agreed().contains(Capabilities::DEPRECATE_EOF) {
            self.eof(completion.status, completion.warnings);
        }
    }

    fn definition(&mut self, column: &Column<'_>) {
        let extended = self.agreed().contains(Capabilities::MARIADB_EXTENDED_METADATA);
        self.packet(|out| column.write(out, extended));
    }

    /// The answer to COM_FIELD_LIST: columns, each with its default, of which `None` is NULL.
    pub fn fields(&mut self, fields: &[(Column<'_>, Option<&[u8]>)], completion: &Completion<'_>) {
        let extended = self.agreed().contains(Capabilities::MARIADB_EXTENDED_METADATA);
        for (column, default) in fields {
            self.packet(|out| {
                column.write(out, extended);
                match default {
                    Some(default) => write::counted(out, default),
                    None => out.put_u8(0xfb),
                }
            });
        }
        self.end_of_rows(completion);
    }
}

impl Column<'_> {
    fn write(&self, out: &mut BytesMut, extended: bool) {
        write::counted(out, b"def");
        for name in [self.schema, self.table, self.original_table, self.name, self.original_name] {
            write::counted(out, name);
        }
        if extended {
            let mut all = BytesMut::new();
            for (kind, name) in self.extended {
                all.put_u8(*kind);
                write::counted(&mut all, name);
            }
            write::counted(out, &all);
        }
        out.put_u8(0x0c);
        out.put_u16_le(self.collation);
        out.put_u32_le(self.length);
        out.put_u8(self.ty.number());
        out.put_u16_le(self.flags.bits());
        out.put_u8(self.decimals);
        out.put_u16_le(0);
    }
}
