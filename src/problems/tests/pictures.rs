//! Cases and pictures of every built-in problem: cut right, well-formed, harmless, and as the
//! statements show them.

use std::collections::BTreeSet;

use super::super::{ALL, PICTURES_MAX, Task, find, lines_of, stacked};
use super::inputs::{package, shipped};
use super::reading::{assert_passive, parse, words};
use crate::util::tests::files::write;
use crate::util::tests::trials::{is_soak, seeds};

/// The samples, and inputs of every family.
fn inputs(task: &dyn Task) -> Vec<(String, Vec<u8>)> {
    let mut inputs = shipped(task, "sample");
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
    let pairs = pairs.map(|line| line.split_once(": ").unwrap().1);
    pairs.collect::<Vec<_>>().join("\n")
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
            let stride = 1 + cases.len() / if is_soak() { 40 } else { 12 };
            let mut looked_at: Vec<_> = cases.iter().step_by(stride).chain(cases.last()).collect();
            looked_at.dedup();
            for &lines in &looked_at {
                let case = task.case_at(&input, lines.start).unwrap().unwrap();
                assert_eq!(case.lines, *lines, "{what}");
                let last = task.case_at(&input, lines.end - 1).unwrap();
                assert_eq!(last.as_ref(), Some(&case), "{what}");
                let valid = task.validate(&case.input).unwrap();
                let is_normal = valid.input == case.input && valid.notes.is_empty();
                assert!(is_normal, "{what}");
                assert_eq!(task.cases(&case.input).unwrap().len(), 1, "{what}");
                assert_eq!(task.answer(&case.input).unwrap(), case.expected, "{what}");
                let words = own_words(task, &lines_of(&answer, lines));
                assert_eq!(own_words(task, &case.expected), words, "{what}");
                titles.insert(case.title);
            }
            assert_eq!(titles.len(), looked_at.len(), "{what}");
        }
    }
}

#[test]
fn a_case_says_which_one_it_is() {
    const CURLING: &str = "2 1\n3 2\n2 1\n2 3\n0 0\n";
    const THE_GAME: &str = "2 1\nXX\n1 1 2 1\n2 1 1 1\n0 0 0 0\n1 1\nX\n0 0 0 0\n0 0\n";
    for (slug, input, line, title) in [
        ("curling", CURLING, 2, Some("dataset 2 of 2")),
        ("thegame", THE_GAME, 1, Some("board 1, query 1")),
        ("thegame", THE_GAME, 2, Some("board 1, query 1")),
        ("thegame", THE_GAME, 3, Some("board 1, query 2")),
        ("thegame", THE_GAME, 4, Some("board 1, query 2")),
        ("thegame", THE_GAME, 5, Some("board 2, which has no query")),
        ("thegame", THE_GAME, 6, Some("board 2, which has no query")),
        ("thegame", THE_GAME, 7, None),
        ("regions", "1 2\n13\n", 2, None),
    ] {
        let case = find(slug).unwrap().case_at(input.as_bytes(), line).unwrap();
        let found = case.as_ref().map(|case| &*case.title);
        assert_eq!(found, title, "{slug} {line}");
        if line == 3 {
            let alone: &[u8] = b"2 1\nXX\n2 1 1 1\n0 0 0 0\n0 0\n";
            assert_eq!(case.unwrap().input, alone);
        }
    }
}

#[test]
fn pictures_are_well_formed_and_hold_shapes_and_text_alone() {
    for task in ALL {
        for (name, input) in inputs(task) {
            let cases = task.cases(&input).unwrap().len();
            let pictures = task.draw(&input, Some(b"-1\n"), "page").unwrap();
            let what = format!("{} {name}", task.slug());
            assert_eq!(pictures.len(), cases.min(PICTURES_MAX), "{what}");
            for picture in &pictures {
                assert_passive(&picture.svg);
                let document = parse(&picture.svg);
                let root = document.root_element();
                let sides = ["width", "height"].map(|side| root.attribute(side).unwrap());
                let said = [picture.width, picture.height].map(|side| side.to_string());
                assert_eq!(sides, said, "{what}");
                let title = root.children().find(|node| node.has_tag_name("title"));
                assert_eq!(title.and_then(|node| node.text()), Some(&picture.title[..]));
            }
            let left_out = format!("not drawn: {}.", cases.saturating_sub(PICTURES_MAX));
            if let Some(last) = pictures.last() {
                let says = words(&parse(&last.svg)).contains(&left_out);
                assert_eq!(says, cases > PICTURES_MAX, "{what}");
            }
            // Several in one page: no identifier twice.
            let page: String = pictures.iter().map(|picture| &picture.svg[..]).collect();
            let page = format!("<page>{page}</page>");
            let page = parse(&page);
            let ids = page.descendants().filter_map(|node| node.attribute("id"));
            let ids: Vec<&str> = ids.collect();
            assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
            parse(&stacked("all", &pictures));
        }
    }
}

