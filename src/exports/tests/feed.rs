//! The event feed as a scoreboard reads it: line by line, every object as it was told last, every
//! reference to something that was told before.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::{Fixture, accepted, course, not_built, slug, wrong};
use crate::domain::Verdict;
use crate::exports::{Course, Feed};
use crate::overview::Grading;
use crate::report::tests::samples;

const KIND: (&str, &str) = ("judgement_type_id", "judgement-types");

/// A reader of the feed: the objects by kind and identifier.
#[derive(Default, Debug, PartialEq)]
struct Reading {
    objects: BTreeMap<String, BTreeMap<String, Value>>,
}

impl Reading {
    fn of(text: &str) -> Self {
        let mut reading = Self::default();
        assert!(text.is_empty() || text.ends_with('\n'));
        let mut token = 0;
        for line in text.lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            if let Some(now) = value["token"].as_str() {
                let now = now.parse().unwrap();
                assert!(now > token, "{line}");
                token = now;
            }
            let kind = value["type"].as_str().unwrap();
            let id = value["id"].as_str().unwrap_or_default();
            reading.refers(kind, &value["data"]);
            let objects = reading.objects.entry(kind.to_owned()).or_default();
            objects.insert(id.to_owned(), value["data"].clone());
            reading.one_current();
        }
        reading
    }

    fn get(&self, kind: &str, id: &str) -> &Value {
        &self.objects[kind][id]
    }

    fn all(&self, kind: &str) -> Vec<&Value> {
        let objects = self.objects.get(kind).into_iter();
        objects.flat_map(BTreeMap::values).collect()
    }

    /// What it refers to was told before it.
    fn refers(&self, kind: &str, data: &Value) {
        let references: &[(&str, &str)] = match kind {
            "submissions" => &[
                ("language_id", "languages"),
                ("problem_id", "problems"),
                ("team_id", "teams"),
            ],
            "judgements" => &[("submission_id", "submissions"), KIND],
            "runs" => &[("judgement_id", "judgements"), KIND],
            _ => &[],
        };
        for (field, of) in references {
            let id = data[field].as_str().unwrap();
            assert!(self.objects[*of].contains_key(id), "{field} of {data}");
        }
        if kind == "runs" {
            let judgement = self.get("judgements", data["judgement_id"].as_str().unwrap());
            let submission = self.get("submissions", judgement["submission_id"].as_str().unwrap());
            let problem = self.get("problems", submission["problem_id"].as_str().unwrap());
            let [ordinal, count] = [&data["ordinal"], &problem["test_data_count"]];
            assert!(ordinal.as_u64() <= count.as_u64(), "{data}");
        }
    }

    fn one_current(&self) {
        let all = self.all("judgements").into_iter();
        let current = all.filter(|one| one["current"] == true);
        let mut current: Vec<_> = current.map(|one| one["submission_id"].as_str()).collect();
        current.sort_unstable();
        assert!(current.is_sorted_by(|one, next| one < next), "{current:?}");
    }

    /// The verdict that counts for a submission.
    fn verdict(&self, submission: i64) -> Option<&str> {
        let submission = submission.to_string();
        let mut all = self.all("judgements").into_iter();
        let one = all.find(|one| one["submission_id"] == submission && one["current"] == true);
        one.and_then(|one| one["judgement_type_id"].as_str())
    }
}

fn feed(fixture: &Fixture) -> Feed {
    Feed::new(&fixture.folder.path().join("staff"))
}

fn text(feed: &Feed) -> String {
    std::fs::read_to_string(feed.path()).unwrap()
}

fn caught_up(feed: &mut Feed, fixture: &Fixture) -> Reading {
    caught_up_with(feed, fixture, &course())
}

fn caught_up_with(feed: &mut Feed, fixture: &Fixture, course: &Course) -> Reading {
    let grading = Arc::new(Grading::without_files(course.source.counts));
    while feed.catch_up(&fixture.reader(), course, &grading).unwrap() {}
    Reading::of(&text(feed))
}

#[test]
fn everything_that_happens_is_told() {
    let mut fixture = Fixture::new();
    let mut feed = feed(&fixture);
    assert_eq!(caught_up(&mut feed, &fixture), Reading::default());
    let first = fixture.hand_in("alpha", "curling");
    assert_eq!(caught_up(&mut feed, &fixture).verdict(first.0), None);
    fixture.judge(first, &accepted());
    fixture.judged("学生", "curling", &not_built());
    let slow = samples::failing(Verdict::TimeLimit, Some(crate::domain::Cause::Wall));
    fixture.judged("alpha", "regions", &slow);
    caught_up(&mut feed, &fixture);
    insta::assert_snapshot!(text(&feed));
}

