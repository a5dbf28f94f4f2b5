//! Chance, so that servers that failed together do not come back together.

/// Gives numbers from 0 to 1. Tests give their own.
pub trait Jitter {
    /// The next number, from 0 to 1.
    fn next(&mut self) -> f64;
}

/// Numbers from the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomJitter;

impl Jitter for RandomJitter {
    fn next(&mut self) -> f64 {
        // Without a source of chance the wait is the longest one: late is safe, early is not.
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
