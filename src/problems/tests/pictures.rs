//! Cases and pictures of every built-in problem: cut right, well-formed, harmless, and as the
//! statements show them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::{ALL, PICTURES_MAX, Task, lines_of, stacked};
use super::reading::{SVG_BYTES_MAX, assert_passive, parse, words};
use crate::util::tests::trials::seeds;

/// The input that a built-in problem's package has as its sample of this name.
fn samples(task: &dyn Task) -> Vec<(String, Vec<u8>)> {
    let folder = package(task).join("data/sample");
    let mut samples: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "in"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(&path).unwrap())
        })
        .collect();
    samples.sort();
    assert!(!samples.is_empty());
    samples
}

fn package(task: &dyn Task) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("problems")
        .join(task.slug())
}

/// The samples, and inputs of every family.
fn inputs(task: &dyn Task) -> Vec<(String, Vec<u8>)> {
    let mut inputs = samples(task);
    for family in task.families() {
        for seed in seeds(1) {
            let made = task.generate(family.name, seed).unwrap();
            inputs.push((format!("{} {seed}", family.name), made));
        }
    }
    inputs
}

/// The answer of a case as its own lines of the whole answer tell it.
fn own_words(task: &dyn Task, lines: &[u8]) -> String {
    let text = std::str::from_utf8(lines).unwrap();
    if task.slug() != "thegame" {
        return text.to_owned();
    }
    // Headings and numbers belong to the place of a case among others.
    let pairs = text.lines().filter(|line| line.starts_with("Pair "));
    pairs
        .map(|line| line.split_once(": ").unwrap().1)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn cases_share_out_the_answer_and_are_valid_inputs_by_themselves() {
    for task in ALL {
        for (name, input) in inputs(task) {
            let what = format!("{} {name}", task.slug());
            let answer = task.answer(&input).unwrap();
            let lines = answer.split_inclusive(|&byte| byte == b'\n').count();
            let cases = task.cases(&input).unwrap();
            let shared: Vec<usize> = cases.iter().cloned().flatten().collect();
            assert!(shared.into_iter().eq(1..=lines), "{what}: {cases:?}");
            assert_eq!(task.case_at(&input, 0), Ok(None), "{what}");
            assert_eq!(task.case_at(&input, lines + 1), Ok(None), "{what}");
            let mut titles = BTreeSet::new();
            // Of many cases every so-manieth, the first and the last always.
            let stride = 1 + cases.len() / 40;
            let mut looked_at: Vec<_> = cases.iter().step_by(stride).chain(cases.last()).collect();
            looked_at.dedup();
            for &lines in &looked_at {
                let case = task.case_at(&input, lines.start).unwrap().unwrap();
                assert_eq!(case.lines, *lines, "{what}");
                let last = task.case_at(&input, lines.end - 1).unwrap();
                assert_eq!(last.as_ref(), Some(&case), "{what}");
                let valid = task.validate(&case.input).unwrap();
                assert!(
                    valid.input == case.input && valid.notes.is_empty(),
                    "{what}"
                );
                assert_eq!(task.cases(&case.input).unwrap().len(), 1, "{what}");
                assert_eq!(task.answer(&case.input).unwrap(), case.expected, "{what}");
                assert_eq!(
                    own_words(task, &case.expected),
                    own_words(task, &lines_of(&answer, lines)),
                    "{what}, {}",
                    case.title
                );
                titles.insert(case.title);
            }
            assert_eq!(titles.len(), looked_at.len(), "{what}");
        }
    }
}

#[test]
fn a_case_says_which_one_it_is() {
    let title = |slug: &str, input: &[u8], line: usize| {
        let task = super::super::find(slug).unwrap();
        task.case_at(input, line).unwrap().map(|case| case.title)
    };
    let boards = b"2 1\n3 2\n2 1\n2 3\n0 0\n";
    assert_eq!(
        title("curling", boards, 2).as_deref(),
        Some("dataset 2 of 2")
    );
    let boards = b"2 1\nXX\n1 1 2 1\n2 1 1 1\n0 0 0 0\n1 1\nX\n0 0 0 0\n0 0\n";
    let titles: Vec<Option<String>> = (1..8).map(|line| title("thegame", boards, line)).collect();
    let first = Some("board 1, query 1".to_owned());
    let second = Some("board 1, query 2".to_owned());
    let third = Some("board 2, which has no query".to_owned());
    assert_eq!(
        titles,
        [
            first.clone(),
            first,
            second.clone(),
            second,
            third.clone(),
            third,
            None
        ]
    );
    let case = super::super::find("thegame")
        .unwrap()
        .case_at(boards, 3)
        .unwrap()
        .unwrap();
    assert_eq!(case.input, b"2 1\nXX\n2 1 1 1\n0 0 0 0\n0 0\n");
    assert_eq!(case.expected, b"Board #1:\nPair 1: 1 segments.\n\n");
    assert!(
        super::super::find("regions")
            .unwrap()
            .case_at(b"1 2\n13\n", 2)
            .unwrap()
            .is_none()
    );
}

#[test]
fn pictures_are_well_formed_and_hold_shapes_and_text_alone() {
    for task in ALL {
        for (name, input) in inputs(task) {
            let cases = task.cases(&input).unwrap().len();
            let pictures = task.draw(&input, Some(b"-1\n"), "page").unwrap();
            assert_eq!(
                pictures.len(),
                cases.min(PICTURES_MAX),
                "{} {name}",
                task.slug()
            );
            for picture in &pictures {
                assert_passive(&picture.svg);
                let document = parse(&picture.svg);
                let root = document.root_element();
                assert_eq!(
                    root.attribute("width"),
                    Some(&picture.width.to_string()[..])
                );
                assert_eq!(
                    root.attribute("height"),
                    Some(&picture.height.to_string()[..])
                );
                let title = root.children().find(|node| node.has_tag_name("title"));
                assert_eq!(title.and_then(|node| node.text()), Some(&picture.title[..]));
            }
            let left_out = format!("not drawn: {}.", cases.saturating_sub(PICTURES_MAX));
            if let Some(last) = pictures.last() {
                let says = words(&parse(&last.svg)).contains(&left_out);
                assert_eq!(says, cases > PICTURES_MAX, "{} {name}", task.slug());
            }
            // Several in one page: no identifier twice.
            let page: String = pictures.iter().map(|picture| &picture.svg[..]).collect();
            let page = format!("<page>{page}</page>");
            let ids: Vec<String> = parse(&page)
                .descendants()
                .filter_map(|node| node.attribute("id").map(str::to_owned))
                .collect();
            assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
            parse(&stacked("all", &pictures));
        }
    }
}

#[test]
fn the_style_loads_nothing_and_touches_nothing_but_pictures() {
    let style = super::reading::style();
    for word in ["url", "@import", "@font-face", "expression", "\\", "<", "&"] {
        assert!(!style.contains(word), "{word}");
    }
    for line in style
        .lines()
        .filter(|line| line.contains('{') && !line.starts_with('@'))
    {
        let (selectors, _) = line.split_once('{').unwrap();
        for selector in selectors.split(',') {
            let subject = selector.trim_start_matches(":not(g)>");
            assert!(subject.starts_with(".vd-"), "{selector}");
        }
    }
}

/// What a program may print to do harm where its words are shown.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        (
            "markup",
            b"</text></svg><script>alert(1)</script><svg onload='x'>\"'&amp;]]>".to_vec(),
        ),
        (
            "comment",
            b"<!-- --><![CDATA[<script/>]]><?php ?>&#0;&bomb;".to_vec(),
        ),
        (
            "control",
            b"\0\x01\x08\x0b\x1b[31mred\x1b]0;title\x07\x7f\r\x85".to_vec(),
        ),
        (
            "bidi",
            "a\u{202e}txt.exe\u{2066}\u{200f}b\u{2028}c\u{feff}".into(),
        ),
        ("no characters", "\u{fffe}\u{ffff}\u{1fffe}\u{e0041}".into()),
        (
            "not UTF-8",
            b"\xff\xfe\xc3\x28\xf0\x9f\x92\xed\xa0\x80".to_vec(),
        ),
        ("GBK", b"\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7".to_vec()),
        ("one long line", vec![b'<'; 1_000_000]),
        ("many lines", b"x\n".repeat(500_000)),
        ("wide", "漢字&".repeat(100_000).into()),
        ("nothing", Vec::new()),
        ("spaces alone", b" \t \n\n  \n".to_vec()),
    ]
}

