//! regions.

use super::{Family, InputError, Parsed, Problem};

/// regions.
#[derive(Debug, Clone, Copy)]
pub struct Regions;

impl Problem for Regions {
    type Instance = ();
    type Solution = ();

    fn slug(&self) -> &'static str {
        "regions"
    }
    fn parse(&self, _input: &[u8]) -> Result<Parsed<()>, InputError> {
        unimplemented!()
    }
    fn render(&self, (): &()) -> Vec<u8> {
        unimplemented!()
    }
    fn solve(&self, (): &()) {
        unimplemented!()
    }
    fn answer(&self, (): &(), (): &()) -> Vec<u8> {
        unimplemented!()
    }
    fn witness(&self, (): &(), (): &()) -> String {
        unimplemented!()
    }
    fn families(&self) -> &'static [Family] {
        &[]
    }
    fn generate(&self, _family: &str, _seed: u64) -> Option<()> {
        None
    }
    fn shrink(&self, (): &()) -> Vec<()> {
        Vec::new()
    }
}
