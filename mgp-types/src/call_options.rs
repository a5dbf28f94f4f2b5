//! The options of a tool call.

use crate::{
    context::SessionTag,
    error::ErrorCode,
    json::{JsonPointer, RawJson, RawObject},
    proposals::GivenConfirmation,
    reference::CALL_KEY,
    rpc::{Call, ErrorObject, Method},
    tool_check::{CanExecute, CheckPermissions, CheckTool, ValidateTool},
};
use std::sync::Arc;

/// The maximum number of references in one call.
const MAX_REFS: usize = 16;

/// The options of a tool call. The kernel takes them out of the params once, because they only concern the kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallOptions {
    /// True if the result has to be kept.
    pub keep: bool,
    /// The references to kept data, and their positions in the arguments.
    pub refs: Vec<PlacedReference>,
    /// True if the call came through `mgp_tools_call`.
    pub is_wrapped: bool,
    /// True if the arguments have to be checked against the tool's input schema.
    pub check_arguments: bool,
    /// True if the result has to be checked against the tool's output schema.
    pub check_result: bool,
    /// The form in which a dry run was requested; `None` for a call that is made.
    pub dry_run: Option<DryRunForm>,
    /// The handle of the session that the call names.
    pub session: Option<String>,
    /// The session that the tool belongs to; `None` for a tool of all sessions.
    pub tool_session: Option<SessionTag>,
    /// The confirmation that the server requested, once it was given.
    pub confirmation: Option<GivenConfirmation>,
    /// The name of the tool at its server, if the operator renamed the tool.
    pub own_name: Option<Arc<str>>,
    /// The argument that the caller sent although the operator fixed its value.
    pub fixed_argument: Option<String>,
}

/// The form in which a dry run is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DryRunForm {
    /// By `mgp/tools/check` or `tools/validate`.
    Method,
    /// By a method whose answer is about permissions.
    Permissions,
    /// By `mgp_tools_call` with `dry_run`.
    MetaTool,
}

/// A reference to kept data, and its position in the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedReference {
    /// The position, in the caller's notation.
    pub at: String,
    /// The position.
    pub place: JsonPointer,
    /// The id of the reference.
    pub id: String,
    /// The part of the data.
    pub part: JsonPointer,
}

impl DryRunForm {
    /// Returns the form of a method that requests a dry run.
    #[must_use]
    pub fn of(method: &Method) -> Option<Self> {
        match &**method {
            CheckTool::METHOD | ValidateTool::METHOD => Some(Self::Method),
            CanExecute::METHOD | CheckPermissions::METHOD => Some(Self::Permissions),
            _ => None,
        }
    }
}

impl CallOptions {
    /// The options of a call without any.
    pub const NONE: Self = Self {
        keep: false,
        refs: Vec::new(),
        is_wrapped: false,
        check_arguments: false,
        check_result: false,
        dry_run: None,
        session: None,
        tool_session: None,
        confirmation: None,
        own_name: None,
        fixed_argument: None,
    };

    /// Returns the options of a call through `mgp_tools_call`, with its arguments `keep_result` and `refs`.
    ///
    /// # Errors
    /// 4000, naming the invalid argument.
    pub fn wrapped(self, keep_result: Option<&RawJson>, refs: Option<&RawJson>) -> Result<Self, ErrorObject> {
        Ok(Self { keep: flag("keep_result", keep_result)?, refs: placed(refs)?, is_wrapped: true, ..self })
    }

    /// Returns whether a dry run judges its arguments. A question about permissions has none.
    #[must_use]
    pub fn judges_arguments(&self, arguments: Option<&RawJson>) -> bool {
        self.dry_run != Some(DryRunForm::Permissions) || arguments.is_some()
    }

    /// Returns whether params may contain options. Only searches the text, because this runs for every call.
    #[must_use]
    pub fn may_stand_in(params: &RawObject) -> bool {
        params.get("_meta").is_some_and(|meta| meta.may_hold(CALL_KEY))
    }

    /// Takes options out of the `_meta` of a call, and merges them with these.
    ///
    /// # Errors
    /// 4000, naming the invalid member. References in both places are refused, because some would be lost. A result that is checked cannot also be
    /// kept, because its long strings are not parsed then.
    pub fn take(&mut self, params: &mut RawObject) -> Result<(), ErrorObject> {
        let mut taken = None;
        params.edit("_meta", |meta| {
            taken = meta.remove(CALL_KEY);
            taken.is_some()
        });
        let Some(options) = taken else { return Ok(()) };
        let options = RawObject::from_json(&options)
            .map_err(|error| invalid(format!("invalid _meta[{CALL_KEY:?}]: {error}")))?;
        self.check_arguments |= flag("check_arguments", options.get("check_arguments"))?;
        self.check_result |= flag("check_result", options.get("check_result"))?;
        self.keep |= flag("keep_result", options.get("keep_result"))?;
        let refs = placed(options.get("refs"))?;
        if !self.refs.is_empty() && !refs.is_empty() {
            return Err(invalid(format!(
                "invalid refs: expected them in one place, found them in the arguments of mgp_tools_call and in _meta[{CALL_KEY:?}]"
            )));
        }
        self.refs.extend(refs);
        if self.check_result && self.keep {
            let problem = "invalid check_result: expected it without keep_result, found both";
            return Err(invalid(problem.to_owned()));
        }
        Ok(())
    }
}

