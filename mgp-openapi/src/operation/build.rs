//! Makes operations of the paths of a document.

use super::{
    Method, Omission, OmissionReason, Operation, PathTemplate,
    body::DescribedBody,
    parameter::{DescribedParameter, Location},
    response::Responses,
};
use crate::{
    document::{Document, References, server_urls},
    limits::{MAX_ENTRIES, MAX_OPERATIONS, MAX_PARAMETERS},
    schema::{Direction, SchemaTable},
    selection::{Candidate, Selection},
    text::shown_value,
    tool::{ToolNames, ToolParts, tool},
};
use serde_json::Value;
use std::borrow::Cow;

/// The state of reading a document.
struct Reader<'d> {
    references: References<'d>,
    inputs: SchemaTable<'d>,
    outputs: SchemaTable<'d>,
}

/// An operation of a document.
struct Entry<'d> {
    path: &'d str,
    method: Method,
    source: &'d Value,
    id: Option<&'d str>,
    /// The parameters and servers of the whole path.
    item: &'d Value,
}

impl Document {
    /// Returns the selected operations, and those of them that cannot be tools.
    ///
    /// The name of a tool depends on the document only, not on the selection.
    #[must_use]
    pub fn operations(&self, selection: &Selection) -> (Vec<Operation>, Vec<Omission>) {
        operations(self.root(), selection)
    }
}

fn operations(root: &Value, selection: &Selection) -> (Vec<Operation>, Vec<Omission>) {
    let references = References::new(root);
    let mut reader = Reader {
        references,
        inputs: SchemaTable::new(references, Direction::Input),
        outputs: SchemaTable::new(references, Direction::Output),
    };
    let (mut operations, mut omissions) = (Vec::new(), Vec::new());
    let mut names = ToolNames::default();
    for entry in entries(root, references, &mut omissions) {
        // Each operation takes its name, selected or not: a name does not depend on the selection.
        let name = names.take(entry.id, entry.method, entry.path);
        let tags = tags(entry.source);
        let candidate =
            Candidate { tags: &tags, path: entry.path, method: entry.method, operation_id: entry.id };
        if !selection.selects(&candidate) {
            continue;
        }
        let operation = if operations.len() < MAX_OPERATIONS {
            reader.operation(&entry, name, &tags)
        } else {
            Err(OmissionReason::TooManyOperations)
        };
        match operation {
            Ok(operation) => operations.push(operation),
            Err(reason) => omissions.push(Omission {
                path: entry.path.to_owned(),
                method: Some(entry.method),
                operation_id: entry.id.map(str::to_owned),
                reason,
            }),
        }
    }
    (operations, omissions)
}

/// Returns all operations of a document. Paths that cannot be read are omitted.
fn entries<'d>(root: &'d Value, references: References<'d>, omissions: &mut Vec<Omission>) -> Vec<Entry<'d>> {
    let mut entries = Vec::new();
    for (path, item) in root.get("paths").and_then(Value::as_object).into_iter().flatten() {
        if path.starts_with("x-") {
            continue;
        }
        let mut omit = |reason| {
            omissions.push(Omission { path: path.clone(), method: None, operation_id: None, reason });
        };
        // An item with a reference may also have methods, which take precedence.
        let target = match references.follow(item) {
            Ok(target) if target.is_object() => target,
            Ok(other) => {
                let (part, value) = ("the path's value".to_owned(), shown_value(other));
                omit(OmissionReason::Form { part, value, expected: "an object" });
                continue;
            }
            Err(error) => {
                omit(error.into());
                continue;
            }
        };
        for method in Method::ALL {
            let name = method.as_str().to_ascii_lowercase();
            let own = item.get(&name).map(|source| (source, item));
            let Some((source, item)) = own.or_else(|| target.get(&name).map(|source| (source, target)))
            else {
                continue;
            };
            let id = source.get("operationId").and_then(Value::as_str).filter(|id| !id.is_empty());
            entries.push(Entry { path, method, source, id, item });
        }
    }
    entries
}

fn tags(operation: &Value) -> Vec<String> {
    let tags = operation.get("tags").and_then(Value::as_array);
    tags.into_iter().flatten().take(MAX_ENTRIES).filter_map(Value::as_str).map(str::to_owned).collect()
}

