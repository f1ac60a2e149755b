//! How long programs take: a plot of how many take which part of the limit, for the eye and in
//! words.

/// Bars up to the limit; one more holds what is over it.
const PARTS: usize = 10;
/// Pixels from one bar to the next.
const STEP: u64 = 30;
/// Where the first bar begins.
const LEFT: u64 = 18;
/// The height of the highest bar.
const HEIGHT: u64 = 120;

/// A plot as its template draws it.
pub(super) struct Plot {
    pub title: String,
    pub words: String,
    pub bars: Vec<Bar>,
    pub half: String,
    pub limit: String,
}

/// How many programs take this part of the limit; the accepted ones stand below the others.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bar {
    pub x: u64,
    pub count: u64,
    /// The heights of the two parts.
    pub accepted: u64,
    pub other: u64,
}

impl Plot {
    /// Of the slowest test of each program, in milliseconds, and whether it is accepted; none where
    /// there is nothing to show.
    pub fn of(times: &[(u64, bool)], limit_ms: u64) -> Option<Self> {
        let limit_ms = limit_ms.max(1);
        let mut parts = vec![[0u64; 2]; PARTS + 1];
        for &(ms, is_accepted) in times {
            let [accepted, other] = &mut parts[part_of(ms, limit_ms)];
            *(if is_accepted { accepted } else { other }) += 1;
        }
        let most = parts
            .iter()
            .map(|[a, b]| a + b)
            .max()
            .filter(|&most| most > 0)?;
        let bars = parts
            .iter()
            .zip(0u64..)
            .map(|(part, at)| bar(*part, at, most));
        Some(Self {
            title: format!("The slowest test of each program, against the limit of {limit_ms} ms"),
            words: words(&parts, limit_ms),
            bars: bars.collect(),
            half: format!("{} ms", limit_ms / 2),
            limit: format!("{limit_ms} ms"),
        })
    }
}

/// A program at a mark belongs to the part below it.
fn part_of(ms: u64, limit_ms: u64) -> usize {
    if ms > limit_ms {
        return PARTS;
    }
    let tenths = u128::from(ms) * PARTS as u128;
    let part = tenths.div_ceil(u128::from(limit_ms)).saturating_sub(1);
    usize::try_from(part).map_or(PARTS - 1, |part| part.min(PARTS - 1))
}

fn bar([accepted, other]: [u64; 2], at: u64, most: u64) -> Bar {
    let height = |count: u64| {
        // What is there is seen, however little it is beside the others.
        (count * HEIGHT / most).max(u64::from(count > 0) * 2)
    };
    Bar {
        // The limit's line stands before the last bar.
        x: LEFT + at * STEP + if at == PARTS as u64 { STEP / 4 } else { 0 },
        count: accepted + other,
        accepted: height(accepted),
        other: height(other),
    }
}

fn words(parts: &[[u64; 2]], limit_ms: u64) -> String {
    let sum = |range: &[[u64; 2]]| range.iter().map(|[a, b]| a + b).sum::<u64>();
    let (within, over) = parts.split_at(PARTS);
    let half = within.len() / 2;
    format!(
        "Programs: {}. On its slowest test at most half of the limit of {limit_ms} ms: {}; more, up to the limit: {}; over the limit: {}.",
        sum(parts),
        sum(&within[..half]),
        sum(&within[half..]),
        sum(over)
    )
}

#[cfg(test)]
mod tests {
    use super::{HEIGHT, Plot};

    #[test]
    fn programs_stand_where_they_belong() {
        let accepted = [0, 100, 1_000].map(|ms| (ms, true));
        let times = [accepted, [101, 1_001, 9_999].map(|ms| (ms, false))].concat();
        let plot = Plot::of(&times, 1_000).unwrap();
        let counts: Vec<u64> = plot.bars.iter().map(|bar| bar.count).collect();
        assert_eq!(counts, [2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(plot.bars[0].accepted, HEIGHT);
        assert_eq!(plot.bars[10].other, HEIGHT);
        let words = "Programs: 6. On its slowest test at most half of the limit of 1000 ms: 3; more, up to the limit: 1; over the limit: 2.";
        assert_eq!(plot.words, words);
    }

    #[test]
    fn nothing_leaves_the_picture() {
        assert!(Plot::of(&[], 1_000).is_none());
        let many = vec![(u64::MAX, false); 10_000];
        let few = [(1, true), (u64::MAX - 1, true)];
        let all = [&many[..], &few].concat();
        for limit in [0, 1, 1_000, u64::MAX] {
            for bar in Plot::of(&all, limit).unwrap().bars {
                assert!(bar.accepted + bar.other <= HEIGHT + 4, "{bar:?}");
            }
        }
    }
}
