//! The tool `mgp_result_read`, which reads kept data.

use super::{References, read_on};
use crate::catalog::tool_index::OwnTool;
use async_trait::async_trait;
use mgp_toolindex::meta_tools::ReadRequest;
use mgp_transport::seam::Incoming;
use mgp_types::{
    context::Principal,
    json::RawJson,
    rpc::{ErrorObject, RawResult},
};

#[async_trait]
impl OwnTool<ReadRequest> for References {
    async fn answer(
        &self,
        message: &Incoming,
        _: &Principal,
        request: ReadRequest,
    ) -> Result<RawResult, ErrorObject> {
        // Kept for the caller itself, as with `resources/read`.
        let part = read_on(self, &message.caller()?, &request).await?;
        Ok(RawJson::from_value(&part)?)
    }

    async fn check(
        &self,
        message: &Incoming,
        _: &Principal,
        request: ReadRequest,
    ) -> Result<(), ErrorObject> {
        read_on(self, &message.caller()?, &request).await.map(drop)
    }
}