impl<'d> Reader<'d> {
    fn operation(
        &mut self,
        entry: &Entry<'d>,
        name: String,
        tags: &[String],
    ) -> Result<Operation, OmissionReason> {
        if !entry.source.is_object() {
            let (part, value) = ("the operation".to_owned(), shown_value(entry.source));
            return Err(OmissionReason::Form { part, value, expected: "an object" });
        }
        let template = PathTemplate::parse(entry.path)?;
        let parameters = self.parameters(entry, &template)?;
        let body = DescribedBody::read(entry.source, entry.method, &self.inputs, self.references)?;
        let responses = Responses::read(entry.source, self.references);
        let accept = (!responses.media_types.is_empty()).then(|| responses.media_types.join(", "));
        let parts = ToolParts {
            name,
            method: entry.method,
            path: entry.path,
            source: entry.source,
            parameters,
            body,
            result: responses.schema,
        };
        let built = tool(parts, &mut self.inputs, &mut self.outputs)?;
        if self.inputs.is_exhausted() || self.outputs.is_exhausted() {
            return Err(OmissionReason::TooManyConversions);
        }
        let own = server_urls(entry.source);
        Ok(Operation {
            tool: built.tool,
            method: entry.method,
            path: entry.path.to_owned(),
            operation_id: entry.id.map(str::to_owned),
            tags: tags.to_vec(),
            servers: if own.is_empty() { server_urls(entry.item) } else { own },
            template,
            parameters: built.parameters,
            body: built.body,
            accept,
            wraps_result: built.wraps_result,
        })
    }

    /// Returns the parameters of an operation, which replace those of its path with the same name and location.
    fn parameters(
        &self,
        entry: &Entry<'d>,
        template: &PathTemplate,
    ) -> Result<Vec<DescribedParameter<'d>>, OmissionReason> {
        let of = |owner: &'d Value| owner.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let mut parameters: Vec<DescribedParameter<'d>> = Vec::new();
        for (count, source) in of(entry.item).chain(of(entry.source)).enumerate() {
            if count >= MAX_PARAMETERS {
                return Err(OmissionReason::TooManyParameters);
            }
            let Some(parameter) = DescribedParameter::read(source, self.references)? else { continue };
            let same = |other: &&mut DescribedParameter<'_>| {
                let (other, own) = (&other.parameter, &parameter.parameter);
                other.location == own.location && other.name == own.name
            };
            match parameters.iter_mut().find(same) {
                Some(other) => *other = parameter,
                None => parameters.push(parameter),
            }
        }
        let mut ordered = Vec::new();
        for name in template.parameters() {
            let at = parameters.iter().position(|described| {
                described.parameter.location == Location::Path && is_place_of(name, &described.parameter.name)
            });
            let mut described = at.map_or_else(
                || DescribedParameter::undescribed(name, Location::Path),
                |at| parameters.remove(at),
            );
            described.parameter.name = name.to_owned();
            // A parameter may have two places.
            if !ordered.iter().any(|other: &DescribedParameter<'_>| other.parameter.name == name) {
                ordered.push(described);
            }
        }
        for (key, name) in &template.query_parameters {
            let is_same = |described: &&mut DescribedParameter<'_>| {
                let parameter = &described.parameter;
                match parameter.location {
                    Location::Path => parameter.name == *name,
                    Location::Query => parameter.name == *name || parameter.name == *key,
                    _ => false,
                }
            };
            match parameters.iter_mut().find(is_same) {
                Some(described) => described.move_to_query(key),
                None => parameters.push(DescribedParameter::undescribed(key, Location::Query)),
            }
        }
        parameters.retain(|described| described.parameter.location != Location::Path);
        parameters.sort_by_key(|described| match described.parameter.location {
            Location::Path => 0,
            Location::Query => 1,
            Location::Header => 2,
            Location::Cookie => 3,
        });
        ordered.extend(parameters);
        Ok(ordered)
    }
}

/// Returns whether a place of a template, such as `{id}`, `{+id}` or `{id*}`, is that of a parameter.
fn is_place_of(place: &str, name: &str) -> bool {
    let plain: Cow<'_, str> = place.trim_start_matches(['+', '.', ';', '/']).trim_end_matches('*').into();
    place == name || plain == name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_without_paths_has_no_operations() {
        let document = Document::parse("openapi: 3.1.0\nwebhooks: {}").unwrap();
        assert_eq!(document.operations(&Selection::default()), (vec![], vec![]));
    }
}
