//! Every unsafe line of the crate: system calls that neither the standard library nor rustix offers
//! in a safe form.

#![expect(
    unsafe_code,
    reason = "the calls below have no safe form; each block says why it is sound"
)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::time::Duration;

fn checked<Number: Copy + Into<i64>>(result: Number) -> io::Result<Number> {
    if result.into() < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Leaves the namespaces named by the flags for new ones. The caller has one thread.
pub fn unshare(flags: c_int) -> io::Result<()> {
    // SAFETY: takes flags only; CLONE_FILES and CLONE_VM are not among those that this crate
    // passes.
    checked(unsafe { libc::unshare(flags) }).map(drop)
}

/// Leaves a scheduling policy that the daemon was started with, as by `chrt --idle`, for the usual
/// one. Children inherit it.
pub fn schedule_as_usual() -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the pointer is to a live local.
    checked(unsafe { libc::sched_setscheduler(0, libc::SCHED_OTHER, &raw const parameters) })
        .map(drop)
}

/// Forks; the child gets `None`. The caller has one thread, so the child may go on as usual.
pub fn fork() -> io::Result<Option<i32>> {
    // SAFETY: only the zygote and its keepers call this, which never have a second thread, so no
    // lock can be held by a thread that is gone.
    let pid = checked(unsafe { libc::fork() })?;
    Ok((pid != 0).then_some(pid))
}

/// Forks into a version 2 control group, of which the folder is given; without one, just forks.
pub fn fork_into(group: Option<BorrowedFd<'_>>) -> io::Result<Option<i32>> {
    let Some(group) = group else {
        return fork();
    };
    // SAFETY: an all-zero clone_args is valid.
    let mut arguments: libc::clone_args = unsafe { zeroed() };
    arguments.flags = CLONE_INTO_CGROUP;
    arguments.exit_signal = libc::SIGCHLD as u64;
    arguments.cgroup = u64::try_from(group.as_raw_fd()).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: without CLONE_VM the child has a copy of the memory and goes on from here, as after
    // fork; the structure is live and of the stated size.
    // The C library does not hear of it, which matters to programs with threads only.
    let pid = checked(unsafe {
        libc::syscall(
            libc::SYS_clone3,
            &raw const arguments,
            size_of::<libc::clone_args>(),
        )
    })?;
    Ok((pid != 0).then_some(i32::try_from(pid).unwrap_or(i32::MAX)))
}

const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Lets the kernel reap this process's children.
pub fn forget_children() {
    // SAFETY: ignoring a signal installs no handler.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
}

/// Ends this process without running destructors or exit handlers.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: never returns and touches no memory.
    unsafe { libc::_exit(code) }
}

/// Kills every process that this one may signal: from the init of a pid namespace, all others in
/// it.
/// Whether there was one.
pub fn kill_everyone() -> bool {
    // SAFETY: takes numbers only.
    unsafe { libc::kill(-1, libc::SIGKILL) == 0 }
}

/// What a child left when it was reaped.
#[derive(Debug, Clone, Copy)]
pub struct Reaped {
    /// Which.
    pub pid: i32,
    /// Its wait status.
    pub status: i32,
    /// CPU time of it and of the children that it had waited for.
    pub cpu: Duration,
    /// Its largest resident set, in bytes.
    pub resident_bytes: u64,
}

/// What [`wait_any`] found.
#[derive(Debug, Clone, Copy)]
pub enum Waited {
    /// A child has ended.
    Child(Reaped),
    /// There are children, none has ended.
    Running,
    /// There is no child.
    Nobody,
}

/// Reaps one child.
pub fn wait_any(block: bool) -> io::Result<Waited> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is valid.
    let mut usage: libc::rusage = unsafe { zeroed() };
    let flags = libc::__WALL | if block { 0 } else { libc::WNOHANG };
    loop {
        // SAFETY: both pointers are to live locals.
        let pid = unsafe { libc::wait4(-1, &raw mut status, flags, &raw mut usage) };
        if pid > 0 {
            return Ok(Waited::Child(Reaped {
                pid,
                status,
                cpu: time(usage.ru_utime) + time(usage.ru_stime),
                resident_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
            }));
        }
        if pid == 0 {
            return Ok(Waited::Running);
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::ECHILD) => return Ok(Waited::Nobody),
            Some(libc::EINTR) => {}
            _ => return Err(error),
        }
    }
}

