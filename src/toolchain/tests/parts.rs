//! With which file a program of several begins, and what lies beside it.

use std::sync::Arc;

use super::{id, toolchain};
use crate::domain::{Added, NamedFile};

const JAVA_MAIN: &str = "class D { public static void main(String[] a) {} }";

/// Language, the program's files, the package's, with which it begins, what lies beside that. A file
/// with `=` has the text after it.
#[rustfmt::skip]
const CASES: &[(&str, &str, &str, &str, &str)] = &[
    // One file stays as it is, also beside headers.
    ("cpp", "a b.cpp", "", "a b.cpp", ""),
    ("cpp", "a.txt", "", "a.txt", ""),
    ("cpp", "a.cpp", "lib.h", "a.cpp", "lib.h"),
    // A driver calls it by the problem's name.
    ("cpp", "a.cpp", "grader.cpp lib.h", "the_sum.cpp", "grader.cpp lib.h"),
    ("python3", "a.py", "main.py", "main.py", "the_sum.py"),
    ("python3", "a.py", "grader.py", "grader.py", "the_sum.py"),
    ("python3", "a.py", "__main__.py other.py", "__main__.py", "other.py the_sum.py"),
    ("python3", "a.py", "one.py two.py", "the_sum.py", "one.py two.py"),
    // Where drivers have names (`!`), any other source is read by what is handed in.
    ("python3!", "a.py", "include.py", "a.py", "include.py"),
    ("python3!", "a.py", "main.py b.py", "main.py", "b.py the_sum.py"),
    ("python3", "a.py3", "main.py", "main.py", "the_sum.py"),
    ("pypy", "a.pypy", "main.py", "main.py", "the_sum.py"),
    ("javascript", "a.mjs", "main.js", "main.js", "the_sum.js"),
    ("cpp", "a.cpp", "the_sum.cpp", "submission.cpp", "the_sum.cpp"),
    ("java", "x.java=public class Main {}", "driver.java=public class Main {}", "Main.java", ""),
    ("java", "x.java=public class A {}", "D.java=MAIN", "D.java", "A.java"),
    ("java", "x.java=class A {}", "D.java=MAIN", "D.java", "the_sum.java"),
    // Of several files one begins.
    ("python3", "a.py main.py data.txt", "", "main.py", "a.py"),
    ("python3", "b.py a.py", "", "a.py", "b.py"),
    ("lua", "MAIN.lua a.lua", "", "MAIN.lua", "a.lua"),
    ("pascal", "a.pp={$mode-objfpc}(*x*)Unit a; b.pas=unit_test c.pas=program c;", "", "b.pas", "a.pp c.pas"),
    ("pascal", "a.pas=\u{FEFF}unit b.pas={unit} begin", "", "b.pas", "a.pas"),
    ("pascal", "b.pas=unit b; a.pas=//unit\nunit a;", "", "a.pas", "b.pas"),
    ("cpp", "b.cc a.cpp c.h d.py", "", "a.cpp", "b.cc c.h"),
    ("java", "A.java=class A {} D.java=MAIN", "", "D.java", "A.java"),
    // What the package adds takes the place of what has the same name.
    ("cpp", "a.cpp grader.cpp lib.h", "grader.cpp lib.h", "a.cpp", "grader.cpp lib.h"),
    ("python3", "main.py helper.py", "main.py", "main.py", "helper.py"),
    ("c", "driver.c twice.h", "driver.c twice.h", "driver.c", "twice.h"),
    // As a compiler needs their names: endings in lower case, public classes of Java.
    ("c", "A.C b.H", "", "A.c", "b.h"),
    ("java", "Main.java=public class Main {} Main-copy.java=public class Main {}", "", "Main-copy.java", "Main.java"),
    ("java", "a.java=public class A {} b.java=MAIN", "", "D.java", "A.java"),
];

fn files(text: &str) -> Vec<NamedFile> {
    // A text has spaces; a name begins at the start or after a space and has a dot.
    let mut files: Vec<NamedFile> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let (name, text) = word.split_once('=').unwrap_or((word, ""));
        if name.contains('.') || files.is_empty() {
            let text = text.replace("MAIN", JAVA_MAIN);
            files.push((name.to_owned(), Arc::from(text.as_bytes())));
        } else if let Some((_, bytes)) = files.last_mut() {
            *bytes = Arc::from([bytes, &b" "[..], word.as_bytes()].concat());
        }
    }
    files
}

#[test]
fn a_program_begins_with_the_driver_or_with_what_is_called_main() {
    let toolchain = toolchain("");
    for (language, own, added, main, beside) in CASES {
        let own = if *own == "a b.cpp" {
            vec![((*own).to_owned(), Arc::from([]))]
        } else {
            files(own)
        };
        let (key, names_driver) = (language.trim_end_matches('!'), language.ends_with('!'));
        let (language, with) = (toolchain.language(&id(key)).unwrap(), files(added));
        let files = &with;
        let added = Added {
            files,
            names_driver,
        };
        let parts = language.parts(own, added, "the-sum");
        let names: Vec<&str> = parts.beside.iter().map(|(name, _)| name.as_str()).collect();
        let found = (parts.main.0.as_str(), &*names.join(" "));
        assert_eq!(found, (*main, *beside), "{language:?}");
    }
}
