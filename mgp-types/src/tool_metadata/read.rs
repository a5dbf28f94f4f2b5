//! Reads the metadata of a tool's definition.

use super::{
    Cost, CostCategory, Deprecation, MAX_EXAMPLES, MAX_ITEMS, MAX_METADATA, TOOL_KEY, ToolMetadata,
    members::Member,
    values::{self, Value},
};
use crate::{
    json::{RawJson, RawObject},
    mcp::Tool,
};
use std::{
    cell::{Cell, RefCell},
    fmt,
};

/// The metadata of a tool, and the members that could not be read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolMetadataReading {
    /// The metadata.
    pub metadata: ToolMetadata,
    /// The members that were ignored, or read only in part.
    pub ignored: Vec<IgnoredMember>,
}

/// A member that was ignored, or read only in part. It hides neither the tool nor its other members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredMember {
    /// The name of the member.
    pub member: String,
    /// The place of the member in the definition.
    pub place: &'static str,
    /// The expected value, and the value that was found.
    pub reason: String,
}

impl fmt::Display for IgnoredMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { member, place, reason } = self;
        write!(f, "{member} in {place}: {reason}")
    }
}

/// The places of a definition that hold metadata, in order of precedence.
const OWN: &str = "_meta[\"dev.cloto/tool\"]";
const META: &str = "_meta";
const BARE: &str = "the definition";
const ANNOTATIONS: &str = "annotations";

impl ToolMetadata {
    /// Reads the metadata of a definition: of `_meta["dev.cloto/tool"]`, and the proposals' names in `_meta` itself and next to the tool's
    /// name. If a member is in several places, the first readable one counts; for members about risk and cost, the strictest. An unreadable
    /// `_meta["dev.cloto/tool"]` counts as destructive and to be confirmed.
    #[must_use]
    pub fn of_definition(definition: &RawObject) -> ToolMetadataReading {
        let object = |key| definition.get(key).filter(|json| json.is_object());
        Self::read(object("_meta"), definition, object("annotations"))
    }

    /// Reads the metadata of a tool, as [`of_definition`](Self::of_definition) does, except for hints that `annotations` has no field for.
    #[must_use]
    pub fn of_tool(tool: &Tool) -> ToolMetadataReading {
        // An unreadable `_meta` is among the other members.
        let unread = || tool.other.get("_meta").filter(|json| json.is_object()).cloned();
        let meta = tool.meta.as_ref().map(RawObject::to_json).or_else(unread);
        Self::read(meta.as_ref(), &tool.other, None)
    }

    fn read(meta: Option<&RawJson>, bare: &RawObject, annotations: Option<&RawJson>) -> ToolMetadataReading {
        let reader = Reader::default();
        let mut other = RawObject::new();
        match meta.map(RawObject::from_json) {
            Some(Ok(meta)) => {
                if let Some(own) = meta.get(TOOL_KEY)
                    && let Some(own) = reader.own(own)
                {
                    reader.collect(OWN, &own);
                    other = own;
                }
                reader.collect(META, &meta);
            }
            Some(Err(error)) => reader.ignore_whole("_meta", BARE, &error.to_string()),
            None => {}
        }
        reader.collect(BARE, bare);
        if let Some(deprecated) = annotations
            .filter(|hints| hints.may_hold("deprecated"))
            .and_then(|hints| RawObject::from_json(hints).ok()?.get("deprecated").cloned())
        {
            reader.add(Member::Deprecated, ANNOTATIONS, deprecated);
        }
        if reader.found.borrow().is_empty() {
            let metadata = reader.strict(ToolMetadata { other, ..Self::default() });
            return ToolMetadataReading { metadata, ignored: reader.ignored.into_inner() };
        }
        let mut metadata = reader.strict(reader.metadata());
        for member in Member::ALL.iter().filter(|member| member.is_set(&metadata)) {
            // An unreadable member is unchanged, unless another place has a readable one.
            member.names().iter().for_each(|name| drop(other.remove(name)));
        }
        metadata.other = other;
        ToolMetadataReading { metadata, ignored: reader.ignored.into_inner() }
    }
}

