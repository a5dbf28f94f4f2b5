//! Limits the expansion of an entry: a short text of nested variables may expand to a huge one.

/// The longest text of an entry that is filled in, in bytes: a configuration accepts no more.
pub(super) const MAX_TEXT: usize = 32 * 1024;

/// The most bytes that are filled in for one entry, over all ways: the texts, and a fixed price for each value.
pub(super) const MAX_FILLED: usize = 512 * 1024;

/// The price of a value in addition to its text, so that the number of short values is limited, too.
pub(super) const PER_VALUE: usize = 256;

/// The remaining budget for filling in an entry. The price is paid before the work is done, so that the cost is bounded for any entry.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new() -> Self {
        Self(MAX_FILLED)
    }

    /// Pays for one more value.
    pub(super) fn value(&mut self) -> Result<(), String> {
        self.pay(PER_VALUE)
    }

    /// Pays for a text.
    pub(super) fn text(&mut self, text: &str) -> Result<(), String> {
        if text.len() > MAX_TEXT {
            return Err(format!("it has a text of {} bytes: expected at most {MAX_TEXT}", text.len()));
        }
        self.pay(text.len())
    }

    fn pay(&mut self, price: usize) -> Result<(), String> {
        let left = self.0.checked_sub(price);
        self.0 = left.ok_or_else(|| {
            format!(
                "its values are too long with their variables filled in: expected at most {MAX_FILLED} bytes"
            )
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_charged_to_the_last_byte_and_its_length_is_bounded() {
        let mut budget = Budget::new();
        let text = "x".repeat(MAX_TEXT);
        for _ in 0..MAX_FILLED / MAX_TEXT {
            budget.text(&text).unwrap();
        }
        assert!(budget.text("x").unwrap_err().contains("expected at most 524288 bytes"));
        budget.text("").unwrap();
        assert!(budget.value().is_err());
        let long = Budget::new().text(&"x".repeat(MAX_TEXT + 1)).unwrap_err();
        assert_eq!(long, "it has a text of 32769 bytes: expected at most 32768");
    }

    #[test]
    fn values_without_text_are_bounded() {
        let mut budget = Budget::new();
        let count = (0..=MAX_FILLED).take_while(|_| budget.value().is_ok()).count();
        assert_eq!(count, MAX_FILLED / PER_VALUE);
    }
}
