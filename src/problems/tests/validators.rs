//! The validators that other systems are given say of every input what our own parser says.

use std::io::Write as _;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::inputs::shipped;
use super::parsing::{apply, change};
use crate::problems::{ALL, Task};
use crate::util::tests::trials::trials;

/// Asks a validator about many inputs in one process, each with its length before it: a `1` for each
/// that it lets pass.
const ASK: &str = "
import contextlib, io, sys
code, data, at, said = compile(sys.argv[1], 'validate.py', 'exec'), sys.stdin.buffer.read(), 0, ''
while at < len(data):
    end = at + 8 + int.from_bytes(data[at:at + 8], 'little')
    sys.stdin, at = io.TextIOWrapper(io.BytesIO(data[at + 8:end])), end
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, {})
    except SystemExit as ended:
        said += {42: '1', 43: '0'}[ended.code]
sys.stdout.write(said)
";

fn lets_pass(validator: &str, inputs: &[Vec<u8>]) -> Vec<bool> {
    let mut child = Command::new("python3")
        .args(["-c", ASK, validator])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for input in inputs {
        let length = u64::try_from(input.len()).unwrap();
        stdin.write_all(&length.to_le_bytes()).unwrap();
        stdin.write_all(input).unwrap();
    }
    drop(stdin);
    let said = child.wait_with_output().unwrap().stdout;
    said.iter().map(|&said| said == b'1').collect()
}

/// Small inputs of every family, changed up to three times; those of the shipped package, the invalid
/// ones too.
fn inputs(task: &dyn Task) -> Vec<Vec<u8>> {
    let shipped = ["sample", "secret", "invalid_input"].map(|folder| shipped(task, folder));
    let shipped = shipped.into_iter().flatten();
    let mut inputs: Vec<Vec<u8>> = shipped.map(|(_, bytes)| bytes).collect();
    let families = task.families().iter();
    let made = families.filter_map(|family| task.generate(family.name, 1));
    let is_small = |input: &Vec<u8>| input.len() < 2_000;
    let seeds: Vec<Vec<u8>> = made.chain(inputs.clone()).filter(is_small).collect();
    let changes = prop::collection::vec(change(b"0123X \n"), 1..4);
    let strategy = (prop::sample::select(seeds), changes);
    let mut runner = TestRunner::new(trials(1_500));
    for _ in 0..runner.config().cases {
        let (mut input, changes) = strategy.new_tree(&mut runner).unwrap().current();
        for change in changes {
            apply(&mut input, change);
        }
        inputs.push(input);
    }
    inputs
}

#[test]
fn a_validator_for_other_systems_lets_pass_what_is_valid_and_in_its_normal_form() {
    for task in ALL {
        let inputs = inputs(task);
        let said = lets_pass(task.validator().unwrap(), &inputs);
        assert_eq!(said.len(), inputs.len(), "{}", task.slug());
        let mut counts = [0, 0];
        for (input, said) in inputs.iter().zip(said) {
            let valid = task.validate(input);
            let is_valid = valid.is_ok_and(|valid| valid.input == *input);
            let text = String::from_utf8_lossy(input);
            assert_eq!(said, is_valid, "{}: {text:?}", task.slug());
            counts[usize::from(said)] += 1;
        }
        let are_many = counts[0] > 500 && counts[1] > 50;
        assert!(are_many, "{}: {counts:?}", task.slug());
    }
}
