//! Questions of the server: as separate requests, and in rounds.

use super::{
    connect::{builder, connect_with},
    tools::{call_one, list},
};
use crate::task::Task;
use mgp_client_sdk::{
    RawJson, RawObject,
    mcp::{ElicitAction, ElicitResult, FormElicitation},
};

/// Accepts a form and fills nothing in.
pub(super) async fn defaults(task: &Task) -> Result<(), String> {
    let accept = async |_: FormElicitation| accepted(RawObject::new());
    let client = connect_with(task, builder().on_elicit_form(accept)).await?;
    list(&client).await?;
    call_one(&client, "test_client_elicitation_defaults", RawJson::empty_object()).await
}

/// Answers rounds of input during another call.
pub(super) async fn rounds(task: &Task) -> Result<(), String> {
    let confirm = async |_: FormElicitation| {
        let mut content = RawObject::new();
        content.insert("confirmed", true.into());
        accepted(content)
    };
    let client = connect_with(task, builder().on_elicit_form(confirm)).await?;
    list(&client).await?;
    let call = |name| call_one(&client, name, RawJson::empty_object());
    tokio::try_join!(call("test_mrtr_echo_state"), call("test_mrtr_unrelated"))?;
    call("test_mrtr_no_state").await?;
    call("test_mrtr_no_result_type").await
}

fn accepted(content: RawObject) -> ElicitResult {
    ElicitResult { action: ElicitAction::Accept, content: Some(content), meta: None }
}
