//! Programs of several files, and what packages add to programs: drivers that call functions.

use crate::import::zipped;
use crate::not_here::checked;
use crate::place::{Place, assert_has, flat};

const MANIFEST: &str = "title = \"Twice\"\n[compare]\nmode = \"tokens\"\n";
const DRIVER_IN_C: &str = "#include \"twice.h\"\n#include <stdio.h>\n\
    int main(void) { int secret_number; scanf(\"%d\", &secret_number); printf(\"%d\\n\", twice(secret_number)); }\n";
const DRIVER_IN_PYTHON: &str = "import twice\nprint(twice.twice(int(input())))\n";
const IN_C: &str = "#include \"twice.h\"\nint twice(int x) { return 2 * x; }\n";
const IN_LUA: &str = "local double = require('double')\nprint(double(io.read('n')))\n";

fn place() -> Place {
    let place = Place::new().only(&["c", "lua", "python3"]);
    let write = |name: &str, text: &str| place.write(&format!("problems/twice/{name}"), text);
    write("problem.toml", MANIFEST);
    for (name, number, answer) in [("sample/1", 3, 6), ("secret/1", -4, -8)] {
        write(&format!("data/{name}.in"), &format!("{number}\n"));
        write(&format!("data/{name}.ans"), &format!("{answer}\n"));
    }
    write("include/c/driver.c", DRIVER_IN_C);
    write("include/c/twice.h", "int twice(int x);\n");
    write("include/python3/main.py", DRIVER_IN_PYTHON);
    write("include/pyton3/main.py", DRIVER_IN_PYTHON);
    let calls_sum = "#include \"b.h\"\nint twice(int x) { return sum(x, x); }\n";
    let sum = "int sum(int a, int b) { return a + b; }\n";
    for (name, text) in [
        ("accepted/one.c", IN_C),
        ("accepted/two/a.c", calls_sum),
        ("accepted/two/b.c", sum),
        ("accepted/two/b.h", "int sum(int, int);\n"),
        ("wrong_answer/same.py", "def twice(x):\n    return x\n"),
    ] {
        write(&format!("submissions/{name}"), text);
    }
    place
}

/// Zips that are programs, and some that are not.
fn hand_in_zips(place: &Place) {
    let two = [
        ("twice/main.lua", IN_LUA),
        ("twice/double.lua", "return function(x) return 2 * x end\n"),
        ("twice/.git/x", ""),
    ];
    let header = "#define twice(x) secret_number\n";
    let driver = "int main() {}\n";
    let sly = [("s.c", IN_C), ("twice.h", header), ("driver.c", driver)];
    for (student, files) in [
        ("several", &two[..]),
        ("mixed", &[("a.c", IN_C), ("b.py", "pass\n")]),
        ("nested", &[("a/a.c", IN_C), ("b.c", IN_C)]),
        ("hostile", &[("-oa.c", IN_C)]),
        ("headers", &[("a.h", header)]),
        // A file of the package takes the place of a student's of the same name.
        ("sly", &sly),
    ] {
        place.write(&format!("submissions/{student}/twice.zip"), zipped(files));
    }
}

#[test]
fn programs_of_several_files_are_judged_with_what_their_problem_adds() {
    let place = place();
    let words = "include/pyton3: there is no language `pyton3`; did you mean `python3`?";
    place.says(1, "check twice", &[words]);
    let examples = checked(&place, "twice");
    assert_eq!(examples["holds"], true, "{examples:#}");
    assert_eq!(examples["count"], 3, "{examples:#}");

    for (file, text) in [
        ("function/twice.c", IN_C),
        ("missing/twice.c", "int thrice(int x) { return 3 * x; }\n"),
        // Its own file is looked at, and not only the driver.
        ("peeking/twice.py", "def twice(x)\n    return 2 * x\n"),
    ] {
        place.write(&format!("submissions/{file}"), text);
    }
    hand_in_zips(&place);
    let verdicts = place.serve_once();
    for (student, verdict) in [
        ("function", "AC"),
        ("missing", "CE"),
        ("peeking", "CE"),
        ("several", "AC"),
        ("sly", "AC"),
    ] {
        let found = &verdicts[&format!("{student}/twice/1")];
        assert_eq!(found, verdict, "{student}: {verdicts:?}");
    }
    let report = place.read("reports/missing/twice/1.txt");
    assert!(report.contains("twice"), "{report}");
    for (student, reason) in [
        ("mixed", "several languages, C17 and Python 3"),
        ("nested", "`a/a.c` is in a subfolder"),
        ("hostile", "the name of `-oa.c` is not plain"),
        ("headers", "there is no source of a program in the zip"),
    ] {
        let note = place.read(&format!("reports/{student}/rejected/twice.zip.note.txt"));
        assert_has(&flat(&note), &[reason]);
    }
    // Another driver is another problem.
    let (call, other) = ("twice(secret_number)", "1 + twice(secret_number)");
    place.edit("problems/twice/include/c/driver.c", call, other);
    assert_eq!(place.serve_once()["function/twice/1"], "WA");
}
