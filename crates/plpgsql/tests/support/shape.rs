//! Whether a tree and its source are the same text: nothing is lost, nothing invented, and every place is right.
//!
//! A tree says which tokens its source must have, and in which order: leaves by their places, and between them the words
//! and signs that follow from the nodes. [`check`] walks along the source with them. It skips blanks and comments by
//! itself, so no token of the source can stand between two parts, and none may be left at the end. Where a node begins
//! and ends is compared on the way.

use hobgoblin_plpgsql::*;

/// A part of what the source must be.
enum Part {
    /// A leaf: exactly this range comes next.
    Leaf(Span),
    /// One of these comes next.
    One(&'static [&'static str]),
    /// One of these may come next.
    Maybe(&'static [&'static str]),
    /// This may come next, as often as it does.
    Any(&'static str),
    /// A node begins here.
    Begins(Span),
    /// A node ends here.
    Ends(Span),
}

/// Walks along the source with its tree; what does not fit, and where.
pub(crate) fn check(source: &str, body: &Body) -> Result<(), String> {
    let mut shape = Shape(Vec::new());
    shape.body(body);
    let mut at = 0;
    let mut end = 0;
    for part in shape.0 {
        at = skip_blank(source, at);
        let wrong = |what: String| {
            Err(format!("{what} at {}: {:?}", Place::of(source, at), rest(source, at)))
        };
        match part {
            Part::Begins(span) if span.start != at => return wrong(format!("{span:?} begins not")),
            Part::Ends(span) if span.end != end => {
                return wrong(format!("{span:?} ends not, but {end}"));
            }
            Part::Leaf(span) if span.start != at || span.end <= at => {
                return wrong(format!("the leaf {span:?} is not"));
            }
            Part::Begins(_) | Part::Ends(_) => continue,
            Part::Leaf(span) => at = span.end,
            Part::One(words) => match follows(source, at, words) {
                Some(length) => at += length,
                None => return wrong(format!("{words:?} is not")),
            },
            Part::Maybe(words) => match follows(source, at, words) {
                Some(length) => at += length,
                None => continue,
            },
            Part::Any(word) => {
                while let Some(length) = follows(source, at, &[word]) {
                    at = skip_blank(source, at + length);
                }
                continue;
            }
        }
        end = at;
    }
    match skip_blank(source, at) == source.len() {
        true => Ok(()),
        false => Err(format!("left over: {:?}", rest(source, at))),
    }
}

/// The source from somewhere on; nothing, if that is inside of a character, as it may be if the tree is another's.
fn rest(source: &str, at: usize) -> &str {
    source.get(at..).unwrap_or_default()
}

/// The length of one of these, if it is next.
fn follows(source: &str, at: usize, words: &[&str]) -> Option<usize> {
    // To PostgreSQL every character beyond ASCII is a letter.
    let goes_on = |c: char| c.is_ascii_alphanumeric() || !c.is_ascii() || c == '_' || c == '$';
    words.iter().map(|word| word.len()).find(|length| {
        let Some(text) = source.get(at..at + length) else { return false };
        let after = rest(source, at + length).chars().next();
        words.iter().any(|word| word.len() == *length && word.eq_ignore_ascii_case(text))
            && !(text.starts_with(goes_on) && after.is_some_and(goes_on))
    })
}

fn skip_blank(source: &str, mut at: usize) -> usize {
    loop {
        let left = rest(source, at);
        if left.starts_with([' ', '\t', '\n', '\r', '\x0c']) {
            at += 1;
        } else if left.starts_with("--") {
            at += left.find(['\n', '\r']).unwrap_or(left.len());
        } else if left.starts_with("/*") {
            let mut depth = 0;
            loop {
                let left = rest(source, at);
                if left.starts_with("/*") {
                    depth += 1;
                    at += 2;
                } else if left.starts_with("*/") {
                    depth -= 1;
                    at += 2;
                } else {
                    at += left.chars().next().map_or(1, char::len_utf8);
                }
                if depth == 0 || at >= source.len() {
                    break;
                }
            }
        } else {
            return at;
        }
    }
}

struct Shape(Vec<Part>);

