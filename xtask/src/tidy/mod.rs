//! `cargo xtask tidy`: rules on the text of the repository. Each is one function with a test that shows it failing.

mod command;
mod dependencies;
mod dialect;
mod documents;
mod events;
mod finding;
mod leftovers;
mod links;
mod modules;
mod names;
mod packages;
mod paragraphs;
mod paths;
mod prose;
mod rules;
mod samples;
mod size;
mod test_names;
mod whitespace;

pub(crate) use command::run;
pub(crate) use finding::Finding;
