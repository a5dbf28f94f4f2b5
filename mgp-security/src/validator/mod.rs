//! §4.5 Validators: the kernel's own checks of the arguments, before a call is sent to a server.
//!
//! A tool's [`ToolProfile`](crate::profile::ToolProfile) names the validators that apply; [`Validators`] maps each name to its code,
//! and is the gate in the pipeline. If a name has no code, [`KnownValidators`] refuses the call before anybody is asked about it.
#![doc = ""]
#![doc = include_str!("../../docs/validators.md")]

mod answers;
mod check;
mod code_safety;
mod input;
mod judge;
mod network;
mod pool;
mod readonly;
mod registry;
mod rejection;
mod sandbox;
mod shell;
#[cfg(feature = "code_safety")]
mod signature;
mod sql;
mod table;
mod verdict;

pub use answers::ValidatorAnswer;
pub use check::Validator;
pub use code_safety::CodeSafety;
pub use input::{Input, Leaf, LeafKind};
pub use judge::KnownValidators;
pub use network::NetworkRestricted;
pub use readonly::ReadOnly;
pub use registry::Validators;
pub use rejection::Violation;
pub use sandbox::Sandbox;
pub use verdict::Verdict;

#[cfg(test)]
mod corpora;
#[cfg(test)]
#[cfg(feature = "full")]
mod judgements;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
#[cfg(test)]
#[cfg(feature = "full")]
mod work;