impl Shape {
    fn one(&mut self, word: &'static [&'static str]) {
        self.0.push(Part::One(word));
    }

    fn maybe(&mut self, word: &'static [&'static str]) {
        self.0.push(Part::Maybe(word));
    }

    fn within(&mut self, span: Span, inside: impl FnOnce(&mut Shape)) {
        self.0.push(Part::Begins(span));
        inside(self);
        self.0.push(Part::Ends(span));
    }

    fn leaf(&mut self, fragment: Fragment) {
        self.0.push(Part::Leaf(fragment.span));
    }

    fn name(&mut self, name: &Name) {
        self.0.push(Part::Leaf(name.span));
    }

    fn optional(&mut self, fragment: &Option<Fragment>) {
        if let Some(fragment) = fragment {
            self.leaf(*fragment);
        }
    }

    fn path(&mut self, path: &Path) {
        self.within(path.span, |shape| {
            shape.list(&path.names, &["."], |shape, name| shape.name(name));
        });
    }

    /// Things with something between them.
    fn list<T>(
        &mut self,
        all: &[T],
        between: &'static [&'static str],
        mut each: impl FnMut(&mut Shape, &T),
    ) {
        for (number, one) in all.iter().enumerate() {
            if number > 0 {
                self.one(between);
            }
            each(self, one);
        }
    }

    fn fragments(&mut self, all: &[Fragment]) {
        self.list(all, &[","], |shape, fragment| shape.leaf(*fragment));
    }

    fn body(&mut self, body: &Body) {
        for option in &body.options {
            self.within(option.span, |shape| {
                shape.one(&["#"]);
                match option.kind {
                    CompilerOptionKind::Dump => {
                        shape.one(&["option"]);
                        shape.one(&["dump"]);
                    }
                    CompilerOptionKind::PrintStrictParams(on) => {
                        shape.one(&["print_strict_params"]);
                        shape.one(if on { &["on"] } else { &["off"] });
                    }
                    CompilerOptionKind::VariableConflict(conflict) => {
                        shape.one(&["variable_conflict"]);
                        shape.one(match conflict {
                            VariableConflict::Error => &["error"],
                            VariableConflict::UseVariable => &["use_variable"],
                            VariableConflict::UseColumn => &["use_column"],
                        });
                    }
                }
            });
        }
        self.block(&body.block);
        self.maybe(&[";"]);
    }

    fn label(&mut self, label: &Option<Label>) {
        if let Some(label) = label {
            self.within(label.span, |shape| {
                shape.one(&["<<"]);
                shape.name(&label.name);
                shape.one(&[">>"]);
            });
        }
    }

    fn end_label(&mut self, label: &Option<Name>) {
        if let Some(label) = label {
            self.name(label);
        }
    }

    fn block(&mut self, block: &Block) {
        self.within(block.span, |shape| {
            shape.label(&block.label);
            if block.declares {
                shape.one(&["declare"]);
                shape.0.push(Part::Any("declare"));
            }
            for declaration in &block.declarations {
                shape.within(declaration.span, |shape| shape.declaration(declaration));
                shape.0.push(Part::Any("declare"));
            }
            shape.one(&["begin"]);
            shape.statements(&block.statements);
            if !block.handlers.is_empty() {
                shape.one(&["exception"]);
            }
            for handler in &block.handlers {
                shape.within(handler.span, |shape| {
                    shape.one(&["when"]);
                    shape.list(&handler.conditions, &["or"], Shape::condition);
                    shape.one(&["then"]);
                    shape.statements(&handler.statements);
                });
            }
            shape.one(&["end"]);
            shape.end_label(&block.end_label);
        });
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Named(name) => self.name(name),
            Condition::SqlState(state) => {
                self.one(&["sqlstate", "\"sqlstate\""]);
                self.0.push(Part::Leaf(state.span));
            }
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        self.name(&declaration.name);
        match &declaration.kind {
            DeclarationKind::Variable { constant, ty, collation, not_null, default } => {
                if *constant {
                    self.one(&["constant"]);
                }
                self.data_type(ty);
                if let Some(collation) = collation {
                    self.one(&["collate"]);
                    self.path(collation);
                }
                if *not_null {
                    self.one(&["not"]);
                    self.one(&["null"]);
                }
                if let Some(default) = default {
                    self.one(&[":=", "=", "default"]);
                    self.leaf(*default);
                }
            }
            DeclarationKind::Alias(of) => {
                self.one(&["alias"]);
                self.one(&["for"]);
                self.path(of);
            }
            DeclarationKind::Cursor { scroll, parameters, query } => {
                self.scroll(*scroll);
                self.one(&["cursor"]);
                if !parameters.is_empty() {
                    self.one(&["("]);
                    self.list(parameters, &[","], |shape, parameter| {
                        shape.name(&parameter.name);
                        shape.data_type(&parameter.ty);
                    });
                    self.one(&[")"]);
                }
                self.one(&["for", "is"]);
                self.leaf(*query);
            }
        }
        self.one(&[";"]);
    }

    fn scroll(&mut self, scroll: Option<bool>) {
        if scroll == Some(false) {
            self.one(&["no"]);
        }
        if scroll.is_some() {
            self.one(&["scroll"]);
        }
    }

    fn data_type(&mut self, ty: &DataType) {
        let (path, word): (_, &'static [&'static str]) = match ty {
            DataType::Named(fragment) => return self.leaf(*fragment),
            DataType::TypeOf(path) => (path, &["type"]),
            DataType::RowTypeOf(path) => (path, &["rowtype"]),
        };
        self.path(path);
        self.one(&["%"]);
        self.one(word);
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.within(statement.span, |shape| {
                shape.statement(&statement.kind);
                shape.one(&[";"]);
            });
        }
    }

    /// A statement up to its semicolon.
    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Block(block) => self.block(block),
            StatementKind::Assign { target, value } => {
                self.within(target.span, |shape| {
                    shape.path(&target.variable);
                    for step in &target.steps {
                        match step {
                            Step::Subscript(inside) => {
                                shape.one(&["["]);
                                shape.optional(inside);
                                shape.one(&["]"]);
                            }
                            Step::Field(name) => {
                                shape.one(&["."]);
                                shape.name(name);
                            }
                        }
                    }
                });
                self.one(&[":=", "="]);
                self.optional(value);
            }
            StatementKind::If { branches, otherwise } => {
                for (number, branch) in branches.iter().enumerate() {
                    self.branch(branch, if number == 0 { &["if"] } else { &["elsif", "elseif"] });
                }
                self.otherwise(otherwise, &["if"]);
            }
            StatementKind::Case { subject, branches, otherwise } => {
                self.one(&["case"]);
                self.optional(subject);
                for branch in branches {
                    self.branch(branch, &["when"]);
                }
                self.otherwise(otherwise, &["case"]);
            }
            StatementKind::Loop(inner) => self.repeat(inner),
            StatementKind::Leave { leave, label, when } => {
                self.one(if *leave == Leave::Exit { &["exit"] } else { &["continue"] });
                self.end_label(label);
                if when.is_some() {
                    self.one(&["when"]);
                }
                self.optional(when);
            }
            StatementKind::Return(value) => {
                self.one(&["return"]);
                self.optional(value);
            }
            StatementKind::ReturnNext(value) => {
                self.one(&["return"]);
                self.one(&["next"]);
                self.optional(value);
            }
            StatementKind::ReturnQuery(query) => {
                self.one(&["return"]);
                self.one(&["query"]);
                self.query(query);
            }
            StatementKind::Raise(raise) => self.raise(raise),
            StatementKind::Assert { condition, message } => {
                self.one(&["assert"]);
                self.leaf(*condition);
                if message.is_some() {
                    self.one(&[","]);
                }
                self.optional(message);
            }
            StatementKind::Perform(query) => {
                self.one(&["perform"]);
                self.optional(query);
            }
            StatementKind::Call(statement) | StatementKind::Do(statement) => self.leaf(*statement),
            StatementKind::Sql(sql) => {
                self.within(sql.span(), |shape| {
                    shape.leaf(sql.before);
                    if let Some(into) = &sql.into {
                        shape.into(into);
                    }
                    shape.optional(&sql.after);
                });
            }
            StatementKind::Execute { dynamic, into } => self.execute(dynamic, into),
            StatementKind::GetDiagnostics { stacked, items } => {
                self.one(&["get"]);
                if *stacked {
                    self.one(&["stacked"]);
                } else {
                    self.maybe(&["current"]);
                }
                self.one(&["diagnostics"]);
                self.list(items, &[","], |shape, item| {
                    shape.path(&item.target);
                    shape.one(&["=", ":="]);
                    shape.within(item.span, |shape| shape.one(diagnostics(item.kind)));
                });
            }
            StatementKind::Open { cursor, of } => {
                self.one(&["open"]);
                self.path(cursor);
                match of {
                    Opened::Bound(arguments) => self.arguments(arguments),
                    Opened::Unbound { scroll, query } => {
                        self.scroll(*scroll);
                        // NO may stand alone, and then says nothing.
                        self.maybe(if scroll.is_none() { &["no"] } else { &[] });
                        self.one(&["for"]);
                        self.query(query);
                    }
                }
            }
            StatementKind::Fetch { direction, cursor, into } => {
                self.one(&["fetch"]);
                self.direction(*direction);
                self.path(cursor);
                self.into(into);
            }
            StatementKind::Move { direction, cursor } => {
                self.one(&["move"]);
                self.direction(*direction);
                self.path(cursor);
            }
            StatementKind::Close(cursor) => {
                self.one(&["close"]);
                self.path(cursor);
            }
            StatementKind::Commit { chain } => {
                self.one(&["commit"]);
                self.chain(*chain);
            }
            StatementKind::Rollback { chain } => {
                self.one(&["rollback"]);
                self.chain(*chain);
            }
            StatementKind::Null => self.one(&["null"]),
        }
    }

    fn branch(&mut self, branch: &Branch, word: &'static [&'static str]) {
        self.within(branch.span, |shape| {
            shape.one(word);
            shape.leaf(branch.condition);
            shape.one(&["then"]);
            shape.statements(&branch.statements);
        });
    }

    fn otherwise(&mut self, otherwise: &Option<Vec<Statement>>, word: &'static [&'static str]) {
        if let Some(statements) = otherwise {
            self.one(&["else"]);
            self.statements(statements);
        }
        self.one(&["end"]);
        self.one(word);
    }

    fn repeat(&mut self, inner: &Loop) {
        self.label(&inner.label);
        match &inner.control {
            LoopControl::Forever => {}
            LoopControl::While(condition) => {
                self.one(&["while"]);
                self.leaf(*condition);
            }
            LoopControl::Integers { variable, reverse, from, to, by } => {
                self.one(&["for"]);
                self.path(variable);
                self.one(&["in"]);
                if *reverse {
                    self.one(&["reverse"]);
                }
                self.leaf(*from);
                self.one(&[".."]);
                self.leaf(*to);
                if by.is_some() {
                    self.one(&["by"]);
                }
                self.optional(by);
            }
            LoopControl::Rows { targets, query } => {
                self.one(&["for"]);
                self.list(targets, &[","], Shape::path);
                self.one(&["in"]);
                self.query(query);
            }
            LoopControl::Cursor { variable, cursor, arguments } => {
                self.one(&["for"]);
                self.path(variable);
                self.one(&["in"]);
                self.path(cursor);
                self.arguments(arguments);
            }
            LoopControl::Elements { targets, slice, array } => {
                self.one(&["foreach"]);
                self.list(targets, &[","], Shape::path);
                if let Some(slice) = slice {
                    self.one(&["slice"]);
                    self.0.push(Part::Leaf(slice.span));
                }
                self.one(&["in"]);
                self.one(&["array"]);
                self.leaf(*array);
            }
        }
        self.one(&["loop"]);
        self.statements(&inner.statements);
        self.one(&["end"]);
        self.one(&["loop"]);
        self.end_label(&inner.end_label);
    }

    fn query(&mut self, query: &Query) {
        match query {
            Query::Static(query) => self.leaf(*query),
            Query::Dynamic(dynamic) => self.execute(dynamic, &None),
        }
    }

    fn using(&mut self, dynamic: &Dynamic) {
        if !dynamic.using.is_empty() {
            self.one(&["using"]);
            self.fragments(&dynamic.using);
        }
    }

    /// The places say whether INTO or USING is first.
    fn execute(&mut self, dynamic: &Dynamic, into: &Option<Into>) {
        self.one(&["execute"]);
        self.leaf(dynamic.text);
        let first = dynamic.using.first().map(|using| using.span.start);
        match into {
            Some(into) if first.is_none_or(|first| into.span.start < first) => {
                self.into(into);
                self.using(dynamic);
            }
            Some(into) => {
                self.using(dynamic);
                self.into(into);
            }
            None => self.using(dynamic),
        }
    }

    fn into(&mut self, into: &Into) {
        self.within(into.span, |shape| {
            shape.one(&["into"]);
            if into.strict {
                shape.one(&["strict"]);
            }
            shape.list(&into.targets, &[","], Shape::path);
        });
    }

    fn arguments(&mut self, arguments: &[CursorArgument]) {
        if arguments.is_empty() {
            return;
        }
        self.one(&["("]);
        self.list(arguments, &[","], |shape, argument| {
            if let Some(name) = &argument.name {
                shape.name(name);
                shape.one(&[":="]);
            }
            shape.leaf(argument.value);
        });
        self.one(&[")"]);
    }

    fn direction(&mut self, direction: Direction) {
        let (word, number): (&'static [&'static str], _) = match direction {
            Direction::Unsaid => return self.maybe(&["from", "in"]),
            Direction::Next => (&["next"], None),
            Direction::Prior => (&["prior"], None),
            Direction::First => (&["first"], None),
            Direction::Last => (&["last"], None),
            Direction::All => (&["all"], None),
            Direction::Absolute(number) => (&["absolute"], Some(HowMany::Count(number))),
            Direction::Relative(number) => (&["relative"], Some(HowMany::Count(number))),
            Direction::Count(number) => {
                self.leaf(number);
                return self.one(&["from", "in"]);
            }
            Direction::Forward(number) => (&["forward"], number),
            Direction::Backward(number) => (&["backward"], number),
        };
        self.one(word);
        match number {
            Some(HowMany::All) => self.one(&["all"]),
            Some(HowMany::Count(number)) => self.leaf(number),
            None => {}
        }
        self.one(&["from", "in"]);
    }

    fn chain(&mut self, chain: Option<bool>) {
        if let Some(chain) = chain {
            self.one(&["and"]);
            if !chain {
                self.one(&["no"]);
            }
            self.one(&["chain"]);
        }
    }

    fn raise(&mut self, raise: &Raise) {
        self.one(&["raise"]);
        if let Some(level) = raise.level {
            self.one(match level {
                RaiseLevel::Debug => &["debug"],
                RaiseLevel::Log => &["log"],
                RaiseLevel::Info => &["info"],
                RaiseLevel::Notice => &["notice"],
                RaiseLevel::Warning => &["warning"],
                RaiseLevel::Exception => &["exception"],
            });
        }
        match &raise.what {
            Some(Raised::Message { format, arguments }) => {
                self.0.push(Part::Leaf(format.span));
                if !arguments.is_empty() {
                    self.one(&[","]);
                }
                self.fragments(arguments);
            }
            Some(Raised::Condition(condition)) => self.condition(condition),
            None => {}
        }
        if !raise.options.is_empty() {
            self.one(&["using"]);
        }
        self.list(&raise.options, &[","], |shape, option| {
            shape.within(option.span, |shape| {
                shape.one(match option.kind {
                    RaiseOptionKind::ErrCode => &["errcode"],
                    RaiseOptionKind::Message => &["message"],
                    RaiseOptionKind::Detail => &["detail"],
                    RaiseOptionKind::Hint => &["hint"],
                    RaiseOptionKind::Column => &["column"],
                    RaiseOptionKind::Constraint => &["constraint"],
                    RaiseOptionKind::DataType => &["datatype"],
                    RaiseOptionKind::Table => &["table"],
                    RaiseOptionKind::Schema => &["schema"],
                });
            });
            shape.one(&["=", ":="]);
            shape.leaf(option.value);
        });
    }
}

fn diagnostics(kind: DiagnosticsKind) -> &'static [&'static str] {
    match kind {
        DiagnosticsKind::RowCount => &["row_count"],
        DiagnosticsKind::Context => &["pg_context"],
        DiagnosticsKind::ExceptionContext => &["pg_exception_context"],
        DiagnosticsKind::ExceptionDetail => &["pg_exception_detail"],
        DiagnosticsKind::ExceptionHint => &["pg_exception_hint"],
        DiagnosticsKind::ReturnedSqlState => &["returned_sqlstate"],
        DiagnosticsKind::ColumnName => &["column_name"],
        DiagnosticsKind::ConstraintName => &["constraint_name"],
        DiagnosticsKind::DataTypeName => &["pg_datatype_name"],
        DiagnosticsKind::MessageText => &["message_text"],
        DiagnosticsKind::TableName => &["table_name"],
        DiagnosticsKind::SchemaName => &["schema_name"],
    }
}