/// The members that were found, and those that were ignored.
#[derive(Default)]
struct Reader {
    found: RefCell<Vec<(Member, &'static str, RawJson)>>,
    ignored: RefCell<Vec<IgnoredMember>>,
    /// True if a place cannot be read, so that its claims about risk are unknown.
    is_unread: Cell<bool>,
}

impl Reader {
    /// Returns the members of `_meta["dev.cloto/tool"]`, if they can be read.
    fn own(&self, json: &RawJson) -> Option<RawObject> {
        if json.is_null() {
            return None;
        }
        let object = values::bounded(json, MAX_METADATA)
            .and_then(|()| RawObject::from_json(json).map_err(|error| error.to_string()));
        object.map_err(|reason| self.ignore_whole(TOOL_KEY, META, &reason)).ok()
    }

    fn collect(&self, place: &'static str, object: &RawObject) {
        for (key, value) in object.iter() {
            if let Some(member) = Member::named(key) {
                self.add(member, place, value.clone());
            }
        }
    }

    fn add(&self, member: Member, place: &'static str, value: RawJson) {
        if !value.is_null() {
            self.found.borrow_mut().push((member, place, value));
        }
    }

    fn ignore(&self, member: &str, place: &'static str, reason: String) {
        self.ignored.borrow_mut().push(IgnoredMember { member: member.to_owned(), place, reason });
    }

    /// Ignores a place. Its possible claims about risk count as the strictest.
    fn ignore_whole(&self, member: &str, place: &'static str, reason: &str) {
        self.is_unread.set(true);
        self.ignore(member, place, format!("{reason}: it counts as destructive and to be confirmed"));
    }

    /// Returns metadata with the strictest members about risk, if a place could not be read.
    fn strict(&self, metadata: ToolMetadata) -> ToolMetadata {
        if !self.is_unread.get() {
            return metadata;
        }
        let (requires_confirmation, risk_level) = (Some(true), Some(super::Impact::Destructive));
        ToolMetadata { requires_confirmation, risk_level, ..metadata }
    }

    /// Returns every readable value of a member, in the order of the places.
    fn all<T>(&self, member: Member, read: impl Fn(&RawJson) -> Value<T>) -> Vec<T> {
        let found = self.found.borrow();
        let values = found.iter().filter(|(one, ..)| *one == member);
        values
            .filter_map(|(member, place, json)| {
                read(json).map_err(|reason| self.ignore(member.name(), place, reason)).ok()
            })
            .collect()
    }

    /// Returns the first readable value of a member.
    fn first<T>(&self, member: Member, read: impl Fn(&RawJson) -> Value<T>) -> Option<T> {
        self.all(member, read).into_iter().next()
    }

    /// Returns the entries of the first readable list of a member. An unreadable entry does not hide the others.
    fn list<T>(&self, member: Member, most: usize, read: impl Fn(&RawJson) -> Value<T>) -> Vec<T> {
        let entries = |json: &RawJson| {
            // Many servers write a list with one entry as only the entry.
            let entries: Vec<RawJson> = json.decode().unwrap_or_else(|_| vec![json.clone()]);
            let mut kept = Vec::new();
            for (at, entry) in entries.iter().enumerate().take(most) {
                match read(entry) {
                    Ok(entry) => kept.push(entry),
                    Err(reason) => self.ignore(&format!("{}/{at}", member.name()), "the list", reason),
                }
            }
            if entries.len() > most {
                let reason =
                    format!("expected at most {most} entries, found {}: the first were read", entries.len());
                self.ignore(member.name(), "the list", reason);
            }
            Ok(kept)
        };
        self.first(member, entries).unwrap_or_default()
    }

