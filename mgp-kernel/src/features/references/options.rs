//! The members of a call that only concern the kernel.

use super::pointer::Pointer;
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    reference::CALL_KEY,
    rpc::ErrorObject,
};

/// The maximum number of references in one call.
const MAX_REFS: usize = 16;

/// The members of a call that only concern the kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KernelOptions {
    /// True if the result has to be kept.
    pub(super) keeps: bool,
    /// The references, and their positions in the arguments.
    pub(super) refs: Vec<PlacedReference>,
    /// True if the call came through `mgp_tools_call`.
    pub(super) is_wrapped: bool,
    /// True if the arguments have to be checked against the tool's input schema.
    pub(crate) checks_arguments: bool,
    /// True if the result has to be checked against the tool's output schema.
    pub(super) checks_result: bool,
}

/// A reference, and its position in the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlacedReference {
    /// The position, in the caller's notation.
    pub(super) at: String,
    pub(super) place: Pointer,
    pub(super) id: String,
    /// The part of the data.
    pub(super) part: Pointer,
}

impl KernelOptions {
    /// Reads the members `keep_result` and `refs`.
    ///
    /// # Errors
    /// 4000, naming the invalid member.
    pub(crate) fn read(keep_result: Option<&RawJson>, refs: Option<&RawJson>) -> Result<Self, ErrorObject> {
        let keeps = flag("keep_result", keep_result)?;
        let Some(refs) = refs.filter(|value| !value.is_null()) else {
            return Ok(Self { keeps, ..Self::default() });
        };
        let refs = RawObject::from_json(refs).map_err(|error| invalid(format!("invalid refs: {error}")))?;
        if refs.len() > MAX_REFS {
            let count = refs.len();
            return Err(invalid(format!(
                "invalid refs: expected at most {MAX_REFS} references, found {count}"
            )));
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
        Ok(Self { keeps, refs: placed, ..Self::default() })
    }

    /// Returns the same options, for a call through `mgp_tools_call`.
    pub(crate) fn wrapped(self) -> Self {
        Self { is_wrapped: true, ..self }
    }

    /// Merges these options with those in the call's `_meta`.
    ///
    /// # Errors
    /// 4000 if both have references, because some would be lost.
    pub(crate) fn and(self, of_meta: Option<Self>) -> Result<Self, ErrorObject> {
        let Some(of_meta) = of_meta else { return Ok(self) };
        if !self.refs.is_empty() && !of_meta.refs.is_empty() {
            return Err(invalid(format!(
                "invalid refs: expected them in one place, found them in the arguments of mgp_tools_call and in _meta[{CALL_KEY:?}]"
            )));
        }
        Ok(Self {
            keeps: self.keeps || of_meta.keeps,
            refs: if self.refs.is_empty() { of_meta.refs } else { self.refs },
            checks_arguments: self.checks_arguments || of_meta.checks_arguments,
            checks_result: self.checks_result || of_meta.checks_result,
            is_wrapped: self.is_wrapped,
        })
    }

    /// Returns whether params may contain options. Only searches the text, because this runs for every call.
    pub(crate) fn may_stand_in(params: &RawObject) -> bool {
        params.get("_meta").is_some_and(|meta| meta.may_hold(CALL_KEY))
    }

    /// Takes the options out of the `_meta` of a call, because they only concern the kernel.
    ///
    /// # Errors
    /// 4000, naming the invalid member.
    pub(crate) fn take(params: &mut RawObject) -> Result<Option<Self>, ErrorObject> {
        let mut taken = None;
        params.edit("_meta", |meta| {
            taken = meta.remove(CALL_KEY);
            taken.is_some()
        });
        let Some(options) = taken else { return Ok(None) };
        let options = RawObject::from_json(&options)
            .map_err(|error| invalid(format!("invalid _meta[{CALL_KEY:?}]: {error}")))?;
        let checks_arguments = flag("check_arguments", options.get("check_arguments"))?;
        let checks_result = flag("check_result", options.get("check_result"))?;
        let options = Self::read(options.get("keep_result"), options.get("refs"))?;
        Ok(Some(Self { checks_arguments, checks_result, ..options }))
    }

    /// Returns whether the result has to be checked against the tool's output schema.
    ///
    /// # Errors
    /// 4000 if the result also has to be kept, because its long strings are not parsed then.
    pub(crate) fn checks_result(&self) -> Result<bool, ErrorObject> {
        if self.checks_result && self.keeps {
            let problem = "invalid check_result: expected it without keep_result, found both";
            return Err(invalid(problem.to_owned()));
        }
        Ok(self.checks_result)
    }
}

fn flag(name: &str, value: Option<&RawJson>) -> Result<bool, ErrorObject> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(false) };
    let wrong = |_| invalid(format!("invalid {name}: expected a boolean, found {}", value.kind()));
    value.decode().map_err(wrong)
}

