//! The system calls that a profile forbids, as a seccomp program.

use crate::confine::{LandlockAbi, ListenPorts, Network, Profile, Reach};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};
use std::{collections::BTreeMap, io};

/// Lists calls, each with its number and its name.
macro_rules! calls {
    ($($call:ident,)+) => { &[$((libc::$call, stringify!($call)),)+] };
}

/// A call's number, and its name with a prefix.
type Call = (i64, &'static str);

/// The calls that are always forbidden: other processes, mounts and namespaces, the machine, and ways around the rest of the
/// confinement. `io_uring` makes calls that no filter sees. Shared memory without a file counts towards no limit.
const FORBIDDEN: &[Call] = calls![
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_process_mrelease,
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_get_robust_list,
    SYS_migrate_pages,
    SYS_move_pages,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_unshare,
    SYS_setns,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_fanotify_init,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_acct,
    SYS_swapon,
    SYS_swapoff,
    SYS_kexec_load,
    SYS_reboot,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_syslog,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_vhangup,
    SYS_bpf,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_memfd_secret,
    SYS_shmget,
    SYS_shmat,
    SYS_semget,
    SYS_msgget,
    SYS_mq_open,
];

#[cfg(target_arch = "x86_64")]
const OF_THIS_MACHINE: &[Call] = calls![
    SYS_kexec_file_load,
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
    SYS__sysctl,
    SYS_nfsservctl,
    SYS_lookup_dcookie,
];
#[cfg(not(target_arch = "x86_64"))]
const OF_THIS_MACHINE: &[Call] = calls![SYS_kexec_file_load,];

/// The calls that depend on the profile, on their arguments or on the version of Landlock.
const JUDGED: &[Call] = calls![
    SYS_clone,
    SYS_connect,
    SYS_ioctl,
    SYS_ioprio_set,
    SYS_listen,
    SYS_memfd_create,
    SYS_mmap,
    SYS_personality,
    SYS_prlimit64,
    SYS_sched_setaffinity,
    SYS_sched_setattr,
    SYS_sched_setparam,
    SYS_sched_setscheduler,
    SYS_sendmmsg,
    SYS_sendmsg,
    SYS_sendto,
    SYS_setpriority,
    SYS_socket,
    SYS_socketpair,
    SYS_truncate,
];

/// The last call at the time of writing, `mseal`. Later calls do not exist for a confined process, whatever they may do.
const LAST_CALL: u32 = 462;

/// The flags of `clone` that make namespaces.
const NAMESPACES: [u64; 7] =
    [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];

const SOCKET_KINDS: u64 = 0xf;
const STREAM: u64 = 1;
const DATAGRAM: u64 = 2;
const PACKETS_IN_ORDER: u64 = 5;

/// The calls that control a device with a random source: the type of their requests, and the bits of a request that hold it.
const RANDOM: (u64, u64) = (0x5200, 0xff00);

/// Returns the seccomp program of a profile, which also covers the gaps of a version of Landlock. `also` lists further forbidden calls.
pub(super) fn filter(profile: &Profile, landlock: LandlockAbi, also: &[i64]) -> io::Result<BpfProgram> {
    let build = |conditions: Vec<Condition>| {
        SeccompRule::new(conditions.into_iter().map(Condition::build).collect::<Result<_, _>>()?)
    };
    let build_all = |(call, rules): (i64, Vec<Vec<Condition>>)| {
        Ok((call, rules.into_iter().map(build).collect::<Result<_, _>>()?))
    };
    let rules = rules(profile, landlock, also).into_iter().map(build_all);
    let rules = rules.collect::<Result<_, seccompiler::BackendError>>().map_err(io::Error::other)?;
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| {
        io::Error::new(io::ErrorKind::Unsupported, format!("seccomp on this machine: {error}"))
    })?;
    let forbid = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, forbid, arch).map_err(io::Error::other)?;
    let program = BpfProgram::try_from(filter).map_err(io::Error::other)?;
    Ok(unknown_calls().into_iter().chain(program).collect())
}

/// Returns the beginning of the program, which makes some calls non-existent: later ones, those of the x32 interface, whose numbers
/// are larger, and `clone3`, whose flags no filter sees. Programs then use `clone`.
fn unknown_calls() -> [sock_filter; 4] {
    const LOAD_NUMBER: u16 = 0x20;
    const IF_GREATER: u16 = 0x25;
    const IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const ERROR: u32 = 0x0005_0000;
    let line = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    let clone3 = u32::try_from(libc::SYS_clone3).unwrap_or(u32::MAX);
    [
        line(LOAD_NUMBER, 0, 0, 0),
        line(IF_GREATER, 1, 0, LAST_CALL),
        line(IF_EQUAL, 0, 1, clone3),
        line(RETURN, 0, 0, ERROR | libc::ENOSYS.cast_unsigned()),
    ]
}

