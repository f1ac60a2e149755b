//! `verdictd export similarity`: programs laid out for Dolos and `JPlag`, which compare them.

use crate::place::Place;

#[test]
fn counting_attempts_are_laid_out_for_dolos_and_jplag() {
    let place = Place::new()
        .only(&["python3"])
        .with_roster("ada,Lovelace,Ada\nbo,B,\n");
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
    let mut info = csv::Reader::from_reader(info.as_bytes());
    assert_eq!(
        info.headers().unwrap(),
        vec!["filename", "full_name", "label", "created_at"]
    );
    let rows: Vec<csv::StringRecord> = info.records().map(Result::unwrap).collect();
    assert_eq!((&rows[0][0], &rows[0][1]), ("ada/sum.py", "Ada Lovelace"));
    assert_eq!((&rows[1][0], &rows[1][1]), ("bo/sum.py", "B"));
    assert_eq!(rows.len(), 2);
    let at = jiff::fmt::strtime::parse("%Y-%m-%d %H:%M:%S %z", &rows[0][3]);
    assert!(at.is_ok(), "{}", &rows[0][3]);
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
