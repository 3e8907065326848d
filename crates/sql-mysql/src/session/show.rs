//! SHOW and DESCRIBE: queries over `information_schema`, and definitions.

use hobgoblin_core::{Key, Value};
use hobgoblin_front::{Answer, Request};
use hobgoblin_sql_mysql_types::Collation;
use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_schema::catalog::{Found, Table};
use hobgoblin_sql_schema::{Result, SqlError, SystemTable};
use hobgoblin_sql_value::{Datum, Oid};
use sqlparser::ast::{self, Expr, ObjectName};

use super::core::Core;
use super::outcome::{Done, TakeResults};
use super::run::Given;
use crate::catalog::information::{self, OpenTransaction, Process, Seen, SessionRows};
use crate::catalog::names::{self, quoted, text};
use crate::catalog::notes::ViewNotes;
use crate::catalog::{definition_text, information::PRIVILEGES, temporary_schema};
use crate::parse::{Reading, Statement, parse_first};
use crate::syntax::{Filter, Maintenance, Show, ShowWhat};

/// A SHOW as a query: its items, what it is of, the column that LIKE is about, and in which order rows come.
struct Listed {
    items: String,
    from: String,
    condition: String,
    like: &'static str,
    order: &'static str,
}

impl Core {
    /// The rows that a table of the system has now.
    pub(super) fn system_rows(&self, table: &SystemTable) -> Vec<Vec<Datum>> {
        self.backend.update(|activity| activity.stage = activity.stage.listing());
        let seen = Seen {
            catalog: self.catalog_ref(),
            version: self.shared.version,
            user: &self.user,
            session: self,
        };
        information::rows(table, &seen)
    }

