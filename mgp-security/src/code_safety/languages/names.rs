//! The values of the names that code binds, and the expressions that must be evaluated again when they change.

use super::value::{self, Value};
use crate::code_safety::source_tree::SourceTree;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

/// The values of bound names.
#[derive(Debug)]
pub(super) struct Names<'a> {
    numbers: HashMap<&'a str, usize>,
    values: Vec<Vec<Value>>,
    /// The expressions whose evaluation read each name.
    readers: RefCell<Vec<Vec<usize>>>,
    /// The expression that is being evaluated.
    reader: Cell<usize>,
    /// The expressions that must be evaluated, and all expressions that contain them.
    due: Vec<bool>,
}

impl<'a> Names<'a> {
    /// Creates names without values, with every expression due.
    pub(super) fn new(names: impl Iterator<Item = &'a str>, tree: &SourceTree<'_>) -> Self {
        let numbers: HashMap<&str, usize> = names.enumerate().map(|(at, name)| (name, at)).collect();
        let count = numbers.len();
        Self {
            numbers,
            values: vec![Vec::new(); count],
            readers: RefCell::new(vec![Vec::new(); count]),
            reader: Cell::default(),
            due: vec![true; tree.items.len()],
        }
    }

    /// Returns whether an expression must be evaluated, and notes that it is.
    pub(super) fn begin(&mut self, at: usize) -> bool {
        self.reader.set(at);
        std::mem::take(&mut self.due[at])
    }

    /// Returns the values of a name, if code binds it.
    pub(super) fn get(&self, name: &str) -> Option<&[Value]> {
        let number = *self.numbers.get(name)?;
        let reader = self.reader.get();
        let readers = &mut self.readers.borrow_mut()[number];
        if readers.last() != Some(&reader) {
            readers.push(reader);
        }
        Some(&self.values[number])
    }

    /// Sets the values of a name, unless there is no room for them. Returns whether they changed. If so, all readers of the name are due.
    pub(super) fn set(&mut self, name: &str, values: Vec<Value>, tree: &SourceTree<'_>) -> bool {
        let Some(number) = self.numbers.get(name).copied() else { return false };
        if self.values[number] == values || !value::copies(tree, &values) {
            return false;
        }
        self.values[number] = values;
        for reader in std::mem::take(&mut self.readers.borrow_mut()[number]) {
            let mut at = reader;
            while !std::mem::replace(&mut self.due[at], true) {
                at = tree.parent(at);
            }
        }
        true
    }
}