fn time(value: libc::timeval) -> Duration {
    Duration::new(
        u64::try_from(value.tv_sec).unwrap_or(0),
        u32::try_from(value.tv_usec).unwrap_or(0) * 1000,
    )
}

/// Blocks SIGCHLD and returns a descriptor that becomes readable when one is pending.
pub fn child_signals() -> io::Result<OwnedFd> {
    // SAFETY: the set is initialised by sigemptyset before its use; the returned descriptor is new.
    unsafe {
        let mut set: libc::sigset_t = zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        checked(libc::sigprocmask(
            libc::SIG_BLOCK,
            &raw const set,
            ptr::null_mut(),
        ))?;
        let raw = checked(libc::signalfd(
            -1,
            &raw const set,
            libc::SFD_CLOEXEC | libc::SFD_NONBLOCK,
        ))?;
        Ok(OwnedFd::from_raw_fd(raw))
    }
}

/// Gives all signals their default action.
pub fn reset_signals() {
    // SAFETY: sets plain default actions; SIGKILL and SIGSTOP have no other and are left out.
    unsafe {
        for number in 1..=libc::SIGRTMAX() {
            if number != libc::SIGKILL && number != libc::SIGSTOP {
                libc::signal(number, libc::SIG_DFL);
            }
        }
    }
}

/// Unblocks all signals.
pub fn unblock_signals() {
    // SAFETY: the set is initialised by sigemptyset before its use.
    unsafe {
        let mut set: libc::sigset_t = zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, ptr::null_mut());
    }
}

/// Marks every descriptor from `first` on to be closed by the next exec.
pub fn close_on_exec_from(first: u32) -> io::Result<()> {
    // SAFETY: takes numbers only and closes nothing now.
    checked(unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            u32::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    })
    .map(drop)
}

/// Sets attributes of a mount and of all mounts below it.
pub fn mount_attributes(mount: BorrowedFd<'_>, set: u64, recursive: bool) -> io::Result<()> {
    // SAFETY: an all-zero mount_attr is valid.
    let mut attributes: libc::mount_attr = unsafe { zeroed() };
    attributes.attr_set = set;
    let flags = libc::AT_EMPTY_PATH | if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is a NUL-terminated literal and the structure is live and of the stated
    // size.
    checked(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    })
    .map(drop)
}

/// One instruction of a seccomp filter, in the kernel's own layout.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub code: u16,
    /// Instructions to skip where a comparison holds.
    pub jump_true: u8,
    /// Instructions to skip where it does not.
    pub jump_false: u8,
    /// Its operand.
    pub operand: u32,
}

/// Installs a seccomp filter for this thread and all that it starts. Needs `no_new_privs`.
pub fn install_filter(filter: &[Instruction]) -> io::Result<()> {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
        filter: filter.as_ptr().cast_mut().cast(),
    };
    // SAFETY: `Instruction` has the layout of sock_filter, the kernel only reads it, and checks the
    // program itself.
    checked(unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            0,
            &raw const program,
        )
    })
    .map(drop)
}

/// Makes a call whose every argument is -1, of which the kernel can make nothing.
#[cfg(all(test, target_arch = "x86_64"))]
pub fn call_with_nothing(number: u32) -> Result<i64, i32> {
    // SAFETY: no process has memory at that address, and no descriptor that number.
    let result = unsafe { libc::syscall(number.into(), -1, -1, -1, -1, -1, -1) };
    checked(result).map_err(|error| error.raw_os_error().unwrap_or(0))
}

