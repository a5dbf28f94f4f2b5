//! The tokens of a definition, kept so that nothing is counted twice.

use parking_lot::Mutex;
use std::sync::Arc;

/// The tokens of one tool's definition, in each form for hosts, under the name in that form. The forms are: without and with
/// security metadata, and, with security metadata, the four levels of [`Detail`](crate::tool::Detail) that leave something out.
///
/// The counts are kept with the tool: a definition never changes, and is dropped together with its counts.
#[derive(Default)]
pub(crate) struct Tally(Mutex<[Option<NameTokens>; 6]>);

/// A name, and the tokens of the definition under that name.
type NameTokens = (Arc<str>, u64);

impl Tally {
    /// Returns the tokens of a form under a name, counting them if they are unknown.
    pub(crate) fn get_or_count(&self, name: &Arc<str>, form: usize, count: impl FnOnce() -> u64) -> u64 {
        let mut known = self.0.lock();
        if let Some((_, tokens)) = known[form].as_ref().filter(|(known, _)| known == name) {
            return *tokens;
        }
        // Counted under the lock: a second caller waits instead of counting again.
        let tokens = count();
        known[form] = Some((Arc::clone(name), tokens));
        tokens
    }
}

impl Clone for Tally {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.0.lock().clone()))
    }
}

/// All tallies are equal, because a count is not part of a tool's identity.
impl PartialEq for Tally {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_counted_twice_and_a_new_name_is_counted_again() {
        let tally = Tally::default();
        let [a, b]: [Arc<str>; 2] = ["a".into(), "b".into()];
        assert_eq!(tally.get_or_count(&a, 0, || 7), 7);
        assert_eq!(tally.get_or_count(&a, 0, || unreachable!()), 7);
        assert_eq!(tally.get_or_count(&a, 1, || 9), 9);
        assert_eq!(tally.get_or_count(&b, 0, || 8), 8);
        assert_eq!(tally.clone().get_or_count(&b, 0, || unreachable!()), 8);
    }
}