#[test]
fn whatever_a_program_printed_is_text_and_bounded() {
    for task in ALL {
        let input = &samples(task)[0].1;
        let plain: usize = task
            .draw(input, None, "page")
            .unwrap()
            .iter()
            .map(|picture| picture.svg.len())
            .sum();
        for (name, said) in hostile() {
            let pictures = task.draw(input, Some(&said), "page").unwrap();
            for picture in &pictures {
                assert_passive(&picture.svg);
            }
            let size: usize = pictures.iter().map(|picture| picture.svg.len()).sum();
            let bound = plain + pictures.len() * 8_000;
            assert!(size < bound, "{name}: {size} bytes, without it {plain}");
        }
    }
    let said = |said: &[u8]| {
        let input = &samples(super::super::find("regions").unwrap())[0].1;
        let picture = &super::super::find("regions")
            .unwrap()
            .draw(input, Some(said), "page")
            .unwrap()[0];
        words(&parse(&picture.svg))
    };
    assert!(said(b"-1\n").contains("The program said:\n-1\n"));
    assert!(said(b"").contains("The program said nothing here."));
    assert!(said(b"<b>").contains("\n<b>\n"));
    assert!(said("a\u{202e}b".as_bytes()).contains("a\\u{202e}b"));
}

#[test]
fn each_picture_shows_the_lines_of_its_own_case() {
    let task = super::super::find("curling").unwrap();
    let input = &samples(task)[0].1;
    let pictures = task.draw(input, Some(b"11\n12\n13\n"), "page").unwrap();
    for (index, picture) in pictures.iter().enumerate() {
        let words = words(&parse(&picture.svg));
        for line in 0..3 {
            let said = format!("The program said:\n{}\n", 11 + line);
            assert_eq!(words.contains(&said), line == index, "{words}");
        }
        assert_eq!(words.contains("said nothing here"), index >= 3);
        assert!(
            picture
                .title
                .contains(&format!("dataset {} of 6", index + 1))
        );
    }
}

