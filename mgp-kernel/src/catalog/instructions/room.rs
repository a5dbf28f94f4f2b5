//! The rest of a budget of tokens.

use mgp_toolindex::tokens::TokenCounter;
use std::sync::Arc;

/// The maximum number of bytes per token of a budget. A longer text is rejected without counting its tokens.
const MAX_BYTES_OF_TOKEN: u64 = 16;

/// The rest of a budget of tokens. Tokens are only counted if the texts have more bytes than the budget has tokens, because creating
/// a counter takes far longer than a greeting.
pub(crate) struct Room {
    budget: u64,
    counter: Arc<dyn TokenCounter>,
    /// The tokens of the counted texts.
    counted: u64,
    /// The other accepted texts.
    uncounted: Vec<Box<str>>,
}

impl Room {
    /// Creates the room of a budget of tokens.
    pub(crate) fn new(budget: u64, counter: Arc<dyn TokenCounter>) -> Self {
        Self { budget, counter, counted: 0, uncounted: Vec::new() }
    }

    /// Returns whether there is room for a text.
    pub(crate) fn holds(&mut self, text: &str) -> bool {
        let length = text.len() as u64;
        if length > self.budget.saturating_mul(MAX_BYTES_OF_TOKEN) {
            return false;
        }
        let bytes: u64 = self.uncounted.iter().map(|text| text.len() as u64).sum();
        if self.counted + bytes + length <= self.budget {
            return true;
        }
        self.counted += self.uncounted.drain(..).map(|text| self.counter.count(&text)).sum::<u64>();
        self.counted + self.counter.count(text) <= self.budget
    }

    /// Takes the room for a text, and returns whether there was enough.
    pub(crate) fn takes(&mut self, text: &str) -> bool {
        let holds = self.holds(text);
        if holds {
            self.uncounted.push(text.into());
        }
        holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A token for every four bytes.
    #[derive(Debug, Default)]
    struct ByteEstimate(AtomicUsize);

    impl TokenCounter for ByteEstimate {
        fn count(&self, text: &str) -> u64 {
            self.0.fetch_add(1, Ordering::Relaxed);
            text.len().div_ceil(4) as u64
        }
    }

    #[test]
    fn texts_are_admitted_until_the_budget_is_used_up() {
        let counter = Arc::new(ByteEstimate::default());
        let mut room = Room::new(10, counter.clone());
        assert!(room.takes("12345678") && room.holds("12"));
        assert_eq!(counter.0.load(Ordering::Relaxed), 0);
        assert!(room.takes(&"x".repeat(24)), "2 + 6");
        assert!(!room.takes("123456789"), "3 more");
        assert!(room.takes("12345678"), "2 more");
        assert!(!room.takes("1"));
    }

    #[test]
    fn a_text_that_cannot_fit_is_not_counted() {
        let counter = Arc::new(ByteEstimate::default());
        let mut room = Room::new(10, counter.clone());
        assert!(!room.takes(&"x".repeat(161)));
        assert_eq!(counter.0.load(Ordering::Relaxed), 0);
        assert!(!Room::new(0, counter).takes("x"));
    }
}
