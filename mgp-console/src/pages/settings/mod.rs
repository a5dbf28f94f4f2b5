//! The page of settings: the configuration with its checks, its keys, and the findings of the doctor.

mod answers;
mod configuration;
mod configuration_report;
mod description;
mod doctor;
mod doctor_report;
mod editor;
mod key_list;
mod keys;
mod loosening;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use answers::{checked_answer, reloaded_answer, saved_answer};
pub(crate) use doctor::doctor_answer;
pub(crate) use view::settings;

/// The address of the project's documents.
const DOCUMENTS: &str = "https://github.com/mgp-rs/mgp/blob/main/";
