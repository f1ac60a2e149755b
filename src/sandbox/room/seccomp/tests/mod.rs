//! What the filter answers, against a second list written by hand from SECURITY.md and the kernel's
//! own tables:
//! numbers, not names, so that a slip in the filter's list is not in both.

mod alone;

use std::collections::BTreeMap;

use super::{
    ALLOW, ARCHITECTURE, ERROR, Instruction, JUMP, JUMP_ANY_BIT, JUMP_AT_LEAST, JUMP_EQUAL,
    KILL_PROCESS, LOAD_WORD, RETURN, filter,
};

/// What the kernel would answer, and whether it had to look at an argument for it.
fn decide(program: &[Instruction], machine: u32, number: u32, arguments: [u32; 6]) -> (u32, bool) {
    let (mut word, mut at, mut looked) = (0, 0, false);
    loop {
        let step = program[at];
        at += 1;
        let holds = match step.code {
            LOAD_WORD => {
                word = match step.operand {
                    0 => number,
                    4 => machine,
                    offset if offset >= 16 && offset % 8 == 0 => {
                        looked = true;
                        arguments[(offset as usize - 16) / 8]
                    }
                    other => panic!("loads {other}"),
                };
                continue;
            }
            JUMP => {
                at += step.operand as usize;
                continue;
            }
            RETURN => return (step.operand, looked),
            JUMP_EQUAL => word == step.operand,
            JUMP_AT_LEAST => word >= step.operand,
            JUMP_ANY_BIT => word & step.operand != 0,
            other => panic!("code {other}"),
        };
        let [no, yes] = [step.jump_false, step.jump_true];
        at += usize::from(if holds { yes } else { no });
    }
}

fn answer(number: u32, arguments: [u32; 6]) -> u32 {
    decide(&filter(true), ARCHITECTURE, number, arguments).0
}

