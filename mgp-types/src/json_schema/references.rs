//! The targets of the references in a schema, which are always within the schema.

use super::{Dialect, SchemaError, dialect::shown};
use jsonschema::{Uri, uri};
use serde_json::{Map, Value};
use std::{collections::HashMap, sync::Arc};

/// The places that references can lead to.
#[derive(Default)]
pub(super) struct References<'s> {
    /// The resources by their address, without the part after `#`.
    resources: HashMap<String, &'s Value>,
    /// The anchors by the address of their resource and their own name.
    anchors: HashMap<(String, String), Target<'s>>,
    /// The dynamic anchors by their name.
    dynamic: HashMap<String, Vec<Target<'s>>>,
}

/// A keyword that refers to other schemas, and the text of the reference.
pub(super) type Reference<'s> = (&'static str, &'s str);

/// The target of a reference, and the base address of the references there.
pub(super) type Target<'s> = (&'s Value, Arc<Uri<String>>);

impl<'s> References<'s> {
    pub(super) fn add_resource(&mut self, at: &Uri<String>, schema: &'s Value) {
        self.resources.insert(resource(at), schema);
    }

    /// Records the names by which a schema can be referred to, and returns the base address of the schema's references.
    pub(super) fn enter(
        &mut self,
        dialect: Dialect,
        schema: &'s Value,
        members: &Map<String, Value>,
        base: &Arc<Uri<String>>,
    ) -> Result<Arc<Uri<String>>, SchemaError> {
        let text = |key| members.get(key).and_then(Value::as_str);
        // In draft-07, keywords next to a reference are ignored.
        let silent = dialect == Dialect::Draft07 && members.contains_key("$ref");
        let mut base = base.clone();
        match text("$id").filter(|_| !silent) {
            Some(id) if dialect == Dialect::Draft07 && id.starts_with('#') => {
                self.anchors.insert((resource(&base), id[1..].to_owned()), (schema, base.clone()));
            }
            Some(id) => {
                let at = uri::resolve_against(&base.borrow(), id);
                let at = at.map_err(|error| SchemaError::Invalid(shown(&format!("$id {id:?}: {error}"))))?;
                base = Arc::new(at);
                self.add_resource(&base, schema);
            }
            None => {}
        }
        if dialect == Dialect::Draft202012 {
            let dynamic = text("$dynamicAnchor");
            for name in text("$anchor").into_iter().chain(dynamic) {
                self.anchors.insert((resource(&base), name.to_owned()), (schema, base.clone()));
            }
            if let Some(name) = dynamic {
                self.dynamic.entry(name.to_owned()).or_default().push((schema, base.clone()));
            }
        }
        Ok(base)
    }

    /// Returns every schema that a reference may lead to. A `$dynamicRef` may lead to several; a check of a value then takes the first
    /// that it meets.
    ///
    /// # Errors
    /// [`SchemaError::Outside`] if the target is not in the schema.
    pub(super) fn follow(
        &self,
        (keyword, reference): Reference<'_>,
        base: &Arc<Uri<String>>,
    ) -> Result<Vec<Target<'s>>, SchemaError> {
        let outside = || SchemaError::Outside { keyword, reference: shown(reference) };
        let at = uri::resolve_against(&base.borrow(), reference).map_err(|_| outside())?;
        let fragment = match at.fragment() {
            None => String::new(),
            Some(fragment) => fragment.decode().to_string().map_err(|_| outside())?.into_owned(),
        };
        let target = if fragment.is_empty() || fragment.starts_with('/') {
            let whole = *self.resources.get(&resource(&at)).ok_or_else(outside)?;
            let base = Arc::new(at.strip_fragment().to_owned());
            (whole.pointer(&fragment).ok_or_else(outside)?, base)
        } else {
            self.anchors.get(&(resource(&at), fragment.clone())).ok_or_else(outside)?.clone()
        };
        let mut targets = vec![target];
        if keyword == "$dynamicRef" {
            targets.extend(self.dynamic.get(&fragment).into_iter().flatten().cloned());
        }
        Ok(targets)
    }
}

/// Returns the references of a schema.
pub(super) fn of(members: &Map<String, Value>, dialect: Dialect) -> impl Iterator<Item = Reference<'_>> {
    let keywords: &[&'static str] = match dialect {
        Dialect::Draft07 => &["$ref"],
        Dialect::Draft202012 => &["$ref", "$dynamicRef"],
    };
    keywords.iter().filter_map(|keyword| Some((*keyword, members.get(*keyword)?.as_str()?)))
}

/// Returns the address of a resource, without the part after `#`.
fn resource(at: &Uri<String>) -> String {
    at.as_str().split('#').next().unwrap_or_default().to_owned()
}
