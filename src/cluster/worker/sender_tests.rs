//! What a sender makes of facts: gathered, in order, long bytes ahead, until nobody wants them.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::channel;

use super::{Item, Post, Sender};
use crate::cluster::subjects::{Kind, Name};
use crate::cluster::wire::{self, Facts, INLINE_BYTES_MAX, PART_BYTES, Part, Taken};
use crate::cluster::worker::link::{Out, Unanswered};
use crate::domain::Digest;
use crate::judge::order::{Ended, Fact, Go};
use crate::util::hash::digest;
use crate::util::sync::lock;

/// Takes so many messages, and then says stop, or nothing.
#[derive(Default)]
struct Scripted {
    messages: Mutex<Vec<(Kind, Vec<u8>)>>,
    takes: usize,
    is_silent: bool,
}

impl Post for &Scripted {
    async fn post(&self, kind: Kind, message: &[u8]) -> Result<Taken, Unanswered> {
        let mut messages = lock(&self.messages);
        if messages.len() >= self.takes {
            return if self.is_silent {
                Err(Unanswered::Silent)
            } else {
                Ok(Taken { go: Go::Stop })
            };
        }
        messages.push((kind, message.to_vec()));
        Ok(Taken { go: Go::On })
    }
}

fn out() -> Out {
    Out {
        course: Name::new("algo").unwrap(),
        daemon: wire::Id("d".to_owned()),
        id: wire::Id("o".to_owned()),
        progress: Mutex::default(),
        is_dropped: AtomicBool::new(false),
    }
}

fn fact(number: u8) -> Fact {
    Fact::Answered {
        question: Digest([number; 32]),
        answer: digest(&bytes(number, 3)),
    }
}

fn bytes(number: u8, length: usize) -> Arc<[u8]> {
    vec![number; length].into()
}

/// Sends everything; how many were taken, and whether the order was dropped.
fn send(post: &Scripted, known: &[Digest], items: Vec<Item>) -> (u64, bool) {
    let out = out();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let taken = runtime.block_on(async {
        let (sender, received) = channel(items.len().max(1));
        for item in items {
            assert!(sender.try_send(item).is_ok());
        }
        let sending = Sender {
            post,
            worker: &wire::Id("w".to_owned()),
            out: &out,
            known: known.iter().copied().collect::<HashSet<_>>(),
        };
        drop(sender);
        sending.run(received).await
    });
    (taken.facts, out.is_dropped())
}

fn facts(post: &Scripted) -> Vec<Facts> {
    let messages = lock(&post.messages);
    let facts = messages.iter().filter(|(kind, _)| *kind == Kind::Facts);
    facts
        .map(|(_, message)| wire::read(message).unwrap().0)
        .collect()
}

#[test]
fn facts_are_gathered_and_numbered_from_one() {
    let post = Scripted {
        takes: 100,
        ..Scripted::default()
    };
    let mut items: Vec<Item> = (0..5)
        .map(|number| Item::Fact(fact(number), Vec::new()))
        .collect();
    let long = bytes(9, INLINE_BYTES_MAX);
    items.push(Item::Fact(fact(5), vec![(digest(&long), long)]));
    items.push(Item::Fact(fact(6), Vec::new()));
    items.push(Item::Ended(Ok(Ended::Done)));
    assert_eq!(send(&post, &[], items), (7, false));
    let sent = facts(&post);
    let shape: Vec<_> = sent
        .iter()
        .map(|facts| (facts.first, facts.facts.len(), facts.ended.is_some()))
        .collect();
    assert_eq!(shape, [(1, 6, false), (7, 1, true)]);
    let all: Vec<Fact> = sent.into_iter().flat_map(|facts| facts.facts).collect();
    assert_eq!(all, (0..7).map(fact).collect::<Vec<_>>());
}

#[test]
fn bytes_travel_inline_or_ahead_or_not_at_all() {
    let post = Scripted {
        takes: 100,
        ..Scripted::default()
    };
    let (short, known, long) = (bytes(1, 100), bytes(2, 100), bytes(3, PART_BYTES + 1));
    let blobs = [&short, &known, &long, &short].map(|bytes| (digest(bytes), Arc::clone(bytes)));
    let items = vec![
        Item::Fact(fact(1), blobs.to_vec()),
        Item::Ended(Ok(Ended::Done)),
    ];
    assert_eq!(send(&post, &[digest(&known)], items), (1, false));
    assert_eq!(facts(&post)[0].lengths, [100]);
    let messages = lock(&post.messages);
    let kinds: Vec<Kind> = messages.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [Kind::Part, Kind::Part, Kind::Facts, Kind::Facts]);
    let mut whole = Vec::new();
    for (_, message) in &messages[..2] {
        let (part, bytes): (Part, _) = wire::read(message).unwrap();
        assert_eq!((part.at, part.of), (whole.len() as u64, long.len() as u64));
        whole.extend_from_slice(bytes);
    }
    assert_eq!(digest(&whole), digest(&long));
    assert!(messages[2].1.ends_with(&short), "the bytes follow");
}

#[test]
fn it_ends_where_nobody_wants_more_or_nobody_answers() {
    // Messages that are taken, whether nothing is said then, and how many facts were taken.
    for (takes, is_silent, expected) in [(0, false, 0), (1, false, 1), (0, true, 0), (1, true, 1)] {
        let post = Scripted {
            takes,
            is_silent,
            ..Scripted::default()
        };
        let long = bytes(9, INLINE_BYTES_MAX);
        let items = vec![
            Item::Fact(fact(0), vec![(digest(&long), long)]),
            Item::Fact(fact(1), Vec::new()),
        ];
        assert_eq!(
            send(&post, &[], items),
            (expected, true),
            "{takes} {is_silent}"
        );
    }
}