fn errno(number: i32) -> u32 {
    ERROR | number.cast_unsigned()
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86_64 {
    use super::*;

    /// EPERM, by number; the names are those of the kernel's table.
    pub const DENIED: &str = "\
        27 mincore, 29 shmget, 30 shmat, 31 shmctl, 64 semget, 65 semop, 66 semctl, 68 msgget, \
        69 msgsnd, 70 msgrcv, 71 msgctl, 101 ptrace, 103 syslog, 134 uselib, 153 vhangup, \
        154 modify_ldt, 155 pivot_root, 156 _sysctl, 159 adjtimex, 161 chroot, 162 sync, \
        163 acct, 164 settimeofday, 165 mount, 166 umount2, 167 swapon, 168 swapoff, 169 reboot, \
        170 sethostname, 171 setdomainname, 172 iopl, 173 ioperm, 175 init_module, \
        176 delete_module, 179 quotactl, 188 setxattr, 189 lsetxattr, 190 fsetxattr, \
        197 removexattr, 198 lremovexattr, 199 fremovexattr, 203 sched_setaffinity, \
        212 lookup_dcookie, 227 clock_settime, 237 mbind, 240 mq_open, 241 mq_unlink, \
        246 kexec_load, 248 add_key, 249 request_key, 250 keyctl, 253 inotify_init, \
        256 migrate_pages, 272 unshare, 279 move_pages, 294 inotify_init1, 298 perf_event_open, \
        300 fanotify_init, 303 name_to_handle_at, 304 open_by_handle_at, 305 clock_adjtime, \
        306 syncfs, 308 setns, 310 process_vm_readv, 311 process_vm_writev, 312 kcmp, \
        313 finit_module, 320 kexec_file_load, 321 bpf, 323 userfaultfd, 425 io_uring_setup, \
        426 io_uring_enter, 427 io_uring_register, 428 open_tree, 429 move_mount, 430 fsopen, \
        431 fsconfig, 432 fsmount, 433 fspick, 438 pidfd_getfd, 440 process_madvise, \
        442 mount_setattr, 443 quotactl_fd, 448 process_mrelease, 450 set_mempolicy_home_node, \
        451 cachestat, 457 statmount, 458 listmount, 463 setxattrat, 466 removexattrat, \
        467 open_tree_attr, 469 file_setattr, 470 listns";

    /// ENOSYS, by number.
    pub const ABSENT: &str = "\
        206 io_setup, 207 io_destroy, 208 io_getevents, 209 io_submit, 210 io_cancel, \
        317 seccomp, 333 io_pgetevents, 435 clone3, 437 openat2, 447 memfd_secret";

    /// Answered with 0 and not done.
    pub const IGNORED: &str = "187 readahead, 221 fadvise64";

    /// Allowed or not for an argument.
    const CHECKED: &str = "\
        9 mmap, 16 ioctl, 28 madvise, 41 socket, 53 socketpair, 54 setsockopt, 55 getsockopt, \
        56 clone, 72 fcntl, 157 prctl, 302 prlimit64, 319 memfd_create, 327 preadv2, \
        328 pwritev2";

    /// The numbers and names of a list.
    pub fn calls(list: &'static str) -> BTreeMap<u32, &'static str> {
        let calls = list.split(", ").map(|call| call.split_once(' ').unwrap());
        let calls = calls.map(|(number, name)| (number.parse().unwrap(), name));
        calls.collect()
    }

    #[test]
    fn the_numbers_are_answered_as_the_list_says() {
        let (program, checked) = (filter(true), calls(CHECKED));
        let lists = [(DENIED, libc::EPERM), (ABSENT, libc::ENOSYS), (IGNORED, 0)];
        let lists = lists.map(|(list, error)| (calls(list), errno(error)));
        for number in 0..1024u32 {
            let (got, looked) = decide(&program, ARCHITECTURE, number, [0; 6]);
            assert_eq!(looked, checked.contains_key(&number), "call {number}");
            if looked {
                continue;
            }
            let listed = lists.iter().find(|(list, _)| list.contains_key(&number));
            let any_other = [ALLOW, errno(libc::ENOSYS)][usize::from(number > 470)];
            let expected = listed.map_or(any_other, |(_, error)| *error);
            assert_eq!(got, expected, "call {number}");
        }
        for number in [0x4000_0000, 0x4000_0001, 0x4000_01d7, 0x7fff_ffff, u32::MAX] {
            assert_eq!(answer(number, [0; 6]), errno(libc::ENOSYS), "{number:#x}");
        }
    }
}

#[test]
fn it_is_as_short_as_a_room_can_pay_for() {
    let program = filter(true);
    assert!(program.len() < 400, "{} instructions", program.len());
    let foreign = decide(&program, 0x4000_0003, 1, [0; 6]);
    assert_eq!(foreign, (KILL_PROCESS, false));
}

/// A call by its name, which argument is set to which of these, and the error; none where it is
/// allowed.
type Case<'a> = (libc::c_long, usize, &'a [u32], Option<i32>);

fn check(cases: &[Case<'_>]) {
    for &(call, index, values, expected) in cases {
        let number = u32::try_from(call).unwrap();
        for &value in values {
            let mut arguments = [0; 6];
            arguments[index] = value;
            let got = answer(number, arguments);
            let told = format!("call {number}, argument {index} is {value:#x}");
            assert_eq!(got, expected.map_or(ALLOW, errno), "{told}");
        }
    }
}

#[test]
fn arguments_of_processes_and_files_are_looked_at() {
    let (perm, inval) = (Some(libc::EPERM), Some(libc::EINVAL));
    let (notty, unsup) = (Some(libc::ENOTTY), Some(libc::EOPNOTSUPP));
    let namespaces = [0x0002_0011, 0x0200_0011, 0x1000_0011, 0x4000_0011];
    // FIGETBSZ, SIOCGIFCONF, EXT4_IOC_GET_ES_CACHE, FS_IOC_FIEMAP, FICLONE.
    let of_files = [2, 0x8912, 0xc020_662a, 0xc020_660b, 0x4004_9409];
    check(&[
        (libc::SYS_clone, 0, &[0x11], None),
        (libc::SYS_clone, 0, &namespaces, perm),
        (libc::SYS_prlimit64, 0, &[0], None),
        (libc::SYS_prlimit64, 0, &[1], perm),
        // F_GETFL, F_GETLEASE, F_SETPIPE_SZ, F_ADD_SEALS, F_GET_RW_HINT.
        (libc::SYS_fcntl, 1, &[3, 1025, 1031, 1033, 1035], None),
        // F_SETLEASE, F_NOTIFY, F_SET_RW_HINT, F_SET_FILE_RW_HINT, F_SETDELEG.
        (libc::SYS_fcntl, 1, &[1024, 1026, 1036, 1038, 1040], perm),
        // PR_SET_PDEATHSIG, PR_SET_NAME, PR_SET_NO_NEW_PRIVS.
        (libc::SYS_prctl, 0, &[1, 15, 38], None),
        // PR_SET_SECCOMP, PR_SCHED_CORE, PR_SET_MEMORY_MERGE.
        (libc::SYS_prctl, 0, &[22, 62, 67], inval),
        (libc::SYS_preadv2, 5, &[0], None),
        (libc::SYS_preadv2, 5, &[8], unsup),
        (libc::SYS_pwritev2, 5, &[0], None),
        (libc::SYS_pwritev2, 5, &[2], unsup),
        // TCGETS, FIONREAD, FIONBIO, FIOCLEX.
        (libc::SYS_ioctl, 1, &[0x5401, 0x541b, 0x5421, 0x5451], None),
        (libc::SYS_ioctl, 1, &of_files, notty),
    ]);
}

#[test]
fn arguments_of_memory_are_looked_at() {
    check(&[
        // MAP_PRIVATE | MAP_ANONYMOUS, with MAP_NORESERVE, MAP_POPULATE, MAP_STACK; with
        // MAP_HUGETLB.
        (libc::SYS_mmap, 3, &[0x22, 0x2_c022], None),
        (libc::SYS_mmap, 3, &[0x4_0022], Some(libc::ENOMEM)),
        (libc::SYS_memfd_create, 1, &[3], None),
        (libc::SYS_memfd_create, 1, &[4], Some(libc::ENOSYS)),
        // MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_DONTDUMP, MADV_POPULATE_WRITE.
        (libc::SYS_madvise, 2, &[4, 8, 14, 16, 23], None),
        // MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT.
        (libc::SYS_madvise, 2, &[12, 20, 21], Some(libc::EINVAL)),
    ]);
}

#[test]
fn sockets_are_of_one_family_and_without_filters() {
    let number = |call: libc::c_long| u32::try_from(call).unwrap();
    for maker in [libc::SYS_socket, libc::SYS_socketpair] {
        let unix = [libc::AF_UNIX.cast_unsigned(), 0, 0, 0, 0, 0];
        assert_eq!(answer(number(maker), unix), ALLOW);
        let shared = decide(&filter(false), ARCHITECTURE, number(maker), unix);
        assert_eq!(shared.0, errno(libc::EAFNOSUPPORT));
        // AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK, AF_XDP.
        for family in [2, 10, 16, 17, 38, 40, 44] {
            let got = answer(number(maker), [family, 0, 0, 0, 0, 0]);
            assert_eq!(got, errno(libc::EAFNOSUPPORT), "family {family}");
        }
    }
    let option = |call, level, option| answer(number(call), [3, level, option, 0, 0, 0]);
    for value in 0..200 {
        let is_filter = [26, 27, 44, 50, 51, 52, 68].contains(&value);
        let expected = if is_filter { errno(libc::EPERM) } else { ALLOW };
        assert_eq!(option(libc::SYS_setsockopt, 1, value), expected, "{value}");
        let refused = option(libc::SYS_getsockopt, 1, value) == errno(libc::ENOPROTOOPT);
        assert_eq!(refused, [57, 71].contains(&value), "{value}");
        // Options of another level have the same numbers.
        assert_eq!(option(libc::SYS_setsockopt, 6, value), ALLOW);
        assert_eq!(option(libc::SYS_getsockopt, 6, value), ALLOW);
    }
}
