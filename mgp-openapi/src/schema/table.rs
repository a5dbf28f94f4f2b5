//! The schemas of a document that others refer to, each converted once for all tools.

use super::{Kinds, pattern::Patterns, size};
use crate::{document::References, limits::MAX_CONVERSIONS};
use serde_json::Value;
use std::{
    cell::Cell,
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

/// The direction in which values of a schema travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the caller to the API.
    Input,
    /// From the API to the caller.
    Output,
}

impl Direction {
    /// Returns the keyword that marks a member as absent in this direction.
    pub(super) fn hiding_keyword(self) -> &'static str {
        match self {
            Self::Input => "readOnly",
            Self::Output => "writeOnly",
        }
    }
}

/// The schemas that references of one direction lead to.
#[derive(Debug)]
pub(crate) struct SchemaTable<'d> {
    pub(super) references: References<'d>,
    pub(super) direction: Direction,
    pub(super) definitions: Vec<Definition<'d>>,
    by_reference: HashMap<String, usize>,
    by_name: HashMap<String, usize>,
    pub(super) patterns: Patterns,
    /// The parts of schemas that may still be converted.
    left: Cell<usize>,
    used_names: HashSet<String>,
    /// The last number of each name that several definitions have.
    numbers: HashMap<String, usize>,
}

/// A schema that references lead to.
#[derive(Debug)]
pub(super) struct Definition<'d> {
    pub(super) name: String,
    source: &'d Value,
    /// The members that the definition does not have in this table.
    hidden: BTreeSet<String>,
    conversion: Option<Arc<Conversion>>,
}

/// A converted schema.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conversion {
    pub(crate) schema: Value,
    /// The indexes of the definitions that the schema refers to, with repetitions.
    pub(super) uses: Vec<usize>,
    /// The length of a definition as JSON, in bytes.
    pub(super) size: usize,
}

impl Conversion {
    /// Adds the uses of another conversion. Returns its schema, which becomes a part of this one.
    pub(crate) fn join(&mut self, part: Self) -> Value {
        self.uses.extend(part.uses);
        part.schema
    }
}

impl<'d> SchemaTable<'d> {
    pub(crate) fn new(references: References<'d>, direction: Direction) -> Self {
        Self {
            references,
            direction,
            definitions: Vec::new(),
            by_reference: HashMap::new(),
            by_name: HashMap::new(),
            patterns: Patterns::default(),
            left: Cell::new(MAX_CONVERSIONS),
            used_names: HashSet::new(),
            numbers: HashMap::new(),
        }
    }

    /// Returns the references of the document.
    pub(crate) fn references(&self) -> References<'d> {
        self.references
    }

    /// Counts parts of schemas that are read. Returns false beyond the bound.
    pub(super) fn spend(&self, parts: usize) -> bool {
        self.left.set(self.left.get().saturating_sub(parts));
        !self.is_exhausted()
    }

    /// Returns whether no more schemas are converted.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.left.get() == 0
    }

    /// Returns the index of the definition that a reference leads to; `None` if it leads nowhere.
    pub(super) fn definition_of(&mut self, reference: &str) -> Option<usize> {
        if let Some(index) = self.by_reference.get(reference) {
            return Some(*index);
        }
        let source = self.references.get(reference).ok()?;
        Some(self.define(reference, reference.to_owned(), source, BTreeSet::new()))
    }

    /// Returns the index of the definition of a target without members, which are not required either.
    pub(super) fn variant_of(
        &mut self,
        reference: &str,
        target: &'d Value,
        hidden: BTreeSet<String>,
    ) -> usize {
        let names: Vec<&str> = hidden.iter().map(String::as_str).collect();
        let key = format!("{reference}\n{}", names.join("\n"));
        match self.by_reference.get(&key) {
            Some(index) => *index,
            None => self.define(reference, key, target, hidden),
        }
    }

    fn define(&mut self, reference: &str, key: String, source: &'d Value, hidden: BTreeSet<String>) -> usize {
        let index = self.definitions.len();
        let name = self.unused_name(reference);
        self.by_reference.insert(key, index);
        self.by_name.insert(name.clone(), index);
        self.definitions.push(Definition { name, source, hidden, conversion: None });
        index
    }

    /// Returns the index of the definition with a name.
    pub(super) fn index_of(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Returns the name of a definition.
    pub(super) fn name(&self, index: usize) -> &str {
        self.definitions.get(index).map_or("", |definition| definition.name.as_str())
    }

    /// Returns the kinds of values of a definition.
    pub(super) fn kinds(&self, index: usize) -> Kinds {
        let definition = self.definitions.get(index);
        definition.map_or(Kinds::ANY, |definition| Kinds::of(definition.source, self.references))
    }

    /// Returns a definition in its converted form.
    pub(super) fn conversion(&mut self, index: usize) -> Arc<Conversion> {
        let Some(definition) = self.definitions.get(index) else { return Arc::default() };
        if let Some(conversion) = &definition.conversion {
            return Arc::clone(conversion);
        }
        let (source, hidden) = (definition.source, definition.hidden.clone());
        let mut conversion = self.convert_without(source, &hidden);
        conversion.size = size(&conversion.schema);
        let conversion = Arc::new(conversion);
        if let Some(definition) = self.definitions.get_mut(index) {
            definition.conversion = Some(Arc::clone(&conversion));
        }
        conversion
    }

    /// Returns a name for the target of a reference: its last part, which is the component's name.
    fn unused_name(&mut self, reference: &str) -> String {
        let last = reference.rsplit('/').next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let plain: String = last.chars().map(|c| if is_plain(c) { c } else { '_' }).take(100).collect();
        let plain = if plain.is_empty() { "schema".to_owned() } else { plain };
        let mut name = plain.clone();
        while !self.used_names.insert(name.clone()) {
            let number = self.numbers.entry(plain.clone()).or_insert(1);
            *number += 1;
            name = format!("{plain}_{number}");
        }
        name
    }
}
