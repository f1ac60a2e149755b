//! The system calls that a job may not make.
//!
//! A list of what is denied, not of what is allowed: the namespaces and the missing privileges are the wall, and this filter takes away
//! what has broken such walls before, and every object that outlives a job: keys, System V objects, message queues.

use super::sys::Instruction;

const LOAD_WORD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_AT_LEAST: u16 = 0x35;
const JUMP_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const KILL_PROCESS: u32 = 0x8000_0000;
const ERROR: u32 = 0x0005_0000;

const NUMBER_OFFSET: u32 = 0;
const ARCHITECTURE_OFFSET: u32 = 4;
/// The low halves of the first two arguments, on a little-endian machine.
const FIRST_ARGUMENT_OFFSET: u32 = 16;
const SECOND_ARGUMENT_OFFSET: u32 = 24;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// Numbers from here on are the x32 interface.
const X32: u32 = 0x4000_0000;

/// Every flag of clone that makes a namespace.
const NEW_NAMESPACE: u32 = 0x7e02_0000;

/// Denied on every machine.
const DENIED: &[libc::c_long] = &[
    // Mounts and roots.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_quotactl,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    // Namespaces.
    libc::SYS_unshare,
    libc::SYS_setns,
    // Other processes' memory.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_process_mrelease,
    // Keys live as long as their user.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Large, young or unneeded parts of the kernel.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The machine.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_lookup_dcookie,
    // Objects that outlive their maker.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // Marks on files that others see too.
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    // Programs that are judged side by side stay on the cores that they were given.
    libc::SYS_sched_setaffinity,
    // Who on the machine opens which of the system's files.
    libc::SYS_inotify_init1,
    // Work for the machine's disks that no cap counts.
    libc::SYS_sync,
    libc::SYS_syncfs,
    // What the machine has mounted, and which pages of shared files others have read.
    SYS_STATMOUNT,
    SYS_LISTMOUNT,
    SYS_CACHESTAT,
    SYS_OPEN_TREE_ATTR,
    SYS_LISTNS,
    libc::SYS_quotactl_fd,
];

// Numbers that are the same on every machine and that libc does not name yet.
const SYS_CACHESTAT: libc::c_long = 451;
const SYS_STATMOUNT: libc::c_long = 457;
const SYS_LISTMOUNT: libc::c_long = 458;
const SYS_SETXATTRAT: libc::c_long = 463;
const SYS_REMOVEXATTRAT: libc::c_long = 466;
const SYS_OPEN_TREE_ATTR: libc::c_long = 467;
const SYS_LISTNS: libc::c_long = 470;

#[cfg(target_arch = "x86_64")]
const DENIED_HERE: &[libc::c_long] = &[
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_inotify_init,
    libc::SYS__sysctl,
];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_HERE: &[libc::c_long] = &[];

const fn instruction(code: u16, operand: u32, jump_true: u8, jump_false: u8) -> Instruction {
    Instruction {
        code,
        jump_true,
        jump_false,
        operand,
    }
}

/// The filter. Without a network of their own, jobs could find other programs' abstract sockets, so they get none at all.
pub fn filter(own_network: bool) -> Vec<Instruction> {
    // No address family has the highest number.
    let family = if own_network {
        libc::AF_UNIX as u32
    } else {
        u32::MAX
    };
    let mut program = vec![
        instruction(LOAD_WORD, ARCHITECTURE_OFFSET, 0, 0),
        instruction(JUMP_EQUAL, ARCHITECTURE, 1, 0),
        instruction(RETURN, KILL_PROCESS, 0, 0),
        instruction(LOAD_WORD, NUMBER_OFFSET, 0, 0),
        instruction(JUMP_AT_LEAST, X32, 0, 1),
        instruction(RETURN, ERROR | libc::ENOSYS as u32, 0, 0),
        // glibc falls back from clone3 to clone, whose flags a filter can see.
        instruction(JUMP_EQUAL, number(libc::SYS_clone3), 0, 1),
        instruction(RETURN, ERROR | libc::ENOSYS as u32, 0, 0),
        instruction(JUMP_EQUAL, number(libc::SYS_clone), 0, 4),
        instruction(LOAD_WORD, FIRST_ARGUMENT_OFFSET, 0, 0),
        instruction(JUMP_ANY_BIT, NEW_NAMESPACE, 0, 1),
        instruction(RETURN, ERROR | libc::EPERM as u32, 0, 0),
        instruction(RETURN, ALLOW, 0, 0),
        // A pair makes a socket of its family before it says that there are no pairs in it.
        instruction(JUMP_EQUAL, number(libc::SYS_socketpair), 1, 0),
        instruction(JUMP_EQUAL, number(libc::SYS_socket), 0, 4),
        instruction(LOAD_WORD, FIRST_ARGUMENT_OFFSET, 0, 0),
        instruction(JUMP_EQUAL, family, 1, 0),
        instruction(RETURN, ERROR | libc::EAFNOSUPPORT as u32, 0, 0),
        instruction(RETURN, ALLOW, 0, 0),
        // Limits of the caller only: where init is the same user, it could be given limits too.
        instruction(JUMP_EQUAL, number(libc::SYS_prlimit64), 0, 4),
        instruction(LOAD_WORD, FIRST_ARGUMENT_OFFSET, 0, 0),
        instruction(JUMP_EQUAL, 0, 1, 0),
        instruction(RETURN, ERROR | libc::EPERM as u32, 0, 0),
        instruction(RETURN, ALLOW, 0, 0),
        // A lease makes others wait who open the file; a notice tells who uses a folder.
        instruction(JUMP_EQUAL, number(libc::SYS_fcntl), 0, 5),
        instruction(LOAD_WORD, SECOND_ARGUMENT_OFFSET, 0, 0),
        instruction(JUMP_EQUAL, libc::F_SETLEASE as u32, 1, 0),
        instruction(JUMP_EQUAL, libc::F_NOTIFY as u32, 0, 1),
        instruction(RETURN, ERROR | libc::EPERM as u32, 0, 0),
        instruction(RETURN, ALLOW, 0, 0),
    ];
    search(&denied_ranges(), &mut program);
    program
}