    fn metadata(&self) -> ToolMetadata {
        let names = |member| self.list(member, MAX_ITEMS, values::name);
        ToolMetadata {
            version: self.first(Member::Version, values::version),
            deprecated: self.all(Member::Deprecated, deprecation).into_iter().flatten().next(),
            examples: self.list(Member::Examples, MAX_EXAMPLES, values::of_type),
            errors: self.list(Member::Errors, MAX_ITEMS, values::of_type),
            idempotent: self.first(Member::Idempotent, values::flag),
            idempotency: self.first(Member::Idempotency, values::text),
            security_notes: self.list(Member::SecurityNotes, MAX_ITEMS, values::text),
            author: self.first(Member::Author, values::name),
            tags: names(Member::Tags),
            cost: self.all(Member::Cost, cost).into_iter().reduce(Cost::or_dearer),
            latency: self.first(Member::Latency, values::of_type),
            quota: self.first(Member::Quota, values::of_type),
            input_types: names(Member::InputTypes),
            output_types: names(Member::OutputTypes),
            max_input_size_bytes: self.all(Member::MaxInputSizeBytes, values::count).into_iter().min(),
            binary_transport: self.first(Member::BinaryTransport, values::name),
            compensation: self.first(Member::Compensation, values::of_type),
            required_scopes: names(Member::RequiredScopes),
            requires_confirmation: self.confirmation(),
            confirmation_message: self.first(Member::ConfirmationMessage, values::text),
            risk_level: self.impact(),
            supports_streaming: self.first(Member::SupportsStreaming, values::flag),
            supports_pagination: self.first(Member::SupportsPagination, values::flag),
            other: RawObject::new(),
        }
    }

    /// Returns whether any place requests a confirmation. An unreadable place counts as requesting one.
    fn confirmation(&self) -> Option<bool> {
        let member = Member::RequiresConfirmation;
        let strict = |json: &RawJson| {
            Ok(values::flag(json).unwrap_or_else(|reason| {
                self.ignore(
                    member.name(),
                    "the definition or its _meta",
                    format!("{reason}: it counts as true"),
                );
                true
            }))
        };
        self.all(member, strict).into_iter().max()
    }

    /// Returns the greatest impact that any place claims. An unreadable place counts as the greatest.
    fn impact(&self) -> Option<super::Impact> {
        let member = Member::RiskLevel;
        let strict = |json: &RawJson| {
            Ok(values::of_type(json).unwrap_or_else(|reason: String| {
                self.ignore(
                    member.name(),
                    "the definition or its _meta",
                    format!("{reason}: it counts as destructive"),
                );
                super::Impact::Destructive
            }))
        };
        self.all(member, strict).into_iter().max_by_key(|impact| impact.risk())
    }
}

/// Reads a cost. A malformed cost counts as far as it can be read, and as metered.
fn cost(json: &RawJson) -> Value<Cost> {
    values::of_type(json).or_else(|reason: String| {
        let object = RawObject::from_json(json).map_err(|_| reason.clone())?;
        let category: Option<CostCategory> = object.decode("category").ok().flatten();
        let estimated_units = object.decode("estimated_units").ok().flatten();
        if category.is_none() && estimated_units.is_none() {
            return Err(reason);
        }
        Ok(Cost { estimated_units, ..Cost::new(category.unwrap_or(CostCategory::Metered)) })
    })
}

/// Reads a deprecation. `None` means that the tool is not deprecated.
fn deprecation(json: &RawJson) -> Value<Option<Deprecation>> {
    values::bounded(json, super::MAX_TEXT * 6)?;
    let says_no = json.as_str() == "false" || json.to_text().is_some_and(|text| text.is_empty());
    match Deprecation::read(json) {
        None if !says_no => {
            Err(format!("expected true, false, or the reason as a text, found {}", values::shown(json)))
        }
        read => Ok(read),
    }
}
