//! The subject of a call to a resource or a completion.

use super::{FromCall, Needs};
use crate::{Call, ToolError, needs::SingleExtractor};
use mgp_types::rpc::ErrorObject;
use std::sync::Arc;

/// The URI of the resource that is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Uri(pub Arc<str>);

/// The text typed so far for the argument to complete.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Prefix(pub Arc<str>);

/// The error of an extractor that belongs to the handlers of another method. A server with this handler fails to build. The error
/// remains for your own extractors that wrap this one without declaring it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongMethod {
    extractor: &'static str,
    of: &'static str,
}

impl From<WrongMethod> for ToolError {
    fn from(WrongMethod { extractor, of }: WrongMethod) -> Self {
        let problem = format!("internal error: {extractor} is for handlers of {of}");
        Self::protocol(ErrorObject::internal(problem))
    }
}

impl FromCall for Uri {
    type Rejection = WrongMethod;

    fn needs(needs: &mut Needs) {
        needs.single(SingleExtractor::Uri);
    }

    async fn from_call(call: &Call) -> Result<Self, WrongMethod> {
        let uri = call.incoming().ext.get::<Self>().cloned();
        uri.ok_or(WrongMethod { extractor: "Uri", of: "resources" })
    }
}

impl FromCall for Prefix {
    type Rejection = WrongMethod;

    fn needs(needs: &mut Needs) {
        needs.single(SingleExtractor::Prefix);
    }

    async fn from_call(call: &Call) -> Result<Self, WrongMethod> {
        let prefix = call.incoming().ext.get::<Self>().cloned();
        prefix.ok_or(WrongMethod { extractor: "Prefix", of: "completions" })
    }
}
