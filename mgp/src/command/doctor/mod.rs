//! `mgp doctor`: looks for faults of this installation, each with the command or key that mends it. One file for each kind of check.

mod configuration;
mod confinement;
mod context;
mod finding;
mod fix;
mod gateway;
mod hosts;
mod machine;
mod notifications;
mod orphans;
mod ports;
mod program;
mod proxy;
mod replicas;
mod run;
mod runtimes;
mod servers;
mod start;
mod state;

pub(crate) use run::{DoctorArgs, run};
