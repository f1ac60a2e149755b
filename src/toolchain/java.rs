//! Finds where a Java program begins: the class with the `main` method, whatever the file is called
//! and whatever stands around it.

use std::sync::LazyLock;

use regex::Regex;

/// What a source says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sketch {
    /// The class to start, with its package: `pkg.Outer$Inner`.
    pub main: Option<String>,
    /// The file's name without `.java`, as the compiler demands it.
    pub file_stem: Option<String>,
}

/// Longest class name that still makes a file name, in bytes.
const CLASS_BYTES_MAX: usize = 200;
/// Types within types; what is deeper is not looked at, since every level repeats the names around
/// it.
const NESTING_MAX: usize = 32;

/// A word or a mark as group 1, or what is passed over: a comment, a text block, a string, a
/// character. A literal ends at its line's end at the latest, so that one that is left open does
/// not swallow the rest.
static TOKEN: Pattern = LazyLock::new(|| {
    pattern(
        r#"(?s)//[^\r\n]*|/\*.*?(?:\*/|\z)|"""(?:\\.|[^\\])*?(?:"""|\z)|"(?:\\.|[^"\\\n])*["\n]?|'(?:\\.|[^'\\\n])*['\n]?|([\w$]+|\S)"#,
    )
});
/// `class A`, `interface A`, `enum A`, `record A(`, but not `A.class`.
static TYPE: Pattern = LazyLock::new(|| {
    pattern(r"(?:^|[^.] )(?:(?:class|enum|(interface)) ([\w$]+)|record ([\w$]+) [(<])")
});
/// A method `main` that takes one array of strings, in any spelling.
static MAIN: Pattern = LazyLock::new(|| {
    let array = r"\[ \] [\w$]+|[\w$]+ \[ \]|\. \. \. [\w$]+";
    pattern(&format!(
        r"(?:^| )void main \( (?:(?:final|@ [\w$. ]+) )*(?:java \. lang \. )?String (?:{array}) \)"
    ))
});
static PACKAGE: Pattern = LazyLock::new(|| pattern(r"(?:^| )package (.+)"));

type Pattern = LazyLock<Regex>;

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of our own")
}

/// A class, interface, enum or record.
#[derive(Debug, Clone)]
struct Type {
    name: String,
    is_public: bool,
    is_interface: bool,
}

/// A pair of braces that is open, or the file.
#[derive(Debug)]
struct Scope {
    /// The types that it is the body of, the outermost first; `None` for any other block.
    of: Option<Vec<Type>>,
    /// Parentheses that are open in it.
    parentheses: usize,
}

#[derive(Debug)]
struct Outline {
    scopes: Vec<Scope>,
    /// The words and marks of the declaration at hand, in the file or in a type; of parentheses
    /// within parentheses nothing.
    head: String,
    /// `pkg.` or nothing.
    package: String,
    /// The first public type outside of every other.
    public_type: Option<String>,
    /// The types with a `main` method, each behind those around it.
    mains: Vec<Vec<Type>>,
}

impl Outline {
    fn read(&mut self, token: &str) {
        let Some(scope) = self.scopes.last_mut() else {
            return;
        };
        let before = scope.parentheses;
        let is_declaration = scope.of.is_some();
        match token {
            "(" => scope.parentheses += 1,
            ")" => scope.parentheses = before.saturating_sub(1),
            _ => {}
        }
        let is_shallow = before.max(scope.parentheses) <= 1;
        let ends = is_declaration && before == 0 && matches!(token, "{" | ";");
        if ends {
            self.note();
        }
        if token == "{" {
            let of = if ends { self.opened() } else { None };
            self.scopes.push(Scope { of, parentheses: 0 });
        } else if token == "}" && self.scopes.len() > 1 {
            self.scopes.pop();
        }
        let around = self.scopes.last();
        let is_back = token == "}"
            && around.is_some_and(|scope| scope.of.is_some() && scope.parentheses == 0);
        if ends || is_back {
            self.head.clear();
        } else if is_declaration && is_shallow {
            self.head.push_str(token);
            self.head.push(' ');
        }
    }

    /// Looks at a declaration for a package and for a `main` method.
    fn note(&mut self) {
        let within = self.scopes.last().and_then(|scope| scope.of.as_deref());
        let Some(types @ [.., within]) = within else {
            if let Some(name) = PACKAGE.captures(&self.head) {
                self.package = name[1].replace(' ', "") + ".";
            }
            return;
        };
        let has = |word: &str| self.head.split(' ').any(|one| one == word);
        let may_start = has("static") && (has("public") || within.is_interface);
        if may_start && MAIN.is_match(&self.head) {
            self.mains.push(types.to_vec());
        }
    }

    /// The types around a body that opens here, its own the last; `None` where it is none's.
    fn opened(&mut self) -> Option<Vec<Type>> {
        let mut types = self.scopes.last()?.of.clone()?;
        let found = TYPE
            .captures(&self.head)
            .filter(|_| types.len() < NESTING_MAX)?;
        let name = found.get(2).or(found.get(3))?.as_str().to_owned();
        let is_public = self.head.split(' ').any(|word| word == "public");
        if is_public && types.is_empty() {
            self.public_type.get_or_insert_with(|| name.clone());
        }
        let is_interface = found.get(1).is_some();
        types.push(Type {
            name,
            is_public,
            is_interface,
        });
        Some(types)
    }
}

/// Reads the outline of a source: its types, how they are nested, and where it starts.
pub(super) fn sketch(source: &[u8]) -> Sketch {
    let text = match std::str::from_utf8(source) {
        Ok(text) => text.to_owned(),
        Err(_) => source.iter().map(|&byte| char::from(byte)).collect(),
    };
    let file = Scope {
        of: Some(Vec::new()),
        parentheses: 0,
    };
    let mut outline = Outline {
        scopes: vec![file],
        head: String::new(),
        package: String::new(),
        public_type: None,
        mains: Vec::new(),
    };
    let tokens = TOKEN.captures_iter(text.trim_start_matches('\u{FEFF}'));
    for token in tokens.filter_map(|found| found.get(1)) {
        outline.read(token.as_str());
    }
    let best = outline.mains.iter().min_by_key(|types| {
        let is_nested = types.len() > 1;
        let last = types.last();
        let is_called_main = !is_nested && last.is_some_and(|last| last.name == "Main");
        (
            is_nested,
            !last.is_some_and(|last| last.is_public),
            !is_called_main,
        )
    });
    let names =
        |types: &Vec<Type>| -> Vec<String> { types.iter().map(|one| one.name.clone()).collect() };
    let start = best.map(names);
    let stem = outline
        .public_type
        .or_else(|| start.as_ref()?.first().cloned());
    Sketch {
        main: start.map(|names| outline.package + &names.join("$")),
        file_stem: stem.filter(|stem| stem.len() <= CLASS_BYTES_MAX),
    }
}
