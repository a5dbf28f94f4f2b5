//! The words of a name: split where it has `_`, `-`, `.` or another sign, and where its case changes.

use std::collections::BTreeSet;

/// How many different words of one text are looked at.
const MOST: usize = 2000;

/// The words in order, in lower case.
pub(crate) fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = None;
    for letter in text.chars() {
        let begins = letter.is_uppercase() && before.is_some_and(char::is_lowercase);
        if (begins || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = Some(letter);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The different words of a text.
pub(crate) fn set(text: &str) -> BTreeSet<String> {
    split(text).into_iter().take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capability_is_the_words_that_it_is_made_of() {
        for (text, words) in [
            ("data_analysis", "data analysis"),
            ("dataAnalysis", "data analysis"),
            ("text/csv", "text csv"),
            ("filesystem.read-only", "filesystem read only"),
            ("HTTP", "http"),
            ("__", ""),
            ("画像_処理", "画像 処理"),
        ] {
            assert_eq!(split(text).join(" "), words);
        }
    }
}
