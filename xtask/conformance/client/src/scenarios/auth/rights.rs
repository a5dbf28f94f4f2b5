//! The requests of an authorized client.

use super::oauth::oauth;
use crate::{
    scenarios::{
        connect::{builder, connect_to},
        tools::{call_one, list},
    },
    task::Task,
};
use mgp_client_sdk::{HttpClientConfig, RawJson};

/// Lists the tools and calls each: a list and a call may require different rights.
pub(in crate::scenarios) async fn authorized(task: &Task) -> Result<(), String> {
    let config = HttpClientConfig { authorize: Some(oauth(task)?), ..Default::default() };
    let client = connect_to(task, builder(), config).await?;
    for tool in list(&client).await? {
        call_one(&client, &tool.name, RawJson::empty_object()).await?;
    }
    Ok(())
}
