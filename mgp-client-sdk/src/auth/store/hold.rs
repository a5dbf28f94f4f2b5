//! A guard that prevents others from trading tokens.

use std::fmt;

/// A guard that prevents others from trading a server's tokens until it is dropped.
#[must_use = "others may trade the tokens once this is dropped"]
pub struct StoreHold(Box<dyn Send>);

impl StoreHold {
    /// Creates a guard that holds `lock`, such as the lock of a file, until it is dropped.
    pub fn new(lock: impl Send + 'static) -> Self {
        Self(Box::new(lock))
    }
}

impl fmt::Debug for StoreHold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StoreHold").field(&std::any::type_name_of_val(&*self.0)).finish()
    }
}
