//! The types of a Java source, how they are nested, and which have a `main` method.

use super::tokens::{Token, is_word};

/// Classes within classes; what is deeper is not looked at, since every level repeats the names around it.
const NESTING_MAX: usize = 32;

/// A class with a `main` method.
#[derive(Debug)]
pub(super) struct Main {
    /// Its name below the package: `Outer$Inner`.
    pub path: String,
    /// The outermost class around it.
    pub top_level: String,
    pub nested: bool,
    pub public: bool,
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
pub(super) struct Outline {
    /// `pkg.` or nothing.
    pub package: String,
    /// The first public type outside of every other.
    pub public_type: Option<String>,
    /// The classes with a `main` method, in their order.
    pub mains: Vec<Main>,
    scopes: Vec<Scope>,
    /// Open parentheses, one count a scope and one for the file.
    parentheses: Vec<usize>,
    /// The tokens of the declaration at hand outside of every type.
    top: Vec<Token>,
    /// A type whose body is about to open.
    pending: Option<(String, bool, bool)>,
}

impl Outline {
    pub(super) fn of(tokens: &[Token]) -> Self {
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
        if self.pending.is_some()
            || self.scopes.len() >= NESTING_MAX
            || matches!(self.scopes.last(), Some(Scope::Block { .. }))
        {
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
        let path = if let Some(Scope::Type { path, .. }) = self.scopes.last() {
            format!("{path}${name}")
        } else {
            if public && self.public_type.is_none() {
                self.public_type = Some(name.clone());
            }
            name.clone()
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
