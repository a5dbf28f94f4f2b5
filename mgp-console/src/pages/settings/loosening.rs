//! Changes of the configuration after which less is asked or refused.

use crate::texts::SettingWords;
use toml::{Table, Value};

/// The most lines of a difference that are read.
const MOST_LINES: usize = 5000;

/// A key with a value that loosens a protection, and the sentence about it.
type LooseningKey = (&'static str, &'static str, fn(&SettingWords) -> &String);

const LOOSENINGS: &[LooseningKey] = &[
    ("policy", "auto_approve", |words| &words.loosens_policy),
    ("default_policy", "opt-out", |words| &words.loosens_default),
    ("confirmation", "never", |words| &words.loosens_confirmation),
    ("mode", "off", |words| &words.loosens_confinement),
    ("network", "true", |words| &words.loosens_network),
    ("validator", "none", |words| &words.loosens_validator),
    ("level", "unrestricted", |words| &words.loosens_code),
    ("on_change", "allow", |words| &words.loosens_definitions),
    ("admin", "true", |words| &words.loosens_key),
];

/// Returns a sentence for each protection that the added lines of a difference loosen. A line that only moves loosens none.
pub(super) fn loosened<'a>(words: &'a SettingWords, difference: &[String]) -> Vec<&'a str> {
    let lines = || difference.iter().take(MOST_LINES);
    let added: Vec<_> = lines().filter_map(|line| line.strip_prefix('+')).flat_map(settings).collect();
    let removed: Vec<_> = lines().filter_map(|line| line.strip_prefix('-')).flat_map(settings).collect();
    let count = |all: &[(String, String)], key, value| {
        all.iter().filter(|(found, of)| found == key && of == value).count()
    };
    let is_loosened =
        |(key, value, _): &&LooseningKey| count(&added, *key, *value) > count(&removed, *key, *value);
    LOOSENINGS.iter().filter(is_loosened).map(|(_, _, sentence)| sentence(words).as_str()).collect()
}

/// Returns the keys of a line with their values, also those in tables of the line.
fn settings(line: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if line.contains('=')
        && let Ok(table) = toml::from_str(line)
    {
        collect(&table, &mut found);
    }
    found
}

fn collect(table: &Table, found: &mut Vec<(String, String)>) {
    for (key, value) in table {
        match value {
            Value::Table(inner) => collect(inner, found),
            Value::String(text) => found.push((key.clone(), text.clone())),
            value => found.push((key.clone(), value.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    #[test]
    fn an_added_value_that_loosens_a_protection_has_a_sentence() {
        let words = &context().texts.settings;
        let of = |lines: &[&str]| {
            loosened(words, &lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(
            of(&["-policy = \"interactive\"", "+policy = \"auto_approve\" # quick"]),
            [&words.loosens_policy]
        );
        assert_eq!(of(&["+confinement = { mode = \"off\", network = true }"]).len(), 2);
        assert_eq!(of(&["+mgp.confirmation = 'never'"]), [&words.loosens_confirmation]);
        // A line that moves, a stricter value, a remark, and a line of a longer text.
        for lines in [
            &["+mode = \"off\"", "-  mode = \"off\""][..],
            &["+policy = \"deny_all\"", "-policy = \"auto_approve\""],
            &["+# policy = \"auto_approve\"", " default_policy = \"opt-out\"", "+]", "+a = [", "+"],
        ] {
            assert_eq!(of(lines), Vec::<&str>::new(), "{lines:?}");
        }
    }
}