    /// SHOW of the schema and of what the server has.
    pub(super) fn show(
        &mut self,
        statement: &Statement,
        show: &Show,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        match &show.what {
            ShowWhat::CreateTable => return self.show_create_table(statement, show, to),
            ShowWhat::CreateView => return self.show_create_view(statement, show, to),
            ShowWhat::CreateDatabase => return self.show_create_database(statement, show, to),
            ShowWhat::Grants => {
                let user = self.user.split('@').next().unwrap_or("root");
                let title = quoted(&format!("Grants for {user}@localhost"));
                let grant = format!(
                    "GRANT ALL PRIVILEGES ON *.* TO {}@`localhost` WITH GRANT OPTION",
                    quoted(user)
                );
                return self.select(
                    statement,
                    &format!("SELECT {} AS {title}", text(&grant)),
                    None,
                    to,
                );
            }
            ShowWhat::Engine(name) => {
                let query = format!(
                    "SELECT {} AS `Type`, '' AS `Name`, '' AS `Status`",
                    text(crate::catalog::engine::named(&name.value).unwrap_or("InnoDB"))
                );
                return self.select(statement, &query, None, to);
            }
            ShowWhat::Privileges => {
                let one = |(name, of, comment): &(&str, &str, &str)| {
                    format!(
                        "SELECT {} AS `Privilege`, {} AS `Context`, {} AS `Comment`",
                        text(name),
                        text(of),
                        text(comment)
                    )
                };
                let all: Vec<String> = PRIVILEGES.iter().map(one).collect();
                return self.select(statement, &all.join(" UNION ALL "), None, to);
            }
            _ => {}
        }
        let listed = self.listing(show)?;
        let like = match &show.filter {
            Some(Filter::Like(pattern)) => {
                format!("{} LIKE {}", listed.like, text(pattern).replace("\\\\", "\\"))
            }
            _ => String::new(),
        };
        let conditions: Vec<&str> =
            [listed.condition.as_str(), &like].into_iter().filter(|c| !c.is_empty()).collect();
        let condition = match conditions.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", conditions.join(" AND ")),
        };
        let order = match listed.order.is_empty() {
            true => String::new(),
            false => format!(" ORDER BY {}", listed.order),
        };
        let query = format!("SELECT {} FROM {}{condition}", listed.items, listed.from);
        match &show.filter {
            Some(Filter::Where(filter)) => {
                let outer = format!("SELECT * FROM ({query}{order}) AS `shown`");
                self.select(statement, &outer, Some(filter), to)
            }
            _ => self.select(statement, &format!("{query}{order}"), None, to),
        }
    }

    /// DESCRIBE of a table, perhaps of columns like a pattern.
    pub(super) fn describe(
        &mut self,
        statement: &Statement,
        table: &ObjectName,
        column: Option<&str>,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        let show = Show {
            what: ShowWhat::Columns,
            full: false,
            global: false,
            if_not_exists: false,
            table: Some(table.clone()),
            database: None,
            filter: column.map(|column| Filter::Like(column.to_owned())),
            limit: None,
        };
        self.show(statement, &show, to)
    }

    /// The schema of the table that a SHOW names, and its name as it is.
    fn shown_table(&self, show: &Show) -> Result<(String, String)> {
        let name = show.table.as_ref().ok_or_else(|| SqlError::syntax("near ''"))?;
        let database = show.database.as_ref().map(|name| name.value.as_str());
        let in_use = database.or(self.database.as_deref());
        let (mut database, name) = names::split(name, in_use)?;
        if let Some(written) = &show.database {
            database = names::spelled(&written.value);
        }
        if !self.catalog_ref().schemas.contains_key(&*database) {
            return Err(names::unknown_database(&database));
        }
        let temporary = temporary_schema(self.number, &database);
        for schema in [temporary.as_str(), &database] {
            if let Some(found) = self.catalog_ref().relation_in(schema, &name) {
                return Ok((schema.to_owned(), found.name().to_owned()));
            }
        }
        let message = format!("Table '{database}.{name}' doesn't exist");
        Err(error(error::NO_SUCH_TABLE, message))
    }

    /// The database that a SHOW names, or that in use.
    fn shown_database(&self, show: &Show) -> Result<String> {
        let name = show.database.as_ref().map(|name| name.value.as_str());
        let name = name.or(self.database.as_deref()).ok_or_else(names::no_database)?;
        let name = names::spelled(name).into_owned();
        match self.catalog_ref().schemas.contains_key(&name) {
            true => Ok(name),
            false => Err(names::unknown_database(&name)),
        }
    }

    fn listing(&self, show: &Show) -> Result<Listed> {
        // Names have the order of their bytes in lists, whatever the collation of the column that they come from.
        const DATABASES: &str = "SCHEMA_NAME COLLATE utf8mb3_bin";
        const TABLES: &str = "TABLE_NAME COLLATE utf8mb3_bin";
        let plain = |items: &str, from: &str, like, order| Listed {
            items: items.to_owned(),
            from: format!("information_schema.{from}"),
            condition: String::new(),
            like,
            order,
        };
        let pattern = match &show.filter {
            Some(Filter::Like(pattern)) => format!(" ({pattern})"),
            _ => String::new(),
        };
        Ok(match &show.what {
            ShowWhat::Databases => {
                let title = quoted(&format!("Database{pattern}"));
                plain(&format!("SCHEMA_NAME AS {title}"), "SCHEMATA", "SCHEMA_NAME", DATABASES)
            }
            ShowWhat::Tables => {
                let database = self.shown_database(show)?;
                let title = quoted(&format!("Tables_in_{database}{pattern}"));
                let full = if show.full { ", TABLE_TYPE AS `Table_type`" } else { "" };
                let items = format!("TABLE_NAME AS {title}{full}");
                let condition = format!("TABLE_SCHEMA = {}", text(&database));
                Listed { condition, ..plain(&items, "TABLES", "TABLE_NAME", TABLES) }
            }
            ShowWhat::TableStatus => {
                let database = self.shown_database(show)?;
                let items = "TABLE_NAME AS `Name`, ENGINE AS `Engine`, VERSION AS `Version`, ROW_FORMAT AS `Row_format`, TABLE_ROWS AS `Rows`, AVG_ROW_LENGTH AS `Avg_row_length`, DATA_LENGTH AS `Data_length`, MAX_DATA_LENGTH AS `Max_data_length`, INDEX_LENGTH AS `Index_length`, DATA_FREE AS `Data_free`, AUTO_INCREMENT AS `Auto_increment`, CREATE_TIME AS `Create_time`, UPDATE_TIME AS `Update_time`, CHECK_TIME AS `Check_time`, TABLE_COLLATION AS `Collation`, CHECKSUM AS `Checksum`, CREATE_OPTIONS AS `Create_options`, TABLE_COMMENT AS `Comment`, MAX_INDEX_LENGTH AS `Max_index_length`, TEMPORARY AS `Temporary`";
                let condition = format!("TABLE_SCHEMA = {}", text(&database));
                Listed { condition, ..plain(items, "TABLES", "TABLE_NAME", TABLES) }
            }
            ShowWhat::OpenTables => {
                let items = "`Database`, `Table`, `In_use`, `Name_locked`";
                let condition = match &show.database {
                    Some(name) => format!("`Database` = {}", text(&name.value)),
                    None => String::new(),
                };
                Listed { condition, ..plain(items, "`#OPEN`", "`Table`", "`Database`, `Table`") }
            }
            ShowWhat::Columns => {
                let (schema, table) = self.shown_table(show)?;
                let items = match show.full {
                    true => {
                        "`Field`, `Type`, `Collation`, `Null`, `Key`, `Default`, `Extra`, `Privileges`, `Comment`"
                    }
                    false => "`Field`, `Type`, `Null`, `Key`, `Default`, `Extra`",
                };
                let condition =
                    format!("TABLE_SCHEMA = {} AND TABLE_NAME = {}", text(&schema), text(&table));
                Listed { condition, ..plain(items, "`#COLUMNS`", "`Field`", "") }
            }
            ShowWhat::Indexes => {
                let (schema, table) = self.shown_table(show)?;
                let items = "TABLE_NAME AS `Table`, NON_UNIQUE AS `Non_unique`, INDEX_NAME AS `Key_name`, SEQ_IN_INDEX AS `Seq_in_index`, COLUMN_NAME AS `Column_name`, COLLATION AS `Collation`, CARDINALITY AS `Cardinality`, SUB_PART AS `Sub_part`, PACKED AS `Packed`, NULLABLE AS `Null`, INDEX_TYPE AS `Index_type`, COMMENT AS `Comment`, INDEX_COMMENT AS `Index_comment`, IGNORED AS `Ignored`";
                let condition =
                    format!("TABLE_SCHEMA = {} AND TABLE_NAME = {}", text(&schema), text(&table));
                Listed { condition, ..plain(items, "STATISTICS", "INDEX_NAME", "") }
            }
            ShowWhat::Engines => plain(
                "ENGINE AS `Engine`, SUPPORT AS `Support`, COMMENT AS `Comment`, TRANSACTIONS AS `Transactions`, XA, SAVEPOINTS AS `Savepoints`",
                "ENGINES",
                "ENGINE",
                "",
            ),
            ShowWhat::Charset => plain(
                "CHARACTER_SET_NAME AS `Charset`, DESCRIPTION AS `Description`, DEFAULT_COLLATE_NAME AS `Default collation`, MAXLEN AS `Maxlen`",
                "CHARACTER_SETS",
                "CHARACTER_SET_NAME",
                "",
            ),
            ShowWhat::Collation => plain(
                "COLLATION_NAME AS `Collation`, CHARACTER_SET_NAME AS `Charset`, ID AS `Id`, IS_DEFAULT AS `Default`, IS_COMPILED AS `Compiled`, SORTLEN AS `Sortlen`",
                "COLLATIONS",
                "COLLATION_NAME",
                "",
            ),
            ShowWhat::Plugins => plain(
                "PLUGIN_NAME AS `Name`, PLUGIN_STATUS AS `Status`, PLUGIN_TYPE AS `Type`, PLUGIN_LIBRARY AS `Library`, PLUGIN_LICENSE AS `License`",
                "PLUGINS",
                "PLUGIN_NAME",
                "",
            ),
            ShowWhat::Processlist => plain(
                "ID AS `Id`, USER AS `User`, HOST AS `Host`, DB AS `db`, COMMAND AS `Command`, TIME AS `Time`, STATE AS `State`, INFO AS `Info`, PROGRESS AS `Progress`",
                "PROCESSLIST",
                "USER",
                "ID",
            ),
            ShowWhat::Triggers => plain(
                "TRIGGER_NAME AS `Trigger`, EVENT_MANIPULATION AS `Event`, EVENT_OBJECT_TABLE AS `Table`, ACTION_STATEMENT AS `Statement`, ACTION_TIMING AS `Timing`, CREATED AS `Created`, SQL_MODE AS `sql_mode`, DEFINER AS `Definer`, CHARACTER_SET_CLIENT AS `character_set_client`, COLLATION_CONNECTION AS `collation_connection`, DATABASE_COLLATION AS `Database Collation`",
                "TRIGGERS",
                "EVENT_OBJECT_TABLE",
                "",
            ),
            ShowWhat::Events => plain(
                "EVENT_SCHEMA AS `Db`, EVENT_NAME AS `Name`, DEFINER AS `Definer`, TIME_ZONE AS `Time zone`, EVENT_TYPE AS `Type`, EXECUTE_AT AS `Execute at`, INTERVAL_VALUE AS `Interval value`, INTERVAL_FIELD AS `Interval field`, STARTS AS `Starts`, ENDS AS `Ends`, STATUS AS `Status`, ORIGINATOR AS `Originator`, CHARACTER_SET_CLIENT AS `character_set_client`, COLLATION_CONNECTION AS `collation_connection`, DATABASE_COLLATION AS `Database Collation`",
                "EVENTS",
                "EVENT_NAME",
                "",
            ),
            ShowWhat::ProcedureStatus | ShowWhat::FunctionStatus => plain(
                "ROUTINE_SCHEMA AS `Db`, ROUTINE_NAME AS `Name`, ROUTINE_TYPE AS `Type`, DEFINER AS `Definer`, LAST_ALTERED AS `Modified`, CREATED AS `Created`, SECURITY_TYPE AS `Security_type`, ROUTINE_COMMENT AS `Comment`, CHARACTER_SET_CLIENT AS `character_set_client`, COLLATION_CONNECTION AS `collation_connection`, DATABASE_COLLATION AS `Database Collation`",
                "ROUTINES",
                "ROUTINE_NAME",
                "",
            ),
            ShowWhat::Other(what) => return Err(SqlError::unsupported(format!("SHOW {what}"))),
            _ => return Err(SqlError::unsupported("this SHOW")),
        })
    }

    /// Runs a query of our own words, with a condition of the statement.
    pub(super) fn select(
        &mut self,
        statement: &Statement,
        query: &str,
        filter: Option<&Expr>,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        let (mut parsed, _) = parse_first(query, Reading::default())
            .map_err(|error| SqlError::internal(format!("{error}: {query}")))?;
        let Some(ast) = &parsed.ast else { return Err(SqlError::internal(query)) };
        let mut ast = (**ast).clone();
        if let (Some(filter), ast::Statement::Query(query)) = (filter, &mut ast)
            && let ast::SetExpr::Select(select) = &mut *query.body
        {
            select.selection = Some(filter.clone());
        }
        if filter.is_some() {
            parsed.clauses = statement.clauses.clone();
        }
        self.data(&parsed, &ast, Given::default(), to)
    }

    fn show_create_table(
        &mut self,
        statement: &Statement,
        show: &Show,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        let (schema, name) = self.shown_table(show)?;
        let query = match self.catalog_ref().relation_in(&schema, &name) {
            Some(Found::View(_)) => return self.show_create_view(statement, show, to),
            Some(Found::Table(table)) => {
                let next = self.next_of(table);
                let version = self.shared.version;
                let shown = definition_text::create_table(table, self.catalog_ref(), next, version);
                format!("SELECT {} AS `Table`, {} AS `Create Table`", text(&name), text(&shown))
            }
            _ => {
                let message = format!("SHOW CREATE TABLE {schema}.{name}");
                return Err(SqlError::unsupported(message));
            }
        };
        self.select(statement, &query, None, to)
    }

    fn show_create_view(
        &mut self,
        statement: &Statement,
        show: &Show,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        let (schema, name) = self.shown_table(show)?;
        let Some(Found::View(view)) = self.catalog_ref().relation_in(&schema, &name) else {
            return Err(error(1347, format!("'{schema}.{name}' is not of type 'VIEW'")));
        };
        let seen_from = self.database.as_deref();
        let shown = definition_text::create_view(view, self.catalog_ref(), seen_from, &self.user);
        let collation = ViewNotes::of(view).map_or(Collation::DEFAULT, |notes| notes.collation);
        let query = format!(
            "SELECT {} AS `View`, {} AS `Create View`, 'utf8mb4' AS `character_set_client`, {} AS `collation_connection`",
            text(&name),
            text(&shown),
            text(collation.name()),
        );
        self.select(statement, &query, None, to)
    }

    fn show_create_database(
        &mut self,
        statement: &Statement,
        show: &Show,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        let database = self.shown_database(show)?;
        let Some(schema) = self.catalog_ref().schemas.get(&database) else {
            return Err(names::unknown_database(&database));
        };
        let shown = definition_text::create_database(schema, show.if_not_exists);
        let query = format!(
            "SELECT {} AS `Database`, {} AS `Create Database`",
            text(&database),
            text(&shown)
        );
        self.select(statement, &query, None, to)
    }

    /// The value that the counter of a table gives next.
    fn next_of(&self, table: &Table) -> Option<i64> {
        let at = table.columns.iter().position(|column| column.identity.is_some())?;
        let counter = self.catalog_ref().owned_sequence(table.oid, at)?;
        self.next_value(counter.oid)
    }

    /// ANALYZE TABLE and its kin.
    pub(super) fn maintain(
        &mut self,
        statement: &Statement,
        what: Maintenance,
        tables: &[ObjectName],
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        let word = match what {
            Maintenance::Analyze => "analyze",
            Maintenance::Check => "check",
            Maintenance::Optimize => "optimize",
            Maintenance::Repair => "repair",
            Maintenance::Checksum => return Err(SqlError::unsupported("CHECKSUM TABLE")),
        };
        let mut rows: Vec<String> = Vec::new();
        for name in tables {
            let (database, table) = names::split(name, self.database.as_deref())?;
            let temporary = temporary_schema(self.number, &database);
            let found = [temporary.as_str(), &database]
                .into_iter()
                .any(|schema| self.catalog_ref().relation_in(schema, &table).is_some());
            let mut push = |kind: &str, said: &str| {
                rows.push(format!(
                    "SELECT {} AS `Table`, {} AS `Op`, {} AS `Msg_type`, {} AS `Msg_text`",
                    text(&format!("{database}.{table}")),
                    text(word),
                    text(kind),
                    text(said)
                ));
            };
            if !found {
                push("Error", &format!("Table '{database}.{table}' doesn't exist"));
                push("status", "Operation failed");
                continue;
            }
            match what {
                Maintenance::Optimize => {
                    push(
                        "note",
                        "Table does not support optimize, doing recreate + analyze instead",
                    );
                    push("status", "OK");
                }
                Maintenance::Repair => {
                    push("note", "The storage engine for the table doesn't support repair");
                }
                Maintenance::Analyze | Maintenance::Check | Maintenance::Checksum => {
                    push("status", "OK");
                }
            }
        }
        self.select(statement, &rows.join(" UNION ALL "), None, to)
    }
}

impl SessionRows for Core {
    fn processes(&self) -> Vec<Process> {
        self.all_processes()
    }

    fn transactions(&self) -> Vec<OpenTransaction> {
        self.all_transactions()
    }

    fn next_value(&self, counter: Oid) -> Option<i64> {
        let sequence = self.catalog_ref().sequence(counter)?;
        let request = Request::advance(Key::from(&*sequence.prefix), 0);
        match self.store.request(self.id, request) {
            Ok(Answer::Value(Value::Int(value))) => Some(value),
            _ => None,
        }
    }

    fn variables(&self, global: bool) -> Vec<(String, String)> {
        let all = self.variables.list(global, &self.present()).into_iter();
        all.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn described_variables(&self) -> Vec<[Option<String>; 15]> {
        self.variables.described(&self.present())
    }

    fn status(&self, global: bool) -> Vec<(String, String)> {
        let all = self.counters.list(global, self.shared.told()).into_iter();
        all.map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
