//! Reads the arguments of a meta-tool's call.

use mgp_types::{
    error::ErrorCode,
    json::{JsonError, RawJson, RawObject},
    rpc::ErrorObject,
    tool_index::{DiscoverToolsParams, MetaTool},
};

/// A call of a meta-tool.
#[derive(Debug, Clone, PartialEq)]
pub enum MetaCall {
    /// Find tools.
    Discover(DiscoverToolsParams),
    /// Call another tool.
    Call(CallArguments),
}

/// The call that `mgp_tools_call` stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallArguments {
    /// The tool's name.
    pub name: String,
    /// The tool's arguments, untouched; none where the caller gave none.
    pub arguments: Option<RawJson>,
}

/// Reads a call of a tool with a name. `None` where the name is not the kernel's, so that a server's tool is meant.
///
/// # Errors
/// 4000, naming the argument that is wrong; 4001 for a name that is the kernel's and no tool of this kernel.
#[must_use]
pub fn parse(name: &str, arguments: Option<&RawJson>) -> Option<Result<MetaCall, ErrorObject>> {
    if !MetaTool::reserves(name) {
        return None;
    }
    Some(match name.parse() {
        Ok(MetaTool::Discover) => discover(arguments).map(MetaCall::Discover),
        Ok(MetaTool::Call) => call(arguments).map(MetaCall::Call),
        Ok(MetaTool::Request | MetaTool::Session | MetaTool::Evict) | Err(_) => {
            Err(ErrorCode::ToolNotFound.error(format!("unknown tool {:?}", shown(name))))
        }
    })
}

fn discover(arguments: Option<&RawJson>) -> Result<DiscoverToolsParams, ErrorObject> {
    let mut object = read(arguments)?;
    only(&object, "", &["query", "strategy", "max_results", "filter"])?;
    if let Some(filter) = object.get("filter").filter(|filter| filter.is_object()) {
        let filter = RawObject::from_json(filter).map_err(|error| wrong(&error))?;
        only(&filter, "filter.", &["categories", "risk_level_max", "status", "server_id"])?;
    }
    Ok(DiscoverToolsParams {
        query: object
            .take("query")
            .and_then(|query| query.ok_or(JsonError::Missing("query")))
            .map_err(|e| wrong(&e))?,
        strategy: optional(&mut object, "strategy")?,
        max_results: optional(&mut object, "max_results")?,
        filter: optional(&mut object, "filter")?,
    })
}

fn call(arguments: Option<&RawJson>) -> Result<CallArguments, ErrorObject> {
    let mut object = read(arguments)?;
    only(&object, "", &["name", "arguments"])?;
    let name: String = object
        .take("name")
        .and_then(|name| name.ok_or(JsonError::Missing("name")))
        .map_err(|error| wrong(&error))?;
    let arguments = object.remove("arguments").filter(|arguments| !arguments.is_null());
    match arguments.as_ref().filter(|arguments| !arguments.is_object()) {
        Some(other) => Err(invalid(format!("invalid arguments: expected an object, found {}", other.kind()))),
        // A call within a call would be judged by the wrong name.
        None if MetaTool::reserves(&name) => Err(invalid(format!(
            "invalid name: {:?} is called directly, not through mgp_tools_call",
            shown(&name)
        ))),
        None => Ok(CallArguments { name, arguments }),
    }
}

fn read(arguments: Option<&RawJson>) -> Result<RawObject, ErrorObject> {
    arguments.map_or(Ok(RawObject::new()), RawObject::from_json).map_err(|error| wrong(&error))
}

fn optional<T: serde::de::DeserializeOwned>(
    object: &mut RawObject,
    key: &str,
) -> Result<Option<T>, ErrorObject> {
    object.take::<Option<T>>(key).map(Option::flatten).map_err(|error| wrong(&error))
}

/// A misspelled argument would be ignored, and the model would not know why.
fn only(object: &RawObject, prefix: &str, known: &[&str]) -> Result<(), ErrorObject> {
    match object.iter().find(|(key, _)| !known.contains(key)) {
        Some((key, _)) => {
            let known = known.join(", ");
            Err(invalid(format!("unknown argument \"{prefix}{}\": expected {known}", shown(key))))
        }
        None => Ok(()),
    }
}

fn shown(name: &str) -> String {
    name.chars().take(64).collect()
}

fn wrong(error: &JsonError) -> ErrorObject {
    invalid(error.to_string())
}

fn invalid(message: String) -> ErrorObject {
    ErrorCode::InvalidToolArgs.error(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, arguments: &str) -> Result<MetaCall, String> {
        let arguments = RawJson::parse(arguments.to_owned()).unwrap();
        parse(name, Some(&arguments)).unwrap().map_err(|error| error.to_string())
    }

    #[test]
    fn every_name_of_discovery_is_accepted_and_other_tools_are_not_the_kernel_s() {
        for name in ["mgp_tools_discover", "mgp/tools/discover", "mgp.tools.discover"] {
            let Ok(MetaCall::Discover(params)) = read(name, r#"{"query":"x","filter":null}"#) else {
                panic!("{name}")
            };
            assert_eq!((params.query.as_str(), params.filter), ("x", None));
        }
        assert_eq!(parse("read_file", None), None);
        assert_eq!(read("mgp_tools_session", "{}").unwrap_err(), "unknown tool \"mgp_tools_session\" (4001)");
    }

    #[test]
    fn a_call_keeps_the_arguments_as_they_are() {
        let call = |arguments| read("mgp_tools_call", arguments).unwrap();
        let arguments = Some(RawJson::parse(r#"{"n":1e500}"#).unwrap());
        let expected = CallArguments { name: "a".into(), arguments };
        assert_eq!(call(r#"{"name":"a","arguments":{"n":1e500}}"#), MetaCall::Call(expected));
        let none = CallArguments { name: "a".into(), arguments: None };
        assert_eq!(call(r#"{"name":"a","arguments":null}"#), MetaCall::Call(none));
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (name, arguments, text) in [
            ("mgp_tools_discover", "{}", "missing query"),
            ("mgp_tools_discover", r#"{"query":7}"#, "invalid query"),
            ("mgp_tools_discover", r#"{"query":"a","limit":3}"#, "unknown argument \"limit\""),
            ("mgp_tools_discover", r#"{"query":"a","max_results":-1}"#, "invalid max_results"),
            ("mgp_tools_discover", r#"{"query":"a","strategy":"x"}"#, "unknown search strategy \"x\""),
            (
                "mgp_tools_discover",
                r#"{"query":"a","filter":{"tags":[]}}"#,
                "unknown argument \"filter.tags\"",
            ),
            ("mgp_tools_discover", "[]", "expected a JSON object"),
            ("mgp_tools_call", "{}", "missing name"),
            ("mgp_tools_call", r#"{"name":"a","arguments":[]}"#, "expected an object, found an array"),
            ("mgp_tools_call", r#"{"name":"mgp_tools_call"}"#, "called directly"),
            ("mgp_tools_call", r#"{"name":"a","name":"b"}"#, "duplicate key \"name\""),
        ] {
            let error = read(name, arguments).unwrap_err();
            assert!(error.contains(text) && error.ends_with("(4000)"), "{arguments}: {error}");
        }
    }
}
