//! Confinement: the operating system restricts the process of a server, and everything that it starts, to what its [`Profile`] lists.
//!
//! [`Profile::derive`] computes the profile from the server's trust, its approved permissions and its configuration. It reads no files.
//! [`Confinement`] enforces a profile on a child process. On Linux it needs no privileges: Landlock restricts files, TCP ports, signals
//! and other processes' memory, seccomp forbids system calls, namespaces hide the network and the machine's files, and resource limits
//! bound the rest. Namespaces and seccomp also cover what an old version of Landlock lacks ([`LandlockAbi`]). All of it is prepared in the parent. The child makes only system calls, so a program that embeds a kernel can also
//! confine servers. Other systems cannot confine. [`Limits`] that the operator sets also hold for a process that is not confined.

#[cfg(unix)]
mod bounded;
mod confinement;
#[cfg(unix)]
mod container;
#[cfg(unix)]
mod denial;
mod derive;
mod granted;
mod home;
mod landlock_abi;
mod limits;
#[cfg(target_os = "linux")]
mod linux;
mod machine;
#[cfg(unix)]
mod private;
mod profile;
mod program;
#[cfg(unix)]
mod refusals;
#[cfg(unix)]
mod resolve;
mod runner;
#[cfg(any(target_os = "macos", all(test, unix)))]
mod seatbelt;
mod settings;
#[cfg(test)]
mod tests;

pub use confinement::Confinement;
#[cfg(unix)]
pub use container::{container_mounts, runs_container};
pub use derive::ProfileFacts;
pub use granted::GrantedPermission;
pub use home::home_folders;
pub use landlock_abi::LandlockAbi;
pub use limits::{ExceededLimit, Limits};
pub use machine::{MachineFacts, MissingPart};
pub use mgp_types::context::{ConfinementMode, ConfinementPreset, ConfinementRunner, HostRule};
pub use profile::{EGRESS_PORT, ListenPorts, Network, PathAccess, PathRule, Profile, Reach, Reason};
pub use program::{ProgramFiles, behind_shim, is_program, loads_package};
#[cfg(unix)]
pub use refusals::{EgressRefusals, LastRefusal};
pub use runner::{RunnerState, continue_start};
pub use settings::ConfinementSettings;
