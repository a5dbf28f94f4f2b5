//! `mgp registry`: looks servers up in a registry that strangers write to, and shows what they would be here.

mod run;
mod search;
mod show;

pub(crate) use run::{RegistryArgs, run};
