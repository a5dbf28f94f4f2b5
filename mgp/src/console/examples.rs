//! The buttons of the console are commands of the program.

use crate::args::Cli;
use clap::Parser;
use mgp_console::Console;

#[test]
fn every_button_of_the_console_is_a_command() {
    let examples = Console::example_commands();
    assert!(!examples.is_empty());
    let wrong: Vec<_> = examples
        .iter()
        .filter_map(|(action, words)| {
            let line = std::iter::once("mgp").chain(words.iter().map(String::as_str));
            let error = Cli::try_parse_from(line).err()?;
            Some(format!("{action}: `mgp {}`: {}", words.join(" "), error.to_string().lines().next()?))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
