//! Finds the word that was probably intended.

/// The longest word that is compared, in characters: the cost of a comparison is the product of both lengths.
const MAX_WORD: usize = 64;

/// Returns the candidate closest to a word, if it is close enough. Words of more than 64 characters are not compared.
///
/// ```
/// use mgp_discovery::config::nearest;
/// assert_eq!(nearest("comand", ["args", "command"]), Some("command"));
/// assert_eq!(nearest("headers", ["args", "command"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().take(MAX_WORD + 1).count();
    if length > MAX_WORD {
        return None;
    }
    // A word with up to a third of its letters wrong counts as misspelled.
    let limit = (length / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.chars().take(MAX_WORD + limit).count().abs_diff(length) <= limit)
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_match_their_word_and_other_words_match_none() {
        let keys = ["command", "args", "env", "cwd", "transport"];
        assert_eq!(nearest("comand", keys), Some("command"));
        assert_eq!(nearest("arsg", keys), Some("args"));
        assert_eq!(nearest("Command", keys), Some("command"));
        assert_eq!(nearest("headers", keys), None);
        let long = "command".repeat(100_000);
        assert_eq!(nearest(&long, [&*long, "command"]), None);
    }
}
