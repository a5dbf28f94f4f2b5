//! Splits names into words.

/// Returns the words of a name in snake, kebab or camel case, each word in lower case.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the ASCII letters and digits of a name, in lower case.
pub(crate) fn joined(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_in_any_spelling() {
        for (name, expected) in [
            ("baseUrl", &["base", "url"][..]),
            ("base_url", &["base", "url"]),
            ("--proxy-host", &["proxy", "host"]),
            ("HTTPHost", &["httphost"]),
            ("", &[]),
        ] {
            assert_eq!(words(name), expected, "{name}");
        }
        assert_eq!(joined("shell-Command"), "shellcommand");
    }
}
