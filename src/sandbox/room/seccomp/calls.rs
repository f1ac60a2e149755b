//! Which system calls a job may not make, and what they are answered: the tables from which the
//! filter is made.
//!
//! SECURITY.md says for each group why it is refused, and which calls were looked at and left.

use libc::c_long;

/// The newest system call that the tables below were written for. Whatever a kernel adds after it
/// is answered as
/// on a kernel that has not heard of it, until somebody has looked at it.
pub const NEWEST_KNOWN: u32 = 470;

// Numbers that are the same on every machine and that libc does not name yet.
const SYS_CACHESTAT: c_long = 451;
const SYS_STATMOUNT: c_long = 457;
const SYS_LISTMOUNT: c_long = 458;
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_OPEN_TREE_ATTR: c_long = 467;
const SYS_FILE_SETATTR: c_long = 469;
const SYS_LISTNS: c_long = 470;

#[cfg(target_arch = "x86_64")]
const SYS_IO_PGETEVENTS: c_long = 333;
#[cfg(not(target_arch = "x86_64"))]
const SYS_IO_PGETEVENTS: c_long = 292;

/// Answered with EPERM.
pub const DENIED: &[c_long] = &[
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
    libc::SYS_quotactl_fd,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    SYS_OPEN_TREE_ATTR,
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
    // Marks on files that others see too. A memory policy is one: that of a file in memory belongs
    // to the file.
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
    libc::SYS_mbind,
    libc::SYS_set_mempolicy_home_node,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
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
    SYS_LISTNS,
    SYS_CACHESTAT,
    libc::SYS_mincore,
];

/// Answered with EPERM, on this kind of machine.
#[cfg(target_arch = "x86_64")]
pub const DENIED_HERE: &[c_long] = &[
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_inotify_init,
    libc::SYS__sysctl,
];
#[cfg(not(target_arch = "x86_64"))]
pub const DENIED_HERE: &[c_long] = &[];

/// Answered with ENOSYS, as on a kernel without them: whoever calls these has another way.
pub const ABSENT: &[c_long] = &[
    // glibc falls back to clone, whose flags a filter can see.
    libc::SYS_clone3,
    // Can ask whether somebody looked for a name before, and hides that from the filter behind a
    // pointer.
    libc::SYS_openat2,
    // A filter takes of the machine's one limit for them, which the sandbox's own need.
    libc::SYS_seccomp,
    // So does a context for asynchronous input and output.
    libc::SYS_io_setup,
    libc::SYS_io_destroy,
    libc::SYS_io_submit,
    libc::SYS_io_cancel,
    libc::SYS_io_getevents,
    SYS_IO_PGETEVENTS,
    // Its pages are cut out of the kernel's own large ones, which stay cut.
    libc::SYS_memfd_secret,
];

/// Answered as if they were done. They are advice, which the kernel may ignore, and nobody asks
/// whether it did; but
/// followed, it decides which pages of the system's files the next program finds in memory.
pub const IGNORED: &[c_long] = &[libc::SYS_fadvise64, libc::SYS_readahead];