impl PlacedReference {
    fn read(at: &str, reference: &RawJson) -> Result<Self, ErrorObject> {
        let place = Pointer::parse(at).ok_or_else(|| {
            let at = shown(at);
            invalid(format!("invalid refs: {at:?} is not a JSON pointer: expected a place in the arguments, such as \"/data\""))
        })?;
        let read = |text: String| {
            let (id, part) = text.split_once('#').unwrap_or((&text, ""));
            Some((id.to_owned(), Pointer::parse(part)?))
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
pub(super) fn shown(text: &str) -> String {
    text.chars().take(64).collect()
}

pub(super) fn invalid(message: String) -> ErrorObject {
    ErrorCode::InvalidToolArgs.error(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<KernelOptions>, String> {
        let mut params = RawObject::parse(text.to_owned()).unwrap();
        assert_eq!(KernelOptions::may_stand_in(&params), text.contains(CALL_KEY));
        let options = KernelOptions::take(&mut params).map_err(|error| error.message);
        assert!(!params.to_json().may_hold(CALL_KEY), "no server gets them");
        options
    }

    fn call(options: &str) -> String {
        format!(r#"{{"name":"a","_meta":{{"dev.cloto/call":{options},"x":1}}}}"#)
    }

    #[test]
    fn what_is_asked_is_read_and_taken_out() {
        assert_eq!(read(r#"{"name":"a","_meta":{"x":1}}"#), Ok(None));
        let options = read(&call(r#"{"keep_result":true,"refs":{"/a":"ref-1#/b","/c":"ref-1"}}"#)).unwrap();
        let options = options.unwrap();
        assert!(options.keeps && !options.is_wrapped);
        let part = Pointer::parse("/b").unwrap();
        assert_eq!((options.refs.len(), &options.refs[0].part), (2, &part));
        assert_eq!((options.refs[1].id.as_str(), options.refs[1].part.is_whole()), ("ref-1", true));
    }

    #[test]
    fn options_of_both_places_hold_together_and_references_in_both_are_refused() {
        let meta = |options: &str| read(&call(options)).unwrap();
        let refs = meta(r#"{"refs":{"/a":"ref-1"},"check_arguments":true}"#);
        let keeps = meta(r#"{"keep_result":true}"#).unwrap().wrapped();
        let both = keeps.clone().and(refs.clone()).unwrap();
        assert!(both.keeps && both.refs.len() == 1 && both.checks_arguments && both.is_wrapped);
        let both = refs.clone().unwrap().wrapped().and(Some(keeps.clone())).unwrap();
        assert!(both.keeps && both.refs.len() == 1 && both.checks_arguments && both.is_wrapped);
        assert_eq!(keeps.clone().and(None), Ok(keeps));
        let error = refs.clone().unwrap().and(refs).unwrap_err().message;
        assert!(error.contains("in the arguments of mgp_tools_call and in _meta"), "{error}");
    }

    #[test]
    fn what_is_wrong_is_named() {
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