/// What a program may print to do harm where its words are shown.
fn hostile() -> [Vec<u8>; 12] {
    [
        b"</text></svg><script>alert(1)</script><svg onload='x'>\"'&amp;]]>".to_vec(),
        b"<!-- --><![CDATA[<script/>]]><?php ?>&#0;&bomb;".to_vec(),
        b"\0\x01\x08\x0b\x1b[31mred\x1b]0;title\x07\x7f\r\x85".to_vec(),
        "a\u{202e}txt.exe\u{2066}\u{200f}b\u{2028}c\u{feff}".into(),
        // No characters, not UTF-8, GBK.
        "\u{fffe}\u{ffff}\u{1fffe}\u{e0041}".into(),
        b"\xff\xfe\xc3\x28\xf0\x9f\x92\xed\xa0\x80".to_vec(),
        b"\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7".to_vec(),
        vec![b'<'; 1_000_000],
        b"x\n".repeat(500_000),
        "漢字&".repeat(100_000).into(),
        Vec::new(),
        b" \t \n\n  \n".to_vec(),
    ]
}

#[test]
fn whatever_a_program_printed_is_text_and_bounded() {
    for task in ALL {
        let input = &shipped(task, "sample")[0].1;
        let size = |said: Option<&[u8]>| -> usize {
            let pictures = task.draw(input, said, "page").unwrap();
            for picture in &pictures {
                assert_passive(&picture.svg);
            }
            pictures.iter().map(|picture| picture.svg.len()).sum()
        };
        let bound = size(None) + 8_000 * task.cases(input).unwrap().len();
        for said in hostile() {
            let size = size(Some(&said));
            let begin = String::from_utf8_lossy(&said[..said.len().min(20)]).into_owned();
            assert!(size < bound, "{begin}: {size} bytes, at most {bound}");
        }
    }
    let regions = find("regions").unwrap();
    for (said, shown) in [
        ("-1\n", "The program said:\n-1\n"),
        ("", "The program said nothing here."),
        ("<b>", "\n<b>\n"),
        ("a\u{202e}b", "a\\u{202e}b"),
    ] {
        let input = &shipped(regions, "sample")[0].1;
        let pictures = regions.draw(input, Some(said.as_bytes()), "page").unwrap();
        assert!(words(&parse(&pictures[0].svg)).contains(shown), "{said}");
    }
}

#[test]
fn each_picture_shows_the_lines_of_its_own_case() {
    let task = find("curling").unwrap();
    let input = &shipped(task, "sample")[0].1;
    let pictures = task.draw(input, Some(b"11\n12\n13\n"), "page").unwrap();
    for (index, picture) in pictures.iter().enumerate() {
        let words = words(&parse(&picture.svg));
        for line in 0..3 {
            let said = format!("The program said:\n{}\n", 11 + line);
            assert_eq!(words.contains(&said), line == index, "{words}");
        }
        assert_eq!(words.contains("said nothing here"), index >= 3);
        let dataset = format!("dataset {} of 6", index + 1);
        assert!(picture.title.contains(&dataset));
    }
}

/// The drawings in the statements are what the code draws; `UPDATE_DRAWINGS=1` writes them anew.
#[test]
fn statements_show_every_sample_as_it_is_drawn() {
    let update = std::env::var_os("UPDATE_DRAWINGS").is_some();
    for task in ALL {
        let folder = package(task).join("statement");
        let statement = std::fs::read_to_string(package(task).join("statement.md")).unwrap();
        for (name, input) in shipped(task, "sample") {
            let pictures = task.draw(&input, None, "sample").unwrap();
            let drawn = stacked(&format!("Sample {name}"), &pictures);
            let file = format!("sample-{name}.svg");
            let shown = statement.contains(&format!("](statement/{file})"));
            assert!(shown, "{} does not show {file}", task.slug());
            let path = folder.join(&file);
            if update {
                write(&folder, &file, &drawn);
            }
            let stored = std::fs::read_to_string(&path).unwrap_or_default();
            let path = path.display();
            assert!(stored == drawn, "{path} is not what the code draws");
        }
    }
}
