//! What machine this is, as far as its measurements depend on it.

use super::files::read_bounded;

/// What is read of the kernel's list of processors, in bytes; the first one suffices.
const CPUINFO_BYTES_MAX: u64 = 1024 * 1024;

/// Processor, number of cores, kernel: `Linux 6.1.0 x86_64, 2 × Some Processor`. It does not name the machine itself.
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
    use super::{description, processor};

    #[test]
    fn processors_are_named_as_the_kernel_names_them() {
        let x86 = "processor\t: 0\nmodel name\t: Some Processor 9\nflags\t: fpu\n";
        assert_eq!(processor(x86), "Some Processor 9");
        assert_eq!(processor("CPU part\t: 0xd0c\n"), "0xd0c");
        assert_eq!(processor(""), "unknown processor");
        assert!(description().starts_with("Linux "), "{}", description());
    }
}