/// The forbidden uses of calls: those that meet all of some conditions, or every use.
pub(super) type Rules = BTreeMap<i64, Vec<Vec<Condition>>>;

/// Returns the rules of a profile, which also cover the gaps of a version of Landlock.
pub(super) fn rules(profile: &Profile, landlock: LandlockAbi, also: &[i64]) -> Rules {
    let always = FORBIDDEN.iter().chain(OF_THIS_MACHINE).map(|(call, _)| call).chain(also);
    let mut rules: Rules = always.map(|call| (*call, Vec::new())).collect();
    let mut forbid = |call, conditions: Vec<Vec<Condition>>| drop(rules.insert(call, conditions));
    forbid(libc::SYS_clone, NAMESPACES.map(|flag| vec![Condition::has(0, flag)]).into());
    forbid(libc::SYS_personality, vec![vec![Condition::is_not(0, 0), Condition::is_not(0, 0xffff_ffff)]]);
    // The input of a terminal that is not the server's.
    let mut control: Vec<_> =
        [libc::TIOCSTI, libc::TIOCLINUX].map(|request| vec![Condition::is(1, request)]).into();
    if landlock < LandlockAbi::DEVICES {
        let (value, bits) = RANDOM;
        control.push(vec![Condition { argument: 1, op: SeccompCmpOp::MaskedEq(bits), value }]);
    }
    forbid(libc::SYS_ioctl, control);
    // Memory that counts towards no limit: shared without a file, or growing as a stack does.
    let uncounted = [libc::MAP_SHARED | libc::MAP_ANONYMOUS, libc::MAP_GROWSDOWN];
    forbid(libc::SYS_mmap, uncounted.map(|flags| vec![Condition::has(3, flags as u64)]).into());
    // The limits, priorities and processors of other processes of the same user.
    for (call, process) in [
        (libc::SYS_prlimit64, 0),
        (libc::SYS_sched_setaffinity, 0),
        (libc::SYS_sched_setattr, 0),
        (libc::SYS_sched_setparam, 0),
        (libc::SYS_sched_setscheduler, 0),
    ] {
        forbid(call, vec![vec![Condition::is_not(process, 0)]]);
    }
    // A group of processes, or all processes of a user, are not a single process.
    const IO_OF_PROCESS: u64 = 1;
    for (call, of_process) in
        [(libc::SYS_setpriority, u64::from(libc::PRIO_PROCESS)), (libc::SYS_ioprio_set, IO_OF_PROCESS)]
    {
        forbid(call, vec![vec![Condition::is_not(0, of_process)], vec![Condition::is_not(1, 0)]]);
    }
    if !profile.runs_own_programs {
        forbid(libc::SYS_memfd_create, vec![]);
    }
    // A datagram socket of a pair can still send to other sockets.
    forbid(libc::SYS_socketpair, sockets(&[1], &[STREAM, PACKETS_IN_ORDER], None));
    network(profile, &mut forbid);
    let Network { reach, .. } = &profile.network;
    // Neither Landlock nor a network namespace restricts connections.
    if landlock < LandlockAbi::TCP && *reach == Reach::None && !profile.network.is_isolated() {
        forbid(libc::SYS_connect, vec![]);
    }
    rules
}

fn network(profile: &Profile, forbid: &mut impl FnMut(i64, Vec<Vec<Condition>>)) {
    let internet = [libc::AF_INET, libc::AF_INET6].map(i32::cast_unsigned).map(u64::from);
    let protocols = [0, libc::IPPROTO_TCP, libc::IPPROTO_UDP].map(i32::cast_unsigned).map(u64::from);
    let is_of_machine = profile.network.reach == Reach::Machine;
    let kinds: &[u64] = if is_of_machine { &[STREAM, DATAGRAM] } else { &[STREAM] };
    if profile.network.is_isolated() && profile.network.reach == Reach::None {
        forbid(libc::SYS_socket, vec![]);
    } else {
        forbid(libc::SYS_socket, sockets(&internet, kinds, Some(&protocols)));
    }
    if profile.network.listen == ListenPorts::None {
        forbid(libc::SYS_listen, vec![]);
    }
    if !is_of_machine {
        // Connects without the call `connect`, which is the call that Landlock judges.
        for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
            let fast_open = u64::from(libc::MSG_FASTOPEN.cast_unsigned());
            forbid(call, vec![vec![Condition::has(flags, fast_open)]]);
        }
    }
}

