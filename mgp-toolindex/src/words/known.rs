//! The forms of recently seen words: tools use the same words repeatedly.

use super::analyzers::{plain, stem};
use hashbrown::HashMap;
use std::cell::RefCell;

/// The longest word, in bytes. Longer texts are not words.
const MAX_WORD: usize = 64;

/// The most words that a thread keeps: about 1.5 MB.
const MAX_KNOWN: usize = 16_384;

/// A word in its two forms.
#[derive(Debug)]
pub(super) struct Word {
    /// The word in lower case and without accents.
    pub(super) plain: Form,
    /// The stem of the word. `None` for a stop word.
    pub(super) stem: Option<Form>,
}

/// A form of a word.
#[derive(Debug)]
pub(super) enum Form {
    /// The form is the word itself.
    Same,
    Other(Box<str>),
}

impl Form {
    fn new(token: &str, form: Box<str>) -> Self {
        if *form == *token { Self::Same } else { Self::Other(form) }
    }

    pub(super) fn of<'a>(&'a self, token: &'a str) -> &'a str {
        match self {
            Self::Same => token,
            Self::Other(form) => form,
        }
    }
}

/// Calls `each` with the forms of a word, unless `token` is too long to be one. `each` must not look up another word.
pub(super) fn with_word(token: &str, each: impl FnOnce(&Word)) {
    thread_local! {
        static KNOWN: RefCell<HashMap<Box<str>, Word>> = RefCell::default();
    }
    if token.len() > MAX_WORD {
        return;
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(word) = known.get(token) {
            return each(word);
        }
        let plain = Form::new(token, plain(token));
        let word = Word { plain, stem: stem(token).map(|stem| Form::new(token, stem)) };
        each(&word);
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(token.into(), word);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_the_same_whatever_preceded_it() {
        let forms = |token: &str| {
            let mut found = (None, None);
            with_word(token, |word| {
                let stem = word.stem.as_ref().map(|stem| stem.of(token).to_owned());
                found = (Some(word.plain.of(token).to_owned()), stem);
            });
            found
        };
        let some = |text: &str| Some(text.to_owned());
        for turn in 0..3 {
            assert_eq!(forms("Reading"), (some("reading"), some("read")), "{turn}");
            assert_eq!(forms("the"), (some("the"), None));
            (0..MAX_KNOWN).for_each(|i| _ = forms(&format!("x{i}")));
            assert_eq!(forms("x1"), (some("x1"), some("x1")));
        }
        assert_eq!(forms(&"x".repeat(MAX_WORD + 1)), (None, None));
    }
}
