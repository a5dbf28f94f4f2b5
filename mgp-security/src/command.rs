//! Words of commands that messages recommend.

use std::borrow::Cow;

/// Quotes a word for a shell, so that a name that another party chose cannot become a command.
#[must_use]
pub fn command_word(text: &str) -> Cow<'_, str> {
    // A program's arguments cannot contain a NUL.
    shlex::try_quote(text).unwrap_or(Cow::Borrowed("NAME"))
}

#[cfg(test)]
mod tests {
    use super::command_word;

    #[test]
    fn a_name_stays_one_word_whatever_it_contains() {
        assert_eq!(command_word("read_file"), "read_file");
        for name in ["x; rm -rf ~", "`id`", "a b", "$(id)", "it's", "\u{1b}[2J", ""] {
            assert_eq!(shlex::split(&command_word(name)), Some(vec![name.to_owned()]), "{name:?}");
        }
        assert_eq!(command_word("a\0b"), "NAME");
    }
}
