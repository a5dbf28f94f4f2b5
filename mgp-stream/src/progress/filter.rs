//! The filter that lets progress only grow.

/// A filter that admits a number only if it is greater than the one before: MCP demands that progress grows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ProgressFilter {
    last: Option<f64>,
}

impl ProgressFilter {
    /// Returns whether a number is finite and greater than the last admitted one, and admits it if so.
    pub(crate) fn admit(&mut self, number: f64) -> bool {
        let grows = number.is_finite() && self.last.is_none_or(|last| number > last);
        if grows {
            self.last = Some(number);
        }
        grows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_greater_numbers_pass() {
        let mut progress = ProgressFilter::default();
        let numbers = [0.0, 0.0, 1.0, 0.5, f64::NAN, f64::INFINITY, 1.5];
        let passed = numbers.map(|number| progress.admit(number));
        assert_eq!(passed, [true, false, true, false, false, false, true]);
    }

    #[test]
    fn the_first_number_may_be_negative() {
        assert!(ProgressFilter::default().admit(-3.0));
    }
}
