//! The languages, and the choice of one for a browser.

use super::words::Texts;
use http::{HeaderMap, header};
use std::sync::LazyLock;

/// The files, by their language, the default first. A language is added here.
const FILES: &[(&str, &str)] = &[("en", include_str!("en.toml")), ("de", include_str!("de.toml"))];

static TEXTS: LazyLock<Vec<(&str, Texts)>> = LazyLock::new(|| {
    let read = |(language, file): &(&'static str, &str)| {
        let texts = toml::from_str(file).unwrap_or_else(|error| panic!("{language}.toml: {error}"));
        (*language, texts)
    };
    FILES.iter().map(read).collect()
});

/// Returns the texts in the first language of a browser that there are texts in.
pub(crate) fn texts_for(headers: &HeaderMap) -> &'static Texts {
    let wanted =
        headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut wanted: Vec<_> = wanted.split(',').take(20).map(weighted).collect();
    // Weight 0 is a language that the reader does not want.
    wanted.retain(|(_, weight)| *weight > 0.0);
    wanted.sort_by(|(_, first), (_, second)| second.total_cmp(first));
    let find = |(language, _): &(&str, f32)| {
        let primary = language.split('-').next().unwrap_or_default();
        TEXTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(primary))
    };
    let (_, texts) = wanted.iter().find_map(find).unwrap_or(&TEXTS[0]);
    texts
}

/// Splits `de;q=0.8` into the language and its weight.
fn weighted(item: &str) -> (&str, f32) {
    let (language, weight) = item.split_once(';').unwrap_or((item, "q=1"));
    let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse().ok());
    (language.trim(), weight.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::{Table, Value};

    #[test]
    fn every_file_has_every_text() {
        for (language, texts) in TEXTS.iter() {
            assert_eq!(texts.language, *language);
        }
    }

    #[test]
    fn a_browser_gets_its_language_or_english() {
        for (wanted, expected) in [
            ("", "en"),
            ("en", "en"),
            ("xx, en-GB;q=0.5", "en"),
            (";;;q=,", "en"),
            ("xx", "en"),
            ("de", "de"),
            ("de-AT;q=0.9, en;q=0.5", "de"),
            ("en;q=0.5, de-AT;q=0.9", "de"),
            ("xx, DE;q=0.1", "de"),
            ("de;q=0.5, en-GB", "en"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, wanted.parse().unwrap());
            assert_eq!(texts_for(&headers).language, expected, "{wanted}");
        }
        assert_eq!(texts_for(&HeaderMap::new()).language, "en");
        assert_eq!(weighted("de-AT;q=0.8"), ("de-AT", 0.8));
        assert_eq!(weighted("de"), ("de", 1.0));
    }

    #[test]
    fn texts_have_the_placeholders_and_commands_of_english() {
        let read = |file: &str| Value::Table(toml::from_str(file).unwrap());
        let (_, english) = FILES[0];
        for (language, file) in FILES {
            assert_alike(language, &read(english), &read(file));
        }
    }

    /// Asserts that two tables have the same keys, and that their texts have the same parts that no language changes.
    fn assert_alike(at: &str, english: &Value, other: &Value) {
        match (english, other) {
            (Value::Table(english), Value::Table(other)) => {
                let keys = |table: &Table| table.keys().cloned().collect::<Vec<_>>();
                assert_eq!(keys(english), keys(other), "{at}");
                for (key, value) in english {
                    assert_alike(&format!("{at}.{key}"), value, &other[key]);
                }
            }
            (Value::String(english), Value::String(other)) => {
                assert_eq!(fixed_parts(english), fixed_parts(other), "{at}: {other}");
            }
            _ => panic!("{at}: {english} and {other}"),
        }
    }

    /// Returns the placeholders and the commands in backticks of a text. Each language has its own order.
    fn fixed_parts(text: &str) -> (Vec<&str>, Vec<&str>) {
        let starts = text.split('{').skip(1);
        let mut placeholders: Vec<_> =
            starts.filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect();
        let mut commands: Vec<_> = text.split('`').skip(1).step_by(2).collect();
        placeholders.sort_unstable();
        commands.sort_unstable();
        (placeholders, commands)
    }
}
