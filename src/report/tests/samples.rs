//! Submissions and judgements to make reports of.

use std::sync::Arc;

use crate::domain::{
    Cause, Disclosure, Disclosures, HowBuilt, Judgement, LanguageId, Provenance, Score, SourceFile,
    Speaker, Submission, SubmissionId, TimeFactor, Verdict,
};
use crate::package::Io;
use crate::report::schema::PastVerdict;
use crate::report::{
    Audience, Context, Document, Entry, Excerpt, LogLine, Mark, Report, ShownCase, ShownLine,
    ShownTalk, document,
};
use crate::sandbox::{Hold, Protection};
use crate::util::hash;
use crate::util::samples;
pub use crate::util::samples::{RECEIVED_MS, failing, judged, run_of, test};

/// The student's second attempt.
pub fn submission(student: &str) -> Submission {
    Submission {
        id: SubmissionId(17),
        received_ms: RECEIVED_MS,
        ..samples::submission(2, student, "curling")
    }
}

/// What is shown of samples, secret tests and hacks, and nothing else.
pub fn disclosures([sample, secret, hack]: [Disclosure; 3]) -> Disclosures {
    Disclosures {
        sample,
        secret,
        hack,
        ..Disclosures::least()
    }
}

pub fn wrong(expected: &str, got: &str) -> Judgement {
    let mut judgement = failing(Verdict::WrongAnswer, Some(Cause::Differs));
    judgement.tests[1].said.difference = Some(samples::difference(3, 9, [expected, got]));
    judgement
}

pub fn not_built(cause: Cause, words: &[u8]) -> Judgement {
    Judgement {
        verdict: Verdict::CompileError,
        cause: Some(cause),
        score: Score::of_verdict(Verdict::CompileError),
        compiler_words: words.to_vec(),
        ..judged(Vec::new())
    }
}

pub fn report(student: &str, judgement: &Judgement) -> Document {
    report_of(student, "cpp", b"int main() {}", judgement, Io::Stdio)
}

/// The report of a source in a language.
pub fn report_of(
    student: &str,
    language: &str,
    source: &[u8],
    judgement: &Judgement,
    io: Io,
) -> Document {
    let mut submission = submission(student);
    submission.language = LanguageId::new(language).unwrap();
    let source = SourceFile {
        name: "curling.cpp".to_owned(),
        digest: hash::digest(b"int main() {}"),
        bytes: Arc::from(source),
    };
    let mut limits = samples::run().caps;
    limits.open_files = 128;
    let protection = |name, hold, how: &str| Protection {
        name: std::borrow::Cow::Borrowed(name),
        hold,
        how: how.to_owned(),
        fix: None,
    };
    let network = "a network namespace without interfaces";
    let memory = "polled, because no memory controller is delegated";
    let protections = [
        protection("network", Hold::On, network),
        protection("memory", Hold::Weak, memory),
    ];
    let build = "g++ -std=gnu++17 -O2 -DONLINE_JUDGE -static -o main curling.cpp";
    let of = |name: &str| hash::digest(name.as_bytes()).to_string();
    let provenance = Provenance {
        artifact: of("artifact"),
        toolchain: of("toolchain"),
        package: of("package"),
        limits: of("limits"),
        policy: of("policy"),
        fold: of("fold"),
        machine: "Linux 6.1.0 x86_64, 2 × Some Processor".to_owned(),
    };
    let context = Context {
        source: &source,
        provenance: Some(&provenance),
        limits: &limits,
        time_factor: TimeFactor::default(),
        language_version: "g++ 12.2.0",
        how_built: &HowBuilt {
            language: "C++17 (g++ 12.2.0)".to_owned(),
            build: vec![build.to_owned()],
            start: None,
            source_name: "main.cpp".to_owned(),
            author_name: "curling.cpp".to_owned(),
        },
        title: "Curling",
        io,
        history: &[],
        protections: &protections,
        notes: &["the tests' inputs were normalised: CRLF line ends".to_owned()],
        disclosures: Disclosures::default(),
        case: None,
        judged_ms: RECEIVED_MS + 1_500,
    };
    document(&submission, judgement, &context)
}

