//! The orders that wait for a place, and the places that are there. A planner has at most one order
//! here, and so has a search, so there are never more of them than planners and searches.
//!
//! Orders of searches are for other machines, and only while nothing else waits.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use super::choose::{Chosen, Most, Wants, choose};
use super::place::{Place, Present};
use super::task::{Gone, Reply, Task};
use crate::domain::{Digest, Fault, FaultKind, LanguageId, SubmissionId};
use crate::judge::order::Order;
use crate::util::sync::lock;

/// The queue.
#[derive(Default)]
pub struct Orders {
    held: Mutex<Held>,
    /// For places that are threads.
    changed: Condvar,
    /// For whoever gives orders to other machines.
    news: Notify,
}

#[derive(Default)]
struct Held {
    waiting: VecDeque<Task>,
    /// Those that can wait.
    idle: VecDeque<Task>,
    present: Vec<Present>,
    /// When a place would take what it has left, unless something changes before.
    again: Option<Instant>,
    /// Whether what nobody can do is given back.
    is_draining: bool,
    is_closed: bool,
}

impl Held {
    fn take(&mut self, here: &Place, most: Most) -> Vec<Task> {
        self.take_of(here, most, false)
    }

    /// The same of the orders that can wait.
    fn take_idle(&mut self, here: &Place) -> Option<Task> {
        if !self.waiting.is_empty() {
            return None;
        }
        self.take_of(here, Most::ONE, true).pop()
    }

    fn take_of(&mut self, here: &Place, most: Most, is_idle: bool) -> Vec<Task> {
        let mut present = self.present.iter();
        let Some(there) = present.position(|there| there.place.is_of(here)) else {
            return Vec::new();
        };
        let queue = if is_idle {
            &mut self.idle
        } else {
            &mut self.waiting
        };
        let chosen = chosen(queue, there, &self.present, most);
        self.again = self.again.into_iter().chain(chosen.again).min();
        // From behind, so that positions stay what they are.
        let taken = chosen.at.iter().rev();
        let mut taken: Vec<Task> = taken.filter_map(|at| queue.remove(*at)).collect();
        taken.reverse();
        let there = &mut self.present[there];
        for task in &taken {
            there.note(task.wants.files.iter().map(|(file, _)| *file));
            // Whoever does not wait for it any more is found out at its first fact.
            let _ = task.tell(Reply::Given(Arc::clone(&there.place)));
        }
        taken
    }

    /// Gives back what nobody who is there can do: where one machine is wanted, and at the end. What
    /// would only be measured a second time is not measured at the end.
    fn give_back(&mut self) {
        let Self {
            waiting,
            present,
            is_draining,
            ..
        } = self;
        waiting.retain(|task| {
            let is_idle = *is_draining && task.wants.not_machine.is_some();
            if task.wants.is_possible(present) && !is_idle {
                return true;
            }
            // Nobody waits for such an answer where nothing was said before: there is room for it.
            if task.wants.is_particular() {
                let _ = task.tell(Reply::Unwanted);
                return false;
            }
            if *is_draining {
                let _ = task.tell(Reply::Ended(Err(nobody())));
            }
            !*is_draining
        });
        let is_draining = self.is_draining;
        let present = &self.present;
        self.idle.retain(|task| {
            let is_kept = !is_draining && task.wants.is_possible(present);
            if !is_kept {
                let _ = task.tell(Reply::Ended(Err(nobody())));
            }
            is_kept
        });
    }
}

/// What a place takes of a queue.
fn chosen(queue: &VecDeque<Task>, there: usize, present: &[Present], most: Most) -> Chosen {
    let wants: Vec<&Wants> = queue.iter().map(|task| &task.wants).collect();
    let bytes = |at: usize| length(&queue[at].order);
    choose(
        &wants,
        &present[there],
        present,
        most,
        Instant::now(),
        bytes,
    )
}

impl Orders {
    /// Adds an order at the end.
    pub fn put(&self, task: Task) -> Result<(), Gone> {
        self.change(|held| {
            if held.is_closed {
                return Err(Gone);
            }
            let queue = if task.can_wait() {
                &mut held.idle
            } else {
                &mut held.waiting
            };
            queue.push_back(task);
            held.give_back();
            Ok(())
        })
    }

    /// Puts an order back that a place was given and has not begun, before all others.
    pub fn put_back(&self, task: Task) {
        self.change(|held| {
            let queue = if task.can_wait() {
                &mut held.idle
            } else {
                &mut held.waiting
            };
            queue.push_front(task);
            held.give_back();
        });
    }

    /// Gives back the last order of these submissions, or of what is left of one, that no place has
    /// begun: another student waits.
    pub fn make_room(&self, crowd: &BTreeSet<SubmissionId>) {
        self.change(|held| {
            let gives_way = |task: &Task| {
                let is_particular = task.wants.not_machine.is_some();
                !is_particular && (task.is_rest || crowd.contains(&task.submission.id))
            };
            let at = held.waiting.iter().rposition(gives_way);
            if let Some(task) = at.and_then(|at| held.waiting.remove(at)) {
                let _ = task.tell(Reply::Ended(Err(gave_way())));
            }
        });
    }

