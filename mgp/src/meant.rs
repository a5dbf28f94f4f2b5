//! Suggestions for misspelt names on the command line.

use mgp_discovery::config::nearest;

/// Returns a question that suggests the closest known name, followed by a space, or an empty text if no name is
/// close.
pub(crate) fn question<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(name, known.into_iter().filter(|known| *known != name)) {
        Some(meant) => format!("did you mean {meant:?}? "),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_close_name_is_suggested() {
        assert_eq!(question("noets", ["files", "notes"]), "did you mean \"notes\"? ");
        assert_eq!(question("weather", ["files", "notes"]), "");
        assert_eq!(question("notes", ["notes"]), "");
    }
}
