//! What machine this is, as far as its measurements depend on it.

use super::files::read_bounded;

/// What is read of the kernel's list of processors, in bytes; the first one suffices.
const CPUINFO_BYTES_MAX: u64 = 1024 * 1024;

/// Processor, number of cores, kernel: `Linux 6.1.0 x86_64, 2 × Some Processor`. It does not name
/// the machine itself.
pub fn description() -> String {
    let kernel = rustix::system::uname();
    let text = read_bounded("/proc/cpuinfo".as_ref(), CPUINFO_BYTES_MAX).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{} {} {}, {cores} × {}",
        kernel.sysname().to_string_lossy(),
        kernel.release().to_string_lossy(),
        kernel.machine().to_string_lossy(),
        processor(&text)
    )
}

/// Whether two descriptions are of one machine. How many of its cores a process may use says nothing
/// about how fast it measures, and may be another number at the next start.
pub fn is_same(one: &str, other: &str) -> bool {
    fn without_cores(machine: &str) -> Option<(&str, &str)> {
        let (before, processor) = machine.split_once(" × ")?;
        let (kernel, cores) = before.rsplit_once(", ")?;
        cores.parse::<usize>().ok()?;
        Some((kernel, processor))
    }
    one == other || without_cores(one).is_some_and(|one| Some(one) == without_cores(other))
}

/// What is read of a setting of the kernel's, in bytes.
const SETTING_BYTES_MAX: u64 = 256;

/// How the clock of the processor is governed, as far as it can be seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clock {
    /// The kernel's governor of the first processor: `performance`, `powersave`.
    pub governor: Option<String>,
    /// Whether the clock may be raised for a while.
    pub boost: Option<bool>,
}

/// The clock of this machine.
pub fn clock() -> Clock {
    let setting = |name: &str| {
        let path = format!("/sys/devices/system/cpu/{name}");
        let text = read_bounded(path.as_ref(), SETTING_BYTES_MAX).ok()?;
        Some(String::from_utf8_lossy(&text).trim().to_owned())
    };
    let boost = setting("cpufreq/boost").map(|value| value == "1");
    let no_turbo = setting("intel_pstate/no_turbo").map(|value| value == "1");
    Clock {
        governor: setting("cpu0/cpufreq/scaling_governor"),
        boost: boost.or(no_turbo.map(|off| !off)),
    }
}

/// Whether a hypervisor shows itself to this machine; on x86 alone it does.
pub fn is_virtual() -> bool {
    let text = read_bounded("/proc/cpuinfo".as_ref(), CPUINFO_BYTES_MAX).unwrap_or_default();
    has_hypervisor(&String::from_utf8_lossy(&text))
}

fn has_hypervisor(cpuinfo: &str) -> bool {
    cpuinfo
        .lines()
        .find(|line| line.starts_with("flags"))
        .is_some_and(|line| line.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// The processor's name; x86 has `model name`, other architectures less.
fn processor(cpuinfo: &str) -> &str {
    ["model name", "Processor", "CPU part"]
        .iter()
        .find_map(|wanted| {
            cpuinfo.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                (key.trim() == *wanted).then(|| value.trim())
            })
        })
        .unwrap_or("unknown processor")
}

#[cfg(test)]
mod tests {
    use super::{description, is_same};

    #[test]
    fn a_machine_stays_the_same_however_many_of_its_cores_may_be_used() {
        let two = "Linux 6.1.0 x86_64, 2 × Some Processor";
        for (other, same) in [
            (two, true),
            ("Linux 6.1.0 x86_64, 1 × Some Processor", true),
            ("Linux 6.1.0 x86_64, 2 × Some Other", false),
            ("Linux 6.2.0 x86_64, 2 × Some Processor", false),
            ("lab-1 (Linux 6.1.0 x86_64, 2 × Some Processor)", false),
            ("Linux 6.1.0 x86_64", false),
        ] {
            assert_eq!(is_same(two, other), same, "{other}");
        }
        assert!(description().contains(" × "));
    }
}
