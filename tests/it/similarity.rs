//! `verdictd export similarity`: programs laid out for Dolos and `JPlag`, which compare them.

use crate::book::rows;
use crate::place::Place;

#[test]
fn counting_attempts_are_laid_out_for_dolos_and_jplag() {
    let place = Place::new().only(&["python3"]);
    let place = place.with_roster("ada,Lovelace,Ada\nbo,B,\n");
    place.write("problems/sum/attachments/start.py", "a = input()\n");
    for text in ["print(1)\n", crate::programs::PYTHON, "print(2)\n"] {
        place.write("submissions/ada/sum.py", text);
        place.serve_once();
    }
    place.write("submissions/bo/sum.py", "print(3)\n");
    place.serve_once();

    let words = ["dolos run ", "start.py"];
    place.says(0, "export similarity --for dolos --out dolos", &words);
    let file = std::fs::File::open(place.path("dolos/sum-python3.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let mut text = |name: &str| {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut archive.by_name(name).unwrap(), &mut text).unwrap();
        text
    };
    let info = text("info.csv");
    let rows = rows(&info);
    for (row, file, name) in [
        (&rows[0], "ada/sum.py", "Ada Lovelace"),
        (&rows[1], "bo/sum.py", "B"),
    ] {
        assert_eq!((&*row["filename"], &*row["full_name"]), (file, name));
    }
    assert_eq!((rows.len(), rows[0].len()), (2, 4));
    let at = jiff::fmt::strtime::parse("%Y-%m-%d %H:%M:%S %z", &rows[0]["created_at"]);
    assert!(at.is_ok() && rows[0].contains_key("label"), "{rows:?}");
    // The best attempt counts, not the last one.
    assert_eq!(text("ada/sum.py"), crate::programs::PYTHON);

    let similarity = "export similarity --for jplag --out jplag";
    place.says(0, similarity, &["-l python3", "-bc "]);
    for (file, text) in [
        ("sum-python3/ada/sum.py", crate::programs::PYTHON),
        ("sum-python3/bo/sum.py", "print(3)\n"),
        ("sum-python3-basecode/start.py", "a = input()\n"),
    ] {
        assert_eq!(place.read(&format!("jplag/{file}")), text);
    }
    // What is there stays as it is.
    place.says(2, similarity, &[]);
}