/// Reads the member `refs`.
fn placed(refs: Option<&RawJson>) -> Result<Vec<PlacedReference>, ErrorObject> {
    let Some(refs) = refs.filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    let refs = RawObject::from_json(refs).map_err(|error| invalid(format!("invalid refs: {error}")))?;
    if refs.len() > MAX_REFS {
        let count = refs.len();
        return Err(invalid(format!("invalid refs: expected at most {MAX_REFS} references, found {count}")));
    }
    let mut placed: Vec<PlacedReference> = Vec::with_capacity(refs.len());
    for (at, reference) in refs.iter() {
        let next = PlacedReference::read(at, reference)?;
        if let Some(other) = placed.iter().find(|other| other.place.overlaps(&next.place)) {
            let (one, other) = (shown(&other.at), shown(at));
            return Err(invalid(format!("invalid refs: {one:?} and {other:?} are inside one another")));
        }
        placed.push(next);
    }
    Ok(placed)
}

fn flag(name: &str, value: Option<&RawJson>) -> Result<bool, ErrorObject> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(false) };
    let wrong = |_| invalid(format!("invalid {name}: expected a boolean, found {}", value.kind()));
    value.decode().map_err(wrong)
}

impl PlacedReference {
    fn read(at: &str, reference: &RawJson) -> Result<Self, ErrorObject> {
        let place = JsonPointer::parse(at).ok_or_else(|| {
            let at = shown(at);
            invalid(format!("invalid refs: {at:?} is not a JSON pointer: expected a place in the arguments, such as \"/data\""))
        })?;
        let read = |text: String| {
            let (id, part) = text.split_once('#').unwrap_or((&text, ""));
            Some((id.to_owned(), JsonPointer::parse(part)?))
        };
        let Some((id, part)) = reference.to_text().and_then(read) else {
            let (at, found) = (shown(at), reference.kind());
            return Err(invalid(format!(
                "invalid refs[{at:?}]: expected a string with a reference, such as \"ref-1\" or \"ref-1#/rows/0\" for a part, found {found}"
            )));
        };
        Ok(Self { at: at.to_owned(), place, id, part })
    }
}

/// Returns the part of a text that an error shows.
fn shown(text: &str) -> String {
    text.chars().take(64).collect()
}

fn invalid(message: String) -> ErrorObject {
    ErrorCode::InvalidToolArgs.error(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_into(options: CallOptions, text: &str) -> Result<CallOptions, String> {
        let (mut options, mut params) = (options, RawObject::parse(text.to_owned()).unwrap());
        assert_eq!(CallOptions::may_stand_in(&params), text.contains(CALL_KEY));
        let taken = options.take(&mut params);
        assert!(!params.to_json().may_hold(CALL_KEY), "no server gets them");
        taken.map(|()| options).map_err(|error| error.message)
    }

    fn read(text: &str) -> Result<CallOptions, String> {
        read_into(CallOptions::NONE, text)
    }

    fn call(options: &str) -> String {
        format!(r#"{{"name":"a","_meta":{{"dev.cloto/call":{options},"x":1}}}}"#)
    }

    #[test]
    fn options_are_read_and_removed() {
        assert_eq!(read(r#"{"name":"a","_meta":{"x":1}}"#), Ok(CallOptions::NONE));
        assert_eq!(CallOptions::NONE, CallOptions::default());
        let options = read(&call(r#"{"keep_result":true,"refs":{"/a":"ref-1#/b","/c":"ref-1"}}"#)).unwrap();
        assert!(options.keep && !options.is_wrapped);
        let part = JsonPointer::parse("/b").unwrap();
        assert_eq!((options.refs.len(), &options.refs[0].part), (2, &part));
        assert_eq!((options.refs[1].id.as_str(), options.refs[1].part.is_whole()), ("ref-1", true));
    }

    #[test]
    fn options_of_both_members_are_merged_but_not_their_references() {
        let (keeps, refs) = (RawJson::from(true), RawJson::parse(r#"{"/a":"ref-1"}"#).unwrap());
        let with_refs = call(r#"{"refs":{"/a":"ref-1"},"check_arguments":true}"#);
        let wrapped = CallOptions::NONE.wrapped(Some(&keeps), None).unwrap();
        let both = read_into(wrapped.clone(), &with_refs).unwrap();
        assert!(both.keep && both.refs.len() == 1 && both.check_arguments && both.is_wrapped);
        assert_eq!(read_into(wrapped.clone(), "{}"), Ok(wrapped));
        let wrapped = CallOptions::NONE.wrapped(None, Some(&refs)).unwrap();
        let both =
            read_into(wrapped.clone(), &call(r#"{"keep_result":true,"check_arguments":true}"#)).unwrap();
        assert!(both.keep && both.refs.len() == 1 && both.check_arguments && both.is_wrapped);
        let error = read_into(wrapped, &with_refs).unwrap_err();
        assert!(error.contains("in the arguments of mgp_tools_call and in _meta"), "{error}");
    }

    #[test]
    fn wrong_options_are_named() {
        let many: Vec<_> = (0..17).map(|i| format!("\"/{i}\":\"r\"")).collect();
        for (options, problem) in [
            ("[]", "invalid _meta"),
            (r#"{"keep_result":1}"#, "expected a boolean, found a number"),
            (r#"{"refs":["ref-1"]}"#, "expected a JSON object, found an array"),
            (r#"{"refs":{"a":"ref-1"}}"#, "is not a JSON pointer"),
            (r#"{"refs":{"/a":7}}"#, "found a number"),
            (r#"{"refs":{"/a":"ref-1#b"}}"#, "expected a string with a reference"),
            (r#"{"refs":{"/a":"r","/a/b":"r"}}"#, "inside one another"),
            (r#"{"refs":{"":"r","/b":"r"}}"#, "inside one another"),
            (r#"{"refs":{"/a":"r","/a":"s"}}"#, "duplicate key"),
            (&format!("{{\"refs\":{{{}}}}}", many.join(",")), "at most 16 references, found 17"),
        ] {
            let error = read(&call(options)).unwrap_err();
            assert!(error.contains(problem), "{options}: {error}");
        }
    }
}