/// Returns the conditions of sockets that match none of these.
fn sockets(families: &[u64], kinds: &[u64], protocols: Option<&[u64; 3]>) -> Vec<Vec<Condition>> {
    let none_of =
        |argument, values: &[u64]| values.iter().map(|value| Condition::is_not(argument, *value)).collect();
    let other_kinds = (0..=SOCKET_KINDS).filter(|kind| !kinds.contains(kind));
    let mut conditions: Vec<Vec<Condition>> = vec![none_of(0, families)];
    conditions.extend(
        other_kinds.map(|kind| {
            vec![Condition { argument: 1, op: SeccompCmpOp::MaskedEq(SOCKET_KINDS), value: kind }]
        }),
    );
    conditions.extend(protocols.map(|protocols| none_of(2, protocols)));
    conditions
}

/// Returns the name of a call that a rule may forbid.
pub(super) fn name(call: i64) -> Option<&'static str> {
    let mut calls = FORBIDDEN.iter().chain(OF_THIS_MACHINE).chain(JUDGED);
    calls.find(|(number, _)| *number == call)?.1.strip_prefix("SYS_")
}

/// A condition on an argument of a call.
#[derive(Clone)]
pub(super) struct Condition {
    pub(super) argument: u8,
    pub(super) op: SeccompCmpOp,
    pub(super) value: u64,
}

impl Condition {
    fn is(argument: u8, value: u64) -> Self {
        Self { argument, op: SeccompCmpOp::Eq, value }
    }

    fn is_not(argument: u8, value: u64) -> Self {
        Self { argument, op: SeccompCmpOp::Ne, value }
    }

    /// Requires all of these bits to be set.
    fn has(argument: u8, bits: u64) -> Self {
        Self { argument, op: SeccompCmpOp::MaskedEq(bits), value: bits }
    }

    fn build(self) -> Result<SeccompCondition, seccompiler::BackendError> {
        SeccompCondition::new(self.argument, Dword, self.op, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confine::{ConfinementSettings, ProfileFacts, ProgramFiles};
    use mgp_types::{
        context::TrustLevel,
        permission::StandardPermission::{self, CodeExecution, NetworkListen, NetworkOutbound},
    };

    fn of(settings: &ConfinementSettings, approved: &[StandardPermission], landlock: LandlockAbi) -> Rules {
        let granted: Vec<_> = approved.iter().map(|permission| (*permission).into()).collect();
        let program = ProgramFiles::default();
        let profile = Profile::derive(&ProfileFacts {
            trust: TrustLevel::Sandboxed,
            settings,
            granted: &granted,
            program: &program,
            granted_programs: &program,
            private_folder: None,
            kernel_files: &[],
            homes: &[],
        });
        rules(&profile, landlock, &[])
    }

    #[test]
    fn a_profile_forbids_the_calls_that_it_does_not_open() {
        let none = ConfinementSettings::default();
        let whole_network = ConfinementSettings { network: Some(true), ..none.clone() };
        // Whether all uses are forbidden, of: memfd_create, socket, listen. Whether some are, of: socket, sendto.
        for (settings, approved, expected) in [
            (&none, &[][..], [true, true, true, true, true]),
            (&none, &[CodeExecution], [false, true, true, true, true]),
            (&none, &[NetworkListen], [true, false, false, true, true]),
            (&none, &[NetworkOutbound], [true, false, true, true, true]),
            (&whole_network, &[], [true, false, true, true, false]),
            (&whole_network, &[NetworkListen], [true, false, false, true, false]),
        ] {
            let rules = of(settings, approved, LandlockAbi::NEWEST);
            let all = |call| rules.get(&call).is_some_and(Vec::is_empty);
            let found = [
                all(libc::SYS_memfd_create),
                all(libc::SYS_socket),
                all(libc::SYS_listen),
                rules.contains_key(&libc::SYS_socket),
                rules.contains_key(&libc::SYS_sendto),
            ];
            assert_eq!(found, expected, "{approved:?}, network {:?}", settings.network);
        }
    }

    #[test]
    fn an_unlisted_call_counts_as_unknown_to_the_system() {
        let [.., answer] = unknown_calls();
        assert_eq!(answer.k, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned());
    }
}
