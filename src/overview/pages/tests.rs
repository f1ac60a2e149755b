//! The overviews as they are read: by snapshots, and by an independent reader of pages.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use scraper::{Html, Selector};

use super::{Overview, all_of, files_of, touched_by};
use crate::config::Counts;
use crate::course::tests::decision;
use crate::course::{Action, Decisions, Rules};
use crate::domain::{SubmissionId, Verdict};
use crate::overview::tests::entry;
use crate::overview::{Changes, Grading, Scoreboard};
use crate::report::Reports;
use crate::report::tests::page::sound;
use crate::report::tests::samples::{judged, outline, report, test};
use crate::store::tests::{opened, program_for, publication_of, publish};
use crate::store::{NewHack, Store};
use crate::util::hash;
use crate::util::samples::{RECEIVED_MS, change, slug, student};

const MINUTE_MS: i64 = 60_000;

/// A course in a store of its own.
struct Course {
    store: Store,
    // Removed when the store is closed.
    _folder: tempfile::TempDir,
    reports: Reports,
    now_ms: i64,
    folds: u8,
}

/// What is said of a program: verdict, first failing test, slowest test.
type Said<'a> = (Verdict, Option<&'a str>, Option<u32>);

impl Course {
    fn new() -> Self {
        let (folder, store) = opened();
        Self {
            reports: Reports::new(Path::new("reports"), Path::new("staff")),
            store,
            _folder: folder,
            now_ms: RECEIVED_MS,
            folds: 0,
        }
    }

    fn receive(&mut self, name: &str, problem: &str) -> SubmissionId {
        self.now_ms += MINUTE_MS;
        let mut new = program_for(name, problem, self.now_ms.to_string());
        new.received_ms = self.now_ms;
        self.store.writer().receive(new).unwrap().submission().id
    }

    fn judge(&mut self, submission: SubmissionId, (verdict, failing, slowest_ms): Said<'_>) {
        self.folds += 1;
        // Its limit is what the plot is drawn against.
        let document = report("alpha", &judged(vec![test("sample/1", verdict, None)]));
        let change = change(verdict, failing, self.now_ms + 1_500);
        let mut publication = publication_of(submission, self.folds, change);
        publication.document = document.to_json();
        publication.slowest_ms = slowest_ms;
        publish(&self.store, publication);
    }

    fn hand_in(&mut self, name: &str, problem: &str, said: Said<'_>) -> SubmissionId {
        let id = self.receive(name, problem);
        self.judge(id, said);
        id
    }

    fn hack(&mut self, name: &str, note: &str, refused: Option<&str>) {
        self.now_ms += MINUTE_MS;
        let hack = NewHack {
            problem: slug("curling"),
            name: name.to_owned(),
            file_name: format!("{name}.in"),
            digest: hash::digest(name.as_bytes()),
            note: Some(note.to_owned()),
            refused: refused.map(str::to_owned),
            held_back: false,
            seen_ms: self.now_ms,
            event_json: "{}".to_owned(),
        };
        self.store.writer().put_hack(hack).unwrap();
    }

    /// Every overview, by its path.
    fn pages(&self) -> BTreeMap<String, String> {
        let reader = self.store.reader().unwrap();
        let mut board = Scoreboard::load(&reader).unwrap();
        board.set_grading(Arc::new(Grading::without_files(Counts::Best)));
        let files = |overview| files_of(&overview, &self.reports, &board, &reader).unwrap();
        let files = all_of(&board).flat_map(files);
        let files = files.map(|(path, text)| (path.display().to_string(), text));
        files.collect()
    }
}

const ACCEPTED: Said<'_> = (Verdict::Accepted, None, Some(420));

/// Everything that a page can show, between them.
fn course() -> Course {
    let mut course = Course::new();
    let wide = Some("secret/010-two-wide");
    course.hand_in("alpha", "curling", (Verdict::WrongAnswer, wide, Some(12)));
    let fragile = course.hand_in("alpha", "curling", ACCEPTED);
    course.hand_in("beta", "curling", (Verdict::CompileError, None, None));
    course.hand_in("beta", "curling", (Verdict::TimeLimit, wide, Some(2_004)));
    course.hand_in("刘思", "curling", (Verdict::Accepted, None, Some(1_999)));
    course.receive("刘思", "curling");
    course.hand_in("beta", "regions", ACCEPTED);
    course.receive("gamma", "regions");
    course.hack("hack/evil", "breaks who counts from 1", None);
    course.hack("hack/odd", "", Some("line 2: one number too many"));
    let fails = (Verdict::RuntimeError, Some("hack/evil"), Some(430));
    course.judge(fragile, fails);
    course
}

#[test]
fn as_pages() {
    let pages = course().pages();
    let names: Vec<&str> = pages.keys().map(String::as_str).collect();
    let expected = "reports/alpha/index.html reports/beta/index.html reports/gamma/index.html \
                    reports/刘思/index.html staff/alpha/index.html staff/beta/index.html \
                    staff/gamma/index.html staff/index.html staff/problems/curling.html \
                    staff/problems/regions.html staff/刘思/index.html";
    assert_eq!(names.join(" "), expected);
    for (name, path) in [
        ("course", "staff/index.html"),
        ("problem", "staff/problems/curling.html"),
        ("student", "reports/alpha/index.html"),
        ("student_for_staff", "staff/alpha/index.html"),
    ] {
        insta::assert_snapshot!(name, outline(&pages[path]));
    }
}

