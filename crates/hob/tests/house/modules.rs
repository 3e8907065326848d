//! The modules of a crate, and in which file a path's item is defined.
//!
//! Read as text, not compiled: a module knows the names of the items that stand in it, its children, and its `use`s. A
//! path is followed from module to module, through `use`s and globs, to the file that defines the item. What a macro
//! defines is taken to stand where the macro is called, and methods are not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::tokens::{Token, tokens};

/// A module: a file, or a `mod name { … }` inside of one.
#[derive(Default)]
struct Module {
    file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    defined: BTreeSet<String>,
    imports: Vec<Import>,
    globs: Vec<Vec<String>>,
    /// Every path of the code outside of `use`s, single words included.
    mentions: BTreeSet<Vec<String>>,
}

/// A `use` of one name.
struct Import {
    name: String,
    path: Vec<String>,
    /// Told on with `pub use`.
    public: bool,
}

/// A crate as read from its root file.
#[derive(Default)]
pub(crate) struct Modules {
    /// The files, in the order they were met; the root is the first.
    pub(crate) files: Vec<PathBuf>,
    modules: Vec<Module>,
}

/// Who names whom: from a file to a file, and by which names.
pub(crate) type Arrows = BTreeMap<(usize, usize), BTreeSet<String>>;

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// A module of this crate, by its number.
    Module(usize),
    /// An item that stands in this file.
    Item(usize),
    /// Something of another crate.
    Outside,
}

impl Modules {
    /// Reads a crate; `read` gives a file's text, or nothing where there is none.
    pub(crate) fn read(root: &Path, read: &dyn Fn(&Path) -> Option<String>) -> Self {
        let mut crate_ = Self::default();
        let folder = root.parent().unwrap_or(Path::new(""));
        crate_.file(root, folder, None, read);
        crate_
    }

    /// Reads a file as a module, and the files below it. `folder` is where its children are.
    fn file(
        &mut self,
        path: &Path,
        folder: &Path,
        parent: Option<usize>,
        read: &dyn Fn(&Path) -> Option<String>,
    ) -> usize {
        let text = read(path).unwrap_or_else(|| panic!("{} is not there", path.display()));
        self.files.push(path.to_owned());
        let file = self.files.len() - 1;
        let module = self.module(file, parent);
        let tokens = tokens(&text);
        self.scan(&tokens, module, folder, read);
        module
    }

    fn module(&mut self, file: usize, parent: Option<usize>) -> usize {
        self.modules.push(Module { file, parent, ..Module::default() });
        self.modules.len() - 1
    }