/// When a call is refused that is allowed otherwise. The kernel takes 32 bits of each argument
/// looked at here, or
/// flags of which these are the low half.
#[derive(Debug, Clone, Copy)]
pub enum When {
    /// One of the argument's bits is set.
    AnyBit(u32),
    /// The argument is one of these.
    OneOf(&'static [u32]),
    /// The argument is something else.
    Not(u32),
    /// The argument is not in this range, its end not included.
    Outside(u32, u32),
    /// The second argument is [`libc::SOL_SOCKET`] and this one is one of these.
    SocketOption(&'static [u32]),
}

/// A call that is refused for one of its arguments.
#[derive(Debug, Clone, Copy)]
pub struct Checked {
    pub call: c_long,
    /// Zero-based.
    pub argument: u32,
    pub when: When,
    pub errno: i32,
}

/// Every flag of clone that makes a namespace.
const NEW_NAMESPACE: u32 = 0x7e02_0000;
/// Filters on sockets: charged to nobody, and they take of the same limit of the machine as the
/// sandbox's own.
const SOCKET_FILTERS: &[u32] = &[
    SO_ATTACH_FILTER,
    SO_DETACH_FILTER,
    SO_LOCK_FILTER,
    SO_ATTACH_BPF,
    SO_ATTACH_REUSEPORT_CBPF,
    SO_ATTACH_REUSEPORT_EBPF,
    SO_DETACH_REUSEPORT_BPF,
];
const SO_ATTACH_FILTER: u32 = 26;
const SO_DETACH_FILTER: u32 = 27;
const SO_LOCK_FILTER: u32 = 44;
const SO_ATTACH_BPF: u32 = 50;
const SO_ATTACH_REUSEPORT_CBPF: u32 = 51;
const SO_ATTACH_REUSEPORT_EBPF: u32 = 52;
const SO_DETACH_REUSEPORT_BPF: u32 = 68;
/// Numbers that count up for the whole machine.
const COOKIES: &[u32] = &[SO_COOKIE, SO_NETNS_COOKIE];
const SO_COOKIE: u32 = 57;
const SO_NETNS_COOKIE: u32 = 71;
/// A lease makes others wait who open the file; a notice tells who uses a folder; a hint stays with
/// the file.
const FILE_COMMANDS: &[u32] = &[
    libc::F_SETLEASE as u32,
    libc::F_NOTIFY as u32,
    F_SET_RW_HINT,
    F_SET_FILE_RW_HINT,
    F_SETDELEG,
];
const F_SET_RW_HINT: u32 = 1036;
const F_SET_FILE_RW_HINT: u32 = 1038;
const F_SETDELEG: u32 = 1040;
/// A filter of its own, see [`ABSENT`]; and a mark that keeps other programs off the other half of
/// the core.
const PROCESS_OPTIONS: &[u32] = &[
    libc::PR_SET_SECCOMP as u32,
    libc::PR_SCHED_CORE as u32,
    libc::PR_SET_MEMORY_MERGE as u32,
];
/// Pages that are shared with whoever has the same, and pages of the system's files that are sent
/// out of memory.
const ADVICE: &[u32] = &[
    libc::MADV_MERGEABLE as u32,
    libc::MADV_COLD as u32,
    libc::MADV_PAGEOUT as u32,
];

/// The calls that are refused for an argument. Without a network of their own, jobs could find
/// other programs'
/// abstract sockets, so they get none at all.
pub fn checked(own_network: bool) -> Vec<Checked> {
    let check = |call, argument, when, errno| Checked {
        call,
        argument,
        when,
        errno,
    };
    // No address family has the highest number.
    let family = When::Not(if own_network {
        libc::AF_UNIX as u32
    } else {
        u32::MAX
    });
    vec![
        check(libc::SYS_clone, 0, When::AnyBit(NEW_NAMESPACE), libc::EPERM),
        check(libc::SYS_socket, 0, family, libc::EAFNOSUPPORT),
        // A pair makes a socket of its family before it says that there are no pairs in it.
        check(libc::SYS_socketpair, 0, family, libc::EAFNOSUPPORT),
        check(
            libc::SYS_setsockopt,
            2,
            When::SocketOption(SOCKET_FILTERS),
            libc::EPERM,
        ),
        check(
            libc::SYS_getsockopt,
            2,
            When::SocketOption(COOKIES),
            libc::ENOPROTOOPT,
        ),
        // Limits of the caller only: where init is the same user, it could be given limits too.
        check(libc::SYS_prlimit64, 0, When::Not(0), libc::EPERM),
        check(libc::SYS_fcntl, 1, When::OneOf(FILE_COMMANDS), libc::EPERM),
        check(
            libc::SYS_prctl,
            0,
            When::OneOf(PROCESS_OPTIONS),
            libc::EINVAL,
        ),
        check(libc::SYS_madvise, 2, When::OneOf(ADVICE), libc::EINVAL),
        // Reserved huge pages are charged to nobody.
        check(
            libc::SYS_mmap,
            3,
            When::AnyBit(libc::MAP_HUGETLB as u32),
            libc::ENOMEM,
        ),
        check(
            libc::SYS_memfd_create,
            1,
            When::AnyBit(libc::MFD_HUGETLB),
            libc::ENOSYS,
        ),
        // With flags they can read what is in memory and nothing else, which tells what others have
        // read.
        check(libc::SYS_preadv2, 5, When::Not(0), libc::EOPNOTSUPP),
        check(libc::SYS_pwritev2, 5, When::Not(0), libc::EOPNOTSUPP),
        // Those that ask what every descriptor can be asked, and terminals. The rest belongs to
        // file systems and
        // devices; some of it tells which files others have read.
        check(
            libc::SYS_ioctl,
            1,
            When::Outside(0x5400, 0x5500),
            libc::ENOTTY,
        ),
    ]
}
