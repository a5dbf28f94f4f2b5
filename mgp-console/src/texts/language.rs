//! The languages, and the choice of one for a browser.

use super::words::Texts;
use http::{HeaderMap, header};
use std::sync::LazyLock;

/// The files, by their language, the default first. A language is added here.
const FILES: &[(&str, &str)] = &[("en", include_str!("en.toml"))];

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

    #[test]
    fn every_file_has_every_text() {
        for (language, texts) in TEXTS.iter() {
            assert_eq!(texts.language, *language);
        }
    }

    #[test]
    fn a_browser_gets_its_language_or_english() {
        for wanted in ["", "en", "xx, en-GB;q=0.5", ";;;q=,", "xx"] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, wanted.parse().unwrap());
            assert_eq!(texts_for(&headers).language, "en", "{wanted}");
        }
        assert_eq!(weighted("de-AT;q=0.8"), ("de-AT", 0.8));
        assert_eq!(weighted("de"), ("de", 1.0));
    }
}
