//! The page of settings.

mod view;
mod words;

pub(crate) use view::settings;
pub(crate) use words::SettingWords;
