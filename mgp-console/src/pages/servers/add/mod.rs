//! The forms that add a server: from the public registry, as a package, an image or a URL, or as a command.

mod answers;
mod change;
mod command_form;
mod entry;
mod filled;
mod package_form;
mod program;
mod registry;
mod report;
mod started;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use answers::{added_answer, planned_answer, preview_answer, registered_answer};
pub(super) use started::started;
pub(super) use view::add;
