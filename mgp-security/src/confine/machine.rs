//! The parts of the operating system that confinement needs.

use super::LandlockAbi;
use std::{fmt, fs};

/// The settings of this machine on which confinement depends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MachineFacts {
    /// The major and the minor version of Linux; `None` on other systems.
    pub linux: Option<(u32, u32)>,
    /// The version of Landlock; `None` if the machine has none.
    pub landlock: Option<LandlockAbi>,
    /// True if this process runs as root.
    pub is_root: bool,
    /// The value of `user.max_user_namespaces`.
    pub max_user_namespaces: Option<u64>,
    /// The value of `user.max_pid_namespaces`.
    pub max_pid_namespaces: Option<u64>,
    /// The value of `kernel.unprivileged_userns_clone`, which Debian's kernels have.
    pub unprivileged_userns_clone: Option<u64>,
    /// The value of `kernel.apparmor_restrict_unprivileged_userns`, which Ubuntu's kernels have.
    pub apparmor_restrict_unprivileged_userns: Option<u64>,
    /// True if bubblewrap makes the namespaces that the gateway cannot make itself.
    pub has_bubblewrap: bool,
}

/// A part that confinement needs and the machine lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPart {
    /// The part, and the reason why it is missing.
    pub part: String,
    /// The command that makes it available, or the step that does if no command can.
    pub remedy: &'static str,
}

impl fmt::Display for MissingPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.remedy)
    }
}

/// The first version of Linux with Landlock.
const FIRST_LINUX: (u32, u32) = (5, 13);

impl MachineFacts {
    /// Returns the facts of this machine.
    #[must_use]
    pub fn of_machine() -> Self {
        let text = |path: &str| fs::read_to_string(format!("/proc/sys/{path}")).ok();
        let number = |path: &str| text(path)?.trim().parse().ok();
        Self {
            linux: text("kernel/osrelease").and_then(|release| version(&release)),
            landlock: LandlockAbi::of_machine(),
            is_root: is_root(),
            max_user_namespaces: number("user/max_user_namespaces"),
            max_pid_namespaces: number("user/max_pid_namespaces"),
            unprivileged_userns_clone: number("kernel/unprivileged_userns_clone"),
            apparmor_restrict_unprivileged_userns: number("kernel/apparmor_restrict_unprivileged_userns"),
            has_bubblewrap: has_bubblewrap(),
        }
    }

    /// Returns the parts that `require` needs and this machine lacks. A container may forbid more than its settings show.
    #[must_use]
    pub fn missing(&self) -> Vec<MissingPart> {
        let Some(linux) = self.linux else {
            let part = "confinement by the system, which only Linux and macOS have".to_owned();
            let missing = MissingPart { part, remedy: "run the gateway on Linux" };
            return if cfg!(target_os = "macos") { Vec::new() } else { vec![missing] };
        };
        let off = |setting: &str| format!("user namespaces, which {setting} switches off");
        let landlock = match self.landlock {
            Some(_) => None,
            None if linux < FIRST_LINUX => Some((
                format!("Landlock, which Linux {}.{} does not have", linux.0, linux.1),
                "update to Linux 5.13 or newer",
            )),
            None => Some((
                "Landlock, which is switched off".to_owned(),
                "put `landlock,` in front of the names in /sys/kernel/security/lsm, add the list as `lsm=` to the kernel's command \
                 line (GRUB_CMDLINE_LINUX in /etc/default/grub), and restart",
            )),
        };
        let needs_pids = self.landlock.is_some_and(|version| version < LandlockAbi::NEWEST);
        let namespaces = [
            (self.max_user_namespaces == Some(0))
                .then(|| (off("user.max_user_namespaces"), "sudo sysctl -w user.max_user_namespaces=15000")),
            (needs_pids && self.max_pid_namespaces == Some(0)).then(|| {
                let part = "PID namespaces, which user.max_pid_namespaces switches off".to_owned();
                (part, "sudo sysctl -w user.max_pid_namespaces=15000")
            }),
            (!self.is_root && self.unprivileged_userns_clone == Some(0)).then(|| {
                (off("kernel.unprivileged_userns_clone"), "sudo sysctl -w kernel.unprivileged_userns_clone=1")
            }),
            (!self.is_root && self.apparmor_restrict_unprivileged_userns.is_some_and(|value| value != 0))
                .then(|| {
                    (
                        off("kernel.apparmor_restrict_unprivileged_userns"),
                        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
                    )
                }),
        ];
        let namespaces = namespaces.into_iter().filter(|_| !self.has_bubblewrap);
        [landlock]
            .into_iter()
            .chain(namespaces)
            .flatten()
            .map(|(part, remedy)| MissingPart { part, remedy })
            .collect()
    }

