//! One block against its type.

use std::collections::BTreeMap;

use mgp_types::{
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    rpc::{ErrorObject, Frame},
};

use super::{block::Block, elided, exact, methods, objects, passage};

/// §1.5 shows the form of a message with this instead of a method.
const PLACEHOLDER: &str = "method/name";

/// A check of the blocks of one text in order: a response is read as the answer to the request before it.
#[derive(Default)]
pub(super) struct Checker {
    /// The methods of the requests so far, by the text of their ids.
    asked: BTreeMap<String, String>,
    /// The number of blocks with gaps.
    pub(super) elided: usize,
}

impl Checker {
    /// Checks a block, and returns a description of it.
    ///
    /// # Errors
    /// The problem with the block. An unknown block is a problem too.
    pub(super) fn check(&mut self, block: &Block) -> Result<String, String> {
        let filled = elided::fill(&block.section, &block.text)?;
        let gaps = filled.is_some();
        let text = filled.unwrap_or_else(|| block.text.clone());
        let object = RawObject::parse(text).map_err(|error| error.to_string())?;
        let what = if object.get("jsonrpc").is_some() {
            self.message(block, &object)?
        } else {
            let shape = objects::find(&object).ok_or("is neither a message nor a known object")?;
            same(shape.what, &object.to_json(), shape.round)?;
            shape.what.to_owned()
        };
        if gaps {
            self.elided += 1;
            return Ok(format!("{what}, gaps filled in"));
        }
        Ok(what)
    }

    fn message(&mut self, block: &Block, message: &RawObject) -> Result<String, String> {
        match passage::check(message)? {
            Frame::Request { method, .. } if method == PLACEHOLDER => Ok("form of a request".into()),
            Frame::Request { id, method, params } => {
                let known = methods::find(&method).ok_or_else(|| format!("has no type for {method}"))?;
                if known.result.is_none() {
                    return Err(format!("asks for {method}, which is a notification"));
                }
                same("params", params.get().unwrap_or(&RawJson::empty_object()), known.params)?;
                self.asked.insert(id.to_string(), method.to_string());
                Ok(format!("request {method}"))
            }
            Frame::Notification { method, params } => {
                let known = methods::find(&method).ok_or_else(|| format!("has no type for {method}"))?;
                if known.result.is_some() {
                    return Err(format!("notifies of {method}, which is a request"));
                }
                same("params", params.get().unwrap_or(&RawJson::empty_object()), known.params)?;
                Ok(format!("notification {method}"))
            }
            Frame::Response { outcome: Err(error), .. } => self::error(&error),
            Frame::Response { id, outcome: Ok(result) } => {
                let id = id.map(|id| id.to_string()).unwrap_or_default();
                let method = block.named.as_ref().or_else(|| self.asked.get(&id));
                let method = method.ok_or_else(|| format!("answers request {id}, which does not exist"))?;
                let round = methods::find(method).and_then(|known| known.result);
                same(
                    "result",
                    &result,
                    round.ok_or_else(|| format!("has no type for the result of {method}"))?,
                )?;
                Ok(format!("result of {method}"))
            }
        }
    }
}

/// Checks an error: its code is in the table, and its advice is unchanged when written again.
fn error(error: &ErrorObject) -> Result<String, String> {
    let code =
        ErrorCode::from_code(error.code).ok_or_else(|| format!("has the unknown code {}", error.code))?;
    let advice = Recovery::from_error(error).ok_or("has an error without readable advice")?;
    let data = error.data.as_ref().map(RawObject::from_json).transpose().map_err(|e| e.to_string())?;
    let written = advice.clone().attach(ErrorObject::new(code, error.message.as_str())).data;
    let expected = data.and_then(|data| data.get("_mgp").cloned());
    let written = written.and_then(|data| RawObject::from_json(&data).ok()?.get("_mgp").cloned());
    if let (Some(expected), Some(written)) = (&expected, &written)
        && let Some(difference) = exact::difference(expected, written)
    {
        return Err(format!("data._mgp{difference}"));
    }
    if (advice.category, advice.retryable) != (code.category(), code.retryable()) {
        return Err(format!("has other advice than the table for {code}"));
    }
    Ok(format!("error {code}"))
}

/// Reads a value as a type, writes it back and compares.
fn same(what: &str, json: &RawJson, round: methods::RoundTrip) -> Result<(), String> {
    let written = round(json).map_err(|error| format!("{what}: {error}"))?;
    exact::difference(json, &written).map_or(Ok(()), |difference| Err(format!("{what}{difference}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(named: Option<&str>, text: &str) -> Block {
        Block { line: 1, section: "5.4".into(), named: named.map(str::to_owned), text: text.into() }
    }

    fn check(text: &str) -> Result<String, String> {
        Checker::default().check(&block(None, text))
    }

    #[test]
    fn a_response_is_read_by_its_request_or_the_named_method() {
        let mut checker = Checker::default();
        let request = r#"{"jsonrpc":"2.0","id":3,"method":"mgp/health/status","params":{}}"#;
        let answer = r#"{"jsonrpc":"2.0","id":3,"result":{"status":"healthy"}}"#;
        assert!(checker.check(&block(None, answer)).unwrap_err().contains("request 3, which does not exist"));
        assert_eq!(checker.check(&block(None, request)).unwrap(), "request mgp/health/status");
        assert_eq!(checker.check(&block(None, answer)).unwrap(), "result of mgp/health/status");
        assert_eq!(
            checker.check(&block(Some("mgp/health/ping"), answer)).unwrap(),
            "result of mgp/health/ping"
        );
    }

    #[test]
    fn losses_and_refusals_of_a_type_are_named() {
        let request = |params: &str| {
            check(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"mgp/access/query","params":{params}}}"#))
                .unwrap_err()
        };
        assert!(request(r#"{"agent_id":"a"}"#).contains("missing field `server_id`"));
        assert_eq!(
            request(r#"{"agent_id":"a","server_id":"s","mood":1}"#),
            "params/mood is lost, expected 1"
        );
    }

    #[test]
    fn an_unknown_block_fails() {
        assert!(check(r#"{"colour":"red"}"#).unwrap_err().contains("neither a message nor a known object"));
        assert!(check("not JSON").is_err());
        assert!(
            check(r#"{"jsonrpc":"2.0","id":1,"method":"mgp/fly"}"#)
                .unwrap_err()
                .contains("no type for mgp/fly")
        );
        assert!(
            check(r#"{"jsonrpc":"2.0","method":"tools/call"}"#).unwrap_err().contains("which is a request")
        );
        assert!(
            check(r#"{"jsonrpc":"2.0","id":1,"method":"notifications/mgp.audit"}"#)
                .unwrap_err()
                .contains("which is a notification")
        );
    }

    #[test]
    fn an_error_is_compared_with_the_table() {
        let with = |code: i64, advice: &str| {
            check(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"m","data":{{"_mgp":{advice}}}}}}}"#
            ))
        };
        let advice =
            r#"{"category":"resource","retryable":true,"retry_strategy":"immediate","max_retries":3}"#;
        assert_eq!(with(3000, advice).unwrap(), "error RATE_LIMITED");
        assert!(with(1000, advice).unwrap_err().contains("other advice than the table"));
        assert!(with(1234, advice).unwrap_err().contains("unknown code 1234"));
        assert!(with(3000, r#"{"category":"resource","retryable":true,"x":1}"#).is_err());
    }
}