#[test]
fn the_largest_boards_fit() {
    let full = format!(
        "75 75\n{}1 1 75 75\n0 0 0 0\n0 0\n",
        format!("{}\n", "X".repeat(75)).repeat(75)
    );
    let rows: String = (0..75)
        .map(|row| ["X ", " X"][row % 2].repeat(38)[..75].to_owned() + "\n")
        .collect();
    let checkered = format!("75 75\n{rows}1 1 75 75\n0 0 0 0\n0 0\n");
    for input in [full, checkered] {
        let picture = &super::super::find("thegame")
            .unwrap()
            .draw(input.as_bytes(), None, "page")
            .unwrap()[0];
        assert_passive(&picture.svg);
        assert!(
            picture.svg.len() < SVG_BYTES_MAX / 2,
            "{} bytes",
            picture.svg.len()
        );
        assert!(picture.width < 800 && picture.height < 1000);
    }
}

#[test]
fn broken_inputs_are_refused_with_their_place() {
    let task = super::super::find("curling").unwrap();
    let error = task.draw(b"2 1\n2 9\n0 0\n", None, "page").unwrap_err();
    assert_eq!((error.line, error.column), (2, 3));
    assert_eq!(task.draw(b"0 0\n", None, "page"), Ok(Vec::new()));
}

/// The drawings in the statements are what the code draws; `UPDATE_DRAWINGS=1` writes them anew.
#[test]
fn statements_show_every_sample_as_it_is_drawn() {
    let update = std::env::var_os("UPDATE_DRAWINGS").is_some();
    for task in ALL {
        let folder = package(task).join("statement");
        let statement = std::fs::read_to_string(package(task).join("statement.md")).unwrap();
        for (name, input) in samples(task) {
            let title = format!("Sample {name}");
            let pictures = task.draw(&input, None, "sample").unwrap();
            let drawn = stacked(&title, &pictures);
            let file = format!("sample-{name}.svg");
            assert!(
                statement.contains(&format!("](statement/{file})")),
                "the statement of {} does not show {file}",
                task.slug()
            );
            let path = folder.join(&file);
            if update {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&path, &drawn).unwrap();
            }
            let stored = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                stored == drawn,
                "{} is not what the code draws; UPDATE_DRAWINGS=1 writes it anew",
                path.display()
            );
        }
    }
}
