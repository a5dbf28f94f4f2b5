//! Installs each package for a fresh user, connects the files of hosts, and makes a first call by each host.

mod hosts;
mod installation;
mod registry;
mod run;
mod shim;
mod steps;
mod user;

pub(crate) use run::run;
