//! What `strength` says to a person.

use crate::cli::out::{Out, Style, cell};
use crate::strength::{Kind, Strength, Timed};
use crate::util::excerpt::{spelled, visible_line};

/// Bytes of a missing test that are shown.
const SHOWN_BYTES_MAX: usize = 2 * 1024;

pub(super) fn show(strength: &Strength, out: &mut Out) {
    let conclusions = strength.conclusions();
    let rows = strength.rows();
    out.line(&format!("{}: {}", strength.title, strength.summary()));
    for &at in &conclusions.survivors {
        out.tagged(Style::Bad, "survives", &visible_line(&rows[at].name));
        let mutant = at
            .checked_sub(strength.wrong_programs())
            .map(|at| &strength.mutants[at]);
        if let Some(mutant) = mutant {
            out.line(&format!("  {}", mutant.rule.summary));
            show_missing(mutant.missing.as_deref(), out);
        }
    }
    for &at in &conclusions.undecided {
        let text = format!(
            "{}, which was not run on every test",
            visible_line(&rows[at].name)
        );
        out.tagged(Style::Warn, "undecided", &text);
    }
    for &(at, test) in &conclusions.by_one {
        let name = visible_line(&rows[at].name);
        out.line(&format!("only {} kills {name}", strength.tests[test]));
    }
    let names: Vec<&str> = conclusions
        .nothing_new
        .iter()
        .map(|&test| strength.tests[test].as_str())
        .collect();
    if !names.is_empty() {
        out.line(&format!(
            "These kill nothing that the tests before them do not: {}.",
            names.join(", ")
        ));
    }
    for words in strength.unmet() {
        out.line(&format!("bound not met: {words}"));
    }
    for (title, kind) in [("INTENDED", Kind::Intended), ("SLOW FAMILY", Kind::Slow)] {
        show_times(title, &strength.times(kind), strength, out);
    }
    if let Some(advice) = strength.advice() {
        out.line(&advice);
    }
    for words in strength.yields() {
        out.line(&words);
    }
    for hit in &strength.hack_search.hits {
        let text = format!("{}: {}", visible_line(&hit.name), hit.words());
        out.tagged(Style::Bad, "fails", &text);
        show_input(&hit.input, out);
    }
    for words in &strength.untried {
        out.tagged(Style::Warn, "not tried", &visible_line(words));
    }
    for words in &strength.faults {
        out.tagged(Style::Bad, "fault", &visible_line(words));
    }
}

fn show_missing(missing: Option<&[u8]>, out: &mut Out) {
    let Some(input) = missing else {
        out.line("  No input was found that would kill it.");
        return;
    };
    out.line("  This input would kill it:");
    show_input(input, out);
}

fn show_input(input: &[u8], out: &mut Out) {
    let text = spelled(input);
    for line in text[..text.floor_char_boundary(SHOWN_BYTES_MAX)].lines() {
        out.line(&format!("    {line}"));
    }
}

fn show_times(title: &str, times: &[Timed], strength: &Strength, out: &mut Out) {
    if times.is_empty() {
        return;
    }
    let mut table = out.table(&[
        title,
        "LANGUAGE",
        "HEAVIEST TEST",
        "CPU TIME",
        "OF THE LIMIT",
    ]);
    for timed in times {
        let share = format!("{:.2} ×", timed.share());
        let style = if timed.is_fine {
            Style::Good
        } else {
            Style::Warn
        };
        table.add_row([
            visible_line(&timed.name).into(),
            timed.language.as_str().into(),
            strength.tests[timed.test].as_str().into(),
            format!("{:.2} s", timed.cpu.as_secs_f64()).into(),
            cell(style, &share),
        ]);
    }
    out.write_table(&table);
}
