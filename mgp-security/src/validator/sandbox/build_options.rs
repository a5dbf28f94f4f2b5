//! The options of programs that build or test a project that only select the targets or the output.
//!
//! The facts come from the manual of each program. An option that is not listed is asked about: it may name a file to write, a module to
//! load or a program to run.

use crate::validator::table;
use std::{collections::BTreeMap, sync::LazyLock};

/// The options of programs, by the names of the programs. Names and options are separated by white space.
static ROWS: LazyLock<BTreeMap<String, String>> =
    LazyLock::new(|| table::parse(include_str!("build_options.toml")));

/// Options that mean the same everywhere.
const COMMON: &str = "--help -h --version -V --verbose -v -vv --quiet -q --color= --no-color --";

/// The form of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionForm {
    /// The option has no value, or an attached one.
    Alone,
    /// The next word is its value.
    Valued,
}

/// Returns the form of an option of a program. `None` if the option is unknown, or the program has no known options.
pub(super) fn known(program: &str, text: &str) -> Option<OptionForm> {
    let options = options_of(program)?;
    let listed = || options.split_ascii_whitespace().chain(COMMON.split_ascii_whitespace());
    let name = text.split('=').next().unwrap_or_default();
    if listed().any(|option| option == text) {
        return Some(OptionForm::Alone);
    }
    if listed().any(|option| option.strip_suffix('=') == Some(text)) {
        return Some(OptionForm::Valued);
    }
    let matches = |option: &str| {
        if let Some(start) = option.strip_suffix('*') {
            return text.starts_with(start);
        }
        let Some(valued) = option.strip_suffix('=') else { return option == name && name != text };
        // A short one may have its value attached.
        valued == name || (valued.len() == 2 && text.starts_with(valued) && !text.starts_with("--"))
    };
    if listed().any(matches) {
        return Some(OptionForm::Alone);
    }
    // Several short ones.
    let letters = text.strip_prefix('-').filter(|letters| letters.len() > 1 && !letters.starts_with('-'))?;
    let single = |letter: char| {
        listed().any(|option| option.len() == 2 && option.ends_with(letter) && option.starts_with('-'))
            || letter.is_ascii_digit()
    };
    letters.chars().all(single).then_some(OptionForm::Alone)
}

/// Returns whether an option is known of any program that a project's script may run.
pub(super) fn is_known_anywhere(text: &str) -> bool {
    ROWS.keys().any(|names| names.split(' ').next().is_some_and(|name| known(name, text).is_some()))
}

/// Returns whether the options of a program are known.
pub(super) fn is_described(program: &str) -> bool {
    options_of(program).is_some()
}

fn options_of(program: &str) -> Option<&'static str> {
    ROWS.iter().find(|(names, _)| names.split(' ').any(|name| name == program)).map(|(_, options)| &**options)
}
