//! The other machines on the staff's view: who is there, what they do, and why one is not used.

use askama::Template;

use crate::fleet::{Shown, ShownMachine, Standing};
use crate::overview::pages::{Moment, View};

/// The table.
#[derive(Template)]
#[template(path = "web/machines.html")]
pub struct MachinesView {
    summary: String,
    /// Why there is no connection to the server.
    trouble: Option<String>,
    rows: Vec<MachineRow>,
    more: usize,
    /// Whether machines agree, where orders are measured on two.
    twice: Option<String>,
}

struct MachineRow {
    name: String,
    machine: String,
    state: String,
    since: Moment,
    doing: Vec<String>,
    /// Orders that it has and that are not shown.
    more: usize,
    languages: String,
    why_not: Vec<String>,
    speed: String,
    orders: String,
}

impl MachinesView {
    pub fn of(view: &View<'_>, shown: &Shown) -> Self {
        Self {
            summary: shown.summary(),
            trouble: shown.trouble.is_some().then(|| shown.server_line()),
            rows: shown.machines.iter().map(|one| row(view, one)).collect(),
            more: shown.more,
            twice: shown.twice_line(),
        }
    }
}

fn row(view: &View<'_>, machine: &ShownMachine) -> MachineRow {
    let state = match machine.standing {
        Standing::Working => format!(
            "{} of {} places busy, there",
            machine.busy(),
            machine.places
        ),
        Standing::Idle => format!("0 of {} places busy, there", machine.places),
        Standing::Unused => "not used, there".to_owned(),
        Standing::Gone => "gone".to_owned(),
    };
    let doing = machine.doing.iter();
    let doing: Vec<String> = doing
        .map(|doing| format!("{}: {}", doing.what, doing.step()))
        .collect();
    MachineRow {
        name: machine.name.clone(),
        machine: machine.machine.clone(),
        state,
        since: view.moment(machine.since_ms),
        more: machine.out.saturating_sub(doing.len()),
        doing,
        languages: machine.languages.join(", "),
        why_not: machine.why_not.clone(),
        speed: machine.speed_words().unwrap_or_default(),
        orders: machine.counts(),
    }
}

#[cfg(test)]
mod tests {
    use super::MachinesView;
    use crate::fleet::samples::shown;
    use crate::overview::Scoreboard;
    use crate::overview::pages::Selection;
    use crate::overview::pages::rendered;
    use crate::report::Audience;
    use crate::web::rows::Now;
    use crate::web::tests::sample::Sample;

    #[test]
    fn the_staff_see_each_machine_and_students_only_how_many_places_there_are() {
        let sample = Sample::new(Scoreboard::default());
        let activity = &sample.state.view.activity;
        let looks = |audience| {
            let dashboard = sample.dashboard(audience);
            let looked = dashboard.look(&Selection::default(), |view| {
                Ok(rendered(&Now::of(view, activity)))
            });
            looked.unwrap()
        };
        let (alone, alone_staff) = (looks(Audience::Student), looks(Audience::Staff));
        assert!(!alone.contains("machine") && !alone_staff.contains("machine"));
        activity.show(std::sync::Arc::new(shown()));
        let (students, staff) = (looks(Audience::Student), looks(Audience::Staff));
        assert!(
            students.contains("Being judged: 2 of 7 at a time"),
            "{students}"
        );
        assert!(
            !students.contains("lab-07") && !students.contains("ada"),
            "{students}"
        );
        let dashboard = sample.dashboard(Audience::Staff);
        let table = dashboard.look(&Selection::default(), |view| {
            Ok(rendered(&MachinesView::of(view, &shown())))
        });
        let table = table.unwrap();
        assert!(staff.contains(&table), "{staff}");
        insta::assert_snapshot!(table);
    }
}