fn number(call: libc::c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

/// The denied numbers as ranges [from, to), in order.
fn denied_ranges() -> Vec<(u32, u32)> {
    let mut numbers: Vec<u32> = DENIED
        .iter()
        .chain(DENIED_HERE)
        .map(|&call| number(call))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if last.1 == number => last.1 = number + 1,
            _ => ranges.push((number, number + 1)),
        }
    }
    ranges
}

/// A binary search over the ranges. Each half ends in a return, so a jump passes only the lower half.
fn search(ranges: &[(u32, u32)], program: &mut Vec<Instruction>) {
    match ranges {
        [] => program.push(instruction(RETURN, ALLOW, 0, 0)),
        [(from, to)] => {
            program.push(instruction(JUMP_AT_LEAST, *from, 0, 2));
            program.push(instruction(JUMP_AT_LEAST, *to, 1, 0));
            program.push(instruction(RETURN, ERROR | libc::EPERM as u32, 0, 0));
            program.push(instruction(RETURN, ALLOW, 0, 0));
        }
        _ => {
            let (low, high) = ranges.split_at(ranges.len() / 2);
            let mut lower = Vec::new();
            search(low, &mut lower);
            // The lower half stays far below 255 instructions for any table that a filter can hold at this size; the test walks every number.
            let skip = u8::try_from(lower.len()).unwrap_or(u8::MAX);
            program.push(instruction(JUMP_AT_LEAST, high[0].0, skip, 0));
            program.extend(lower);
            search(high, program);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        ALLOW, ARCHITECTURE, DENIED, DENIED_HERE, ERROR, Instruction, JUMP_ANY_BIT, JUMP_AT_LEAST,
        JUMP_EQUAL, KILL_PROCESS, LOAD_WORD, RETURN, filter,
    };

    /// What the kernel would answer.
    fn answer(
        program: &[Instruction],
        architecture: u32,
        number: u32,
        first: u32,
        second: u32,
    ) -> u32 {
        let mut word = 0;
        let mut at = 0;
        loop {
            let step = program[at];
            at += 1;
            let holds = match step.code {
                LOAD_WORD => {
                    word = match step.operand {
                        0 => number,
                        4 => architecture,
                        16 => first,
                        24 => second,
                        other => panic!("loads {other}"),
                    };
                    continue;
                }
                RETURN => return step.operand,
                JUMP_EQUAL => word == step.operand,
                JUMP_AT_LEAST => word >= step.operand,
                JUMP_ANY_BIT => word & step.operand != 0,
                other => panic!("code {other}"),
            };
            at += usize::from(if holds {
                step.jump_true
            } else {
                step.jump_false
            });
        }
    }

    #[test]
    fn denies_the_list_and_nothing_else() {
        let program = filter(true);
        assert!(program.len() < 300, "{} instructions", program.len());
        let special = [libc::SYS_clone3, libc::SYS_socket, libc::SYS_socketpair];
        for number in 0..1024u32 {
            let call = libc::c_long::from(number);
            let denied =
                DENIED.contains(&call) || DENIED_HERE.contains(&call) || special.contains(&call);
            let got = answer(&program, ARCHITECTURE, number, 0, 0);
            assert_eq!(got != ALLOW, denied, "call {number}");
        }
    }

    #[test]
    fn looks_at_arguments_and_architecture() {
        let program = filter(true);
        let call2 = |number: libc::c_long, first: i32, second: i32| {
            answer(
                &program,
                ARCHITECTURE,
                super::number(number),
                first.cast_unsigned(),
                second.cast_unsigned(),
            )
        };
        let call = |number: libc::c_long, first: i32| call2(number, first, 0);
        for maker in [libc::SYS_socket, libc::SYS_socketpair] {
            assert_eq!(call(maker, libc::AF_UNIX), ALLOW);
            let unix = libc::AF_UNIX.cast_unsigned();
            let shared = answer(&filter(false), ARCHITECTURE, super::number(maker), unix, 0);
            assert_ne!(shared, ALLOW);
            assert_ne!(call(maker, libc::AF_INET), ALLOW);
            assert_ne!(call(maker, libc::AF_VSOCK), ALLOW);
        }
        assert_eq!(call(libc::SYS_prlimit64, 0), ALLOW);
        assert_ne!(call(libc::SYS_prlimit64, 1), ALLOW);
        for command in [libc::F_SETLEASE, libc::F_NOTIFY] {
            assert_ne!(call2(libc::SYS_fcntl, 0, command), ALLOW);
        }
        for command in [libc::F_GETFL, libc::F_GETLEASE, libc::F_SETPIPE_SZ] {
            assert_eq!(call2(libc::SYS_fcntl, 0, command), ALLOW);
        }
        assert_eq!(call(libc::SYS_clone, libc::SIGCHLD), ALLOW);
        for flag in [
            libc::CLONE_NEWNS,
            libc::CLONE_NEWUSER,
            libc::CLONE_NEWNET,
            libc::CLONE_NEWCGROUP,
        ] {
            assert_ne!(call(libc::SYS_clone, flag | libc::SIGCHLD), ALLOW);
        }
        assert_eq!(answer(&program, 0x4000_0003, 1, 0, 0), KILL_PROCESS);
        assert_eq!(
            answer(&program, ARCHITECTURE, super::X32 | 1, 0, 0),
            ERROR | libc::ENOSYS as u32
        );
    }
}