#[test]
fn another_verdict_is_a_new_judgement_and_the_old_one_is_not_current() {
    let mut fixture = Fixture::new();
    let mut feed = feed(&fixture);
    let id = fixture.judged("alpha", "curling", &accepted());
    let told = caught_up(&mut feed, &fixture).all("judgements")[0].clone();
    // Also after a restart.
    let mut feed = self::feed(&fixture);
    let mut more = wrong();
    let later = samples::test("hack/later", Verdict::Skipped, None);
    more.tests.push(later);
    fixture.judge(id, &more);
    let reading = caught_up(&mut feed, &fixture);
    assert_eq!(reading.verdict(id.0), Some("WA"));
    let judgements = reading.all("judgements");
    let current = judgements.iter().map(|one| &one["current"]);
    assert!(current.eq([&false, &true]));
    // What it said then stays true.
    let [then, now] = [&told, judgements[0]].map(|one| &one["max_run_time"]);
    assert!(then == now && now.is_number());
    assert_eq!(reading.get("problems", "curling")["test_data_count"], 4);
    // Judged again with the same verdict: nothing new.
    let before = text(&feed);
    fixture.judge(id, &more);
    caught_up(&mut feed, &fixture);
    assert_eq!(text(&feed), before);
}

#[test]
fn after_a_crash_nothing_is_lost_and_nothing_is_told_twice() {
    let mut fixture = Fixture::new();
    let mut whole = feed(&fixture);
    for (index, name) in ["alpha", "beta", "gamma"].into_iter().enumerate() {
        let id = fixture.judged(name, "curling", &accepted());
        if index == 1 {
            fixture.judge(id, &wrong());
        }
    }
    caught_up(&mut whole, &fixture);
    let all = text(&whole);
    for cut in (0..=all.len()).step_by(97).chain([all.len() - 1]) {
        std::fs::write(whole.path(), &all.as_bytes()[..cut]).unwrap();
        let mut again = feed(&fixture);
        caught_up(&mut again, &fixture);
        assert_eq!(text(&again), all, "cut after {cut} bytes");
    }
    // The same in steps, with a restart after each.
    std::fs::remove_file(whole.path()).unwrap();
    let mut stepped = Fixture::new();
    for name in ["alpha", "beta"] {
        let id = stepped.hand_in(name, "curling");
        caught_up(&mut feed(&stepped), &stepped);
        stepped.judge(id, &accepted());
        caught_up(&mut feed(&stepped), &stepped);
    }
    let steps = text(&feed(&stepped));
    std::fs::remove_file(feed(&stepped).path()).unwrap();
    caught_up(&mut feed(&stepped), &stepped);
    assert_eq!(text(&feed(&stepped)), steps);
}

#[test]
fn a_file_that_is_gone_is_begun_anew_and_one_of_another_store_is_put_aside() {
    let mut fixture = Fixture::new();
    let mut feed = feed(&fixture);
    fixture.judged("alpha", "curling", &accepted());
    caught_up(&mut feed, &fixture);
    let all = text(&feed);
    std::fs::remove_file(feed.path()).unwrap();
    fixture.judged("beta", "curling", &accepted());
    assert_eq!(caught_up(&mut feed, &fixture).all("submissions").len(), 2);
    assert!(text(&feed).starts_with(&all));
    let other = Fixture::new();
    std::fs::create_dir_all(other.folder.path().join("staff")).unwrap();
    let mut foreign = Feed::new(&other.folder.path().join("staff"));
    std::fs::write(foreign.path(), &all).unwrap();
    assert_eq!(caught_up(&mut foreign, &other), Reading::default());
    let names = std::fs::read_dir(other.folder.path().join("staff")).unwrap();
    assert_eq!(names.count(), 2, "the other store's feed is still there");
}

#[test]
fn changes_of_the_course_are_told_and_a_problem_keeps_its_place() {
    let mut fixture = Fixture::new();
    let mut feed = feed(&fixture);
    fixture.judged("alpha", "regions", &accepted());
    caught_up(&mut feed, &fixture);
    let mut changed = course();
    changed.problems[0].slug = slug("a-new-one");
    changed.problems[1].shown.title = "Renamed".to_owned();
    changed.problems[1].tests = 1;
    fixture.judged("alpha", "gone-by-now", &accepted());
    let reading = caught_up_with(&mut feed, &fixture, &changed);
    let regions = reading.get("problems", "regions");
    assert_eq!([&regions["name"], &regions["label"]], ["Renamed", "B"]);
    assert_eq!(regions["test_data_count"], 3);
    assert_eq!(reading.get("problems", "a-new-one")["label"], "C");
    assert_eq!(reading.get("problems", "gone-by-now")["test_data_count"], 2);
    // A reader that has read all of it knows as much as one that has looked on.
    let lines = text(&feed).lines().count();
    caught_up_with(&mut feed, &fixture, &changed);
    assert_eq!(text(&feed).lines().count(), lines);
}
