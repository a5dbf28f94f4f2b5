//! Values by type.

use std::{
    any::{Any, TypeId},
    fmt,
    hash::{Hash, Hasher},
    sync::Arc,
};

/// Values by type, such as the context of a message.
///
/// Clones share the values, because layers that may repeat a call keep a clone of its message. There are few values, so that a search among
/// all of them takes less time than hashing.
///
/// ```
/// use mgp_transport::seam::Extensions;
/// let mut context = Extensions::new();
/// context.insert("trace");
/// let mut copy = context.clone();
/// if let Some(trace) = copy.get_mut() {
///     *trace = "another";
/// }
/// assert_eq!((context.get(), copy.get()), (Some(&"trace"), Some(&"another")));
/// assert!(context.get::<u8>().is_none());
/// ```
#[derive(Clone, Default)]
pub struct Extensions {
    entries: Option<Arc<Vec<Entry>>>,
    /// The [marks](mark) of the types of the values. Each layer looks for values that few messages have, and searches no entries for them.
    held: u64,
}

type Entry = (TypeId, Arc<dyn Any + Send + Sync>);

impl Extensions {
    /// Creates an empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: None, held: 0 }
    }

    fn entries(&self) -> &[Entry] {
        self.entries.as_deref().map_or(&[], Vec::as_slice)
    }

    fn entries_mut(&mut self) -> &mut Vec<Entry> {
        Arc::make_mut(self.entries.get_or_insert_default())
    }

    fn place<T: 'static>(&self) -> Option<usize> {
        let id = TypeId::of::<T>();
        self.entries().iter().position(|(known, _)| *known == id)
    }

    fn value<T: 'static>(&self) -> Option<&Arc<dyn Any + Send + Sync>> {
        if self.held & mark::<T>() == 0 {
            return None;
        }
        let id = TypeId::of::<T>();
        self.entries().iter().find(|(known, _)| *known == id).map(|(_, value)| value)
    }

    /// Returns the value of a type.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.value::<T>()?.downcast_ref()
    }

    /// Returns the value of a type, to keep it for longer than the map.
    #[must_use]
    pub fn get_shared<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.value::<T>()?.clone().downcast().ok()
    }

    /// Returns the value of a type, to change it for this map only.
    #[must_use]
    pub fn get_mut<T: Clone + Send + Sync + 'static>(&mut self) -> Option<&mut T> {
        let place = self.place::<T>()?;
        let value = &mut self.entries_mut()[place].1;
        if Arc::get_mut(value).is_none() {
            let own: T = value.downcast_ref::<T>()?.clone();
            *value = Arc::new(own);
        }
        Arc::get_mut(value)?.downcast_mut()
    }

    /// Sets the value of a type. Returns the old one.
    pub fn insert<T: Clone + Send + Sync + 'static>(&mut self, value: T) -> Option<T> {
        let old = self.remove();
        self.held |= mark::<T>();
        self.entries_mut().push((TypeId::of::<T>(), Arc::new(value)));
        old
    }

    /// Removes the value of a type, and returns it.
    pub fn remove<T: Clone + Send + Sync + 'static>(&mut self) -> Option<T> {
        let place = self.place::<T>()?;
        owned(self.entries_mut().swap_remove(place).1)
    }

    /// Adds the values of another map, which replace those of the same types.
    pub fn extend(&mut self, other: &Self) {
        self.held |= other.held;
        for (id, value) in other.entries() {
            self.entries_mut().retain(|(known, _)| known != id);
            self.entries_mut().push((*id, value.clone()));
        }
    }
}

/// Returns the mark of a type, a bit of its hash, which other types may share.
pub(super) fn mark<T: 'static>() -> u64 {
    let mut bit = Bit(0);
    TypeId::of::<T>().hash(&mut bit);
    1 << (bit.finish() % 64)
}

/// A hasher of type ids, which are hashes already.
struct Bit(u64);

impl Hasher for Bit {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 ^= value;
    }
}

/// Returns a value that was removed from a map. It is cloned if other maps share it.
fn owned<T: Clone + Send + Sync + 'static>(value: Arc<dyn Any + Send + Sync>) -> Option<T> {
    value.downcast().ok().map(Arc::unwrap_or_clone)
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_shares_values_until_one_side_changes_them() {
        let mut map = Extensions::new();
        assert_eq!((map.insert(1u8), map.insert(2u8)), (None, Some(1)));
        map.insert("text");
        let mut copy = map.clone();
        assert!(std::ptr::eq(map.get::<u8>().unwrap(), copy.get::<u8>().unwrap()));
        assert!(std::ptr::eq(map.get::<u8>().unwrap(), &*copy.get_shared::<u8>().unwrap()));
        assert!(map.get_shared::<u16>().is_none());
        *copy.get_mut::<u8>().unwrap() = 3;
        assert_eq!((map.get::<u8>(), copy.get::<u8>()), (Some(&2), Some(&3)));
        assert_eq!((copy.remove::<&str>(), copy.remove::<&str>()), (Some("text"), None));
        assert_eq!((map.get::<&str>(), copy.get::<u8>()), (Some(&"text"), Some(&3)));
        map.insert(9u16);
        map.extend(&copy);
        assert_eq!((map.get::<u8>(), map.get::<u16>()), (Some(&3), Some(&9)));
        let mut other = Extensions::new();
        other.extend(&map);
        assert_eq!((other.get::<u8>(), other.get::<u16>(), other.get::<i16>()), (Some(&3), Some(&9), None));
    }
}
