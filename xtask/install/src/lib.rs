//! The common parts of the programs that `cargo xtask` starts: the installation of other people's packages, and the build of our programs.
//!
//! | module | contents |
//! |---|---|
//! | `cargo` | cargo, called by a program that cargo runs |
//! | `npm` | a folder of packages from npm |
//! | `pip` | a folder of packages from PyPI |
//! | `venv` | a Python environment with packages from PyPI and their dependencies |
//! | `programs` | our own programs, built together |
//! | `run` | runs an installer to its end |
//! | `hosts` | packages of others that several programs run as hosts |
//! | `interrupted` | a signal that ends the run |
//! | `lock` | one run at a time, because runs share folders |
//! | `strict` | the rule that a missing package fails the run |
//! | `workspace` | the paths of the workspace and its target folder |

mod cargo;
pub mod hosts;
mod interrupted;
mod lock;
mod npm;
mod pip;
mod programs;
mod run;
mod strict;
mod venv;
pub mod workspace;

pub use cargo::cargo;
pub use interrupted::interrupted;
pub use lock::lock;
pub use npm::{NpmFolder, NpmPackage};
pub use pip::PipFolder;
pub use programs::{ProgramFeatures, build_programs, program_path, run_build};
pub use run::run;
pub use strict::is_strict;
pub use venv::Venv;