    /// Reads the tokens of a module, from behind its opening brace if it has one.
    fn scan(
        &mut self,
        tokens: &[Token<'_>],
        module: usize,
        folder: &Path,
        read: &dyn Fn(&Path) -> Option<String>,
    ) {
        let mut depth = 0;
        let mut at = 0;
        while at < tokens.len() {
            let next = |ahead: usize| tokens.get(at + ahead).copied();
            match tokens[at] {
                Token::Sign('{') => depth += 1,
                Token::Sign('}') => depth -= 1,
                Token::Word("use") => {
                    let length =
                        tokens[at..].iter().position(|t| *t == Token::Sign(';')).unwrap_or(1);
                    let before = at.checked_sub(1).map(|before| tokens[before]);
                    let public = matches!(before, Some(Token::Word("pub") | Token::Sign(')')));
                    self.import(&tokens[at + 1..at + length], public, module);
                    at += length;
                }
                Token::Word("mod") if let Some(Token::Word(name)) = next(1) => {
                    let child = match next(2) {
                        Some(Token::Sign(';')) => {
                            let (path, below) = place(folder, name, read);
                            self.file(&path, &below, Some(module), read)
                        }
                        _ => {
                            let inside = &tokens[at + 3..];
                            let length = body(inside);
                            let child = self.module(self.modules[module].file, Some(module));
                            self.scan(&inside[..length], child, &folder.join(name), read);
                            at += length + 1;
                            child
                        }
                    };
                    self.modules[module].children.insert(name.to_owned(), child);
                    at += 2;
                }
                Token::Word(word) => {
                    if depth == 0
                        && let Some(name) = defined(word, next(1), next(2))
                    {
                        self.modules[module].defined.insert(name.to_owned());
                    }
                    let before = at.checked_sub(1).map(|before| tokens[before]);
                    let part = matches!(before, Some(Token::Colons | Token::Sign('.')));
                    // What is only called like an item: a function, a field or parameter, a macro.
                    let name = before == Some(Token::Word("fn"))
                        || next(1) == Some(Token::Sign(':'))
                        || (next(1) == Some(Token::Sign('!')) && next(2) != Some(Token::Sign('=')));
                    if !part && !name {
                        let path = path(&tokens[at..]);
                        at += 2 * (path.len() - 1);
                        self.modules[module].mentions.insert(path);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Takes in a `use`, given without the word and its semicolon.
    fn import(&mut self, tree: &[Token<'_>], public: bool, module: usize) {
        let mut prefixes = vec![Vec::<String>::new()];
        let mut path = Vec::<String>::new();
        let mut name = None;
        let mut at = 0;
        loop {
            match tree.get(at) {
                Some(Token::Word("as")) => {
                    at += 1;
                    if let Some(Token::Word(alias)) = tree.get(at) {
                        name = Some((*alias).to_owned());
                    }
                }
                Some(Token::Word(word)) => path.push((*word).to_owned()),
                Some(Token::Sign('*')) => path.push("*".to_owned()),
                Some(Token::Sign('{')) => prefixes.push(path.clone()),
                end @ (None | Some(Token::Sign(',' | '}'))) => {
                    let below = prefixes.last().expect("the outermost prefix stays").clone();
                    let whole = std::mem::replace(&mut path, below);
                    self.imported(whole, name.take(), public, module);
                    match end {
                        None => return,
                        Some(Token::Sign('}')) => {
                            prefixes.pop();
                            path = Vec::new();
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn imported(
        &mut self,
        mut path: Vec<String>,
        alias: Option<String>,
        public: bool,
        module: usize,
    ) {
        let module = &mut self.modules[module];
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
        }
        match path.last() {
            Some(last) if last == "*" => {
                path.pop();
                module.globs.push(path);
            }
            Some(last) => {
                let name = alias.unwrap_or_else(|| last.clone());
                module.imports.push(Import { name, path, public });
            }
            None => {}
        }
    }

    /// Who names whom. A file that names its own items draws no arrow.
    pub(crate) fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::new();
        for (number, module) in self.modules.iter().enumerate() {
            // What is imported is mentioned too, except for traits, which come for their methods.
            let imports = module.imports.iter().filter(|import| {
                !import.public
                    && !matches!(
                        self.resolve(number, &import.path, true, 0),
                        Some(Target::Module(_))
                    )
            });
            let imports = imports.map(|import| &import.path);
            for path in imports.chain(&module.mentions).chain(&module.globs) {
                if let Some(Target::Item(file)) = self.resolve(number, path, false, 0)
                    && file != module.file
                {
                    let name = path.join("::");
                    arrows.entry((module.file, file)).or_default().insert(name);
                }
            }
        }
        arrows
    }

    /// What a path means in a module; nothing for a word that is not in scope, a local variable say. Where a name is
    /// that of a module and of an item, it is the module if there is more of the path, or `module` says so.
    fn resolve(&self, at: usize, path: &[String], module: bool, depth: usize) -> Option<Target> {
        // Two globs of each other would go on for ever.
        if depth > 16 {
            return None;
        }
        let mut rest = path;
        let mut here = Target::Module(at);
        while let Some(first) = rest.first() {
            here = match first.as_str() {
                "crate" => Target::Module(0),
                "self" => here,
                "super" => {
                    let Target::Module(module) = here else { return None };
                    Target::Module(self.modules[module].parent?)
                }
                _ => break,
            };
            rest = &rest[1..];
        }
        let rooted = rest.len() < path.len();
        for (number, name) in rest.iter().enumerate() {
            let Target::Module(within) = here else { return Some(here) };
            let more = number + 1 < rest.len();
            here = match self.lookup(within, name, more || module, depth) {
                Some(found) => found,
                // Defined by a macro that is called there.
                None if rooted || number > 0 => Target::Item(self.modules[within].file),
                None => return None,
            };
        }
        Some(here)
    }

    /// What a name means in a module.
    fn lookup(&self, at: usize, name: &str, module: bool, depth: usize) -> Option<Target> {
        let within = &self.modules[at];
        let child = within.children.get(name).map(|&child| Target::Module(child));
        let item = within.defined.contains(name).then_some(Target::Item(within.file));
        let imported = within.imports.iter().filter(|import| import.name == name);
        let imported = imported.map(|import| {
            // `use name::name` of another crate would ask for itself.
            let itself = import.path.first().is_some_and(|first| first == name)
                && !within.children.contains_key(name);
            let found =
                if itself { None } else { self.resolve(at, &import.path, module, depth + 1) };
            found.unwrap_or(Target::Outside)
        });
        let meanings: Vec<Target> = child.into_iter().chain(item).chain(imported).collect();
        let wanted = |target: &&Target| matches!(target, Target::Module(_)) == module;
        let best = meanings.iter().filter(|target| **target != Target::Outside).find(wanted);
        if let Some(&found) = best.or(meanings.first()) {
            return Some(found);
        }
        within.globs.iter().find_map(|path| match self.resolve(at, path, true, depth + 1)? {
            Target::Module(found) if found != at => self.lookup(found, name, module, depth + 1),
            _ => None,
        })
    }
}

/// Where the file of a child module is, and where its own children are.
fn place(folder: &Path, name: &str, read: &dyn Fn(&Path) -> Option<String>) -> (PathBuf, PathBuf) {
    let below = folder.join(name);
    let file = folder.join(format!("{name}.rs"));
    if read(&file).is_some() { (file, below) } else { (below.join("mod.rs"), below) }
}

/// The length of what stands in braces, from behind the opening one.
fn body(tokens: &[Token<'_>]) -> usize {
    let mut depth = 1;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('{') => depth += 1,
            Token::Sign('}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

/// The name of the item that a keyword begins.
fn defined<'a>(word: &str, next: Option<Token<'a>>, after: Option<Token<'a>>) -> Option<&'a str> {
    match (word, next, after) {
        ("const", Some(Token::Word("fn" | "unsafe")), _) => None,
        ("static", Some(Token::Word("mut")), Some(Token::Word(name))) => Some(name),
        ("macro_rules", Some(Token::Sign('!')), Some(Token::Word(name))) => Some(name),
        (
            "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static",
            Some(Token::Word(name)),
            _,
        ) => Some(name),
        _ => None,
    }
}

/// The path that begins here: words with `::` between them.
fn path(tokens: &[Token<'_>]) -> Vec<String> {
    let mut path = Vec::new();
    for pair in tokens.chunks(2) {
        let &[Token::Word(word), ref then @ ..] = pair else { break };
        path.push(word.to_owned());
        if then != [Token::Colons] {
            break;
        }
    }
    path
}