/// Some lines with something marked.
pub fn excerpt(text: &str, first_line: u64, mark: Option<(u64, u64)>) -> Excerpt {
    Excerpt {
        text: text.to_owned(),
        first_line,
        mark: mark.map(|(start, end)| Mark { start, end }),
        cut_before: false,
        cut_after: false,
    }
}

/// The case of a wrong answer, cut out of a test.
pub fn case() -> ShownCase {
    ShownCase {
        title: Some("dataset 3 of 6".to_owned()),
        words: "The first difference is in line 3 of the output.".to_owned(),
        stops_here: false,
        task: Some("curling".to_owned()),
        input: excerpt("6 1\n1 1 2 1 1 3\n0 0\n", 1, None),
        answer: None,
        expected: excerpt("-1\n", 3, Some((0, 2))),
        got: Some(excerpt("4\n", 3, Some((0, 1)))),
        talk: None,
    }
}

/// The same where the program talked with one of the problem.
pub fn talk(text: &str) -> ShownCase {
    let speakers = [Speaker::Pass, Speaker::Program, Speaker::Interactor];
    let line = |by| ShownLine {
        by,
        text: text.to_owned(),
    };
    ShownCase {
        title: None,
        task: None,
        got: None,
        talk: Some(ShownTalk {
            ended: "the interactor ended first".to_owned(),
            lines: speakers.map(line).to_vec(),
        }),
        ..case()
    }
}

/// A verdict of earlier, when no test is named.
pub fn past_verdict(verdict: Verdict, score: Option<Score>, because: &str) -> PastVerdict {
    PastVerdict {
        at: "2026-03-01T12:30:00Z".to_owned(),
        verdict,
        score,
        first_failing_test: None,
        because: because.to_owned(),
    }
}

/// The page of a document.
pub fn page(document: &Document, source: &[u8]) -> String {
    crate::report::html::render(&Report { document, source }, Audience::Staff)
}

pub fn line(event: i64, document: &Document) -> LogLine {
    let entry = Entry::of_verdict(document, "received", None);
    LogLine::of_event(event, RECEIVED_MS, &entry.to_json()).unwrap()
}

/// What students, programs and files may say to act on whoever reads it.
pub fn hostile_texts() -> Vec<String> {
    let texts = [
        "</pre></li></ol></div></section><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)> ' onmouseover='alert(1)",
        "</style><style>*{display:none}</style></title><base href=//x>",
        "{{ style }}{% raw %} &lt;b&gt; &#60;script&#62; <!-- --> ]]>",
        "abc\u{202e}cba\u{2066}\u{200f}\u{feff}\u{200b}",
        "a\0b\0\x1b[2J\x1b]0;title\x07\x1b[31m",
        "line\nbreak\r\nand\u{2028}more\u{85}\u{0b}",
        "\"  AC  beta  \\\"",
    ];
    let link = "<a href=javascript:alert(1)>x</a>\n";
    let long = [("刘", 1 << 18), ("\t", 10_000), (link, 1_000)].into_iter();
    let long = long.chain(["<", "\n", "\0"].map(|text| (text, 1 << 20)));
    let texts = texts.map(|text| (text, 1)).into_iter().chain(long);
    texts.map(|(text, times)| text.repeat(times)).collect()
}

/// A page without its style, its signs and the insides of its pictures, which are the same
/// everywhere or have tests of their own.
pub fn outline(page: &str) -> String {
    let mut left = page.to_owned();
    for (begin, end) in [
        ("<style>", "</style>"),
        ("<svg class=\"signs\"", "</svg>"),
        ("<figure class=\"picture\">", "</figure>"),
    ] {
        if let Some(from) = left.find(begin) {
            let to = from + left[from..].find(end).unwrap();
            left.replace_range(from + begin.len()..to, " (left out) ");
        }
    }
    left
}