fn select<'a>(html: &'a Html, selector: &str) -> Vec<scraper::ElementRef<'a>> {
    html.select(&Selector::parse(selector).unwrap()).collect()
}

#[test]
fn pages_are_valid_and_every_link_leads_somewhere() {
    let course = course();
    let pages = course.pages();
    let caption = Selector::parse("caption").unwrap();
    for (path, text) in &pages {
        let html = sound(text);
        for table in select(&html, "table") {
            // A caption scrolls sideways with its table; a wide one has its words above it.
            let says = table.attr("aria-describedby").into_iter();
            let says = says.filter(|id| !select(&html, &format!("#{id}")).is_empty());
            let captions = table.select(&caption).count();
            assert_eq!(captions + says.count(), 1, "{path}: a table");
        }
        for link in select(&html, "a[href]") {
            let href = link.attr("href").unwrap();
            if href.starts_with('#') {
                continue;
            }
            let target = resolve(path, href);
            let is_report = target.split('/').count() == 4;
            let is_there = is_report || pages.contains_key(&target);
            assert!(is_there, "{path}: {href} leads to {target}");
            // Nobody is led out of a folder.
            let [from, to] = [path, &target].map(|path| path.split('/').next());
            assert_eq!(from, to, "{path}: {href}");
        }
    }
}

/// Where a relative link leads, as a browser finds it.
fn resolve(page: &str, href: &str) -> String {
    let mut names: Vec<&str> = page.split('/').collect();
    names.pop();
    for name in href.split('/') {
        match name {
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    let joined = names.join("/");
    let decoded = percent_decode_str(&joined).decode_utf8();
    decoded.unwrap().into_owned()
}

#[test]
fn a_student_is_told_nothing_of_others_and_nothing_that_reports_withhold() {
    let mut course = course();
    let hidden = Some("secret/SECRET-marker");
    let wrong = (Verdict::WrongAnswer, hidden, Some(987));
    course.hand_in("alpha", "curling", wrong);
    let pages = course.pages();
    let own = &pages["reports/alpha/index.html"];
    for secret in "SECRET-marker hack/evil two-wide 987 beta 刘思 ../index.html".split(' ') {
        assert!(!own.contains(secret), "{secret}");
    }
    let staff = &pages["staff/alpha/index.html"];
    assert!(staff.contains("SECRET-marker") && staff.contains("987 ms"));
}

#[test]
fn a_large_course_is_shown_within_bounds_and_says_what_is_left_out() {
    let course = Course::new();
    let mut board = Scoreboard::default();
    board.set_grading(Arc::new(Grading::without_files(Counts::Best)));
    for number in 0..2_010u32 {
        let name = format!("s{number:04}");
        let mut entry = entry(&name, "curling", 1, Some(Verdict::Accepted));
        entry.submission.id = SubmissionId(i64::from(number) + 1);
        board.put(entry);
    }
    for number in 0..70 {
        board.put(entry("s0000", &format!("p{number}"), 1, None));
    }
    let reader = course.store.reader().unwrap();
    let text = |overview| {
        let files = files_of(&overview, &course.reports, &board, &reader);
        files.unwrap().remove(0).1
    };
    let page = text(Overview::Course);
    assert!(page.contains("10 more students left out here"), "students");
    assert!(page.contains("11 more problems left out here"), "problems");
    let html = Html::parse_document(&page);
    assert_eq!(select(&html, "tbody tr th[scope=row] bdi").len(), 2_000);
    assert!(text(Overview::Problem(slug("curling"))).contains("10 more students left out"));
    assert!(text(Overview::Student(student("s0000"))).contains("11 more problems are left out"));
}

#[test]
fn a_students_page_counts_the_problems_that_are_left_out_though_nothing_was_handed_in_for_them() {
    let course = Course::new();
    let decided = (0..62).map(|number| decision(&format!("p{number}"), None, Action::Comment));
    let mut grading = Grading::without_files(Counts::Best);
    grading.rules = Arc::new(Rules {
        decisions: Arc::new(Decisions::new(decided)),
        ..Rules::without_files(Counts::Best)
    });
    let mut board = Scoreboard::default();
    board.set_grading(Arc::new(grading));
    board.put(entry("ada", "curling", 1, Some(Verdict::Accepted)));
    let reader = course.store.reader().unwrap();
    let page = Overview::Student(student("ada"));
    let files = files_of(&page, &course.reports, &board, &reader).unwrap();
    let text = &files[0].1;
    assert!(text.contains("3 more problems are left out"), "{text}");
}

#[test]
fn a_change_touches_what_shows_it() {
    let (alpha, curling) = (student("alpha"), slug("curling"));
    let cell = Changes {
        cells: [(alpha.clone(), curling.clone())].into(),
        ..Changes::default()
    };
    let hacked = Changes {
        hacked: [curling.clone()].into(),
        ..Changes::default()
    };
    let page = Overview::Problem(curling);
    let all = vec![Overview::Course, page.clone(), Overview::Student(alpha)];
    let none = Changes::default();
    for (changes, expected) in [(none, vec![]), (cell, all), (hacked, vec![page])] {
        assert_eq!(touched_by(&changes).collect::<Vec<_>>(), expected);
    }
}