    /// A worker is there, with so many places; or what it is has changed.
    pub fn arrives(&self, place: Place, places: usize) {
        self.change(|held| {
            let mut present = held.present.iter_mut();
            match present.find(|there| there.place.is_of(&place)) {
                Some(there) => (there.place, there.places) = (Arc::new(place), places),
                None => held.present.push(Present::new(place, places)),
            }
            held.give_back();
        });
    }

    /// A worker is gone. What it was given is for whoever gave it to end.
    pub fn leaves(&self, place: &Place) {
        self.change(|held| {
            held.present.retain(|there| !there.place.is_of(place));
            held.give_back();
        });
    }

    /// A worker has these files of built programs, because it has just built them.
    pub fn has(&self, place: &Place, files: impl IntoIterator<Item = Digest>) {
        self.change(|held| {
            let mut present = held.present.iter_mut();
            if let Some(there) = present.find(|there| there.place.is_of(place)) {
                there.note(files);
            }
        });
    }

    /// Waits for an order that suits; none where no more will come.
    pub fn next(&self, here: &Place) -> Option<Task> {
        let mut held = lock(&self.held);
        loop {
            if let Some(task) = held.take(here, Most::ONE).pop() {
                return Some(task);
            }
            if held.is_closed {
                return None;
            }
            held = self
                .changed
                .wait(held)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Orders that suit, if some wait.
    pub fn take(&self, here: &Place, most: Most) -> Vec<Task> {
        lock(&self.held).take(here, most)
    }

    /// An order that can wait, if nothing else waits.
    pub fn take_idle(&self, here: &Place) -> Option<Task> {
        lock(&self.held).take_idle(here)
    }

    /// Takes out those whose search is over. Nobody waits for their end.
    pub fn drop_cancelled(&self) {
        let is_wanted = |task: &Task| {
            let cancel = task.cancel.as_ref();
            cancel.is_none_or(|cancel| !cancel.is_cancelled())
        };
        lock(&self.held).idle.retain(is_wanted);
    }

    /// Waits until a place may take an order that it was not given since the last call.
    pub async fn changed(&self) {
        let again = lock(&self.held).again.take();
        match again {
            Some(again) => {
                let again = tokio::time::Instant::from_std(again);
                let _ = tokio::time::timeout_at(again, self.news.notified()).await;
            }
            None => self.news.notified().await,
        }
    }

    /// Orders that wait, without those that can.
    pub fn waiting(&self) -> usize {
        lock(&self.held).waiting.len()
    }

    /// Orders that can wait until there is nothing else to do.
    pub fn idle(&self) -> usize {
        lock(&self.held).idle.len()
    }

    /// Places of other machines that are there.
    pub fn places_elsewhere(&self) -> usize {
        let held = lock(&self.held);
        let there = held.present.iter().filter(|there| !there.place.is_local);
        there.map(|there| there.places).sum()
    }

    /// Places that are there.
    pub fn places(&self) -> usize {
        let held = lock(&self.held);
        held.present.iter().map(|there| there.places).sum()
    }

    /// Whether another machine is there that has this language.
    pub fn can_elsewhere(&self, language: &LanguageId) -> bool {
        let held = lock(&self.held);
        let mut there = held.present.iter().map(|there| &there.place);
        there.any(|place| {
            let languages = place.languages.as_ref();
            !place.is_local && languages.is_none_or(|there| there.contains(language))
        })
    }

    /// Whether an order waits that nobody who is there can do.
    pub fn lacks_places(&self) -> bool {
        let held = lock(&self.held);
        let mut waiting = held.waiting.iter();
        waiting.any(|task| !task.wants.is_possible(&held.present))
    }

    /// Whether somebody who may do what an order wants is there.
    pub(super) fn can(&self, wants: &Wants) -> bool {
        wants.is_possible(&lock(&self.held).present)
    }

    /// Bytes that waiting orders hold.
    pub(super) fn held_bytes(&self) -> u64 {
        let held = lock(&self.held);
        let files = held.waiting.iter().flat_map(|task| &task.wants.files);
        files.filter_map(|(_, bytes)| *bytes).sum()
    }

    /// The daemon is ending: what nobody can do is given back from now on.
    pub fn drain(&self) {
        self.change(|held| {
            held.is_draining = true;
            held.give_back();
        });
    }

    /// No more orders come; what waits is still done.
    pub fn close(&self) {
        self.change(|held| {
            (held.is_draining, held.is_closed) = (true, true);
            held.give_back();
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Held) -> T) -> T {
        let changed = change(&mut lock(&self.held));
        // All of them: an order may not suit the first one.
        self.changed.notify_all();
        self.news.notify_one();
        changed
    }
}

/// Why an order is given back at the end.
fn nobody() -> Fault {
    let reason = "no machine is there that can, and the daemon is ending; it is judged when one is";
    Fault::new("have it measured", reason).of_kind(FaultKind::NoPlace)
}

/// Why an order is given back to make room.
fn gave_way() -> Fault {
    let reason = "another student's program is measured first";
    Fault::new("have it measured", reason).of_kind(FaultKind::Cancelled)
}

/// How long an order is as it is sent, in bytes.
fn length(order: &Order) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, order) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}
