//! Finds where a Java program begins: the class with the `main` method, whatever the file is called and whatever stands around it.

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

/// Reads the outline of a source.
pub(super) fn sketch(source: &[u8]) -> Sketch {
    let text = match std::str::from_utf8(source) {
        Ok(text) => text.to_owned(),
        Err(_) => source.iter().map(|&byte| char::from(byte)).collect(),
    };
    let characters = unescape(text.trim_start_matches('\u{FEFF}'));
    let outline = Outline::of(&tokens(&characters));
    let starts = outline
        .mains
        .iter()
        .min_by_key(|main| (main.nested, !main.public, main.path != "Main"));
    let stem = outline
        .public_type
        .clone()
        .or_else(|| starts.map(|main| main.top_level.clone()))
        .filter(|stem| stem.len() <= CLASS_BYTES_MAX);
    Sketch {
        main: starts.map(|main| format!("{}{}", outline.package, main.path)),
        file_stem: stem,
    }
}

/// The language translates `\u0041` before anything else, so that it counts everywhere.
fn unescape(text: &str) -> Vec<char> {
    let mut translated = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        translated.extend(rest[..at].chars());
        rest = &rest[at + 1..];
        let digits = rest.trim_start_matches('u');
        let code = digits
            .get(..4)
            .filter(|_| digits.len() < rest.len())
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if let Some(code) = code {
            translated.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            rest = &digits[4..];
        } else {
            translated.push('\\');
            // An escaped backslash begins no further escape.
            if let Some(after) = rest.strip_prefix('\\') {
                translated.push('\\');
                rest = after;
            }
        }
    }
    translated.extend(rest.chars());
    translated
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Mark(char),
}

impl Token {
    fn is(&self, text: &str) -> bool {
        match self {
            Self::Word(word) => word == text,
            Self::Mark(mark) => text.len() == mark.len_utf8() && text.starts_with(*mark),
        }
    }
}

