//! A count of the work of judges, so that tests and fuzz targets can bound the cost of a text. A step is about one byte or one node
//! that is read. Programs count nothing.

#[cfg(any(test, feature = "fuzzing"))]
use std::cell::Cell;
#[cfg(test)]
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

#[cfg(any(test, feature = "fuzzing"))]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

#[cfg(test)]
thread_local! {
    /// The flag that is set once that many steps are counted.
    static FLAG: std::cell::RefCell<Option<(u64, Arc<AtomicBool>)>> = const { std::cell::RefCell::new(None) };
}

/// Counts steps on this thread.
#[allow(dead_code, reason = "the sections that judge texts are features")]
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(any(test, feature = "fuzzing"))]
    STEPS.with(|counted| counted.set(counted.get().saturating_add(steps as u64)));
    #[cfg(test)]
    FLAG.with_borrow_mut(|flag| {
        if let Some((_, flag)) = flag.take_if(|(at, _)| STEPS.get() >= *at) {
            flag.store(true, Ordering::Relaxed);
        }
    });
    #[cfg(not(any(test, feature = "fuzzing")))]
    let _ = steps;
}

/// Runs a judgement on this thread, and returns its outcome with the steps that it took.
#[cfg(any(test, feature = "fuzzing"))]
#[allow(dead_code, reason = "the sections that judge texts are features")]
pub(crate) fn steps_of<T>(judge: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.get();
    let outcome = judge();
    (outcome, STEPS.get() - before)
}

/// Returns a flag that is set once so many more steps are counted on this thread.
#[cfg(test)]
#[allow(dead_code, reason = "the sections that judge texts are features")]
pub(crate) fn set_after(steps: u64) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    FLAG.set(Some((STEPS.get() + steps, flag.clone())));
    flag
}

/// Garbage for tests of the work: texts that no grammar accepts, nested texts, and unclosed ones.
#[cfg(test)]
#[allow(dead_code, reason = "the sections that judge texts are features")]
pub(crate) mod garbage {
    /// A generator of pseudorandom numbers that are the same in every run.
    struct Numbers(usize);

    impl Numbers {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13 & 0xffff_ffff;
            self.0 ^= self.0 >> 17;
            self.0 ^= self.0 << 5 & 0xffff_ffff;
            self.0 % limit
        }
    }

    /// Returns a text of a few repeated tokens. The number chooses the tokens.
    pub(crate) fn repeated(tokens: &[&str], number: usize, length: usize) -> String {
        let mut numbers = Numbers(number.wrapping_mul(0x9e37_79b9) | 1);
        let count = 1 + numbers.below(6);
        let unit: String = (0..count).map(|_| tokens[numbers.below(tokens.len())]).collect();
        unit.repeat(length / unit.len())
    }

    /// Returns texts of about a length: one that repeats, one in which each token opens as often as another follows, and one without order.
    pub(crate) fn texts(tokens: &[&str], number: usize, length: usize) -> [String; 3] {
        let mut numbers = Numbers(number.wrapping_mul(0x9e37_79b9) | 1);
        let mut token = || tokens[numbers.below(tokens.len())];
        let (open, close) = (token(), token());
        let depth = length / (open.len() + close.len());
        let mut mixed = String::with_capacity(length + 16);
        while mixed.len() < length {
            mixed.push_str(token());
        }
        [repeated(tokens, number, length), format!("{}a{}", open.repeat(depth), close.repeat(depth)), mixed]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_judgement_s_own_steps_count() {
        count(5);
        let (outcome, steps) = steps_of(|| {
            count(2);
            count(40);
            "judged"
        });
        assert_eq!((outcome, steps), ("judged", 42));
    }
}
