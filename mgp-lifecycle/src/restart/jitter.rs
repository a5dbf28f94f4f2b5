//! Random jitter, so that servers that failed together do not restart together.

/// A source of numbers from 0 to 1. Tests supply their own.
pub trait Jitter {
    /// Returns the next number, from 0 to 1.
    fn next(&mut self) -> f64;
}

/// Random numbers from the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomJitter;

impl Jitter for RandomJitter {
    fn next(&mut self) -> f64 {
        // Without a source of randomness the wait is the longest one: a late restart is safe, an early one is not.
        getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX))
    }
}

impl<F: FnMut() -> f64> Jitter for F {
    fn next(&mut self) -> f64 {
        self()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_lie_between_zero_and_one_and_differ() {
        let numbers: Vec<_> = (0..64).map(|_| RandomJitter.next()).collect();
        assert!(numbers.iter().all(|n| (0.0..=1.0).contains(n)));
        assert!(numbers.iter().any(|n| *n != numbers[0]));
    }
}
