//! Patterns with `*` and `**`.

/// Returns whether a text matches a pattern: `*` stands for any characters but slashes, `**` for any characters.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    // The positions in the pattern that the text so far leads to: linear memory, and no backtracking.
    let mut states = closed(pattern, vec![false; pattern.len() + 1], [0]);
    for byte in text {
        let next = states.iter().enumerate().filter(|(_, is_open)| **is_open).filter_map(|(at, _)| {
            match pattern.get(at)? {
                b'*' if is_double(pattern, at) => Some(at),
                b'*' => (*byte != b'/').then_some(at),
                literal => (literal == byte).then_some(at + 1),
            }
        });
        let next: Vec<usize> = next.collect();
        states = closed(pattern, vec![false; pattern.len() + 1], next);
    }
    states.last() == Some(&true)
}

/// Returns whether the star at a position is the first of two.
fn is_double(pattern: &[u8], at: usize) -> bool {
    pattern.get(at + 1) == Some(&b'*')
}

/// Marks positions, and those that follow them without a character.
fn closed(pattern: &[u8], states: Vec<bool>, positions: impl IntoIterator<Item = usize>) -> Vec<bool> {
    let mut states = states;
    for mut at in positions {
        while let Some(state) = states.get_mut(at) {
            *state = true;
            if pattern.get(at) != Some(&b'*') {
                break;
            }
            at += if is_double(pattern, at) { 2 } else { 1 };
        }
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_star_stays_within_a_segment_and_two_do_not() {
        for (pattern, text, expected) in [
            ("/users", "/users", true),
            ("/users", "/users/1", false),
            ("/users/*", "/users/{id}", true),
            ("/users/*", "/users/{id}/keys", false),
            ("/users/*/keys", "/users/{id}/keys", true),
            ("/users/**", "/users/{id}/keys", true),
            ("/users/**", "/users", false),
            ("/users**", "/users", true),
            ("**/keys", "/users/{id}/keys", true),
            ("/*/k*s", "/users/keys", true),
            ("**", "", true),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("***", "a/b", true),
            ("repos/*", "repos/list", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_take_no_longer_than_the_text_and_the_pattern() {
        assert!(!matches(&"*a".repeat(500), &"a".repeat(5_000)[..499]));
    }
}
