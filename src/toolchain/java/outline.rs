//! The types of a Java source, how they are nested, and which have a `main` method.

use super::tokens::is_word;

/// Classes within classes; what is deeper is not looked at, since every level repeats the names
/// around it.
const NESTING_MAX: usize = 32;

/// A class, interface, enum or record.
#[derive(Debug, Clone)]
pub(super) struct Type {
    /// Its name below the package: `Outer$Inner`.
    pub path: String,
    /// That of the outermost type around it, or its own.
    pub outermost: String,
    pub is_public: bool,
    pub is_nested: bool,
    is_interface: bool,
}

/// A pair of braces that is open.
struct Scope {
    /// The type whose body it is; `None` for any other block.
    of: Option<Type>,
    /// Parentheses that are open around it, within the scope that it stands in.
    parentheses: usize,
}

#[derive(Debug, Default)]
pub(super) struct Outline {
    /// `pkg.` or nothing.
    pub package: String,
    /// The first public type outside of every other.
    pub public_type: Option<String>,
    /// The types with a `main` method, in their order.
    pub mains: Vec<Type>,
}

impl Outline {
    pub(super) fn of(tokens: &[String]) -> Self {
        let mut outline = Self::default();
        let mut scopes: Vec<Scope> = Vec::new();
        let mut parentheses = 0_usize;
        // The declaration at hand, in the file or in a type.
        let mut head: Vec<&str> = Vec::new();
        for token in tokens {
            let is_declaration = scopes.last().is_none_or(|scope| scope.of.is_some());
            let ends = is_declaration && parentheses == 0 && matches!(token.as_str(), "{" | ";");
            if ends {
                outline.note(&head, scopes.last().and_then(|scope| scope.of.as_ref()));
            }
            match token.as_str() {
                "{" => {
                    let of = if ends && scopes.len() < NESTING_MAX {
                        outline.opened(&head, scopes.last())
                    } else {
                        None
                    };
                    scopes.push(Scope { of, parentheses });
                    parentheses = 0;
                }
                "}" => parentheses = scopes.pop().map_or(parentheses, |scope| scope.parentheses),
                "(" => parentheses += 1,
                ")" => parentheses = parentheses.saturating_sub(1),
                _ => {}
            }
            let is_back = token == "}"
                && parentheses == 0
                && scopes.last().is_none_or(|scope| scope.of.is_some());
            if ends || is_back {
                head.clear();
            } else if is_declaration {
                head.push(token);
            }
        }
        outline
    }

    /// Looks at a declaration in the file or in a type for a package and for a `main` method.
    fn note(&mut self, head: &[&str], within: Option<&Type>) {
        let Some(within) = within else {
            if let Some(at) = head.iter().position(|&word| word == "package") {
                self.package = format!("{}.", head[at + 1..].concat());
            }
            return;
        };
        let name = head
            .windows(3)
            .position(|words| words == ["void", "main", "("]);
        let Some((before, after)) = name.and_then(|at| head.split_at_checked(at + 3)) else {
            return;
        };
        let may_start = before.contains(&"static")
            && (before.contains(&"public") || within.is_interface)
            && takes_strings(after);
        if may_start {
            self.mains.push(within.clone());
        }
    }

    /// The type whose body opens after `class Name`, `interface Name`, `enum Name`, `record Name(`.
    fn opened(&mut self, head: &[&str], scope: Option<&Scope>) -> Option<Type> {
        let at = (0..head.len()).find(|&at| {
            let is_type = match head[at] {
                "class" | "interface" | "enum" => true,
                "record" => matches!(head.get(at + 2), Some(&("(" | "<"))),
                _ => false,
            };
            is_type && (at == 0 || head[at - 1] != ".")
        })?;
        let name = head.get(at + 1).filter(|name| name.starts_with(is_word))?;
        let is_public = head.contains(&"public");
        let around = scope.and_then(|scope| scope.of.as_ref());
        if is_public && around.is_none() && self.public_type.is_none() {
            self.public_type = Some((*name).to_owned());
        }
        let (path, outermost) = match around {
            Some(around) => (format!("{}${name}", around.path), around.outermost.as_str()),
            None => ((*name).to_owned(), *name),
        };
        Some(Type {
            path,
            outermost: outermost.to_owned(),
            is_public,
            is_nested: around.is_some(),
            is_interface: head[at] == "interface",
        })
    }
}

/// Whether the parameters are one array of strings, in any of its spellings.
fn takes_strings(tokens: &[&str]) -> bool {
    let mut depth = 0_usize;
    let mut after_at = false;
    let mut rest = Vec::new();
    for &token in tokens {
        match token {
            "(" => depth += 1,
            ")" if depth == 0 => break,
            ")" => depth -= 1,
            "@" if depth == 0 => after_at = true,
            _ if depth > 0 || token == "final" => {}
            _ if after_at => after_at = false,
            _ => rest.push(token),
        }
    }
    let rest = rest
        .strip_prefix(&["java", ".", "lang", "."])
        .unwrap_or(&rest);
    match rest {
        ["String", "[", "]", name]
        | ["String", name, "[", "]"]
        | ["String", ".", ".", ".", name] => name.starts_with(is_word),
        _ => false,
    }
}
