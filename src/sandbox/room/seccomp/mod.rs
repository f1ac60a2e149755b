//! The filter for system calls that a room's init wears, and with it every job.
//!
//! It is a list of what is refused among the calls that are known, not of what is allowed: the
//! namespaces and the missing privileges
//! are the wall, and this filter takes away what has broken such walls before, what is charged to
//! nobody, and what outlives a job.
//! Calls that are newer than the list are refused.

mod calls;

use crate::sandbox::sys::Instruction;
use calls::{ABSENT, Checked, DENIED, DENIED_HERE, IGNORED, NEWEST_KNOWN, When};

const LOAD_WORD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_AT_LEAST: u16 = 0x35;
const JUMP_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const KILL_PROCESS: u32 = 0x8000_0000;
/// Errno 0 answers the call as if it had been made.
const ERROR: u32 = 0x0005_0000;

const NUMBER_OFFSET: u32 = 0;
const ARCHITECTURE_OFFSET: u32 = 4;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

const fn instruction(code: u16, operand: u32, jump_true: u8, jump_false: u8) -> Instruction {
    Instruction {
        code,
        jump_true,
        jump_false,
        operand,
    }
}

const fn answer(with: u32) -> Instruction {
    instruction(RETURN, with, 0, 0)
}

const fn error(errno: i32) -> u32 {
    ERROR | errno.cast_unsigned()
}

/// Where the low half of an argument lies, on a little-endian machine.
const fn offset_of_argument(index: u32) -> u32 {
    16 + 8 * index
}

/// The filter.
///
/// Arguments are looked at behind the search for the number. So the kernel can tell beforehand, for
/// every call that is
/// allowed whatever its arguments, that it needs no filter, and does not run it for those (since
/// Linux 5.11).
pub fn filter(own_network: bool) -> Vec<Instruction> {
    let mut program = vec![
        instruction(LOAD_WORD, ARCHITECTURE_OFFSET, 0, 0),
        instruction(JUMP_EQUAL, ARCHITECTURE, 1, 0),
        answer(KILL_PROCESS),
        instruction(LOAD_WORD, NUMBER_OFFSET, 0, 0),
    ];
    search(&segments(own_network), &mut program);
    program
}

/// What is done with the calls from this number up to the next segment's.
#[derive(Debug, Clone, Copy)]
struct Segment {
    from: u32,
    rule: Rule,
}

#[derive(Debug, Clone, Copy)]
enum Rule {
    Answer(u32),
    Check(Checked),
}

fn number(call: libc::c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

/// All numbers, in order, those of one answer together.
fn segments(own_network: bool) -> Vec<Segment> {
    let lists = [
        (DENIED, error(libc::EPERM)),
        (DENIED_HERE, error(libc::EPERM)),
        (ABSENT, error(libc::ENOSYS)),
        (IGNORED, error(0)),
    ];
    let refused = lists.into_iter().flat_map(|(calls, with)| {
        calls
            .iter()
            .map(move |&call| (number(call), Rule::Answer(with)))
    });
    let checked = calls::checked(own_network);
    let checked = checked
        .into_iter()
        .map(|check| (number(check.call), Rule::Check(check)));
    let mut rules: Vec<(u32, Rule)> = refused.chain(checked).collect();
    rules.sort_by_key(|(number, _)| *number);
    let mut segments: Vec<Segment> = Vec::new();
    let mut put = |from: u32, rule: Rule| match (segments.last(), rule) {
        (
            Some(Segment {
                rule: Rule::Answer(before),
                ..
            }),
            Rule::Answer(with),
        ) if *before == with => {}
        _ => segments.push(Segment { from, rule }),
    };
    let mut next = 0;
    for (number, rule) in rules {
        if number > next {
            put(next, Rule::Answer(ALLOW));
        }
        put(number, rule);
        next = number + 1;
    }
    put(next, Rule::Answer(ALLOW));
    // The numbers of the x32 interface are above all of these.
    put(NEWEST_KNOWN + 1, Rule::Answer(error(libc::ENOSYS)));
    segments
}

/// A binary search over the segments. Each half ends in a return, so a jump passes only the lower
/// half.
fn search(segments: &[Segment], program: &mut Vec<Instruction>) {
    match segments {
        [] => program.push(answer(ALLOW)),
        [Segment { rule, .. }] => match rule {
            Rule::Answer(with) => program.push(answer(*with)),
            Rule::Check(check) => look(check, program),
        },
        _ => {
            let (low, high) = segments.split_at(segments.len() / 2);
            let mut lower = Vec::new();
            search(low, &mut lower);
            if let Ok(skip) = u8::try_from(lower.len()) {
                program.push(instruction(JUMP_AT_LEAST, high[0].from, skip, 0));
            } else {
                program.push(instruction(JUMP_AT_LEAST, high[0].from, 0, 1));
                let skip = u32::try_from(lower.len()).unwrap_or(u32::MAX);
                program.push(instruction(JUMP, skip, 0, 0));
            }
            program.extend(lower);
            search(high, program);
        }
    }
}

/// Looks at an argument; every way through ends in a return.
fn look(check: &Checked, program: &mut Vec<Instruction>) {
    let refuse = answer(error(check.errno));
    let load = |argument| instruction(LOAD_WORD, offset_of_argument(argument), 0, 0);
    if let When::SocketOption(_) = check.when {
        program.push(load(1));
        program.push(instruction(JUMP_EQUAL, libc::SOL_SOCKET as u32, 1, 0));
        program.push(answer(ALLOW));
    }
    program.push(load(check.argument));
    // Each jump of `tests` leads to the refusal where it holds, or goes on to the next.
    let (tests, refuse_where_one_holds): (Vec<(u16, u32)>, bool) = match check.when {
        When::AnyBit(bits) => (vec![(JUMP_ANY_BIT, bits)], true),
        When::OneOf(values) | When::SocketOption(values) => (
            values.iter().map(|&value| (JUMP_EQUAL, value)).collect(),
            true,
        ),
        When::Not(value) => (vec![(JUMP_EQUAL, value)], false),
        When::Outside(from, to) => {
            program.push(instruction(JUMP_AT_LEAST, from, 1, 0));
            program.push(refuse);
            (vec![(JUMP_AT_LEAST, to)], true)
        }
    };
    let mut left = u8::try_from(tests.len()).unwrap_or(u8::MAX);
    for (code, operand) in tests {
        program.push(instruction(code, operand, left, 0));
        left -= 1;
    }
    let (otherwise, found) = if refuse_where_one_holds {
        (answer(ALLOW), refuse)
    } else {
        (refuse, answer(ALLOW))
    };
    program.push(otherwise);
    program.push(found);
}

#[cfg(test)]
mod tests;
