//! `mgp add`: finds a server by its name, tries it, and adds it to the configuration.
//!
//! | file | content |
//! |---|---|
//! | `run.rs` | the arguments, and the steps |
//! | `source.rs` | the server of a name: in a registry, of a package, or at a URL |
//! | `trial.rs` | a start of the server, with its tools |
//! | `report.rs` | the result, as text and as data |

mod report;
mod run;
mod source;
mod trial;

pub(crate) use report::line;
pub(crate) use run::{AddArgs, run};
