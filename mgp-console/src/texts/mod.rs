//! All words of the console, from one file for each language in `src/texts/`.

mod add_server;
mod agents;
mod approvals;
mod judgement;
mod language;
mod now;
mod servers;
mod settings;
mod table;
mod tools;
mod trail;
mod words;

pub(crate) use language::texts_for;
pub(crate) use settings::SettingWords;
pub(crate) use tools::ToolWords;
pub(crate) use words::{Texts, number};
