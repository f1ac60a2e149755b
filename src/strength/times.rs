//! How the times of slow and of intended programs stand to the limit. Pure.

use std::time::Duration;

use super::programs::{CERTAIN, Kind, Tried};

/// Up to this share of the limit, an intended program leaves room for one that is written less
/// well.
const ROOM: f64 = 0.5;

/// A program with its heaviest test.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    pub name: String,
    pub language: String,
    pub test: usize,
    pub cpu: Duration,
    pub limit: Duration,
    /// Whether that is as it should be.
    pub is_fine: bool,
}

impl Timed {
    /// `None` for a program that was not run.
    pub fn of(tried: &Tried) -> Option<Self> {
        let (test, cpu) = tried.heaviest()?;
        let mut timed = Self {
            name: tried.row.name.clone(),
            language: tried.language.to_string(),
            test,
            cpu,
            limit: tried.limit,
            is_fine: true,
        };
        timed.is_fine = match tried.kind {
            Kind::Slow => timed.share() >= CERTAIN,
            Kind::Intended | Kind::Wrong => timed.share() <= ROOM,
        };
        Some(timed)
    }

    /// Its time as a share of the limit.
    pub fn share(&self) -> f64 {
        self.cpu.as_secs_f64() / self.limit.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// What there is to say of the limit, if slow programs or intended ones are too near to it.
pub fn advice(slow: &[Timed], intended: &[Timed], limit: Duration) -> Option<String> {
    if slow.iter().chain(intended).all(|timed| timed.is_fine) {
        return None;
    }
    let least_slow = slow.iter().map(Timed::share).fold(f64::INFINITY, f64::min);
    let most_intended = intended.iter().map(Timed::share).fold(0.0, f64::max);
    let limit = limit.as_secs_f64();
    let (from, to) = (most_intended / ROOM * limit, least_slow / CERTAIN * limit);
    Some(if from <= to && to.is_finite() {
        format!(
            "A limit from {from:.2} s to {to:.2} s leaves room for all intended solutions and is certainly too low for all slow ones."
        )
    } else if to.is_finite() {
        format!(
            "Both cannot hold with these tests: the intended solutions need a limit of at least {from:.2} s, and the slow ones need one of at most {to:.2} s. A heavier test, or a time factor for a language, would part them."
        )
    } else {
        format!("The intended solutions need a limit of at least {from:.2} s.")
    })
}

/// The tests, those first on which intended programs take longest.
pub fn by_weight(tried: &[Tried], tests: usize) -> Vec<usize> {
    let weight = |test: usize| {
        let intended = tried.iter().filter(|one| one.kind == Kind::Intended);
        let times = intended.map(|one| one.cpu.get(test).copied().unwrap_or_default());
        times.fold(Duration::ZERO, Duration::saturating_add)
    };
    let mut order: Vec<usize> = (0..tests).collect();
    order.sort_by_key(|&test| std::cmp::Reverse((weight(test), test)));
    order
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Timed, advice};

    fn timed(percent: u32, is_fine: bool) -> Timed {
        Timed {
            name: String::new(),
            language: String::new(),
            test: 0,
            cpu: Duration::from_millis(20) * percent,
            limit: Duration::from_secs(2),
            is_fine,
        }
    }

    #[test]
    fn what_is_too_near_to_the_limit_is_said() {
        let limit = Duration::from_secs(2);
        let say = |slow: &[Timed], intended: &[Timed]| advice(slow, intended, limit);
        assert_eq!(say(&[timed(300, true)], &[timed(10, true)]), None);
        let parted = say(&[timed(150, false)], &[timed(10, true)]).unwrap();
        assert!(
            parted.starts_with("A limit from 0.40 s to 1.50 s"),
            "{parted}"
        );
        let near = say(&[timed(150, false)], &[timed(90, false)]).unwrap();
        assert!(near.starts_with("Both cannot hold"), "{near}");
        let alone = say(&[], &[timed(90, false)]).unwrap();
        assert!(alone.contains("at least 3.60 s"), "{alone}");
    }
}
