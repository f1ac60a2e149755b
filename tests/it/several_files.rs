//! Programs of several files, and what packages add to programs: drivers that call functions.

use std::fs::File;
use std::io::Write;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::place::{Place, assert_has, flat};

const MANIFEST: &str = "title = \"Twice\"\n[compare]\nmode = \"tokens\"\n";
const DRIVER_IN_C: &str = "#include \"twice.h\"\n#include <stdio.h>\n\
    int main(void) { int secret_number; scanf(\"%d\", &secret_number); printf(\"%d\\n\", twice(secret_number)); }\n";
const DRIVER_IN_PYTHON: &str = "import twice\nprint(twice.twice(int(input())))\n";
const IN_C: &str = "#include \"twice.h\"\nint twice(int x) { return 2 * x; }\n";
const IN_LUA: &str = "local double = require('double')\nprint(double(io.read('n')))\n";

/// A zip of these files.
fn zip(place: &Place, name: &str, files: &[(&str, &str)]) {
    place.write(name, "");
    let mut zip = ZipWriter::new(File::create(place.path(name)).unwrap());
    for (file, text) in files {
        zip.start_file(*file, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
}

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
    write("submissions/accepted/one.c", IN_C);
    write(
        "submissions/accepted/two/a.c",
        "#include \"b.h\"\nint twice(int x) { return sum(x, x); }\n",
    );
    write(
        "submissions/accepted/two/b.c",
        "int sum(int a, int b) { return a + b; }\n",
    );
    write("submissions/accepted/two/b.h", "int sum(int, int);\n");
    write(
        "submissions/wrong_answer/same.py",
        "def twice(x):\n    return x\n",
    );
    place
}

/// Zips that are programs, and some that are not.
fn hand_in_zips(place: &Place) {
    let two = [
        ("twice/main.lua", IN_LUA),
        ("twice/double.lua", "return function(x) return 2 * x end\n"),
        ("twice/.git/x", ""),
    ];
    zip(place, "submissions/several/twice.zip", &two);
    let header = "#define twice(x) secret_number\n";
    zip(
        place,
        "submissions/mixed/twice.zip",
        &[("a.c", IN_C), ("b.py", "pass\n")],
    );
    zip(
        place,
        "submissions/nested/twice.zip",
        &[("a/a.c", IN_C), ("b.c", IN_C)],
    );
    zip(place, "submissions/hostile/twice.zip", &[("-oa.c", IN_C)]);
    zip(place, "submissions/headers/twice.zip", &[("a.h", header)]);
    // A file of the package takes the place of a student's of the same name.
    zip(
        place,
        "submissions/sly/twice.zip",
        &[
            ("s.c", IN_C),
            ("twice.h", header),
            ("driver.c", "int main() {}\n"),
        ],
    );
}

#[test]
fn programs_of_several_files_are_judged_with_what_their_problem_adds() {
    let place = place();
    let words = "include/pyton3: there is no language `pyton3`; did you mean `python3`?";
    place.says(1, "check twice", &[words]);
    let rows = place.objects("check --json twice");
    let examples = rows
        .iter()
        .find(|row| row["check"] == "example submissions");
    let examples = examples.unwrap();
    assert_eq!(
        (&examples["holds"], &examples["count"]),
        (&true.into(), &3.into()),
        "{rows:#?}"
    );

    place.write("submissions/function/twice.c", IN_C);
    place.write(
        "submissions/missing/twice.c",
        "int thrice(int x) { return 3 * x; }\n",
    );
    // Its own file is looked at, and not only the driver.
    place.write(
        "submissions/peeking/twice.py",
        "def twice(x)\n    return 2 * x\n",
    );
    hand_in_zips(&place);
    let verdicts = place.serve_once();
    for (student, verdict) in [
        ("function", "AC"),
        ("missing", "CE"),
        ("peeking", "CE"),
        ("several", "AC"),
        ("sly", "AC"),
    ] {
        assert_eq!(
            verdicts[&format!("{student}/twice/1")],
            verdict,
            "{student}: {verdicts:?}"
        );
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
    place.edit(
        "problems/twice/include/c/driver.c",
        "twice(secret_number)",
        "1 + twice(secret_number)",
    );
    assert_eq!(place.serve_once()["function/twice/1"], "WA");
}
