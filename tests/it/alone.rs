//! The tests that have the machine to themselves, because they measure near limits or are slow.
//! Tests begin in the order of their names: these are among the first, so that they hardly wait, and
//! all others run side by side.

use super::{emulated, hostile, judging, quiet, sandbox};

#[test]
fn a_writer_is_not_charged_for_the_time_of_its_reader() {
    quiet::alone();
    sandbox::limits::a_slow_reader();
}

#[test]
fn an_ordinary_users_daemon_gives_the_same_reports() {
    quiet::alone();
    hostile::as_an_ordinary_user();
}

#[test]
fn control_groups_version_2_hold_on_debian_kernels() {
    quiet::alone();
    emulated::control_groups_version_2();
}

#[test]
fn every_hostile_program_gets_the_report_that_its_folder_names() {
    quiet::alone();
    hostile::every_program();
}

#[test]
fn near_the_limit_a_program_is_measured_again_and_the_report_says_so() {
    quiet::alone();
    judging::near_the_limit();
}

#[test]
fn nobody_narrowly_fails_on_a_busy_machine_and_an_endless_loop_still_gets_a_verdict() {
    quiet::alone();
    judging::a_busy_machine();
}