    /// Returns one line about Landlock on this machine: its version, and the means that cover the gaps of an old one.
    #[must_use]
    pub fn landlock_in_words(&self) -> String {
        let Some(version) = self.landlock else { return "no Landlock".to_owned() };
        let covers = version.covers();
        if covers.is_empty() {
            return format!("Landlock {version}");
        }
        format!("Landlock {version} (Linux {}), which lacks: {}", version.linux(), covers.join("; "))
    }
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|character: char| !character.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(target_os = "linux")]
fn is_root() -> bool {
    super::linux::is_root()
}

#[cfg(target_os = "linux")]
fn has_bubblewrap() -> bool {
    super::linux::prefers_bubblewrap()
}

#[cfg(not(target_os = "linux"))]
const fn is_root() -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
const fn has_bubblewrap() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(landlock: u8) -> MachineFacts {
        MachineFacts {
            linux: Some((6, 8)),
            landlock: LandlockAbi::from_number(landlock),
            max_user_namespaces: Some(15_000),
            max_pid_namespaces: Some(15_000),
            ..MachineFacts::default()
        }
    }

    #[test]
    fn each_missing_part_is_named_with_its_remedy() {
        let ubuntu = MachineFacts { apparmor_restrict_unprivileged_userns: Some(1), ..facts(4) };
        for (facts, expected) in [
            (facts(6), None),
            (facts(1), None),
            (MachineFacts { max_pid_namespaces: Some(0), ..facts(6) }, None),
            (MachineFacts { is_root: true, ..ubuntu.clone() }, None),
            (MachineFacts { has_bubblewrap: true, ..ubuntu.clone() }, None),
            (
                MachineFacts { has_bubblewrap: true, landlock: None, ..ubuntu.clone() },
                Some("GRUB_CMDLINE_LINUX"),
            ),
            (MachineFacts::default(), cfg!(not(target_os = "macos")).then_some("run the gateway on Linux")),
            (MachineFacts { linux: Some((5, 10)), ..facts(0) }, Some("update to Linux 5.13 or newer")),
            (MachineFacts { linux: Some((5, 15)), ..facts(0) }, Some("GRUB_CMDLINE_LINUX")),
            (
                MachineFacts { max_user_namespaces: Some(0), ..facts(6) },
                Some("sysctl -w user.max_user_namespaces=15000"),
            ),
            (
                MachineFacts { max_pid_namespaces: Some(0), ..facts(5) },
                Some("sysctl -w user.max_pid_namespaces=15000"),
            ),
            (
                MachineFacts { unprivileged_userns_clone: Some(0), ..facts(2) },
                Some("sysctl -w kernel.unprivileged_userns_clone=1"),
            ),
            (ubuntu, Some("sysctl -w kernel.apparmor_restrict_unprivileged_userns=0")),
        ] {
            let missing = facts.missing();
            assert_eq!(missing.len(), usize::from(expected.is_some()), "{missing:?}");
            assert!(missing.iter().all(|part| part.to_string().contains(expected.unwrap())), "{missing:?}");
        }
    }

    #[test]
    fn landlock_is_described_by_its_version_and_covers() {
        assert_eq!(facts(0).landlock_in_words(), "no Landlock");
        assert_eq!(facts(9).landlock_in_words(), "Landlock ABI 6");
        let words = facts(4).landlock_in_words();
        assert!(words.starts_with("Landlock ABI 4 (Linux 6.7), which lacks: signals"), "{words}");
        assert!(words.contains("control of devices") && !words.contains("TCP"), "{words}");
        let all: Vec<_> =
            (1..=6).map(|number| LandlockAbi::from_number(number).unwrap().covers().len()).collect();
        assert_eq!(all, [6, 5, 4, 3, 2, 0]);
    }

    #[test]
    fn the_version_of_linux_is_read_from_its_release() {
        for (release, expected) in [
            ("6.8.0-45-generic\n", Some((6, 8))),
            ("5.15.167.4-microsoft-standard-WSL2", Some((5, 15))),
            ("6.12-rc1", Some((6, 12))),
            ("", None),
            ("next", None),
        ] {
            assert_eq!(version(release), expected, "{release}");
        }
    }
}