/// The newest version of landlock that the kernel knows; none where it has none.
pub fn landlock_version() -> Option<u32> {
    // SAFETY: with this flag the kernel reads no attributes and only answers a number.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            ptr::null::<c_void>(),
            0usize,
            LANDLOCK_CREATE_RULESET_VERSION,
        )
    };
    u32::try_from(version).ok().filter(|&version| version > 0)
}

const LANDLOCK_CREATE_RULESET_VERSION: u32 = 1;

/// Holds this thread and all that it starts to the rules. Needs `no_new_privs`.
pub fn restrict_to(rules: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: takes numbers only.
    checked(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0u32) })
        .map(drop)
}

/// A NULL-terminated array of C strings, as exec wants it.
pub struct StringArray {
    pointers: Vec<*const c_char>,
    _strings: Vec<CString>,
}

impl StringArray {
    /// Prepares the array.
    pub fn new(strings: Vec<CString>) -> Self {
        let mut pointers: Vec<_> = strings.iter().map(|string| string.as_ptr()).collect();
        pointers.push(ptr::null());
        Self {
            pointers,
            _strings: strings,
        }
    }
}

/// Becomes another program; returns only where that failed.
pub fn execute(path: &CStr, arguments: &StringArray, environment: &StringArray) -> io::Error {
    // SAFETY: both arrays are NULL-terminated and own the strings that they point at.
    unsafe {
        libc::execve(
            path.as_ptr(),
            arguments.pointers.as_ptr(),
            environment.pointers.as_ptr(),
        );
    }
    io::Error::last_os_error()
}

/// Bytes of the stack on which a started child runs until its exec.
const CHILD_STACK_BYTES: usize = 64 * 1024;

/// The stack of one child after the other.
pub struct ChildStack(Vec<u8>);

impl ChildStack {
    /// A new one.
    pub fn new() -> Self {
        Self(vec![0; CHILD_STACK_BYTES])
    }
}

struct Start<'a> {
    become_program: &'a dyn Fn() -> (u32, i32),
    failure: Option<(u32, i32)>,
}

extern "C" fn child_main(argument: *mut c_void) -> c_int {
    // SAFETY: `start_child` passes a pointer to its own `Start`, and waits in the kernel until this
    // child has left its memory.
    let start = unsafe { &mut *argument.cast::<Start<'_>>() };
    start.failure = Some((start.become_program)());
    exit_now(127)
}

/// How [`start_child`] ended.
pub enum Started {
    /// The child is another program now: its pid.
    Running(i32),
    /// It failed at the step of this number, with this error number. It is gone and reaped.
    Failed(u32, i32),
}

/// Starts a child in this process's own memory, as vfork does, and returns when it has become
/// another program or has failed.
///
/// `become_program` must not allocate, lock or panic. It returns the step that failed and the error
/// number.
pub fn start_child(
    stack: &mut ChildStack,
    become_program: &dyn Fn() -> (u32, i32),
) -> io::Result<Started> {
    let top = stack.0.as_mut_ptr_range().end;
    let mut start = Start {
        become_program,
        failure: None,
    };
    // SAFETY: CLONE_VFORK holds this thread, the only one, until the child has exited or become
    // another program,
    // so the stack and `start` outlive the child's use of them and nothing runs beside it in this
    // memory.
    // The stack's end is rounded down to the alignment that the ABI wants.
    let pid = checked(unsafe {
        libc::clone(
            child_main,
            top.wrapping_sub(top as usize % 16).cast(),
            libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
            (&raw mut start).cast(),
        )
    })?;
    // SAFETY: the child wrote through a pointer that the compiler has seen escape; a volatile read
    // sees the write.
    let failure = unsafe { ptr::read_volatile(&raw const start.failure) };
    Ok(match failure {
        None => Started::Running(pid),
        Some((step, error)) => {
            let mut status = 0;
            // SAFETY: the pointer is to a live local.
            unsafe { libc::waitpid(pid, &raw mut status, libc::__WALL) };
            Started::Failed(step, error)
        }
    })
}
