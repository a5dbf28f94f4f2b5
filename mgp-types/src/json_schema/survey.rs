//! A walk through a schema, which lists its parts and checks its bounds.

use super::{
    Dialect, SchemaError,
    dialect::shown,
    keywords::{SchemaSubject, held},
    limits::{PATTERNS, SCHEMA_BYTES, SCHEMA_DEPTH, SUBSCHEMAS},
    references::References,
};
use jsonschema::{Uri, uri};
use serde_json::{Map, Value};
use std::{collections::HashMap, io, sync::Arc};

/// The parts of a schema.
pub(super) struct Survey<'s> {
    dialect: Dialect,
    pub(super) schemas: Vec<Subschema<'s>>,
    /// The index of each schema in the list, by the address of its value in memory.
    places: HashMap<*const Value, usize>,
    pub(super) references: References<'s>,
    patterns: usize,
}

/// One of the schemas in the schema.
pub(super) struct Subschema<'s> {
    pub(super) members: Option<&'s Map<String, Value>>,
    /// The base address of the schema's references.
    pub(super) base: Arc<Uri<String>>,
    /// The schemas in this one that apply to the same value.
    pub(super) same: Vec<usize>,
}

impl<'s> Survey<'s> {
    /// Walks through a schema.
    pub(super) fn of(schema: &'s Value, dialect: Dialect) -> Result<Self, SchemaError> {
        check_size(schema)?;
        let base = uri::from_str("").map_err(|error| SchemaError::Invalid(error.to_string()))?;
        let base = Arc::new(base);
        let mut survey = Self {
            dialect,
            schemas: Vec::new(),
            places: HashMap::new(),
            references: References::default(),
            patterns: 0,
        };
        survey.references.add_resource(&base, schema);
        survey.visit(schema, &base)?;
        Ok(survey)
    }

    /// Adds a schema and the schemas in it, unless they were added before.
    pub(super) fn visit(&mut self, schema: &'s Value, base: &Arc<Uri<String>>) -> Result<usize, SchemaError> {
        if let Some(&place) = self.places.get(&std::ptr::from_ref(schema)) {
            return Ok(place);
        }
        if self.schemas.len() >= SUBSCHEMAS {
            return Err(SchemaError::TooLarge { what: "schemas in it", limit: SUBSCHEMAS as u64 });
        }
        let members = schema.as_object();
        let base = match members {
            Some(members) => self.enter(schema, members, base)?,
            None => base.clone(),
        };
        let place = self.schemas.len();
        self.places.insert(schema, place);
        self.schemas.push(Subschema { members, base: base.clone(), same: Vec::new() });
        let Some(members) = members else { return Ok(place) };
        // In draft-07, keywords next to a reference are ignored.
        let alone = self.dialect == Dialect::Draft07 && members.contains_key("$ref");
        let mut same = Vec::new();
        for (about, inner) in held(members, self.dialect) {
            let inner = self.visit(inner, &base)?;
            if about == SchemaSubject::TheSame && !alone {
                same.push(inner);
            }
        }
        self.schemas[place].same = same;
        Ok(place)
    }

    /// Reads the identity of a schema, and returns the base address of its references.
    fn enter(
        &mut self,
        schema: &'s Value,
        members: &'s Map<String, Value>,
        base: &Arc<Uri<String>>,
    ) -> Result<Arc<Uri<String>>, SchemaError> {
        if let Some(named) = members.get("$schema") {
            let named = named.as_str().unwrap_or_default();
            if Dialect::named(named) != Some(self.dialect) {
                return Err(SchemaError::MixedDialects(shown(named)));
            }
        }
        let patterns = members.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);
        self.patterns += patterns + usize::from(members.contains_key("pattern"));
        if self.patterns > PATTERNS {
            return Err(SchemaError::TooLarge { what: "regular expressions", limit: PATTERNS as u64 });
        }
        self.references.enter(self.dialect, schema, members, base)
    }
}

/// Checks that a schema is neither too long nor too deep.
fn check_size(schema: &Value) -> Result<(), SchemaError> {
    // Checked before anything recurses into the schema.
    if !fits(schema, SCHEMA_DEPTH) {
        return Err(SchemaError::TooLarge { what: "levels of nesting", limit: SCHEMA_DEPTH as u64 });
    }
    serde_json::to_writer(Room(SCHEMA_BYTES), schema)
        .map_err(|_| SchemaError::TooLarge { what: "bytes", limit: SCHEMA_BYTES as u64 })
}

fn fits(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(|item| fits(item, levels - 1)),
        Value::Object(members) => levels > 0 && members.values().all(|member| fits(member, levels - 1)),
        _ => true,
    }
}

/// A writer that counts the bytes that are written to it, up to a limit, and discards them.
struct Room(usize);

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