/// Words and marks, without comments, strings, characters and text blocks.
fn tokens(characters: &[char]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let starts = |at: usize, text: &str| {
        text.chars()
            .enumerate()
            .all(|(offset, character)| characters.get(at + offset) == Some(&character))
    };
    while let Some(&character) = characters.get(at) {
        if starts(at, "//") {
            at += characters[at..]
                .iter()
                .take_while(|&&character| character != '\n' && character != '\r')
                .count();
        } else if starts(at, "/*") {
            at += 2;
            while at < characters.len() && !starts(at, "*/") {
                at += 1;
            }
            at += 2;
        } else if starts(at, "\"\"\"") {
            at += 3;
            while at < characters.len() && !starts(at, "\"\"\"") {
                at += if characters[at] == '\\' { 2 } else { 1 };
            }
            at += 3;
        } else if character == '"' || character == '\'' {
            at += 1;
            // A literal ends at its line's end at the latest: one that is left open does not swallow the rest.
            while let Some(&inside) = characters.get(at)
                && inside != character
                && inside != '\n'
            {
                at += if inside == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if is_word(character) {
            let word: String = characters[at..]
                .iter()
                .take_while(|&&character| is_word(character))
                .collect();
            at += word.chars().count();
            tokens.push(Token::Word(word));
        } else {
            if !character.is_whitespace() {
                tokens.push(Token::Mark(character));
            }
            at += 1;
        }
    }
    tokens
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

/// A class with a `main` method.
#[derive(Debug)]
struct Main {
    /// Its name below the package: `Outer$Inner`.
    path: String,
    /// The outermost class around it.
    top_level: String,
    nested: bool,
    public: bool,
}

#[derive(Debug)]
enum Scope {
    /// A class, interface, enum or record, with the tokens of the member at hand.
    Type {
        path: String,
        interface: bool,
        public: bool,
        member: Vec<Token>,
    },
    /// Any other pair of braces; whether it stands between parentheses of the scope around it.
    Block { between_parentheses: bool },
}

/// What the outline is built from, token by token.
#[derive(Debug, Default)]
struct Outline {
    /// `pkg.` or nothing.
    package: String,
    public_type: Option<String>,
    mains: Vec<Main>,
    scopes: Vec<Scope>,
    /// Open parentheses, one count a scope and one for the file.
    parentheses: Vec<usize>,
    /// The tokens of the declaration at hand outside of every type.
    top: Vec<Token>,
    /// A type whose body is about to open.
    pending: Option<(String, bool, bool)>,
}

impl Outline {
    fn of(tokens: &[Token]) -> Self {
        let mut outline = Self {
            parentheses: vec![0],
            ..Self::default()
        };
        for (index, token) in tokens.iter().enumerate() {
            outline.take(token, index, tokens);
        }
        outline
    }

    fn take(&mut self, token: &Token, index: usize, tokens: &[Token]) {
        let depth = self.parentheses.last().copied().unwrap_or(0);
        match token {
            Token::Mark('{') => self.open(depth > 0),
            Token::Mark('}') => self.close(),
            Token::Mark('(') => {
                if depth == 0 {
                    self.note_main(index, tokens);
                }
                self.set_depth(depth + 1);
            }
            Token::Mark(')') => self.set_depth(depth.saturating_sub(1)),
            Token::Mark(';') if depth == 0 => {
                self.note_package();
                self.declaration().clear();
            }
            other if depth == 0 => {
                self.note_type(index, tokens);
                if !matches!(self.scopes.last(), Some(Scope::Block { .. })) {
                    self.declaration().push(other.clone());
                }
            }
            _ => {}
        }
    }

    fn set_depth(&mut self, depth: usize) {
        if let Some(last) = self.parentheses.last_mut() {
            *last = depth;
        }
    }

    /// The tokens of the declaration at hand in the innermost type, or of the file.
    fn declaration(&mut self) -> &mut Vec<Token> {
        match self.scopes.last_mut() {
            Some(Scope::Type { member, .. }) => member,
            _ => &mut self.top,
        }
    }

    fn open(&mut self, between_parentheses: bool) {
        let scope = match self.pending.take() {
            Some((path, interface, public)) if !between_parentheses => Scope::Type {
                path,
                interface,
                public,
                member: Vec::new(),
            },
            _ => Scope::Block {
                between_parentheses,
            },
        };
        self.scopes.push(scope);
        self.parentheses.push(0);
    }

    fn close(&mut self) {
        let ends_declaration = !matches!(
            self.scopes.pop(),
            None | Some(Scope::Block {
                between_parentheses: true
            })
        );
        if self.parentheses.len() > 1 {
            self.parentheses.pop();
        }
        if ends_declaration && !matches!(self.scopes.last(), Some(Scope::Block { .. })) {
            self.declaration().clear();
        }
    }

    fn note_package(&mut self) {
        if !self.scopes.is_empty() {
            return;
        }
        let Some(at) = self.top.iter().position(|token| token.is("package")) else {
            return;
        };
        let name: String = self.top[at + 1..]
            .iter()
            .map(|token| match token {
                Token::Word(word) => word.clone(),
                Token::Mark(mark) => mark.to_string(),
            })
            .collect();
        self.package = format!("{name}.");
    }

    /// `class Name`, `interface Name`, `enum Name`, `record Name(` where a declaration can stand.
    fn note_type(&mut self, index: usize, tokens: &[Token]) {
        if self.pending.is_some() || matches!(self.scopes.last(), Some(Scope::Block { .. })) {
            return;
        }
        let after = |offset: usize| tokens.get(index + offset);
        let before = index.checked_sub(1).and_then(|index| tokens.get(index));
        let keyword = &tokens[index];
        let is_record =
            keyword.is("record") && after(2).is_some_and(|token| token.is("(") || token.is("<"));
        let is_type = keyword.is("class") || keyword.is("interface") || keyword.is("enum");
        let Some(Token::Word(name)) = after(1) else {
            return;
        };
        if !(is_type || is_record) || before.is_some_and(|token| token.is(".")) {
            return;
        }
        let public = self.declaration().iter().any(|token| token.is("public"));
        let path = match self.scopes.last() {
            Some(Scope::Type { path, .. }) => format!("{path}${name}"),
            _ => {
                if public && self.public_type.is_none() {
                    self.public_type = Some(name.clone());
                }
                name.clone()
            }
        };
        self.pending = Some((path, keyword.is("interface"), public));
    }

    /// At the parenthesis of `public static void main(String[] …)`.
    fn note_main(&mut self, index: usize, tokens: &[Token]) {
        let nested = self.scopes.len() > 1;
        let Some(Scope::Type {
            path,
            interface,
            public,
            member,
        }) = self.scopes.last()
        else {
            return;
        };
        let has = |word: &str| member.iter().any(|token| token.is(word));
        let is_main =
            matches!(member.as_slice(), [.., result, name] if result.is("void") && name.is("main"));
        if !is_main || !has("static") || !(has("public") || *interface) {
            return;
        }
        if takes_strings(&tokens[index + 1..]) {
            let outermost = match self.scopes.first() {
                Some(Scope::Type { path, .. }) => path,
                _ => path,
            };
            self.mains.push(Main {
                path: path.clone(),
                top_level: outermost.clone(),
                nested,
                public: *public,
            });
        }
    }
}

/// Whether the parameters are one array of strings, in any of its spellings.
fn takes_strings(tokens: &[Token]) -> bool {
    let mut depth = 0_usize;
    let mut rest = Vec::new();
    let mut after_at = false;
    for token in tokens {
        match token {
            Token::Mark('(') => depth += 1,
            Token::Mark(')') if depth == 0 => break,
            Token::Mark(')') => depth -= 1,
            Token::Mark('@') if depth == 0 => after_at = true,
            Token::Word(_) if after_at => after_at = false,
            _ if depth > 0 || token.is("final") => {}
            other => rest.push(match other {
                Token::Word(word) => word.as_str(),
                Token::Mark('[') => "[",
                Token::Mark(']') => "]",
                Token::Mark('.') => ".",
                Token::Mark(_) => return false,
            }),
        }
    }
    let rest = rest
        .strip_prefix(&["java", ".", "lang", "."])
        .unwrap_or(&rest);
    match rest {
        ["String", "[", "]", name]
        | ["String", name, "[", "]"]
        | ["String", ".", ".", ".", name] => name.chars().all(is_word),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::sketch;

    const MAIN: &str = "public static void main(String[] a) {}";

    /// Source, expected class to start, expected name of the file.
    fn cases() -> Vec<(String, Option<&'static str>, Option<&'static str>)> {
        let within = |source: &str| source.replace("MAIN", MAIN);
        let class = |method: &str| format!("class A {{ {method} }}");
        vec![
            // Which class.
            (
                within("public class Main { MAIN }"),
                Some("Main"),
                Some("Main"),
            ),
            (
                within("class Helper { int x; } class Solve { MAIN }"),
                Some("Solve"),
                Some("Solve"),
            ),
            (
                within("class A { MAIN } public class B { MAIN }"),
                Some("B"),
                Some("B"),
            ),
            (
                within("class A { MAIN } class Main { MAIN }"),
                Some("Main"),
                Some("Main"),
            ),
            (
                within("class A { MAIN } class B { MAIN }"),
                Some("A"),
                Some("A"),
            ),
            (
                within("public class P { } class Q { MAIN }"),
                Some("Q"),
                Some("P"),
            ),
            (
                within("public class One { MAIN } public class Two { }"),
                Some("One"),
                Some("One"),
            ),
            (
                within("public interface I { int f(); } class A implements I { MAIN }"),
                Some("A"),
                Some("I"),
            ),
            ("class A { void run() {} }".into(), None, None),
            ("public class A { void run() {} }".into(), None, Some("A")),
            (String::new(), None, None),
            // Packages, imports, nesting.
            (
                within("package a.b . c; import java.util.*; public class M { MAIN }"),
                Some("a.b.c.M"),
                Some("M"),
            ),
            (
                within("class Outer { static class Inner { MAIN } }"),
                Some("Outer$Inner"),
                Some("Outer"),
            ),
            (
                within("class Outer { static class Inner { MAIN } MAIN }"),
                Some("Outer"),
                Some("Outer"),
            ),
            (
                within("package p; public class O { interface I { class D { MAIN } } }"),
                Some("p.O$I$D"),
                Some("O"),
            ),
            (within("class A$B { MAIN }"), Some("A$B"), Some("A$B")),
            (
                within("enum E { X { void f() { } }, Y; MAIN }"),
                Some("E"),
                Some("E"),
            ),
            (
                within("record R(int a, int b) { MAIN }"),
                Some("R"),
                Some("R"),
            ),
            (within("record R<T>(T t) { MAIN }"), Some("R"), Some("R")),
            (
                "interface I { static void main(String[] a) {} }".into(),
                Some("I"),
                Some("I"),
            ),
            (within("class Größe { MAIN }"), Some("Größe"), Some("Größe")),
            (
                within("class Решение { MAIN }"),
                Some("Решение"),
                Some("Решение"),
            ),
            (
                within("@interface Mark { String value(); } @Mark(\"{ class X\") class A { MAIN }"),
                Some("A"),
                Some("A"),
            ),
            (
                within(
                    "class A { Object o = new Object() { public String toString() { return null; } }; MAIN }",
                ),
                Some("A"),
                Some("A"),
            ),
            (
                within("class A { Runnable r = () -> { class Local { MAIN } }; } class B { MAIN }"),
                Some("B"),
                Some("B"),
            ),
            (
                within("class A { static { int[] x = {1, 2}; } int[] y = {3}; MAIN }"),
                Some("A"),
                Some("A"),
            ),
            (
                within("class A { Class<?> c = A.class; Class<?> d = String.class; MAIN }"),
                Some("A"),
                Some("A"),
            ),
            (
                within("class A { int record = 1; void f(int record) { record(record); } MAIN }"),
                Some("A"),
                Some("A"),
            ),
            (
                within("sealed interface S permits T {} final class T implements S { MAIN }"),
                Some("T"),
                Some("T"),
            ),
            (
                within("class A<T extends Comparable<T>> { MAIN }"),
                Some("A"),
                Some("A"),
            ),
            // Spellings of the method.
            (
                class("static public void main(String[] args) {}"),
                Some("A"),
                Some("A"),
            ),
            (
                class(
                    "public static final synchronized void main(final String... args) throws Exception {}",
                ),
                Some("A"),
                Some("A"),
            ),
            (
                class("public static void main(String args[]) {}"),
                Some("A"),
                Some("A"),
            ),
            (
                class("public static void main(java.lang.String[] args) {}"),
                Some("A"),
                Some("A"),
            ),
            (
                class(
                    "@SuppressWarnings({\"unchecked\", \"raw\"}) public static void main(String[] args) {}",
                ),
                Some("A"),
                Some("A"),
            ),
            (
                class(
                    "public @Deprecated static strictfp void\nmain\n(\n@Deprecated final String [ ] args\n)\n{}",
                ),
                Some("A"),
                Some("A"),
            ),
            (
                class("public static <T> void main(String[] args) {}"),
                Some("A"),
                Some("A"),
            ),
            (
                class("public static int main(String[] args) { return 0; }"),
                None,
                None,
            ),
            (class("static void main(String[] args) {}"), None, None),
            (class("public void main(String[] args) {}"), None, None),
            (class("public static void main() {}"), None, None),
            (class("public static void main(int[] args) {}"), None, None),
            (class("public static void main(String args) {}"), None, None),
            (
                class("public static void main(String[] a, int b) {}"),
                None,
                None,
            ),
            (
                class("void f() { main(null); } public static void mainly(String[] a) {}"),
                None,
                None,
            ),
            // Where no code is.
            (
                within("// class X { MAIN }\nclass A { MAIN }"),
                Some("A"),
                Some("A"),
            ),
            (
                within("/* public class X { MAIN } **/ class A { MAIN }"),
                Some("A"),
                Some("A"),
            ),
            (
                within(
                    "class A { String s = \"} class X { \\\" MAIN }\"; char c = '}', d = '\\''; MAIN }",
                ),
                Some("A"),
                Some("A"),
            ),
            (
                within(
                    "class A { String s = \"\"\"\n } public class X { \\\"\"\" MAIN }\n\"\"\"; MAIN }",
                ),
                Some("A"),
                Some("A"),
            ),
            (
                within("class A { String s = \"never closed;\n MAIN }"),
                Some("A"),
                Some("A"),
            ),
            (within("class A { /* never closed MAIN }"), None, None),
            // Escapes and marks before everything else.
            (within("\\u0063lass A { MAIN }"), Some("A"), Some("A")),
            (
                within("class A { String s = \"\\\\u0022\"; MAIN }"),
                Some("A"),
                Some("A"),
            ),
            (
                within("class A { // \\u000a MAIN\n }"),
                Some("A"),
                Some("A"),
            ),
            (within("\u{feff}class A { MAIN }"), Some("A"), Some("A")),
            // What does not even parse.
            (within("}}}} class A { MAIN }"), Some("A"), Some("A")),
            (")))((((".into(), None, None),
            ("class".into(), None, None),
            (within("class A { void f( { MAIN }"), None, None),
        ]
    }

    #[test]
    fn the_class_to_start_and_the_name_of_the_file() {
        for (source, main, stem) in cases() {
            let found = sketch(source.as_bytes());
            assert_eq!(found.main.as_deref(), main, "{source}");
            assert_eq!(found.file_stem.as_deref(), stem, "{source}");
        }
    }

    #[test]
    fn other_encodings_are_read_byte_by_byte() {
        let mut source = b"class \xcf\xf0 { public static void main(String[] a) {} }".to_vec();
        assert_eq!(sketch(&source).main.as_deref(), Some("\u{cf}\u{f0}"));
        source.truncate(20);
        assert_eq!(sketch(&source).main, None);
    }

    #[test]
    fn any_bytes_are_read_to_their_end() {
        proptest::proptest!(|(source in "([a-z]{0,3}|class |main|[(){}\"'\\\\/*;.@u0-9\\[\\]]){0,60}")| {
            let _ = sketch(source.as_bytes());
        });
    }
}
